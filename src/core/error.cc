// The table behind ErrorCodes: one row a code, in the order of the enum.
#include "decant/error.h"

#include <array>
#include <cstddef>

namespace decant {
namespace {

// Exit codes: 1 runtime, 2 usage, 3 a value that only the model or the data shows to be wrong, 4 file,
// 5 verification failed, 130 interrupted. HTTP 499 is the usual answer to a client that went away.
// C statuses are stable: a new code takes the next free number, wherever its row stands.
constexpr auto kTable = std::to_array<ErrorCodeRow>({
    {ErrorCode::kEmptyLogits, "EmptyLogits", 1, 400, -1},
    {ErrorCode::kNonFiniteLogit, "NonFiniteLogit", 1, 400, -2},
    {ErrorCode::kVocabularyTooLarge, "VocabularyTooLarge", 1, 400, -3},
    {ErrorCode::kEmptySupport, "EmptySupport", 1, 400, -4},
    {ErrorCode::kInvalidTemperature, "InvalidTemperature", 2, 400, -5},
    {ErrorCode::kInvalidTopK, "InvalidTopK", 2, 400, -6},
    {ErrorCode::kInvalidProbabilitySum, "InvalidProbabilitySum", 1, 400, -7},
    {ErrorCode::kUnknownParameter, "UnknownParameter", 2, 400, -8},
    {ErrorCode::kOutOfRange, "OutOfRange", 2, 400, -9},
    {ErrorCode::kWrongType, "WrongType", 2, 400, -10},
    {ErrorCode::kConflict, "Conflict", 2, 400, -11},
    {ErrorCode::kUnsupportedStage, "UnsupportedStage", 2, 400, -12},
    {ErrorCode::kUnknownPreset, "UnknownPreset", 2, 400, -13},
    {ErrorCode::kEmptyPrompt, "EmptyPrompt", 3, 400, -14},
    {ErrorCode::kPromptTooLong, "PromptTooLong", 3, 400, -15},
    {ErrorCode::kTokenOutOfRange, "TokenOutOfRange", 3, 400, -16},
    {ErrorCode::kLogitCountMismatch, "LogitCountMismatch", 1, 500, -17},
    {ErrorCode::kNonFiniteActivation, "NonFiniteActivation", 1, 500, -18},
    {ErrorCode::kCacheExhausted, "CacheExhausted", 1, 503, -19},
    {ErrorCode::kConstraintViolated, "ConstraintViolated", 3, 400, -33},
    {ErrorCode::kCancelled, "Cancelled", 130, 499, -20},
    {ErrorCode::kInvalidUtf8, "InvalidUtf8", 3, 400, -21},
    {ErrorCode::kUnsupportedTokenizer, "UnsupportedTokenizer", 4, 500, -22},
    {ErrorCode::kCannotRead, "CannotRead", 4, 500, -23},
    {ErrorCode::kCannotWrite, "CannotWrite", 4, 500, -24},
    {ErrorCode::kCorruptFile, "CorruptFile", 4, 500, -25},
    {ErrorCode::kUnsupportedFile, "UnsupportedFile", 4, 500, -26},
    {ErrorCode::kNotFound, "NotFound", 4, 404, -27},
    {ErrorCode::kInvalidJson, "InvalidJson", 3, 400, -28},
    {ErrorCode::kInvalidRegex, "InvalidRegex", 3, 400, -34},
    {ErrorCode::kUnsupportedRegex, "UnsupportedRegex", 3, 400, -35},
    {ErrorCode::kInvalidSchema, "InvalidSchema", 3, 400, -36},
    {ErrorCode::kUnenforceable, "Unenforceable", 3, 400, -37},
    {ErrorCode::kUnsatisfiable, "Unsatisfiable", 3, 400, -38},
    {ErrorCode::kTooComplex, "TooComplex", 3, 400, -39},
    {ErrorCode::kTraceBroken, "TraceBroken", 5, 400, -29},
    {ErrorCode::kTraceDiffers, "TraceDiffers", 5, 400, -30},
    {ErrorCode::kUnsupportedMachine, "UnsupportedMachine", 1, 500, -31},
    {ErrorCode::kInternal, "Internal", 1, 500, -32},
});

constexpr bool FollowsTheEnum() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].code) != i) return false;
  }
  return kTable.size() == static_cast<std::size_t>(ErrorCode::kInternal) + 1;
}
static_assert(FollowsTheEnum(), "ErrorCodes must have one row a code, in the order of the enum");

}  // namespace

std::span<const ErrorCodeRow> ErrorCodes() { return kTable; }

const ErrorCodeRow& RowOf(ErrorCode code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kTable.size() ? kTable[index] : kTable.back();
}

}  // namespace decant
