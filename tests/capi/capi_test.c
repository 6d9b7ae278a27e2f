// decant/c.h from C11: versions, samplers, states, rows and choices. capi_batch_test.c and capi_hostile_test.c go on.
#include <math.h>
#include <stdint.h>

#include "check.h"

int failures = 0;

// The worked example of examples/sample_row.cc.
static const float kLogits[4] = {0.0F, 1.0F, 1.0F, 2.0F};

static decant_sampler* SamplerOf(const char* params, size_t vocabulary) {
  decant_error* error = NULL;
  decant_sampler* sampler = NULL;
  if (decant_sampler_new(params, NULL, vocabulary, &sampler, &error) != DECANT_OK) {
    ++failures;
    fprintf(stderr, "%s: %s\n", params, decant_error_message(error));
    decant_error_free(error);
  }
  return sampler;
}

static decant_state* StateOf(uint64_t seed) {
  decant_state_options options = DECANT_STATE_OPTIONS_INIT;
  decant_state* state = NULL;
  options.seed = seed;
  EXPECT(decant_state_new(&options, &state, NULL) == DECANT_OK);
  return state;
}

static void TestVersions(void) {
  EXPECT(decant_abi_version() == DECANT_ABI_VERSION);
  EXPECT(strchr(decant_version(), '.') != NULL);
  EXPECT(strncmp(decant_numerics(), "numerics:", 9) == 0);
  EXPECT(strcmp(decant_status_name(DECANT_OK), "Ok") == 0);
  EXPECT(strcmp(decant_status_name(DECANT_NON_FINITE_LOGIT), "NonFiniteLogit") == 0);
  EXPECT(strcmp(decant_status_name(7), "") == 0);
  EXPECT(strcmp(decant_status_name(-1000), "") == 0);
}

static void TestSamplers(void) {
  decant_sampler* sampler = SamplerOf("{\"temperature\":0.8,\"top-k\":40,\"min_p\":0.05}", 100);
  EXPECT(decant_sampler_vocabulary(sampler) == 100);
  EXPECT(strcmp(decant_sampler_preset(sampler), "native") == 0);
  EXPECT(strlen(decant_sampler_plan(sampler)) > 0);
  EXPECT(decant_sampler_exact_falls(sampler) == 0);
  decant_sampler_free(sampler);
  sampler = NULL;
  EXPECT(decant_sampler_new(NULL, "reference", 4, &sampler, NULL) == DECANT_OK);
  EXPECT(strcmp(decant_sampler_preset(sampler), "reference") == 0);
  decant_sampler_free(sampler);
}

static void TestParameters(void) {
  decant_sampler* out = NULL;
  EXPECT_FAULT(decant_sampler_new("{\"top_p\":1.5}", NULL, 4, &out, &error), DECANT_OUT_OF_RANGE, "top_p is 1.5");
  EXPECT_FAULT(decant_sampler_new("{\"temprature\":1}", NULL, 4, &out, &error), DECANT_UNKNOWN_PARAMETER, "temprature");
  EXPECT_FAULT(decant_sampler_new("{\"max_tokens\":1}", NULL, 4, &out, &error), DECANT_UNKNOWN_PARAMETER, "no effect");
  EXPECT_FAULT(decant_sampler_new("{\"seed\":1}", NULL, 4, &out, &error), DECANT_UNKNOWN_PARAMETER, "sequence");
  EXPECT_FAULT(decant_sampler_new("{\"top_k\":1,\"top-k\":2}", NULL, 4, &out, &error), DECANT_CONFLICT, "twice");
  EXPECT_FAULT(decant_sampler_new("{\"top_k\":\"x\"}", NULL, 4, &out, &error), DECANT_WRONG_TYPE, "top_k");
  EXPECT_FAULT(decant_sampler_new("[1]", NULL, 4, &out, &error), DECANT_WRONG_TYPE, "an array");
  EXPECT_FAULT(decant_sampler_new("", NULL, 4, &out, &error), DECANT_INVALID_JSON, "JSON");
  EXPECT_FAULT(decant_sampler_new("{\"bad_words\":[\"x\"]}", NULL, 4, &out, &error), DECANT_UNSUPPORTED_TOKENIZER,
               "tokenizer");
  EXPECT_FAULT(decant_sampler_new("{\"logit_bias\":{\"4\":1}}", NULL, 4, &out, &error), DECANT_TOKEN_OUT_OF_RANGE, "4");
  EXPECT_FAULT(decant_sampler_new("{}", "nativ", 4, &out, &error), DECANT_UNKNOWN_PRESET, "nativ");
  EXPECT_FAULT(decant_sampler_new("{}", NULL, 0, &out, &error), DECANT_EMPTY_LOGITS, "no logits");
  EXPECT_FAULT(decant_sampler_new("{}", NULL, SIZE_MAX, &out, &error), DECANT_VOCABULARY_TOO_LARGE, "tokens");
  EXPECT(out == NULL);
}

static void TestErrors(void) {
  decant_error* error = NULL;
  decant_sampler* sampler = NULL;
  decant_position position = {0, 0, 0};
  EXPECT(decant_sampler_new("{\n \"top_k\":}", NULL, 4, &sampler, &error) == DECANT_INVALID_JSON);
  EXPECT(decant_error_position(error, &position) == 1);
  EXPECT(position.line == 2);
  // The same variable serves the next call, failed or not.
  EXPECT(decant_sampler_new("{\"temprature\":1}", NULL, 4, &sampler, &error) == DECANT_UNKNOWN_PARAMETER);
  EXPECT(strstr(decant_error_hint(error), "temperature") != NULL);
  EXPECT(strcmp(decant_error_subject(error), "temprature") == 0);
  EXPECT(decant_error_position(error, &position) == 0);
  EXPECT(decant_error_position(error, NULL) == 0);
  EXPECT(decant_sampler_new("{}", NULL, 4, &sampler, &error) == DECANT_OK);
  EXPECT(error == NULL);
  decant_sampler_free(sampler);

  EXPECT(decant_error_status(NULL) == DECANT_OK);
  EXPECT(strcmp(decant_error_message(NULL), "") == 0);
  EXPECT(strcmp(decant_error_subject(NULL), "") == 0);
  EXPECT(strcmp(decant_error_allowed(NULL), "") == 0);
  EXPECT(strcmp(decant_error_hint(NULL), "") == 0);
  EXPECT(decant_error_position(NULL, &position) == 0);
}

static void TestOneSample(void) {
  decant_sampler* const sampler = SamplerOf("{\"top_k\":3}", 4);
  decant_state* const state = StateOf(7);
  const decant_row row = decant_row_f32(kLogits, 4);
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  decant_choice again = {99, 0, 0, 0, 0, 0};
  EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  EXPECT(choice.token >= 1 && choice.token <= 3);
  EXPECT(choice.rank >= 1 && choice.rank <= 3);
  EXPECT(choice.probability > 0 && choice.probability < 1);
  EXPECT(fabs(exp(choice.log_probability) - choice.probability) < 1e-12);
  EXPECT(choice.drawn_by == DECANT_DRAW_INVERSE_CDF);
  // Nothing moved: the same choice. Its token alone is the same token.
  EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &again, NULL) == DECANT_OK);
  EXPECT(memcmp(&choice, &again, sizeof choice) == 0);
  EXPECT(decant_sample(sampler, &row, state, DECANT_TOKEN, &again, NULL) == DECANT_OK);
  EXPECT(again.token == choice.token && again.drawn_by == choice.drawn_by);
  decant_state_free(state);
  decant_sampler_free(sampler);
}

static void TestMasks(void) {
  decant_sampler* const sampler = SamplerOf("{\"temperature\":0}", 4);
  decant_state* const state = StateOf(0);
  const uint32_t all_but_three = 0x7U;
  const uint32_t none = 0;
  decant_row row = decant_row_f32(kLogits, 4);
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  row.mask = &all_but_three;
  EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  EXPECT(choice.token == 1 && choice.rank == 1 && choice.probability == 1.0 && choice.drawn_by == DECANT_DRAW_GREEDY);
  row.mask = &none;
  EXPECT_FAULT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, &error), DECANT_EMPTY_SUPPORT, "banned");
  EXPECT(choice.token == 1);
  decant_state_free(state);
  decant_sampler_free(sampler);
}

// Penalties skip the tokens that are structural here.
static void TestStructural(void) {
  decant_sampler* const sampler = SamplerOf("{\"temperature\":0,\"presence_penalty\":5}", 4);
  decant_state* const state = StateOf(0);
  const uint32_t three = 0x8U;
  decant_row row = decant_row_f32(kLogits, 4);
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  EXPECT(decant_state_accept(state, 3, NULL) == DECANT_OK);
  EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  EXPECT(choice.token == 1);
  row.structural = &three;
  EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  EXPECT(choice.token == 3);
  decant_state_free(state);
  decant_sampler_free(sampler);
}

static void TestElementTypes(void) {
  static const uint16_t f16[4] = {0x0000, 0x3C00, 0x3C00, 0x4000};   // 0, 1, 1, 2
  static const uint16_t bf16[4] = {0x0000, 0x3F80, 0x3F80, 0x4000};  // likewise
  static const double f64[4] = {0, 1, 1, 2};
  decant_sampler* const native = SamplerOf("{\"top_k\":3}", 4);
  decant_sampler* reference = NULL;
  decant_state* const state = StateOf(11);
  const decant_row f32_row = decant_row_f32(kLogits, 4);
  const decant_row f16_row = {f16, 4, DECANT_F16, 0, NULL, NULL};
  const decant_row bf16_row = {bf16, 4, DECANT_BF16, 0, NULL, NULL};
  const decant_row f64_row = {f64, 4, DECANT_F64, 0, NULL, NULL};
  decant_choice expected = {0, 0, 0, 0, 0, 0};
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  EXPECT(decant_sample(native, &f32_row, state, DECANT_FULL, &expected, NULL) == DECANT_OK);
  EXPECT(decant_sample(native, &f16_row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  EXPECT(memcmp(&choice, &expected, sizeof choice) == 0);
  EXPECT(decant_sample(native, &bf16_row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  EXPECT(memcmp(&choice, &expected, sizeof choice) == 0);
  EXPECT_FAULT(decant_sample(native, &f64_row, state, DECANT_FULL, &choice, &error), DECANT_WRONG_TYPE, "f64");
  EXPECT(decant_sampler_new("{\"temperature\":0.5}", "reference", 4, &reference, NULL) == DECANT_OK);
  EXPECT(decant_sample(reference, &f64_row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
  decant_sampler_free(reference);
  decant_state_free(state);
  decant_sampler_free(native);
}

static void TestStates(void) {
  const uint32_t prompt[2] = {5, 6};
  const uint32_t output[1] = {7};
  decant_state_options options = DECANT_STATE_OPTIONS_INIT;
  decant_state* state = NULL;
  decant_state* clone = NULL;
  size_t size = 99;
  options.seed = 3;
  options.sequence = 4;
  options.prompt = prompt;
  options.prompt_size = 2;
  options.output = output;
  options.output_size = 1;
  EXPECT(decant_state_new(&options, &state, NULL) == DECANT_OK);
  EXPECT(decant_state_seed(state) == 3 && decant_state_sequence(state) == 4 && decant_state_position(state) == 3);
  EXPECT(decant_state_accept(state, 8, NULL) == DECANT_OK);
  EXPECT(decant_state_clone(state, &clone, NULL) == DECANT_OK);
  EXPECT(decant_state_accept(state, 9, NULL) == DECANT_OK);
  EXPECT(decant_state_position(state) == 5 && decant_state_position(clone) == 4);
  EXPECT(decant_state_tokens(state, &size)[4] == 9 && size == 5);
  EXPECT_FAULT(decant_state_roll_back(state, 3, &error), DECANT_OUT_OF_RANGE, "expected 0..2");
  EXPECT(decant_state_position(state) == 5);
  EXPECT(decant_state_roll_back(state, 2, NULL) == DECANT_OK);
  EXPECT(decant_state_position(state) == 3);
  EXPECT(decant_state_roll_back(clone, 1, NULL) == DECANT_OK);
  EXPECT(decant_state_tokens(clone, &size)[2] == 7 && size == 3);
  decant_state_free(clone);
  decant_state_free(state);

  // A position without tokens serves chains that do not look back.
  decant_state_options bare = DECANT_STATE_OPTIONS_INIT;
  bare.position = 1000;
  EXPECT(decant_state_new(&bare, &state, NULL) == DECANT_OK);
  EXPECT(decant_state_position(state) == 1000);
  EXPECT(decant_state_tokens(state, &size) == NULL && size == 0);
  decant_sampler* const penalty = SamplerOf("{\"repetition_penalty\":1.1}", 4);
  const decant_row row = decant_row_f32(kLogits, 4);
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  EXPECT_FAULT(decant_sample(penalty, &row, state, DECANT_FULL, &choice, &error), DECANT_CONFLICT, "looks back");
  decant_sampler_free(penalty);
  decant_state_free(state);
}

// An engine's stream moves with accepted tokens and committed draws, and back.
static void TestStreams(void) {
  decant_sampler* sampler = NULL;
  decant_state* const state = StateOf(1);
  const double flat[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  const decant_row row = {flat, 8, DECANT_F64, 0, NULL, NULL};
  decant_choice choice = {99, 0, 0, 0, 0, 0};
  uint32_t first[16];
  int differs = 0;
  EXPECT(decant_sampler_new("{}", "reference", 8, &sampler, NULL) == DECANT_OK);
  for (int i = 0; i < 16; ++i) {
    EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
    first[i] = choice.token;
    differs += first[i] != first[0];
    EXPECT(decant_state_accept(state, choice.token, NULL) == DECANT_OK);
  }
  EXPECT(differs > 0);
  EXPECT(decant_state_roll_back(state, 16, NULL) == DECANT_OK);
  for (int i = 0; i < 16; ++i) {
    EXPECT(decant_sample(sampler, &row, state, DECANT_FULL, &choice, NULL) == DECANT_OK);
    EXPECT(choice.token == first[i]);
    decant_state_commit_draw(state);
  }
  EXPECT(decant_state_position(state) == 0);
  decant_state_free(state);
  decant_sampler_free(sampler);
}

int main(void) {
  TestVersions();
  TestSamplers();
  TestParameters();
  TestErrors();
  TestOneSample();
  TestMasks();
  TestStructural();
  TestElementTypes();
  TestStates();
  TestStreams();
  TestHostile();
  TestBatches();
  TestThreads();
  TestConstraints();
  if (failures > 0) fprintf(stderr, "%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
