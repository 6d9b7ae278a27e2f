// A marker in tokens that split it, overlap it and write past it.
#include "decode/constrain_after.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/small_vocabulary.h"

namespace decant::decode {
namespace {

// Allows "h" any number of times, and may end.
class OnlyH final : public Constraint {
 public:
  explicit OnlyH(TokenId h) : h_(h) {}
  void FillMask(std::span<std::uint32_t> mask) const override {
    std::ranges::fill(mask, 0U);
    mask[h_ / 32] |= 1U << (h_ % 32);
  }
  void FillStructural(std::span<std::uint32_t> structural) const override { std::ranges::fill(structural, ~0U); }
  Result<void> Accept(TokenId token) override {
    if (token != h_) return Fail(ErrorCode::kConstraintViolated, "not h");
    ++accepted;
    return {};
  }
  std::size_t Validate(std::span<const TokenId> tokens) const override {
    std::size_t n = 0;
    while (n < tokens.size() && tokens[n] == h_) ++n;
    return n;
  }
  void RollBack(std::size_t n) override { accepted -= n; }
  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<OnlyH>(*this); }
  ConstraintState state() const override { return ConstraintState::kMayEnd; }
  std::vector<TokenId> ForcedTokens() const override { return {h_}; }
  std::optional<std::string> ShortestEnd() const override { return "h"; }

  std::size_t accepted = 0;

 private:
  TokenId h_;
};

class ConstrainAfterTest : public testing::Test {
 protected:
  TokenId Id(std::string_view bytes) const { return tokenizer_->Find(bytes).value(); }
  std::unique_ptr<Constraint> After(std::string marker) const {
    return MakeConstrainAfter({.tokenizer = tokenizer_.get(),
                               .vocabulary = tokenizer_->vocabulary_size() + 2,
                               .marker = std::move(marker),
                               .end_tokens = {1}},
                              std::make_unique<OnlyH>(Id("h")));
  }
  bool Allows(const Constraint& constraint, TokenId token) const {
    std::vector<std::uint32_t> mask((tokenizer_->vocabulary_size() + 2 + 31) / 32, ~0U);
    constraint.FillMask(mask);
    const bool bit = (mask[token / 32] >> (token % 32) & 1) == 1;
    EXPECT_EQ(constraint.Validate(std::vector<TokenId>{token}) == 1, bit) << token;
    return bit;
  }
  std::shared_ptr<const Tokenizer> tokenizer_ = text::MakeBpeTokenizer(text::SmallVocabulary()).value();
};

TEST_F(ConstrainAfterTest, LetsAnyTextStandBeforeTheMarkerButNoEnd) {
  const auto constraint = After("lo");
  EXPECT_TRUE(Allows(*constraint, Id("he")));
  EXPECT_TRUE(Allows(*constraint, Id("hello")));                                           // ends with the marker
  EXPECT_FALSE(Allows(*constraint, 1));                                                    // ends the text
  EXPECT_FALSE(Allows(*constraint, static_cast<TokenId>(tokenizer_->vocabulary_size())));  // a row's padding
  EXPECT_EQ(constraint->state(), ConstraintState::kOpen);
  EXPECT_TRUE(constraint->ForcedTokens().empty());
  EXPECT_EQ(constraint->ShortestEnd(), "loh");
}

TEST_F(ConstrainAfterTest, LetsNoTokenWritePastTheMarker) {
  const auto constraint = After("el");
  EXPECT_FALSE(Allows(*constraint, Id("hell")));
  EXPECT_FALSE(Allows(*constraint, Id("hello")));
  ASSERT_TRUE(constraint->Accept(Id("he")).has_value());
  EXPECT_FALSE(Allows(*constraint, Id("lo")));
  EXPECT_TRUE(Allows(*constraint, Id("l")));
  EXPECT_EQ(constraint->Accept(Id("lo")).error().code, ErrorCode::kConstraintViolated);
}

TEST_F(ConstrainAfterTest, ConstrainsWhatFollows) {
  const auto constraint = After("lo");
  ASSERT_TRUE(constraint->Accept(Id("hell")).has_value());
  ASSERT_TRUE(constraint->Accept(Id("o")).has_value());
  EXPECT_TRUE(Allows(*constraint, Id("h")));
  EXPECT_FALSE(Allows(*constraint, Id("he")));
  EXPECT_EQ(constraint->state(), ConstraintState::kMayEnd);
  ASSERT_TRUE(constraint->Accept(Id("h")).has_value());
  EXPECT_FALSE(constraint->Accept(Id("o")).has_value());
}

// "hhe" has the marker "he" after a start that did not lead to it.
TEST_F(ConstrainAfterTest, FindsAMarkerThatBeginsInsideAnotherStart) {
  const auto constraint = After("lle");
  for (const std::string_view bytes : {"l", "l", "l", "e"}) ASSERT_TRUE(constraint->Accept(Id(bytes)).has_value());
  EXPECT_EQ(constraint->state(), ConstraintState::kMayEnd);
}

TEST_F(ConstrainAfterTest, RollsBackOverTheBorder) {
  const auto constraint = After("lo");
  for (const std::string_view bytes : {"he", "l", "o", "h", "h"}) {
    ASSERT_TRUE(constraint->Accept(Id(bytes)).has_value());
  }
  const auto fork = constraint->Fork();
  constraint->RollBack(1);
  EXPECT_TRUE(Allows(*constraint, Id("h")));
  constraint->RollBack(3);
  EXPECT_TRUE(Allows(*constraint, Id("he")));
  EXPECT_EQ(constraint->state(), ConstraintState::kOpen);
  EXPECT_EQ(constraint->Validate(std::vector<TokenId>{Id("l"), Id("o"), Id("h"), Id("o")}), 3U);
  EXPECT_EQ(fork->state(), ConstraintState::kMayEnd);
  EXPECT_FALSE(Allows(*fork, Id("he")));
}

}  // namespace
}  // namespace decant::decode
