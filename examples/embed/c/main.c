// Three sequences, each with parameters of its own, sampled together step by step: decant from C.
#include <decant/c.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEQUENCES = 3, WORDS = 8, STEPS = 9 };

static const char* const words[WORDS] = {"the", "cat", "dog", "sat", "ran", "on", "mat", "."};

// Stands for a model: the logits of the next word, by the last one.
static const float model[WORDS][WORDS] = {
    {-9.0F, 2.0F, 1.9F, -4.0F, -4.0F, -6.0F, 1.5F, -6.0F},  {-3.0F, -9.0F, -5.0F, 2.0F, 1.6F, -1.0F, -6.0F, 0.0F},
    {-3.0F, -5.0F, -9.0F, 1.5F, 2.1F, -1.0F, -6.0F, 0.1F},  {-4.0F, -6.0F, -6.0F, -9.0F, -5.0F, 2.5F, -6.0F, 1.0F},
    {0.0F, -6.0F, -6.0F, -5.0F, -9.0F, 2.0F, -6.0F, 1.4F},  {3.0F, -2.0F, -2.0F, -6.0F, -6.0F, -9.0F, -2.0F, -6.0F},
    {-5.0F, -6.0F, -6.0F, 0.5F, -3.0F, -1.0F, -9.0F, 2.5F}, {3.0F, 0.0F, 0.0F, -6.0F, -6.0F, -6.0F, -6.0F, -9.0F},
};

static const char* const params[SEQUENCES] = {
    "{\"temperature\": 0}",
    "{\"temperature\": 0.8, \"top_k\": 3}",
    "{\"temperature\": 1.2, \"min_p\": 0.05, \"repetition_penalty\": 1.2}",
};

// Ends the program where a call failed.
static void require(decant_status status, decant_error** error) {
  if (status == DECANT_OK) return;
  fprintf(stderr, "%s: %s\n", decant_status_name(status), decant_error_message(*error));
  decant_error_free(*error);
  exit(1);
}

// A value outside its range is refused by name.
static void show_an_error(void) {
  decant_error* error = NULL;
  decant_sampler* sampler = NULL;
  decant_status status = decant_sampler_new("{\"top_p\": 1.5}", NULL, WORDS, &sampler, &error);
  printf("%s: %s\n", decant_status_name(status), decant_error_message(error));
  decant_error_free(error);
}

int main(void) {
  decant_error* error = NULL;
  decant_runtime* runtime = NULL;
  decant_batch* batch = NULL;
  require(decant_runtime_new(2, &runtime, &error), &error);
  require(decant_batch_new(runtime, &batch, &error), &error);

  decant_sampler* samplers[SEQUENCES] = {NULL};
  decant_state* states[SEQUENCES] = {NULL};
  uint32_t last[SEQUENCES];
  for (size_t i = 0; i < SEQUENCES; ++i) {
    uint32_t prompt[1] = {0};  // "the"
    decant_state_options options = DECANT_STATE_OPTIONS_INIT;
    options.seed = 7;
    options.sequence = (uint32_t)i;
    options.prompt = prompt;
    options.prompt_size = 1;
    require(decant_sampler_new(params[i], NULL, WORDS, &samplers[i], &error), &error);
    require(decant_state_new(&options, &states[i], &error), &error);
    last[i] = prompt[0];
  }

  for (int step = 0; step < STEPS; ++step) {
    decant_request requests[SEQUENCES];
    decant_choice choices[SEQUENCES];
    for (size_t i = 0; i < SEQUENCES; ++i) {
      requests[i].sampler = samplers[i];
      requests[i].row = decant_row_f32(model[last[i]], WORDS);
      requests[i].state = states[i];
    }
    require(decant_batch_sample(batch, requests, SEQUENCES, DECANT_TOKEN, choices, NULL, &error), &error);
    for (size_t i = 0; i < SEQUENCES; ++i) {
      last[i] = choices[i].token;
      require(decant_state_accept(states[i], last[i], &error), &error);
    }
  }

  for (size_t i = 0; i < SEQUENCES; ++i) {
    size_t size = 0;
    const uint32_t* tokens = decant_state_tokens(states[i], &size);
    printf("%zu:", i);
    for (size_t t = 0; t < size; ++t) printf(" %s", words[tokens[t]]);
    printf("\n");
  }
  show_an_error();

  for (size_t i = 0; i < SEQUENCES; ++i) {
    decant_state_free(states[i]);
    decant_sampler_free(samplers[i]);
  }
  decant_batch_free(batch);
  decant_runtime_free(runtime);
  return 0;
}
