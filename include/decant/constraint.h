// A constraint says which tokens may come next, and moves with each token that did.
//
//   DECANT_TRY(auto vocabulary, ConstraintVocabulary::Of(tokenizer));
//   DECANT_TRY(auto grammar, CompileJsonSchema(vocabulary, schema_text, {}));
//   std::unique_ptr<Constraint> constraint = grammar->Start();
//   constraint->FillMask(words);                    // bit t % 32 of word t / 32: token t may come next
//   DECANT_CHECKED(constraint->Accept(token));
#ifndef DECANT_CONSTRAINT_H_
#define DECANT_CONSTRAINT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"
#include "decant/tokenizer.h"

namespace decant {

enum class ConstraintState : std::uint8_t {
  kOpen,     // more tokens are needed
  kMayEnd,   // complete; more may follow
  kMustEnd,  // complete; only an end token may follow
  kDead,     // no continuation exists
};

// One owner a sequence. Bit t % 32 of word t / 32 stands for token t; padding bits are 0.
class Constraint {
 public:
  virtual ~Constraint() = default;

  // The tokens that may come next, end tokens included where the text may end. REQUIRES: ceil(vocabulary / 32) words.
  virtual void FillMask(std::span<std::uint32_t> mask) const = 0;
  // The tokens that are, here, only the grammar's own literals: punctuation, keys, quotes. Repetition, frequency and
  // presence penalties, DRY and n-gram bans skip them. Without such literals: all 0.
  virtual void FillStructural(std::span<std::uint32_t> structural) const = 0;
  // Moves on by a token; kConstraintViolated when the mask does not have it, and then nothing moved.
  virtual Result<void> Accept(TokenId token) = 0;
  // How many of the tokens, from the first on, could be accepted one after the other. Moves nothing.
  virtual std::size_t Validate(std::span<const TokenId> tokens) const = 0;
  virtual void RollBack(std::size_t n) = 0;  // REQUIRES: n <= tokens accepted
  virtual std::unique_ptr<Constraint> Fork() const = 0;
  virtual ConstraintState state() const = 0;
  // The tokens that must come next, whatever the model says; empty when there is a choice.
  virtual std::vector<TokenId> ForcedTokens() const = 0;

  // The bytes that must come next, up to the first choice. They end on a character's border.
  virtual std::string ForcedBytes() const { return {}; }
  // Whether every token the mask has is known to have a completion; false where a budget for that ran out.
  virtual bool IsProven() const { return true; }
  // The shortest text that completes what was accepted; nothing when its search ran out of budget.
  virtual std::optional<std::string> ShortestEnd() const { return std::nullopt; }
  // What stands at this place, for people: "a string, after 3 characters".
  virtual std::string Expected() const { return {}; }
};

// Fills masks of many sequences, a row of `stride` words each, on the caller's thread. REQUIRES: rows * stride words.
void FillMasks(std::span<const Constraint* const> constraints, std::span<std::uint32_t> masks, std::size_t stride);

// What masks need of a vocabulary: a tree of its tokens, and the masks found so far, shared by all constraints over it.
// Immutable but for that cache; any thread.
class ConstraintVocabulary {
 public:
  struct Tokens {
    std::span<const std::string_view> bytes = {};  // of each token, by id; copied
    std::span<const TokenId> special = {};         // never text: a mask has none of them but end tokens
    std::span<const TokenId> end = {};             // allowed exactly where the text may end
    std::size_t row_length = 0;  // logits in a row, tokens past the last one never allowed; 0 = bytes.size()
    std::size_t cache_bytes = std::size_t{64} << 20;  // of masks kept; least recently used ones go first
  };
  // kOutOfRange, kTokenOutOfRange.
  static Result<std::shared_ptr<const ConstraintVocabulary>> Of(const Tokens& tokens);
  // A tokenizer's: control, unknown and unused tokens are special; `end` and eos() end a text.
  static Result<std::shared_ptr<const ConstraintVocabulary>> Of(const Tokenizer& tokenizer,
                                                                std::span<const TokenId> end, std::size_t row_length);
  virtual ~ConstraintVocabulary() = default;
  virtual std::size_t row_length() const = 0;
  virtual std::size_t memory_bytes() const = 0;  // less the cache
  virtual std::size_t cache_bytes() const = 0;   // held now
};

// A compiled grammar: immutable, shared by threads and sequences.
class Grammar {
 public:
  virtual ~Grammar() = default;
  virtual std::unique_ptr<Constraint> Start() const = 0;  // at the start of the text
  virtual std::size_t row_length() const = 0;
  // What was asked for and is not enforced, "path: keyword" each; empty unless allow_unenforced.
  virtual std::span<const std::string> unenforced() const = 0;
};

enum class RegexSyntax : std::uint8_t {
  kPython,  // Python's re with \p{…}: Unicode \d \w \s, flags, lazy marks, look-around where it stays regular
  kEcma,    // ECMA-262 with flag u
};
// The whole text matches. kInvalidRegex and kUnsupportedRegex with a position, kUnsatisfiable, kTooComplex.
Result<std::shared_ptr<const Grammar>> CompileRegex(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                    std::string_view regex, RegexSyntax syntax);
// One of the texts. kOutOfRange (none), kInvalidUtf8.
Result<std::shared_ptr<const Grammar>> CompileChoice(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                     std::span<const std::string> choices);

enum class JsonWhitespace : std::uint8_t {
  kAny,      // any RFC 8259 white space between tokens of JSON, in runs of at most max_whitespace
  kCompact,  // none
  kSpaced,   // one space after each "," and ":", none elsewhere
};
enum class KeyOrder : std::uint8_t {
  kAny,
  kSchema,         // declared properties in the order of the schema, before others
  kRequiredFirst,  // required ones in the order of the schema, then the others in theirs
};
struct JsonSchemaOptions {
  JsonWhitespace whitespace = JsonWhitespace::kAny;
  std::uint32_t max_whitespace = 128;  // characters a run, 1..65535; kAny only
  KeyOrder key_order = KeyOrder::kAny;
  std::string_view default_draft = "2020-12";  // of a schema without $schema: 4, 6, 7, 2019-09, 2020-12
  bool assert_formats = true;                  // false: `format` is an annotation
  bool allow_unenforced = false;               // true: what cannot be enforced is left out and listed by unenforced()
  // A document by its absolute URI, for references to the outside; null = none.
  std::function<std::optional<std::string>(std::string_view uri)> load = nullptr;
};
// The text is a JSON value that the schema (a JSON text) accepts; no white space around it. Errors name
// "path: keyword": kInvalidJson, kInvalidSchema, kUnenforceable, kUnsatisfiable, kTooComplex.
Result<std::shared_ptr<const Grammar>> CompileJsonSchema(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                         std::string_view schema, const JsonSchemaOptions& options);

}  // namespace decant

#endif  // DECANT_CONSTRAINT_H_
