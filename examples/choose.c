// A constraint from C: of two texts, the one that the logits prefer. No model, no files.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decant/c.h"

// The vocabulary of a toy model: five pieces of text, and a token that ends one.
enum { TOKENS = 6, END = 5, WORDS = (TOKENS + 31) / 32 };
static const char* const kBytes[TOKENS] = {"yes", "no", "t", " at all", "perhaps", ""};
static const float kLogits[TOKENS] = {1.0F, 2.0F, 3.0F, 1.5F, 9.0F, 0.5F};

static void require(decant_status status, decant_error** error) {
  if (status == DECANT_OK) return;
  fprintf(stderr, "%s: %s\n", decant_status_name(status), decant_error_message(*error));
  exit(1);
}

static decant_vocabulary* new_vocabulary(decant_error** error) {
  static const uint32_t end[1] = {END};
  size_t lengths[TOKENS];
  for (size_t i = 0; i < TOKENS; ++i) lengths[i] = strlen(kBytes[i]);
  decant_vocabulary* vocabulary = NULL;
  decant_vocabulary_options options = DECANT_VOCABULARY_OPTIONS_INIT;
  options.bytes = kBytes;
  options.lengths = lengths;
  options.count = TOKENS;
  options.special = end;  // never text
  options.special_size = 1;
  options.end = end;  // allowed where the text may end
  options.end_size = 1;
  require(decant_vocabulary_new(&options, &vocabulary, error), error);
  return vocabulary;
}

int main(void) {
  static const char* const texts[2] = {"yes", "not at all"};
  decant_error* error = NULL;
  decant_grammar* grammar = NULL;
  decant_constraint* constraint = NULL;
  decant_sampler* sampler = NULL;
  decant_state* state = NULL;
  decant_vocabulary* vocabulary = new_vocabulary(&error);
  require(decant_grammar_choice(vocabulary, texts, 2, &grammar, &error), &error);
  require(decant_constraint_new(grammar, &constraint, &error), &error);
  require(decant_sampler_new("{\"temperature\": 0}", NULL, TOKENS, &sampler, &error), &error);
  require(decant_state_new(NULL, &state, &error), &error);

  uint32_t mask[WORDS];
  decant_row row = decant_row_f32(kLogits, TOKENS);
  row.mask = mask;
  for (;;) {
    decant_choice choice;
    require(decant_constraint_fill_mask(constraint, mask, WORDS, &error), &error);
    require(decant_sample(sampler, &row, state, DECANT_TOKEN, &choice, &error), &error);
    require(decant_constraint_accept(constraint, choice.token, &error), &error);
    require(decant_state_accept(state, choice.token, &error), &error);
    if (choice.token == END) break;
    fputs(kBytes[choice.token], stdout);
  }
  fputs("\n", stdout);

  decant_state_free(state);
  decant_sampler_free(sampler);
  decant_constraint_free(constraint);
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);
  return 0;
}
