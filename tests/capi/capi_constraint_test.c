// decant/c.h's constraints from C11: a vocabulary of bytes and a few longer tokens, grammars over it, places in texts.
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

// Tokens 0..255 are the bytes, then three longer ones, a control token, and the end; the model's row has 300.
enum { kTrue = 256, kBrace, kEmptyObject, kControl, kEnd, kTokens, kRow = 300, kWords = (kRow + 31) / 32 };

typedef struct TokenTexts {
  char singles[256];
  const char* bytes[kTokens];
  size_t lengths[kTokens];
} TokenTexts;

static void FillTexts(TokenTexts* texts) {
  for (int i = 0; i < 256; ++i) {
    texts->singles[i] = (char)(unsigned char)i;
    texts->bytes[i] = &texts->singles[i];
    texts->lengths[i] = 1;
  }
  texts->bytes[kTrue] = "true";
  texts->bytes[kBrace] = "{\"";
  texts->bytes[kEmptyObject] = "{}";
  texts->bytes[kControl] = "<|x|>";
  texts->bytes[kEnd] = NULL;
  for (int i = kTrue; i < kEnd; ++i) texts->lengths[i] = strlen(texts->bytes[i]);
  texts->lengths[kEnd] = 0;
}

static decant_vocabulary_options OptionsOf(const TokenTexts* texts) {
  static const uint32_t special[2] = {kControl, kEnd};
  static const uint32_t end[1] = {kEnd};
  decant_vocabulary_options options = DECANT_VOCABULARY_OPTIONS_INIT;
  options.bytes = texts->bytes;
  options.lengths = texts->lengths;
  options.count = kTokens;
  options.special = special;
  options.special_size = 2;
  options.end = end;
  options.end_size = 1;
  options.row_length = kRow;
  return options;
}

static decant_vocabulary* NewVocabulary(void) {
  TokenTexts texts;
  decant_vocabulary* vocabulary = NULL;
  FillTexts(&texts);
  const decant_vocabulary_options options = OptionsOf(&texts);
  EXPECT(decant_vocabulary_new(&options, &vocabulary, NULL) == DECANT_OK);
  return vocabulary;
}

static int Has(const uint32_t* mask, uint32_t token) { return (mask[token / 32] >> (token % 32)) & 1; }

static size_t Count(const uint32_t* mask, size_t words) {
  size_t count = 0;
  for (size_t token = 0; token < words * 32; ++token) count += (size_t)Has(mask, (uint32_t)token);
  return count;
}

static void AcceptText(decant_constraint* constraint, const char* text) {
  for (; *text != 0; ++text) EXPECT(decant_constraint_accept(constraint, (unsigned char)*text, NULL) == DECANT_OK);
}

static decant_constraint_place PlaceOf(const decant_constraint* constraint) {
  decant_constraint_place place = 99;
  EXPECT(decant_constraint_state(constraint, &place, NULL) == DECANT_OK);
  return place;
}

static void TestVocabularies(void) {
  TokenTexts texts;
  decant_vocabulary* vocabulary = NewVocabulary();
  EXPECT(decant_vocabulary_row_length(vocabulary) == kRow);
  EXPECT(decant_vocabulary_memory_bytes(vocabulary) > 0);
  decant_vocabulary_free(vocabulary);
  vocabulary = NULL;
  FillTexts(&texts);

  decant_vocabulary_options options = OptionsOf(&texts);
  options.size = 8;
  EXPECT_FAULT(decant_vocabulary_new(&options, &vocabulary, &error), DECANT_OUT_OF_RANGE,
               "size of decant_vocabulary_options is 8");
  options = OptionsOf(&texts);
  options.bytes = NULL;
  EXPECT_FAULT(decant_vocabulary_new(&options, &vocabulary, &error), DECANT_OUT_OF_RANGE, "bytes is NULL");
  options = OptionsOf(&texts);
  options.lengths = NULL;
  EXPECT_FAULT(decant_vocabulary_new(&options, &vocabulary, &error), DECANT_OUT_OF_RANGE, "lengths is NULL");
  options = OptionsOf(&texts);
  options.end = NULL;
  EXPECT_FAULT(decant_vocabulary_new(&options, &vocabulary, &error), DECANT_OUT_OF_RANGE, "end_size is 1");
  texts.bytes[5] = NULL;
  options = OptionsOf(&texts);
  EXPECT_FAULT(decant_vocabulary_new(&options, &vocabulary, &error), DECANT_OUT_OF_RANGE, "bytes of token 5 is NULL");
  EXPECT_FAULT(decant_vocabulary_new(NULL, &vocabulary, &error), DECANT_OUT_OF_RANGE, "options is NULL");
  EXPECT(vocabulary == NULL);
}

// One text of two: masks, tokens that are refused, the end, and the way back.
static void TestChoices(void) {
  static const char* const kTexts[2] = {"true", "tree"};
  uint32_t mask[kWords];
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_constraint* constraint = NULL;
  EXPECT(decant_grammar_choice(vocabulary, kTexts, 2, &grammar, NULL) == DECANT_OK);
  EXPECT(decant_grammar_row_length(grammar) == kRow);
  EXPECT(decant_grammar_unenforced_count(grammar) == 0);
  EXPECT(strcmp(decant_grammar_unenforced(grammar, 0), "") == 0);
  EXPECT(decant_constraint_new(grammar, &constraint, NULL) == DECANT_OK);
  // Handles may be freed in any order.
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);

  memset(mask, 0xFF, sizeof mask);
  EXPECT(decant_constraint_fill_mask(constraint, mask, kWords, NULL) == DECANT_OK);
  EXPECT(Count(mask, kWords) == 2 && Has(mask, 't') && Has(mask, kTrue));
  EXPECT(PlaceOf(constraint) == DECANT_OPEN);
  EXPECT_FAULT(decant_constraint_accept(constraint, 'x', &error), DECANT_CONSTRAINT_VIOLATED, "token 120");
  EXPECT_FAULT(decant_constraint_accept(constraint, kEnd, &error), DECANT_CONSTRAINT_VIOLATED, "");
  EXPECT_FAULT(decant_constraint_accept(constraint, kRow + 5, &error), DECANT_CONSTRAINT_VIOLATED, "");
  AcceptText(constraint, "tr");
  EXPECT(decant_constraint_fill_mask(constraint, mask, kWords, NULL) == DECANT_OK);
  EXPECT(Count(mask, kWords) == 2 && Has(mask, 'u') && Has(mask, 'e'));

  const uint32_t ahead[4] = {'e', 'e', kEnd, 'x'};
  size_t accepted = 99;
  EXPECT(decant_constraint_validate(constraint, ahead, 4, &accepted, NULL) == DECANT_OK);
  EXPECT(accepted == 3);
  AcceptText(constraint, "ue");
  EXPECT(PlaceOf(constraint) == DECANT_MUST_END);
  EXPECT(decant_constraint_fill_mask(constraint, mask, kWords, NULL) == DECANT_OK);
  EXPECT(Count(mask, kWords) == 1 && Has(mask, kEnd));
  EXPECT(decant_constraint_accept(constraint, kEnd, NULL) == DECANT_OK);

  EXPECT_FAULT(decant_constraint_roll_back(constraint, 6, &error), DECANT_OUT_OF_RANGE, "expected 0..5");
  EXPECT(decant_constraint_roll_back(constraint, 5, NULL) == DECANT_OK);
  EXPECT(decant_constraint_accept(constraint, kTrue, NULL) == DECANT_OK);
  EXPECT(PlaceOf(constraint) == DECANT_MUST_END);
  decant_constraint_free(constraint);
}

static void TestForks(void) {
  static const char* const kTexts[2] = {"ab", "ac"};
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_constraint *one = NULL, *two = NULL;
  EXPECT(decant_grammar_choice(vocabulary, kTexts, 2, &grammar, NULL) == DECANT_OK);
  EXPECT(decant_constraint_new(grammar, &one, NULL) == DECANT_OK);
  AcceptText(one, "a");
  EXPECT(decant_constraint_fork(one, &two, NULL) == DECANT_OK);
  AcceptText(one, "b");
  decant_constraint_free(one);
  EXPECT(PlaceOf(two) == DECANT_OPEN);
  EXPECT(decant_constraint_roll_back(two, 1, NULL) == DECANT_OK);
  AcceptText(two, "ac");
  EXPECT(PlaceOf(two) == DECANT_MUST_END);
  decant_constraint_free(two);
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);
}

// What a row of a batch is, with and without threads.
static void TestManyMasks(void) {
  static const char* const kTexts[2] = {"ab", "cd"};
  enum { kCount = 9, kStride = kWords + 2 };
  uint32_t single[kWords], masks[kCount * kStride];
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_constraint* constraints[kCount];
  decant_runtime* runtime = NULL;
  EXPECT(decant_runtime_new(3, &runtime, NULL) == DECANT_OK);
  EXPECT(decant_grammar_choice(vocabulary, kTexts, 2, &grammar, NULL) == DECANT_OK);
  for (int i = 0; i < kCount; ++i) {
    constraints[i] = NULL;
    EXPECT(decant_constraint_new(grammar, &constraints[i], NULL) == DECANT_OK);
    AcceptText(constraints[i], i % 3 == 0 ? "" : i % 3 == 1 ? "a" : "cd");
  }
  for (int with = 0; with < 2; ++with) {
    memset(masks, 0xFF, sizeof masks);
    EXPECT(decant_constraint_fill_masks((const decant_constraint* const*)constraints, kCount, masks, kStride,
                                        with ? runtime : NULL, NULL) == DECANT_OK);
    for (int i = 0; i < kCount; ++i) {
      const uint32_t* const row = masks + i * kStride;
      EXPECT(decant_constraint_fill_mask(constraints[i], single, kWords, NULL) == DECANT_OK);
      EXPECT(memcmp(single, row, sizeof single) == 0);
      EXPECT(row[kWords] == 0 && row[kWords + 1] == 0);
    }
  }
  const decant_constraint* const twice[2] = {constraints[0], constraints[0]};
  EXPECT_FAULT(decant_constraint_fill_masks(twice, 2, masks, kStride, NULL, &error), DECANT_CONFLICT, "twice");
  EXPECT_FAULT(decant_constraint_fill_masks(twice, 1, masks, kWords - 1, NULL, &error), DECANT_OUT_OF_RANGE, "stride");
  EXPECT(decant_constraint_fill_masks(NULL, 0, NULL, 0, NULL, NULL) == DECANT_OK);
  for (int i = 0; i < kCount; ++i) decant_constraint_free(constraints[i]);
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);
  decant_runtime_free(runtime);
}

// A mask goes to the sampler as it is.
static void TestSampling(void) {
  static const char* const kTexts[1] = {"{}"};
  float logits[kRow];
  uint32_t mask[kWords], structural[kWords];
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_constraint* constraint = NULL;
  decant_sampler* sampler = NULL;
  decant_state* state = NULL;
  decant_choice choice = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < kRow; ++i) logits[i] = (float)i;
  logits[kEmptyObject] = -4;
  EXPECT(decant_grammar_choice(vocabulary, kTexts, 1, &grammar, NULL) == DECANT_OK);
  EXPECT(decant_constraint_new(grammar, &constraint, NULL) == DECANT_OK);
  EXPECT(decant_sampler_new("{\"temperature\":0}", NULL, kRow, &sampler, NULL) == DECANT_OK);
  EXPECT(decant_state_new(NULL, &state, NULL) == DECANT_OK);
  decant_row row = decant_row_f32(logits, kRow);
  row.mask = mask;
  row.structural = structural;
  static const uint32_t kExpected[3] = {'{', '}', kEnd};
  for (int step = 0; step < 3; ++step) {
    EXPECT(decant_constraint_fill_mask(constraint, mask, kWords, NULL) == DECANT_OK);
    EXPECT(decant_constraint_fill_structural(constraint, structural, kWords, NULL) == DECANT_OK);
    EXPECT(decant_sample(sampler, &row, state, DECANT_TOKEN, &choice, NULL) == DECANT_OK);
    EXPECT(choice.token == kExpected[step]);
    EXPECT(decant_constraint_accept(constraint, choice.token, NULL) == DECANT_OK);
    EXPECT(decant_state_accept(state, choice.token, NULL) == DECANT_OK);
  }
  decant_state_free(state);
  decant_sampler_free(sampler);
  decant_constraint_free(constraint);
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);
}

// Texts that a place gives.
static void TestEnds(void) {
  static const char* const kTexts[2] = {"never", "nevermore"};
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_constraint* constraint = NULL;
  const char* text = NULL;
  const uint32_t* tokens = NULL;
  size_t size = 99;
  int proven = -1;
  EXPECT(decant_grammar_choice(vocabulary, kTexts, 2, &grammar, NULL) == DECANT_OK);
  EXPECT(decant_constraint_new(grammar, &constraint, NULL) == DECANT_OK);
  AcceptText(constraint, "nev");
  EXPECT(decant_constraint_shortest_end(constraint, &text, &size, NULL) == DECANT_OK);
  EXPECT(text != NULL && size == 2 && strcmp(text, "er") == 0);
  EXPECT(decant_constraint_forced_bytes(constraint, &text, &size, NULL) == DECANT_OK);
  EXPECT(text != NULL && size <= 2 && strncmp(text, "er", size) == 0);
  EXPECT(decant_constraint_forced_tokens(constraint, &tokens, &size, NULL) == DECANT_OK);
  EXPECT(size == 0 || tokens[0] == 'e');
  EXPECT(decant_constraint_expected(constraint, &text, NULL) == DECANT_OK);
  EXPECT(text != NULL && strlen(text) > 0);
  EXPECT(decant_constraint_is_proven(constraint, &proven, NULL) == DECANT_OK);
  EXPECT(proven == 1);
  AcceptText(constraint, "er");
  EXPECT(PlaceOf(constraint) == DECANT_MAY_END);
  decant_constraint_free(constraint);
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);
}

static void TestGrammars(void) {
  static const char* const kNull[1] = {NULL};
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_error* error = NULL;
  decant_position position = {0, 0, 0};
  EXPECT(decant_grammar_regex(vocabulary, "(", DECANT_REGEX_PYTHON, &grammar, &error) == DECANT_INVALID_REGEX);
  EXPECT(decant_error_position(error, &position) == 1);
  EXPECT(decant_grammar_json_schema(vocabulary, "{\"type\":", NULL, &grammar, &error) == DECANT_INVALID_JSON);
  EXPECT(decant_error_position(error, &position) == 1);
  decant_error_free(error);
  EXPECT_FAULT(decant_grammar_regex(vocabulary, "a", 2, &grammar, &error), DECANT_OUT_OF_RANGE, "syntax is 2");
  EXPECT_FAULT(decant_grammar_regex(NULL, "a", 0, &grammar, &error), DECANT_OUT_OF_RANGE, "vocabulary is NULL");
  EXPECT_FAULT(decant_grammar_regex(vocabulary, NULL, 0, &grammar, &error), DECANT_OUT_OF_RANGE, "regex is NULL");
  EXPECT_FAULT(decant_grammar_regex(vocabulary, "a", 0, NULL, &error), DECANT_OUT_OF_RANGE, "grammar is NULL");
  EXPECT_FAULT(decant_grammar_choice(vocabulary, NULL, 0, &grammar, &error), DECANT_OUT_OF_RANGE, "");
  EXPECT_FAULT(decant_grammar_choice(vocabulary, NULL, 2, &grammar, &error), DECANT_OUT_OF_RANGE, "texts is NULL");
  EXPECT_FAULT(decant_grammar_choice(vocabulary, kNull, 1, &grammar, &error), DECANT_OUT_OF_RANGE, "text 0 is NULL");
  EXPECT_FAULT(decant_constraint_new(NULL, NULL, &error), DECANT_OUT_OF_RANGE, "grammar is NULL");
  EXPECT(grammar == NULL);
  decant_vocabulary_free(vocabulary);
}

static void TestSchemaOptions(void) {
  static const decant_document kTwice[2] = {{"http://a.example/b", "{}"}, {"http://a.example/b", "{}"}};
  static const decant_document kNoText[1] = {{"http://a.example/b", NULL}};
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_schema_options options = DECANT_SCHEMA_OPTIONS_INIT;
  EXPECT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, NULL) == DECANT_OK);
  decant_grammar_free(grammar);
  grammar = NULL;
  options.size = 1;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE, "size");
  options = (decant_schema_options)DECANT_SCHEMA_OPTIONS_INIT;
  options.whitespace = 3;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE,
               "whitespace is 3; expected 0..2");
  options = (decant_schema_options)DECANT_SCHEMA_OPTIONS_INIT;
  options.key_order = 7;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE,
               "key_order is 7");
  options = (decant_schema_options)DECANT_SCHEMA_OPTIONS_INIT;
  options.assert_formats = 2;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE,
               "assert_formats is 2");
  options = (decant_schema_options)DECANT_SCHEMA_OPTIONS_INIT;
  options.reserved = 1;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE,
               "reserved of decant_schema_options");
  options = (decant_schema_options)DECANT_SCHEMA_OPTIONS_INIT;
  options.document_count = 2;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE,
               "documents is NULL");
  options.documents = kTwice;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_CONFLICT,
               "uri of document 1");
  options.documents = kNoText;
  options.document_count = 1;
  EXPECT_FAULT(decant_grammar_json_schema(vocabulary, "{}", &options, &grammar, &error), DECANT_OUT_OF_RANGE,
               "text of document 0");
  EXPECT(grammar == NULL);
  decant_vocabulary_free(vocabulary);
}

static void TestFaults(void) {
  uint32_t mask[kWords];
  decant_vocabulary* const vocabulary = NewVocabulary();
  decant_grammar* grammar = NULL;
  decant_constraint* constraint = NULL;
  decant_constraint_place place = 99;
  static const char* const kTexts[1] = {"a"};
  EXPECT(decant_grammar_choice(vocabulary, kTexts, 1, &grammar, NULL) == DECANT_OK);
  EXPECT(decant_constraint_new(grammar, &constraint, NULL) == DECANT_OK);
  EXPECT_FAULT(decant_constraint_fill_mask(constraint, mask, kWords - 1, &error), DECANT_OUT_OF_RANGE,
               "words is 9; expected 10");
  EXPECT_FAULT(decant_constraint_fill_mask(constraint, NULL, kWords, &error), DECANT_OUT_OF_RANGE, "mask is NULL");
  EXPECT_FAULT(decant_constraint_fill_structural(constraint, mask, 0, &error), DECANT_OUT_OF_RANGE, "words is 0");
  EXPECT_FAULT(decant_constraint_validate(constraint, NULL, 1, NULL, &error), DECANT_OUT_OF_RANGE, "tokens is NULL");
  EXPECT_FAULT(decant_constraint_validate(constraint, NULL, 0, NULL, &error), DECANT_OUT_OF_RANGE, "accepted is NULL");
  EXPECT_FAULT(decant_constraint_accept(NULL, 0, &error), DECANT_OUT_OF_RANGE, "constraint is NULL");
  EXPECT_FAULT(decant_constraint_state(NULL, &place, &error), DECANT_OUT_OF_RANGE, "constraint is NULL");
  EXPECT_FAULT(decant_constraint_fork(constraint, NULL, &error), DECANT_OUT_OF_RANGE, "fork is NULL");
  EXPECT(place == 99);
  decant_constraint_free(constraint);
  decant_grammar_free(grammar);
  decant_vocabulary_free(vocabulary);
  decant_vocabulary_free(NULL);
  decant_grammar_free(NULL);
  decant_constraint_free(NULL);
  EXPECT(decant_vocabulary_row_length(NULL) == 0 && decant_vocabulary_memory_bytes(NULL) == 0 &&
         decant_vocabulary_cache_bytes(NULL) == 0);
  EXPECT(decant_grammar_row_length(NULL) == 0 && decant_grammar_unenforced_count(NULL) == 0);
  EXPECT(strcmp(decant_grammar_unenforced(NULL, 0), "") == 0);
}

void TestConstraints(void) {
  TestVocabularies();
  TestChoices();
  TestForks();
  TestManyMasks();
  TestSampling();
  TestEnds();
  TestGrammars();
  TestSchemaOptions();
  TestFaults();
}
