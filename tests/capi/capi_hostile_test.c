// decant/c.h against callers who keep no rule that can be checked: each fault has a status and a name.
#include <math.h>
#include <stdint.h>

#include "check.h"

static void TestNullHandles(void) {
  size_t size = 99;
  decant_error_free(NULL);
  decant_runtime_free(NULL);
  decant_sampler_free(NULL);
  decant_state_free(NULL);
  decant_batch_free(NULL);
  decant_state_commit_draw(NULL);
  EXPECT(decant_runtime_threads(NULL) == 0);
  EXPECT(decant_sampler_vocabulary(NULL) == 0);
  EXPECT(strcmp(decant_sampler_preset(NULL), "") == 0);
  EXPECT(strcmp(decant_sampler_plan(NULL), "") == 0);
  EXPECT(decant_sampler_exact_falls(NULL) == 0);
  EXPECT(decant_state_position(NULL) == 0 && decant_state_seed(NULL) == 0 && decant_state_sequence(NULL) == 0);
  EXPECT(decant_state_tokens(NULL, &size) == NULL && size == 0);
  EXPECT(decant_state_tokens(NULL, NULL) == NULL);
  EXPECT(decant_batch_error(NULL, 0) == NULL);
}

static void TestNullArguments(void) {
  decant_state* state = NULL;
  decant_sampler* sampler = NULL;
  const float logits[2] = {0, 1};
  const decant_row row = decant_row_f32(logits, 2);
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  EXPECT(decant_state_new(NULL, &state, NULL) == DECANT_OK);
  EXPECT(decant_sampler_new(NULL, NULL, 2, &sampler, NULL) == DECANT_OK);
  EXPECT_FAULT(decant_runtime_new(1, NULL, &error), DECANT_OUT_OF_RANGE, "runtime is NULL");
  EXPECT_FAULT(decant_sampler_new("{}", NULL, 4, NULL, &error), DECANT_OUT_OF_RANGE, "sampler is NULL");
  EXPECT_FAULT(decant_state_new(NULL, NULL, &error), DECANT_OUT_OF_RANGE, "state is NULL");
  EXPECT_FAULT(decant_state_accept(NULL, 1, &error), DECANT_OUT_OF_RANGE, "state is NULL");
  EXPECT_FAULT(decant_state_roll_back(NULL, 0, &error), DECANT_OUT_OF_RANGE, "state is NULL");
  EXPECT_FAULT(decant_state_clone(NULL, &state, &error), DECANT_OUT_OF_RANGE, "state is NULL");
  EXPECT_FAULT(decant_state_clone(state, NULL, &error), DECANT_OUT_OF_RANGE, "clone is NULL");
  EXPECT_FAULT(decant_batch_new(NULL, NULL, &error), DECANT_OUT_OF_RANGE, "batch is NULL");
  EXPECT_FAULT(decant_batch_sample(NULL, NULL, 0, DECANT_FULL, NULL, NULL, &error), DECANT_OUT_OF_RANGE,
               "batch is NULL");
  EXPECT_FAULT(decant_sample(NULL, &row, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "sampler is NULL");
  EXPECT_FAULT(decant_sample(sampler, NULL, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "row is NULL");
  EXPECT_FAULT(decant_sample(sampler, &row, NULL, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "state is NULL");
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, NULL, &error), DECANT_OUT_OF_RANGE, "choice is NULL");
  EXPECT(choice.token == 99);
  // Without a place for an error the status still tells.
  EXPECT(decant_sample(NULL, NULL, NULL, 7, NULL, NULL) == DECANT_OUT_OF_RANGE);
  decant_sampler_free(sampler);
  decant_state_free(state);
}

static void TestWrongRows(void) {
  static const float logits[5] = {0, 1, 2, 3, 4};
  const float nan_row[4] = {0, 1, 2, NAN};
  const float inf_row[4] = {0, INFINITY, 2, 3};
  const float banned[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  decant_state* state = NULL;
  decant_sampler* sampler = NULL;
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  decant_row row = decant_row_f32(NULL, 4);
  EXPECT(decant_state_new(NULL, &state, NULL) == DECANT_OK);
  EXPECT(decant_sampler_new("{\"temperature\":0.7}", NULL, 4, &sampler, NULL) == DECANT_OK);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "data");
  row = decant_row_f32(logits, 5);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_LOGIT_COUNT_MISMATCH, "5");
  row = decant_row_f32(logits, 0);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_LOGIT_COUNT_MISMATCH, "0");
  row = decant_row_f32(nan_row, 4);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_NON_FINITE_LOGIT, "token 3");
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_TOKEN, &choice, &error), DECANT_NON_FINITE_LOGIT, "token 3");
  row = decant_row_f32(inf_row, 4);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_TOKEN, &choice, &error), DECANT_NON_FINITE_LOGIT, "token 1");
  row = decant_row_f32(banned, 4);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_EMPTY_SUPPORT, "banned");
  row = decant_row_f32(logits, 4);
  row.type = 4;
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "type");
  row = decant_row_f32(logits, 4);
  row.reserved = 1;
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "reserved");
  row = decant_row_f32(logits, 4);
  row.data = (const char*)logits + 1;
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "misaligned");
  row = decant_row_f32(logits, 4);
  row.mask = (const uint32_t*)(const void*)((const char*)logits + 2);
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_OUT_OF_RANGE, "mask");
  row = decant_row_f32(logits, 4);
  EXPECT_FAULT(decant_sample(sampler, &row, state, 2, &choice, &error), DECANT_OUT_OF_RANGE, "detail is 2");
  EXPECT(choice.token == 99);
  EXPECT(decant_state_position(state) == 0);
  decant_sampler_free(sampler);
  decant_state_free(state);
}

static void TestWrongOptions(void) {
  decant_state_options options = DECANT_STATE_OPTIONS_INIT;
  decant_state* state = NULL;
  decant_runtime* runtime = NULL;
  options.size = 0;
  EXPECT_FAULT(decant_state_new(&options, &state, &error), DECANT_OUT_OF_RANGE, "size");
  options.size = sizeof options;
  options.prompt_size = 3;
  EXPECT_FAULT(decant_state_new(&options, &state, &error), DECANT_OUT_OF_RANGE, "prompt is NULL");
  options.prompt_size = 0;
  options.output_size = 1;
  EXPECT_FAULT(decant_state_new(&options, &state, &error), DECANT_OUT_OF_RANGE, "output is NULL");
  options.output_size = 0;
  options.reserved = 1;
  EXPECT_FAULT(decant_state_new(&options, &state, &error), DECANT_OUT_OF_RANGE, "reserved");
  EXPECT(state == NULL);
  EXPECT_FAULT(decant_runtime_new(257, &runtime, &error), DECANT_OUT_OF_RANGE, "257");
  EXPECT_FAULT(decant_runtime_new(UINT32_MAX, &runtime, &error), DECANT_OUT_OF_RANGE, "256");
  EXPECT(runtime == NULL);
}

void TestHostile(void) {
  TestNullHandles();
  TestNullArguments();
  TestWrongRows();
  TestWrongOptions();
}
