// Rows of mask words and sets of tokens.
#include "grammar/mask_words.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decant/token.h"

namespace decant::grammar {
namespace {

std::vector<std::uint32_t> RowOf(std::size_t words, const std::vector<TokenId>& tokens) {
  std::vector<std::uint32_t> row(words);
  for (const TokenId token : tokens) AddToken(row, token);
  return row;
}

TEST(MaskWordsTest, WordsHoldThirtyTwoTokensEach) {
  EXPECT_EQ(WordsFor(0), 0u);
  EXPECT_EQ(WordsFor(1), 1u);
  EXPECT_EQ(WordsFor(32), 1u);
  EXPECT_EQ(WordsFor(33), 2u);
}

TEST(MaskWordsTest, ASetIsTheSameHoweverItIsHeld) {
  constexpr std::size_t kWords = 40;
  for (std::size_t count : {0u, 1u, 4u, 5u, 6u, 700u, 1280u}) {
    std::vector<TokenId> tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(static_cast<TokenId>(i * 1280 / count));
    const std::vector<std::uint32_t> row = RowOf(kWords, tokens);
    const TokenSet set = TokenSet::Of(row);
    EXPECT_EQ(set.IsEmpty(), count == 0);
    for (TokenId token = 0; token < 32 * kWords + 5; ++token) {
      EXPECT_EQ(set.Has(token), token < 32 * kWords && HasToken(row, token)) << token << " of " << count;
    }

    std::vector<std::uint32_t> copy(kWords + 2, 0xFFFFFFFF);
    set.CopyTo(copy);
    EXPECT_EQ(copy, RowOf(kWords + 2, tokens)) << count;

    std::vector<std::uint32_t> all(kWords + 2, 0xFFFFFFFF);
    set.RemoveFrom(all);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], ~copy[i]) << count;

    std::vector<std::uint32_t> united(kWords + 2, 0);
    AddToken(united, 1290);
    AddToken(united, 0);
    set.UniteInto(united);
    tokens.push_back(1290);
    tokens.push_back(0);
    EXPECT_EQ(united, RowOf(kWords + 2, tokens)) << count;
  }
}

}  // namespace
}  // namespace decant::grammar
