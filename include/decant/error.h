// Errors as values: every call that can fail because of its input returns Result<T>.
//
// An Error names the thing, the value and the bound ("top_p is 1.3; expected a number in (0, 1]"). One table
// (ErrorCodes) maps a code to its CamelCase name, exit code, HTTP status and C status, so that every front end
// answers alike.
#ifndef DECANT_ERROR_H_
#define DECANT_ERROR_H_

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace decant {

enum class ErrorCode : std::uint8_t {
  // Sampling.
  kEmptyLogits,         // a row of no logits
  kNonFiniteLogit,      // NaN or +inf (preset reference: any infinity)
  kVocabularyTooLarge,  // more tokens than the arithmetic is proven for
  kEmptySupport,        // every token is banned
  kInvalidTemperature,
  kInvalidTopK,
  kInvalidProbabilitySum,  // preset reference: the weights do not normalise
  // Parameters.
  kUnknownParameter,
  kOutOfRange,        // a value outside its documented range
  kWrongType,         // a string where a number is expected, and the like
  kConflict,          // two values that exclude each other
  kUnsupportedStage,  // a stage that the preset does not have
  kUnknownPreset,
  // Generation.
  kEmptyPrompt,
  kPromptTooLong,
  kTokenOutOfRange,      // a token id at or past the vocabulary size
  kLogitCountMismatch,   // a model returned a row of another length
  kNonFiniteActivation,  // the model's arithmetic left the finite numbers; names the layer
  kCacheExhausted,       // no KV block is free
  kConstraintViolated,   // a token that the constraint does not allow
  kCancelled,
  // Text.
  kInvalidUtf8,
  kUnsupportedTokenizer,
  // Files.
  kCannotRead,  // missing, unreadable, not a file
  kCannotWrite,
  kCorruptFile,      // contradicts its own format; names the offset
  kUnsupportedFile,  // well-formed, of a kind that decant does not read
  kNotFound,         // a model name that no search folder has
  kInvalidJson,
  // Constraints.
  kInvalidRegex,
  kUnsupportedRegex,  // not a regular language, or a construct that is not done
  kInvalidSchema,     // not a JSON Schema: a keyword's type or range, a reference that leads nowhere
  kUnenforceable,     // a part of a schema that cannot be enforced; names "path: keyword"
  kUnsatisfiable,     // no text meets the constraint; also a recursion that cannot end
  kTooComplex,        // a constraint past a limit on work or memory
  // Evidence.
  kTraceBroken,   // shape or hash chain of a trace does not hold
  kTraceDiffers,  // a recomputed field differs
  // Anything else.
  kUnsupportedMachine,  // what this machine lacks: an instruction set that DECANT_SIMD names, memory for the weights
  kInternal,            // a promise decant makes to itself was broken
};

struct ErrorCodeRow {
  ErrorCode code;
  std::string_view name;  // "NonFiniteLogit"
  int exit_code;  // of the program: 1 runtime, 2 usage, 3 bad value, 4 file, 5 verification failed, 130 interrupted
  int http_status;
  int c_status;  // stable, negative
};

// Every code, in the order of the enum.
std::span<const ErrorCodeRow> ErrorCodes();
const ErrorCodeRow& RowOf(ErrorCode code);

// A place in an input, 1-based line and column for text, a byte offset for files.
struct Position {
  std::uint64_t offset = 0;
  std::uint32_t line = 0;  // 0 = not text
  std::uint32_t column = 0;
  bool operator==(const Position&) const = default;
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message = {};  // a full sentence for a person
  std::string subject = {};  // the parameter, field, tensor or file at fault; may be empty
  std::string allowed = {};  // what would have been accepted; may be empty
  std::string hint = {};     // a way out, or a did-you-mean; may be empty
  std::optional<Position> at = {};
  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

// An unexpected Error, ready to return: return Fail(ErrorCode::kOutOfRange, "…", {.subject = "top_p"}).
struct ErrorParts {
  std::string subject = {};
  std::string allowed = {};
  std::string hint = {};
  std::optional<Position> at = {};
};
inline std::unexpected<Error> Fail(ErrorCode code, std::string message, ErrorParts parts = {}) {
  return std::unexpected<Error>(Error{.code = code,
                                      .message = std::move(message),
                                      .subject = std::move(parts.subject),
                                      .allowed = std::move(parts.allowed),
                                      .hint = std::move(parts.hint),
                                      .at = parts.at});
}

}  // namespace decant

// DECANT_TRY(auto x, Expression()): x is the value, or the enclosing function returns the error.
// DECANT_CHECKED(Expression()): the same for Result<void>.
#define DECANT_CONCAT_INNER_(a, b) a##b
#define DECANT_CONCAT_(a, b) DECANT_CONCAT_INNER_(a, b)
#define DECANT_TRY_INNER_(result, declaration, expression)                    \
  auto result = (expression);                                                 \
  if (!result.has_value()) return std::unexpected(std::move(result).error()); \
  declaration = *std::move(result)
#define DECANT_TRY(declaration, expression) \
  DECANT_TRY_INNER_(DECANT_CONCAT_(decant_try_, __LINE__), declaration, expression)
#define DECANT_CHECKED(expression)                                           \
  do {                                                                       \
    if (auto decant_checked_ = (expression); !decant_checked_.has_value()) { \
      return std::unexpected(std::move(decant_checked_).error());            \
    }                                                                        \
  } while (false)

#endif  // DECANT_ERROR_H_
