// The numbers of decant/c.h are those of the C++ interface; calls are tested from C (tests/capi).
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "capi/call.h"
#include "decant/c.h"
#include "decant/error.h"
#include "decant/sampler.h"

namespace decant::capi {
namespace {

// The name of a status constant from the code's CamelCase: "InvalidTopK" is DECANT_INVALID_TOP_K.
const std::map<std::string, decant_status> kStatuses = {
    {"EmptyLogits", DECANT_EMPTY_LOGITS},
    {"NonFiniteLogit", DECANT_NON_FINITE_LOGIT},
    {"VocabularyTooLarge", DECANT_VOCABULARY_TOO_LARGE},
    {"EmptySupport", DECANT_EMPTY_SUPPORT},
    {"InvalidTemperature", DECANT_INVALID_TEMPERATURE},
    {"InvalidTopK", DECANT_INVALID_TOP_K},
    {"InvalidProbabilitySum", DECANT_INVALID_PROBABILITY_SUM},
    {"UnknownParameter", DECANT_UNKNOWN_PARAMETER},
    {"OutOfRange", DECANT_OUT_OF_RANGE},
    {"WrongType", DECANT_WRONG_TYPE},
    {"Conflict", DECANT_CONFLICT},
    {"UnsupportedStage", DECANT_UNSUPPORTED_STAGE},
    {"UnknownPreset", DECANT_UNKNOWN_PRESET},
    {"EmptyPrompt", DECANT_EMPTY_PROMPT},
    {"PromptTooLong", DECANT_PROMPT_TOO_LONG},
    {"TokenOutOfRange", DECANT_TOKEN_OUT_OF_RANGE},
    {"LogitCountMismatch", DECANT_LOGIT_COUNT_MISMATCH},
    {"NonFiniteActivation", DECANT_NON_FINITE_ACTIVATION},
    {"CacheExhausted", DECANT_CACHE_EXHAUSTED},
    {"ConstraintViolated", DECANT_CONSTRAINT_VIOLATED},
    {"Cancelled", DECANT_CANCELLED},
    {"InvalidUtf8", DECANT_INVALID_UTF8},
    {"UnsupportedTokenizer", DECANT_UNSUPPORTED_TOKENIZER},
    {"CannotRead", DECANT_CANNOT_READ},
    {"CannotWrite", DECANT_CANNOT_WRITE},
    {"CorruptFile", DECANT_CORRUPT_FILE},
    {"UnsupportedFile", DECANT_UNSUPPORTED_FILE},
    {"NotFound", DECANT_NOT_FOUND},
    {"InvalidJson", DECANT_INVALID_JSON},
    {"InvalidRegex", DECANT_INVALID_REGEX},
    {"UnsupportedRegex", DECANT_UNSUPPORTED_REGEX},
    {"InvalidSchema", DECANT_INVALID_SCHEMA},
    {"Unenforceable", DECANT_UNENFORCEABLE},
    {"Unsatisfiable", DECANT_UNSATISFIABLE},
    {"TooComplex", DECANT_TOO_COMPLEX},
    {"TraceBroken", DECANT_TRACE_BROKEN},
    {"TraceDiffers", DECANT_TRACE_DIFFERS},
    {"UnsupportedMachine", DECANT_UNSUPPORTED_MACHINE},
    {"Internal", DECANT_INTERNAL},
};

TEST(CAbiTest, EveryErrorCodeHasItsStatusConstant) {
  for (const ErrorCodeRow& row : ErrorCodes()) {
    const auto found = kStatuses.find(std::string(row.name));
    ASSERT_NE(found, kStatuses.end()) << row.name << " has no constant in decant/c.h, or no line here";
    EXPECT_EQ(found->second, row.c_status) << row.name;
    EXPECT_EQ(decant_status_name(row.c_status), row.name);
  }
  EXPECT_EQ(kStatuses.size(), ErrorCodes().size());
}

TEST(CAbiTest, ElementTypesAndDrawKindsAreNumberedAsInCxx) {
  EXPECT_EQ(DECANT_F32, static_cast<decant_element_type>(ElementType::kF32));
  EXPECT_EQ(DECANT_F64, static_cast<decant_element_type>(ElementType::kF64));
  EXPECT_EQ(DECANT_F16, static_cast<decant_element_type>(ElementType::kF16));
  EXPECT_EQ(DECANT_BF16, static_cast<decant_element_type>(ElementType::kBF16));
  EXPECT_EQ(DECANT_DRAW_GREEDY, static_cast<decant_draw_kind>(DrawKind::kGreedy));
  EXPECT_EQ(DECANT_DRAW_INVERSE_CDF, static_cast<decant_draw_kind>(DrawKind::kInverseCdf));
  EXPECT_EQ(DECANT_DRAW_RACE, static_cast<decant_draw_kind>(DrawKind::kRace));
}

// Bindings lay these out by hand; a changed size or place is another DECANT_ABI_VERSION.
TEST(CAbiTest, StructsHaveTheLayoutThatBindingsRelyOn) {
  if constexpr (sizeof(void*) == 8) {
    EXPECT_EQ(sizeof(decant_state_options), 64U);
    EXPECT_EQ(offsetof(decant_state_options, position), 56U);
    EXPECT_EQ(sizeof(decant_row), 40U);
    EXPECT_EQ(offsetof(decant_row, mask), 24U);
    EXPECT_EQ(sizeof(decant_request), 56U);
  }
  EXPECT_EQ(sizeof(decant_choice), 32U);
  EXPECT_EQ(offsetof(decant_choice, drawn_by), 24U);
  EXPECT_EQ(sizeof(decant_position), 16U);
}

TEST(CAbiTest, WhatABodyThrowsBecomesAStatus) {
  decant_error* error = nullptr;
  EXPECT_EQ(Call(&error, []() -> Result<void> { throw std::bad_alloc(); }), DECANT_UNSUPPORTED_MACHINE);
  EXPECT_STREQ(decant_error_message(error), "out of memory");
  EXPECT_EQ(Call(&error, []() -> Result<void> { throw 1; }), DECANT_INTERNAL);
  EXPECT_EQ(Call(&error, []() -> Result<void> { return {}; }), DECANT_OK);
  EXPECT_EQ(error, nullptr);
  EXPECT_EQ(Call(nullptr, []() -> Result<void> { throw 1; }), DECANT_INTERNAL);
}

}  // namespace
}  // namespace decant::capi
