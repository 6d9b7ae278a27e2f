// Batches from C: each row as it would be alone, bad ones too, whatever the threads.
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { kRows = 37, kVocabulary = 1000 };

static const char* const kParams[] = {
    "{\"temperature\":0}",
    "{\"temperature\":0.8,\"top_k\":40}",
    "{\"min_p\":0.05,\"temperature\":1.3}",
    "{\"top_p\":0.9,\"presence_penalty\":0.5}",
    "{}",
};
enum { kChains = sizeof kParams / sizeof kParams[0] };

typedef struct Rows {
  float logits[kRows][kVocabulary];
  decant_sampler* samplers[kChains];
  decant_state* states[kRows];
  decant_request requests[kRows];
} Rows;

// Rows that a fixed congruential generator makes; row i is sampled by chain i % kChains.
static Rows* MakeRows(void) {
  Rows* const rows = malloc(sizeof *rows);
  uint32_t x = 1;
  for (int i = 0; i < kChains; ++i) {
    rows->samplers[i] = NULL;
    EXPECT(decant_sampler_new(kParams[i], NULL, kVocabulary, &rows->samplers[i], NULL) == DECANT_OK);
  }
  for (int i = 0; i < kRows; ++i) {
    decant_state_options options = DECANT_STATE_OPTIONS_INIT;
    options.seed = (uint64_t)i;
    for (int t = 0; t < kVocabulary; ++t) {
      x = x * 1664525U + 1013904223U;
      rows->logits[i][t] = (float)(x >> 8) * 0x1p-22F;
    }
    rows->states[i] = NULL;
    EXPECT(decant_state_new(&options, &rows->states[i], NULL) == DECANT_OK);
    rows->requests[i].sampler = rows->samplers[i % kChains];
    rows->requests[i].row = decant_row_f32(rows->logits[i], kVocabulary);
    rows->requests[i].state = rows->states[i];
  }
  return rows;
}

static void FreeRows(Rows* rows) {
  for (int i = 0; i < kRows; ++i) decant_state_free(rows->states[i]);
  for (int i = 0; i < kChains; ++i) decant_sampler_free(rows->samplers[i]);
  free(rows);
}

static decant_choice Alone(const decant_request* request) {
  decant_choice choice = {0, 0, 0, 0, 0, 0};
  EXPECT(decant_sample(request->sampler, &request->row, request->state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  return choice;
}

static void TestRowsAreAsAlone(uint32_t threads) {
  Rows* const rows = MakeRows();
  decant_runtime* runtime = NULL;
  decant_batch* batch = NULL;
  decant_choice choices[kRows];
  decant_status statuses[kRows];
  EXPECT(decant_runtime_new(threads, &runtime, NULL) == DECANT_OK);
  EXPECT(decant_runtime_threads(runtime) == (threads == 0 ? 1 : threads));
  EXPECT(decant_batch_new(runtime, &batch, NULL) == DECANT_OK);
  decant_runtime_free(runtime);  // the batch keeps what it needs
  for (int step = 0; step < 3; ++step) {
    EXPECT(decant_batch_sample(batch, rows->requests, kRows, DECANT_FULL, choices, statuses, NULL) == DECANT_OK);
    for (int i = 0; i < kRows; ++i) {
      const decant_choice alone = Alone(&rows->requests[i]);
      EXPECT(statuses[i] == DECANT_OK);
      EXPECT(memcmp(&choices[i], &alone, sizeof alone) == 0);
    }
    EXPECT(decant_batch_sample(batch, rows->requests, kRows, DECANT_TOKEN, choices, NULL, NULL) == DECANT_OK);
    for (int i = 0; i < kRows; ++i) {
      EXPECT(choices[i].token == Alone(&rows->requests[i]).token);
      EXPECT(decant_state_accept(rows->states[i], choices[i].token, NULL) == DECANT_OK);
    }
  }
  decant_batch_free(batch);
  FreeRows(rows);
}

static void TestBadRowsFailAlone(void) {
  Rows* const rows = MakeRows();
  decant_batch* batch = NULL;
  decant_error* error = NULL;
  decant_choice choices[kRows];
  decant_status statuses[kRows];
  memset(choices, 0, sizeof choices);
  choices[5].token = choices[6].token = 123;
  EXPECT(decant_batch_new(NULL, &batch, NULL) == DECANT_OK);
  rows->logits[5][999] = NAN;
  rows->requests[6].sampler = NULL;
  rows->requests[7].state = NULL;
  rows->requests[8].row.data = NULL;
  rows->requests[9].row.vocabulary = 999;
  rows->requests[30].state = rows->requests[2].state;
  EXPECT(decant_batch_sample(batch, rows->requests, kRows, DECANT_FULL, choices, statuses, &error) ==
         DECANT_NON_FINITE_LOGIT);
  EXPECT(strstr(decant_error_message(error), "request 5: logit of token 999 is NaN") != NULL);
  EXPECT(statuses[5] == DECANT_NON_FINITE_LOGIT && choices[5].token == 123);
  EXPECT(statuses[6] == DECANT_OUT_OF_RANGE && choices[6].token == 123);
  EXPECT(statuses[7] == DECANT_OUT_OF_RANGE && statuses[8] == DECANT_OUT_OF_RANGE);
  EXPECT(statuses[9] == DECANT_LOGIT_COUNT_MISMATCH);
  EXPECT(statuses[30] == DECANT_CONFLICT);
  EXPECT(strstr(decant_error_message(decant_batch_error(batch, 6)), "sampler is NULL") != NULL);
  EXPECT(strstr(decant_error_message(decant_batch_error(batch, 30)), "request 2's") != NULL);
  EXPECT(decant_batch_error(batch, 0) == NULL && decant_batch_error(batch, kRows) == NULL);
  for (int i = 0; i < kRows; ++i) {
    if ((i >= 5 && i <= 9) || i == 30) continue;
    EXPECT(statuses[i] == DECANT_OK);
    const decant_choice alone = Alone(&rows->requests[i]);
    EXPECT(memcmp(&choices[i], &alone, sizeof alone) == 0);
  }
  // A fault of the call is everybody's, and the last call's errors are gone.
  EXPECT(decant_batch_sample(batch, rows->requests, 2, 9, choices, statuses, &error) == DECANT_OUT_OF_RANGE);
  EXPECT(statuses[0] == DECANT_OUT_OF_RANGE && statuses[1] == DECANT_OUT_OF_RANGE && statuses[2] == DECANT_OK);
  EXPECT(decant_batch_error(batch, 6) == NULL);
  EXPECT_FAULT(decant_batch_sample(batch, NULL, 2, DECANT_FULL, choices, NULL, &error), DECANT_OUT_OF_RANGE,
               "requests is NULL");
  EXPECT_FAULT(decant_batch_sample(batch, rows->requests, 2, DECANT_FULL, NULL, NULL, &error), DECANT_OUT_OF_RANGE,
               "choices is NULL");
  EXPECT_FAULT(decant_batch_sample(batch, rows->requests, SIZE_MAX, DECANT_FULL, choices, statuses, &error),
               DECANT_OUT_OF_RANGE, "count");
  EXPECT(decant_batch_sample(batch, NULL, 0, DECANT_FULL, NULL, NULL, &error) == DECANT_OK && error == NULL);
  decant_batch_free(batch);
  FreeRows(rows);
}

void TestBatches(void) {
  TestRowsAreAsAlone(0);
  TestRowsAreAsAlone(1);
  TestRowsAreAsAlone(3);
  TestBadRowsFailAlone();
}

// One sampler in several threads, each with a state and a batch of its own over one runtime.
typedef struct Worker {
  const Rows* rows;
  const decant_runtime* runtime;
  uint32_t tokens[kRows];
  int failures;
} Worker;

static void* Work(void* argument) {
  Worker* const worker = argument;
  decant_batch* batch = NULL;
  decant_choice choices[kRows];
  decant_request requests[kRows];
  memcpy(requests, worker->rows->requests, sizeof requests);
  worker->failures += decant_batch_new(worker->runtime, &batch, NULL) != DECANT_OK;
  for (int i = 0; i < kRows; ++i) {
    decant_state_options options = DECANT_STATE_OPTIONS_INIT;
    options.seed = (uint64_t)i;
    worker->failures += decant_state_new(&options, &requests[i].state, NULL) != DECANT_OK;
  }
  for (int round = 0; round < 5; ++round) {
    worker->failures += decant_batch_sample(batch, requests, kRows, DECANT_TOKEN, choices, NULL, NULL) != DECANT_OK;
  }
  for (int i = 0; i < kRows; ++i) {
    worker->tokens[i] = choices[i].token;
    decant_state_free(requests[i].state);
  }
  decant_batch_free(batch);
  return NULL;
}

void TestThreads(void) {
  enum { kThreads = 4 };
  Rows* const rows = MakeRows();
  decant_runtime* runtime = NULL;
  pthread_t threads[kThreads];
  Worker workers[kThreads];
  EXPECT(decant_runtime_new(2, &runtime, NULL) == DECANT_OK);
  for (int i = 0; i < kThreads; ++i) {
    workers[i].rows = rows;
    workers[i].runtime = runtime;
    workers[i].failures = 0;
    EXPECT(pthread_create(&threads[i], NULL, Work, &workers[i]) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    EXPECT(pthread_join(threads[i], NULL) == 0);
    EXPECT(workers[i].failures == 0);
    for (int r = 0; r < kRows; ++r) EXPECT(workers[i].tokens[r] == Alone(&rows->requests[r]).token);
  }
  decant_runtime_free(runtime);
  FreeRows(rows);
}
