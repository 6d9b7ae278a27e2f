// What is taken back, and what may come instead, on a small vocabulary.
#include "decode/token_healing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decant/generate.h"
#include "text/small_vocabulary.h"

namespace decant::decode {
namespace {

using testing::ElementsAre;

class TokenHealingTest : public testing::Test {
 protected:
  TokenId Id(std::string_view bytes) const { return tokenizer_->Find(bytes).value(); }
  std::unique_ptr<Constraint> Prefix(std::string bytes) const {
    return MakePrefixConstraint(*tokenizer_, tokenizer_->vocabulary_size(), std::move(bytes));
  }
  std::vector<TokenId> Allowed(const Constraint& constraint) const {
    std::vector<std::uint32_t> mask((tokenizer_->vocabulary_size() + 31) / 32, ~0u);
    constraint.FillMask(mask);
    std::vector<TokenId> ids;
    for (std::size_t id = 0; id < 32 * mask.size(); ++id) {
      if ((mask[id / 32] >> (id % 32) & 1) == 1) ids.push_back(static_cast<TokenId>(id));
    }
    return ids;
  }
  std::shared_ptr<const Tokenizer> tokenizer_ = text::MakeBpeTokenizer(text::SmallVocabulary()).value();
};

TEST_F(TokenHealingTest, TakesTheLastTokenBack) {
  const std::vector<TokenId> prompt = {Id("hello"), Id("lo")};
  const HealedPrompt healed = HealPrompt(*tokenizer_, prompt);
  EXPECT_THAT(healed.tokens, ElementsAre(Id("hello")));
  EXPECT_EQ(healed.bytes, "lo");
}

TEST_F(TokenHealingTest, LeavesSpecialTokensAndPromptsOfOneTokenAlone) {
  for (const std::vector<TokenId>& prompt :
       {std::vector<TokenId>{Id("lo")}, {Id("hello"), 1}, {Id("hello"), Id("==>")}, {}}) {
    const HealedPrompt healed = HealPrompt(*tokenizer_, prompt);
    EXPECT_EQ(healed.tokens, prompt);
    EXPECT_EQ(healed.bytes, "");
  }
}

TEST_F(TokenHealingTest, AllowsTokensThatBeginWithThePrefixOrArePartOfIt) {
  EXPECT_THAT(Allowed(*Prefix("hel")), ElementsAre(Id("h"), Id("he"), Id("hell"), Id("hello")));
  // "<" begins control tokens too, which are no text.
  EXPECT_THAT(Allowed(*Prefix("<")), ElementsAre(Id("<")));
}

TEST_F(TokenHealingTest, AllowsEverythingOnceThePrefixIsWritten) {
  const auto constraint = Prefix("hel");
  ASSERT_TRUE(constraint->Accept(Id("he")).has_value());
  EXPECT_THAT(Allowed(*constraint), ElementsAre(Id("l"), Id("ll"), Id("lo"), Id("low")));
  EXPECT_EQ(constraint->state(), ConstraintState::kOpen);
  ASSERT_TRUE(constraint->Accept(Id("lo")).has_value());
  EXPECT_EQ(constraint->state(), ConstraintState::kMayEnd);
  EXPECT_EQ(Allowed(*constraint).size(), tokenizer_->vocabulary_size());
  EXPECT_TRUE(constraint->Accept(2).has_value());
}

TEST_F(TokenHealingTest, RefusesOtherTokensAndMovesNothing) {
  const auto constraint = Prefix("hel");
  const auto refused = constraint->Accept(Id("o"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kConstraintViolated);
  EXPECT_EQ(Allowed(*constraint).size(), 4u);
  const std::vector<TokenId> tokens = {Id("h"), Id("e"), Id("o")};
  EXPECT_EQ(constraint->Validate(tokens), 2u);
  EXPECT_EQ(Allowed(*constraint).size(), 4u);
}

TEST_F(TokenHealingTest, RollsBackAndForks) {
  const auto constraint = Prefix("hel");
  ASSERT_TRUE(constraint->Accept(Id("h")).has_value());
  const auto fork = constraint->Fork();
  ASSERT_TRUE(constraint->Accept(Id("e")).has_value());
  ASSERT_TRUE(constraint->Accept(Id("low")).has_value());
  EXPECT_THAT(Allowed(*fork), ElementsAre(Id("e")));
  constraint->RollBack(1);
  EXPECT_THAT(Allowed(*constraint), ElementsAre(Id("l"), Id("ll"), Id("lo"), Id("low")));
  constraint->RollBack(2);
  EXPECT_EQ(Allowed(*constraint).size(), 4u);
}

TEST_F(TokenHealingTest, IsDeadWithoutATokenToGoOn) {
  EXPECT_EQ(Prefix("lo")->state(), ConstraintState::kOpen);
  EXPECT_EQ(MakePrefixConstraint(*tokenizer_, 5, "lo")->state(), ConstraintState::kDead);
}

}  // namespace
}  // namespace decant::decode
