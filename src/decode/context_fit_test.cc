// Prompts that fit, that do not, and what leaves them: numbers small enough to check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "decant/generate.h"

namespace decant {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<TokenId> UpTo(TokenId size) {
  std::vector<TokenId> tokens(size);
  std::iota(tokens.begin(), tokens.end(), 0u);
  return tokens;
}

FittedPrompt Fit(TokenId size, const FitOptions& options) {
  const auto fitted = FitPrompt(UpTo(size), options);
  EXPECT_TRUE(fitted.has_value()) << fitted.error().message;
  return fitted.value_or(FittedPrompt{});
}

TEST(FitPromptTest, LeavesAPromptThatFitsAlone) {
  for (const auto overflow :
       {ContextOverflow::kError, ContextOverflow::kTruncateLeft, ContextOverflow::kTruncateMiddle}) {
    const FittedPrompt fitted = Fit(4, {.context = 8, .max_tokens = 4, .overflow = overflow});
    EXPECT_EQ(fitted.tokens, UpTo(4));
    EXPECT_EQ(fitted.removed, 0u);
    EXPECT_EQ(fitted.missing, 0u);
  }
}

TEST(FitPromptTest, RefusesAPromptLongerThanTheContextWithTheNumbers) {
  const auto fitted = FitPrompt(UpTo(2391), {.context = 2048, .max_tokens = 256});
  ASSERT_FALSE(fitted.has_value());
  EXPECT_EQ(fitted.error().code, ErrorCode::kPromptTooLong);
  EXPECT_EQ(fitted.error().message, "the prompt has 2391 tokens, 256 more are to be generated, the context holds 2048");
  EXPECT_THAT(fitted.error().hint, HasSubstr("truncate_left (drops 599 tokens of the start)"));
}

TEST(FitPromptTest, TellsHowManyTokensTheContextCannotHold) {
  EXPECT_EQ(Fit(4, {.context = 8, .max_tokens = 5}).missing, 0u);  // the last token needs no place
  EXPECT_EQ(Fit(4, {.context = 8, .max_tokens = 7}).missing, 2u);
  EXPECT_EQ(Fit(8, {.context = 8, .max_tokens = 1}).missing, 0u);
  EXPECT_EQ(Fit(4, {.context = 8, .max_tokens = 7, .at_context_end = ContextEnd::kSlide}).missing, 0u);
  EXPECT_EQ(Fit(4, {.context = 8}).missing, 0u);
}

TEST(FitPromptTest, TruncatesLeftToWhatLeavesRoomForTheAnswer) {
  const FittedPrompt fitted = Fit(7, {.context = 8, .max_tokens = 4, .overflow = ContextOverflow::kTruncateLeft});
  EXPECT_THAT(fitted.tokens, ElementsAre(3u, 4u, 5u, 6u));
  EXPECT_EQ(fitted.removed, 3u);
}

TEST(FitPromptTest, KeepsTheStartTokenInFront) {
  const FitOptions options{.context = 8, .max_tokens = 4, .overflow = ContextOverflow::kTruncateLeft, .bos = 0};
  EXPECT_THAT(Fit(7, options).tokens, ElementsAre(0u, 4u, 5u, 6u));
  EXPECT_EQ(Fit(7, options).removed, 3u);
  FitOptions another = options;
  another.bos = 5;  // not in front
  EXPECT_THAT(Fit(7, another).tokens, ElementsAre(3u, 4u, 5u, 6u));
  FitOptions one = options;
  one.max_tokens = 7;
  EXPECT_THAT(Fit(7, one).tokens, ElementsAre(6u));  // room for one token: the last
}

TEST(FitPromptTest, TruncatesTheMiddleToTwoHalves) {
  FitOptions options{.context = 8, .max_tokens = 4, .overflow = ContextOverflow::kTruncateMiddle};
  EXPECT_THAT(Fit(9, options).tokens, ElementsAre(0u, 1u, 7u, 8u));
  EXPECT_EQ(Fit(9, options).removed, 5u);
  options.max_tokens = 3;
  EXPECT_THAT(Fit(9, options).tokens, ElementsAre(0u, 1u, 6u, 7u, 8u));
}

TEST(FitPromptTest, MakesRoomForOneTokenWhenNoNumberIsGiven) {
  EXPECT_EQ(Fit(20, {.context = 8, .overflow = ContextOverflow::kTruncateLeft}).tokens.size(), 7u);
  const FitOptions slide{.context = 8,
                         .max_tokens = 100,
                         .overflow = ContextOverflow::kTruncateLeft,
                         .at_context_end = ContextEnd::kSlide};
  EXPECT_EQ(Fit(20, slide).tokens.size(), 7u);
  EXPECT_EQ(Fit(20, {.context = 8, .max_tokens = 0, .overflow = ContextOverflow::kTruncateLeft}).tokens.size(), 8u);
  EXPECT_EQ(Fit(2, {.context = 1, .overflow = ContextOverflow::kTruncateLeft}).tokens, std::vector<TokenId>{1});
}

TEST(FitPromptTest, RefusesToDropTheWholePrompt) {
  const auto fitted = FitPrompt(UpTo(4), {.context = 8, .max_tokens = 8, .overflow = ContextOverflow::kTruncateLeft});
  ASSERT_FALSE(fitted.has_value());
  EXPECT_EQ(fitted.error().code, ErrorCode::kPromptTooLong);
  EXPECT_EQ(fitted.error().subject, "max_tokens");
}

TEST(FitPromptTest, ReadsItsNames) {
  for (const auto overflow :
       {ContextOverflow::kError, ContextOverflow::kTruncateLeft, ContextOverflow::kTruncateMiddle}) {
    EXPECT_EQ(FindContextOverflow(NameOf(overflow)), overflow);
  }
  EXPECT_EQ(FindContextOverflow("truncate"), std::nullopt);
}

}  // namespace
}  // namespace decant
