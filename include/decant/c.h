// decant for C, and for every language that can call C: from a row of logits to a token.
//
//   decant_error* error = NULL;
//   decant_sampler* sampler = NULL;
//   decant_state* state = NULL;
//   decant_state_options options = DECANT_STATE_OPTIONS_INIT;
//   options.seed = 7;
//   if (decant_sampler_new("{\"temperature\":0.8,\"top_k\":40}", NULL, vocabulary, &sampler, &error) != DECANT_OK ||
//       decant_state_new(&options, &state, &error) != DECANT_OK) { ... decant_error_message(error) ... }
//
// Rules for every function:
//   * A handle comes from a _new or _clone function and goes back to the _free function of its type, once. _free takes
//     NULL and then does nothing. A handle may be freed before or after any other; what others still need of it stays.
//   * What a call may do in several threads is said at each function. "Any thread": at any time, beside any other call.
//     "One thread at a time": no two calls at once with the same handle; different handles do not disturb one another.
//   * A function that can fail returns a decant_status: DECANT_OK is 0, every fault is negative. A failed call leaves
//     everything as it was, and writes no result. NULL where a pointer is needed is DECANT_OUT_OF_RANGE, by name.
//   * decant_error** error may be NULL. Otherwise *error is NULL or an error of an earlier call: the call frees that
//     one first, and leaves NULL or the new error there. One variable, NULL at first, serves any number of calls.
//   * Want of memory is DECANT_UNSUPPORTED_MACHINE. No C++ exception leaves a function.
//   * Texts are UTF-8 and end in a zero byte. A returned text is never NULL, and lives as long as its handle.
//
// docs/embedding.md shows whole programs; docs/sampling.md has the stages and parameters, docs/constraints.md what a
// constraint promises.
#ifndef DECANT_C_H_
#define DECANT_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Version ----

// Rises when a program built against this header would no longer run with a later library. Any thread.
#define DECANT_ABI_VERSION 1
uint32_t decant_abi_version(void);

// "0.1.0". Any thread.
const char* decant_version(void);
// The numeric profile: equal profile, parameters, logits and seed give equal tokens. Any thread.
const char* decant_numerics(void);

// ---- Status and error ----

// One value for each code of decant/error.h; they never change their meaning.
typedef int32_t decant_status;
enum {
  DECANT_OK = 0,
  // Sampling.
  DECANT_EMPTY_LOGITS = -1,          // a row of no logits
  DECANT_NON_FINITE_LOGIT = -2,      // NaN or +inf (preset reference: any infinity)
  DECANT_VOCABULARY_TOO_LARGE = -3,  // more tokens than the arithmetic is proven for
  DECANT_EMPTY_SUPPORT = -4,         // every token is banned
  DECANT_INVALID_TEMPERATURE = -5,
  DECANT_INVALID_TOP_K = -6,
  DECANT_INVALID_PROBABILITY_SUM = -7,  // preset reference: the weights do not normalise
  // Parameters and arguments.
  DECANT_UNKNOWN_PARAMETER = -8,
  DECANT_OUT_OF_RANGE = -9,  // a value outside its documented range; NULL
  DECANT_WRONG_TYPE = -10,   // a string where a number is expected, a row of a type that the preset does not take
  DECANT_CONFLICT = -11,     // two values that exclude each other; a state twice in a batch
  DECANT_UNSUPPORTED_STAGE = -12,
  DECANT_UNKNOWN_PRESET = -13,
  // Generation.
  DECANT_EMPTY_PROMPT = -14,
  DECANT_PROMPT_TOO_LONG = -15,
  DECANT_TOKEN_OUT_OF_RANGE = -16,    // a token id at or past the vocabulary size
  DECANT_LOGIT_COUNT_MISMATCH = -17,  // a row of another length than the sampler's vocabulary
  DECANT_NON_FINITE_ACTIVATION = -18,
  DECANT_CACHE_EXHAUSTED = -19,
  DECANT_CANCELLED = -20,
  DECANT_CONSTRAINT_VIOLATED = -33,
  // Text.
  DECANT_INVALID_UTF8 = -21,
  DECANT_UNSUPPORTED_TOKENIZER = -22,  // a parameter that holds text, where only token ids can be used
  // Files.
  DECANT_CANNOT_READ = -23,
  DECANT_CANNOT_WRITE = -24,
  DECANT_CORRUPT_FILE = -25,
  DECANT_UNSUPPORTED_FILE = -26,
  DECANT_NOT_FOUND = -27,
  DECANT_INVALID_JSON = -28,
  // Constraints.
  DECANT_INVALID_REGEX = -34,
  DECANT_UNSUPPORTED_REGEX = -35,  // not a regular language, or a construct that is not done
  DECANT_INVALID_SCHEMA = -36,
  DECANT_UNENFORCEABLE = -37,  // a part of a schema that cannot be enforced; the subject is "path: keyword"
  DECANT_UNSATISFIABLE = -38,  // no text meets the constraint
  DECANT_TOO_COMPLEX = -39,    // past a limit on work or memory
  // Evidence.
  DECANT_TRACE_BROKEN = -29,
  DECANT_TRACE_DIFFERS = -30,
  // Anything else.
  DECANT_UNSUPPORTED_MACHINE = -31,  // what this machine lacks: an instruction set, memory
  DECANT_INTERNAL = -32              // a promise decant makes to itself was broken
};
// "NonFiniteLogit", "Ok"; "" for a number that is no status. Any thread.
const char* decant_status_name(decant_status status);

// Why a call failed. Immutable: any thread, until it is freed. Every function here takes NULL, which is no error.
typedef struct decant_error decant_error;
decant_status decant_error_status(const decant_error* error);  // NULL: DECANT_OK
// A full sentence: "top_p is 1.3; expected a number in (0, 1]". NULL: "".
const char* decant_error_message(const decant_error* error);
const char* decant_error_subject(const decant_error* error);  // the parameter or field at fault; may be ""
const char* decant_error_allowed(const decant_error* error);  // what would have been accepted; may be ""
const char* decant_error_hint(const decant_error* error);     // a way out, or a did-you-mean; may be ""

typedef struct decant_position {
  uint64_t offset;  // bytes from the start of the text
  uint32_t line;    // from 1; 0 = not a text
  uint32_t column;  // from 1, in code points
} decant_position;
// Where in a text the fault is. 1 and *position, or 0 where the error has no place or a pointer is NULL.
int decant_error_position(const decant_error* error, decant_position* position);
void decant_error_free(decant_error* error);

// ---- Runtime ----

// The threads that calls may use. Results never depend on their number.
typedef struct decant_runtime decant_runtime;

// threads: those that work on one call, the caller's included, 0..256; 0 and 1 = the caller's alone. Starts the others,
// which sleep when idle. DECANT_OUT_OF_RANGE. Any thread.
decant_status decant_runtime_new(uint32_t threads, decant_runtime** runtime, decant_error** error);
uint32_t decant_runtime_threads(const decant_runtime* runtime);  // at least 1; NULL: 0. Any thread.
// Batches made with it keep its threads until they are freed too. Any thread, after the last other use of the handle.
void decant_runtime_free(decant_runtime* runtime);

// ---- Sampler ----

// A chain of stages, checked and planned once. Immutable, and shared by any number of threads, states and batches.
typedef struct decant_sampler decant_sampler;

// params: a JSON object of sampling parameters, named as in "params" of `decant sample` (docs/sampling.md; aliases
//   too): {"temperature":0.8,"top_p":0.95,"logit_bias":{"17":-1.5}}. NULL or {} = no stage: the model's own
//   distribution. A seed is a sequence's own: decant_state_options has it, and here it is refused.
// preset: whose arithmetic: "native" (NULL is the same), "reference", "octlm".
// vocabulary: logits in a row, 1..524288.
// DECANT_INVALID_JSON with a position, DECANT_UNKNOWN_PARAMETER with a did-you-mean, DECANT_WRONG_TYPE,
// DECANT_OUT_OF_RANGE, DECANT_TOKEN_OUT_OF_RANGE, DECANT_CONFLICT, DECANT_UNKNOWN_PRESET, DECANT_UNSUPPORTED_STAGE,
// DECANT_UNSUPPORTED_TOKENIZER (bad_words, dry_sequence_breakers: give ids), DECANT_EMPTY_LOGITS,
// DECANT_VOCABULARY_TOO_LARGE. Any thread.
decant_status decant_sampler_new(const char* params, const char* preset, size_t vocabulary, decant_sampler** sampler,
                                 decant_error** error);
size_t decant_sampler_vocabulary(const decant_sampler* sampler);   // NULL: 0. Any thread.
const char* decant_sampler_preset(const decant_sampler* sampler);  // "native"; NULL: "". Any thread.
// What sampling does to a row, a pass a line, for people: the wording may change between versions. NULL: "". Any
// thread.
const char* decant_sampler_plan(const decant_sampler* sampler);
// How often, since the sampler was made, a bounded pass came too close to a border to prove the token, so that an exact
// one was taken. NULL: 0. Any thread.
uint64_t decant_sampler_exact_falls(const decant_sampler* sampler);
// Any thread, after the last other use of the handle.
void decant_sampler_free(decant_sampler* sampler);

// ---- State ----

// What one sequence remembers between steps: its place in the stream of randomness, and its tokens.
// One thread at a time, for every function that takes one; those that take it const count too.
typedef struct decant_state decant_state;

#define DECANT_POSITION_OF_TOKENS UINT64_MAX

typedef struct decant_state_options {
  size_t size;        // sizeof(decant_state_options): tells the library which fields there are
  uint64_t seed;      // default 0
  uint32_t sequence;  // which choice (or beam) of its prompt this is; part of the address of its randomness; default 0
  uint32_t reserved;  // 0
  // Tokens already in the sequence, the first one of the model (BOS) included; copied. Stages that look back need them.
  const uint32_t* prompt;
  size_t prompt_size;
  const uint32_t* output;
  size_t output_size;
  // For a caller without the tokens: how many there are. DECANT_POSITION_OF_TOKENS = prompt_size + output_size.
  uint64_t position;
} decant_state_options;
#define DECANT_STATE_OPTIONS_INIT {sizeof(decant_state_options), 0, 0, 0, NULL, 0, NULL, 0, DECANT_POSITION_OF_TOKENS}

// options: NULL = DECANT_STATE_OPTIONS_INIT. DECANT_OUT_OF_RANGE: another size, a reserved field that is not 0, a size
// without its tokens; a position below 2^64 - 1 is always taken.
decant_status decant_state_new(const decant_state_options* options, decant_state** state, decant_error** error);
// Commits a token: appends it, moves the position by one and, with an engine's preset, its stream of random numbers.
// Any id: the token need not be the one that was sampled.
decant_status decant_state_accept(decant_state* state, uint32_t token, decant_error** error);
// Commits an engine's stream alone, so that the next sample at this place is another draw. Preset native has none:
// there, a state with another `sequence` gives another draw. NULL: nothing.
void decant_state_commit_draw(decant_state* state);
// Takes the last n accepted tokens back, the stream included. DECANT_OUT_OF_RANGE: more than were accepted since
// decant_state_new.
decant_status decant_state_roll_back(decant_state* state, size_t n, decant_error** error);
// A second sequence that goes on from the same place, with the same randomness.
decant_status decant_state_clone(const decant_state* state, decant_state** clone, decant_error** error);
uint64_t decant_state_position(const decant_state* state);  // tokens in the sequence; NULL: 0
uint64_t decant_state_seed(const decant_state* state);      // NULL: 0
uint32_t decant_state_sequence(const decant_state* state);  // NULL: 0
// Prompt and output, as far as they were given or accepted: *size tokens, which live until the next call that changes
// the state. NULL where there are none, or where an argument is NULL.
const uint32_t* decant_state_tokens(const decant_state* state, size_t* size);
void decant_state_free(decant_state* state);

// ---- Rows and choices ----

typedef uint32_t decant_element_type;
enum {
  DECANT_F32 = 0,
  DECANT_F64 = 1,  // preset reference only
  DECANT_F16 = 2,  // IEEE binary16; preset native only, each logit taken as the f32 that it is
  DECANT_BF16 = 3  // the upper half of an f32; preset native only, likewise
};

// One row of logits, the caller's: read during the call, never changed or kept. -inf bans a token.
typedef struct decant_row {
  const void* data;          // `vocabulary` elements, aligned as their type asks
  size_t vocabulary;         // the sampler's, else DECANT_LOGIT_COUNT_MISMATCH
  decant_element_type type;  // of each element
  uint32_t reserved;         // 0
  // Bit t % 32 of word t / 32 = token t is allowed; NULL = all are. (vocabulary + 31) / 32 words; spare bits are free.
  const uint32_t* mask;
  // The same bits for tokens that penalties, DRY and n-gram bans skip; NULL = none.
  const uint32_t* structural;
} decant_row;

#define DECANT_ROW_INIT {NULL, 0, DECANT_F32, 0, NULL, NULL}

// A row of f32 logits without masks.
static inline decant_row decant_row_f32(const float* logits, size_t vocabulary) {
  decant_row row = DECANT_ROW_INIT;
  row.data = logits;
  row.vocabulary = vocabulary;
  return row;
}

typedef uint32_t decant_draw_kind;
enum {
  DECANT_DRAW_GREEDY = 0,       // no randomness: temperature 0, or the greedy drawer
  DECANT_DRAW_INVERSE_CDF = 1,  // one uniform number against the cumulative weights
  DECANT_DRAW_RACE = 2          // a random number a token; the best score wins
};

typedef uint32_t decant_detail;
enum {
  DECANT_FULL = 0,  // every field of a choice
  DECANT_TOKEN = 1  // token and drawn_by, in the fewest passes over the row; what else is not known for free is 0
};

typedef struct decant_choice {
  uint32_t token;
  uint32_t rank;           // from 1, in the order of the processed scores, bans excluded
  double probability;      // among the candidates that the drawer saw
  double log_probability;  // natural logarithm of the same, finite even where the probability rounds to 0
  decant_draw_kind drawn_by;
  uint32_t reserved;  // 0
} decant_choice;

// ---- Sampling ----

// Chooses a token for one row. The state does not move: decant_state_accept commits the token. Calls with the same
// state and row give the same choice. `detail` never changes the token.
// DECANT_LOGIT_COUNT_MISMATCH, DECANT_NON_FINITE_LOGIT (naming the token), DECANT_EMPTY_SUPPORT (all banned),
// DECANT_WRONG_TYPE (an element type that the preset does not take), DECANT_CONFLICT (a stage looks back, and the state
// has a position but not the tokens), DECANT_TOKEN_OUT_OF_RANGE (the history has a token that the row does not have),
// DECANT_UNSUPPORTED_STAGE (a mask under an engine's preset), DECANT_OUT_OF_RANGE (NULL, a misaligned row, an unknown
// detail or type). Any thread as to the sampler; one thread at a time as to the state.
decant_status decant_sample(const decant_sampler* sampler, const decant_row* row, decant_state* state,
                            decant_detail detail, decant_choice* choice, decant_error** error);

// One row of a batch: its own chain, logits and sequence.
typedef struct decant_request {
  const decant_sampler* sampler;  // of any preset and vocabulary
  decant_row row;
  decant_state* state;  // at most once in a batch
} decant_request;

// Samples batch after batch, with the working memory of its threads kept: no step asks for memory once the largest
// batch and row were seen, errors excepted.
typedef struct decant_batch decant_batch;

// runtime: whose threads share out the rows; NULL = the caller's alone. Several batches may have the same: their calls
// take turns. Any thread.
decant_status decant_batch_new(const decant_runtime* runtime, decant_batch** batch, decant_error** error);

// choices[i] is what decant_sample gives for requests[i], whatever the batch, its order and the threads. A bad request
// fails alone: choices[i] is left as it was, statuses[i] says why, decant_batch_error explains it.
// requests, choices: `count` elements, 0..2^31-1. statuses: as many, or NULL. No two arrays overlap.
// Returns DECANT_OK when every row has its choice, else the status of the first that has not; *error names its number.
// A fault of the call itself (NULL, an unknown detail, want of memory) samples nothing and is every row's status.
// Besides those of decant_sample: DECANT_CONFLICT for a request whose state an earlier one has.
// One thread at a time as to the batch and every state in it; any thread as to the samplers.
decant_status decant_batch_sample(decant_batch* batch, const decant_request* requests, size_t count,
                                  decant_detail detail, decant_choice* choices, decant_status* statuses,
                                  decant_error** error);
// Why request i of the last call failed; NULL where it did not, where there is none, or where batch is NULL. The
// batch's own, until its next call: not to be freed. One thread at a time.
const decant_error* decant_batch_error(const decant_batch* batch, size_t i);
void decant_batch_free(decant_batch* batch);

// ---- Constraints ----

// What masks need of a vocabulary: a tree of its tokens, and the masks found so far, shared by everything made with it.
// Any thread.
typedef struct decant_vocabulary decant_vocabulary;

typedef struct decant_vocabulary_options {
  size_t size;  // sizeof(decant_vocabulary_options)
  // The bytes that each token stands for, by id, and how many they are; copied. A token of 0 bytes is never allowed.
  const char* const* bytes;
  const size_t* lengths;
  size_t count;
  const uint32_t* special;  // ids that are never text: a mask has none of them, end tokens excepted
  size_t special_size;
  const uint32_t* end;  // ids allowed exactly where the text may end
  size_t end_size;
  size_t row_length;   // logits in a row, at least count; tokens from count on are never allowed. 0 = count
  size_t cache_bytes;  // of masks kept; the least recently used ones go first. Default 64 MiB
} decant_vocabulary_options;
#define DECANT_VOCABULARY_OPTIONS_INIT \
  {sizeof(decant_vocabulary_options), NULL, NULL, 0, NULL, 0, NULL, 0, 0, (size_t)64 << 20}

// DECANT_OUT_OF_RANGE, DECANT_TOKEN_OUT_OF_RANGE (special, end). Any thread.
decant_status decant_vocabulary_new(const decant_vocabulary_options* options, decant_vocabulary** vocabulary,
                                    decant_error** error);
size_t decant_vocabulary_row_length(const decant_vocabulary* vocabulary);    // NULL: 0. Any thread.
size_t decant_vocabulary_memory_bytes(const decant_vocabulary* vocabulary);  // less the cache; NULL: 0. Any thread.
size_t decant_vocabulary_cache_bytes(const decant_vocabulary* vocabulary);   // held now; NULL: 0. Any thread.
// Any thread, after the last other use of the handle.
void decant_vocabulary_free(decant_vocabulary* vocabulary);

// A set of texts, compiled for a vocabulary. Immutable: any thread.
typedef struct decant_grammar decant_grammar;

typedef uint32_t decant_regex_syntax;
enum {
  DECANT_REGEX_PYTHON = 0,  // Python's re with \p{...}
  DECANT_REGEX_ECMA = 1     // ECMA-262 with flag u
};
// The whole text matches. DECANT_INVALID_REGEX and DECANT_UNSUPPORTED_REGEX with a position, DECANT_UNSATISFIABLE,
// DECANT_TOO_COMPLEX. Any thread.
decant_status decant_grammar_regex(const decant_vocabulary* vocabulary, const char* regex, decant_regex_syntax syntax,
                                   decant_grammar** grammar, decant_error** error);
// The text is one of `count`, at least one. DECANT_OUT_OF_RANGE, DECANT_INVALID_UTF8. Any thread.
decant_status decant_grammar_choice(const decant_vocabulary* vocabulary, const char* const* texts, size_t count,
                                    decant_grammar** grammar, decant_error** error);

typedef uint32_t decant_json_whitespace;
enum {
  DECANT_WHITESPACE_ANY = 0,      // any of RFC 8259 between tokens of JSON, in runs of at most max_whitespace
  DECANT_WHITESPACE_COMPACT = 1,  // none
  DECANT_WHITESPACE_SPACED = 2    // one space after each "," and ":"
};
typedef uint32_t decant_key_order;
enum {
  DECANT_KEYS_ANY = 0,
  DECANT_KEYS_SCHEMA = 1,         // declared properties in the order of the schema, before others
  DECANT_KEYS_REQUIRED_FIRST = 2  // required ones in the order of the schema, then the others in theirs
};
typedef struct decant_document {
  const char* uri;   // absolute
  const char* text;  // a schema
} decant_document;
typedef struct decant_schema_options {
  size_t size;  // sizeof(decant_schema_options)
  decant_json_whitespace whitespace;
  uint32_t max_whitespace;  // characters a run, 1..65535; default 128
  decant_key_order key_order;
  uint32_t assert_formats;    // 0 or 1; 0 = `format` says nothing of the text. Default 1
  uint32_t allow_unenforced;  // 0 or 1; 1 = what cannot be enforced is left out, and listed. Default 0
  uint32_t reserved;          // 0
  const char* default_draft;  // of a schema without $schema: "4", "6", "7", "2019-09", "2020-12"; NULL = "2020-12"
  const decant_document* documents;  // that a $ref may lead to; read during the call
  size_t document_count;
} decant_schema_options;
#define DECANT_SCHEMA_OPTIONS_INIT \
  {sizeof(decant_schema_options), DECANT_WHITESPACE_ANY, 128, DECANT_KEYS_ANY, 1, 0, 0, NULL, NULL, 0}

// The text is a JSON value that the schema accepts. options: NULL = DECANT_SCHEMA_OPTIONS_INIT. DECANT_INVALID_JSON,
// DECANT_INVALID_SCHEMA, DECANT_UNENFORCEABLE, DECANT_UNSATISFIABLE, DECANT_TOO_COMPLEX, their subject being
// "path: keyword"; DECANT_OUT_OF_RANGE. Any thread.
decant_status decant_grammar_json_schema(const decant_vocabulary* vocabulary, const char* schema,
                                         const decant_schema_options* options, decant_grammar** grammar,
                                         decant_error** error);
size_t decant_grammar_row_length(const decant_grammar* grammar);  // NULL: 0. Any thread.
// What was asked for and is not enforced: how many, and each as "path: keyword", "" past the last. Any thread.
size_t decant_grammar_unenforced_count(const decant_grammar* grammar);
const char* decant_grammar_unenforced(const decant_grammar* grammar, size_t i);
void decant_grammar_free(decant_grammar* grammar);

// A place in a text of the grammar, moved on by tokens. One thread at a time, for every function that takes one; those
// that take it const count too.
typedef struct decant_constraint decant_constraint;

// At the start of the text. Any thread.
decant_status decant_constraint_new(const decant_grammar* grammar, decant_constraint** constraint,
                                    decant_error** error);
// A second one at the same place, which can be rolled back as far.
decant_status decant_constraint_fork(const decant_constraint* constraint, decant_constraint** fork,
                                     decant_error** error);
// Bit t % 32 of word t / 32: token t may come next. Writes all `words` words, which are (row length + 31) / 32; bits
// past the row are 0. DECANT_OUT_OF_RANGE.
decant_status decant_constraint_fill_mask(const decant_constraint* constraint, uint32_t* mask, size_t words,
                                          decant_error** error);
// The same for the tokens that are, here, the grammar's own literals alone: decant_row.structural.
decant_status decant_constraint_fill_structural(const decant_constraint* constraint, uint32_t* structural, size_t words,
                                                decant_error** error);
// The masks of `count` constraints, each a row of `stride` words, at least those of its own row; words past them are 0.
// runtime: whose threads share them out; NULL = the caller's alone. A constraint twice is DECANT_CONFLICT, and nothing
// is written.
decant_status decant_constraint_fill_masks(const decant_constraint* const* constraints, size_t count, uint32_t* masks,
                                           size_t stride, const decant_runtime* runtime, decant_error** error);
// DECANT_CONSTRAINT_VIOLATED when the mask does not have the token; then nothing moved.
decant_status decant_constraint_accept(decant_constraint* constraint, uint32_t token, decant_error** error);
// *accepted: how many of the tokens, from the first on, could be accepted one after the other. Moves nothing.
decant_status decant_constraint_validate(const decant_constraint* constraint, const uint32_t* tokens, size_t count,
                                         size_t* accepted, decant_error** error);
// Takes the last n tokens back. DECANT_OUT_OF_RANGE: more than were accepted.
decant_status decant_constraint_roll_back(decant_constraint* constraint, size_t n, decant_error** error);

typedef uint32_t decant_constraint_place;
enum {
  DECANT_OPEN = 0,      // more tokens are needed
  DECANT_MAY_END = 1,   // complete; more may follow
  DECANT_MUST_END = 2,  // complete; only an end token may follow
  DECANT_DEAD = 3       // nothing may follow
};
decant_status decant_constraint_state(const decant_constraint* constraint, decant_constraint_place* place,
                                      decant_error** error);
// *proven: 1 when every token that the mask has leads on to a whole text, 0 when a budget for finding out ran out.
decant_status decant_constraint_is_proven(const decant_constraint* constraint, int* proven, decant_error** error);

// What follows gives texts and tokens that live until the next call of the same function with this constraint.
// The tokens that must come next, whatever the model says; none where there is a choice.
decant_status decant_constraint_forced_tokens(decant_constraint* constraint, const uint32_t** tokens, size_t* count,
                                              decant_error** error);
// The bytes that must come next, up to the first choice.
decant_status decant_constraint_forced_bytes(decant_constraint* constraint, const char** bytes, size_t* size,
                                             decant_error** error);
// The shortest text that completes the one so far. *bytes = NULL when the search for it ran out of budget.
decant_status decant_constraint_shortest_end(decant_constraint* constraint, const char** bytes, size_t* size,
                                             decant_error** error);
// What stands at this place, for people: "a string, after 3 characters". The wording may change between versions.
decant_status decant_constraint_expected(decant_constraint* constraint, const char** text, decant_error** error);
void decant_constraint_free(decant_constraint* constraint);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // DECANT_C_H_
