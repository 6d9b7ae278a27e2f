// Merging by rank, against the definition on random merges and texts.
#include "text/bpe.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace decant::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Byte b is token b, except "x", which has none.
std::array<TokenId, 256> Bytes() {
  std::array<TokenId, 256> tokens;
  for (unsigned b = 0; b < 256; ++b) tokens[b] = b;
  tokens['x'] = Bpe::kNoToken;
  return tokens;
}

std::vector<TokenId> Encode(const Bpe& bpe, std::string_view text) {
  std::vector<TokenId> out;
  bpe.Encode(text, out);
  return out;
}

TEST(BpeTest, MergesTheLowestRankFirst) {
  Bpe bpe(Bytes(), 3);
  ASSERT_TRUE(bpe.AddMerge('b', 'c', 300));
  ASSERT_TRUE(bpe.AddMerge('a', 'b', 301));
  ASSERT_TRUE(bpe.AddMerge(301, 'c', 302));
  EXPECT_THAT(Encode(bpe, "abc"), ElementsAre('a', 300));
  EXPECT_THAT(Encode(bpe, "ab"), ElementsAre(301));
}

TEST(BpeTest, MergesTheLeftmostOfEqualPairs) {
  Bpe bpe(Bytes(), 1);
  ASSERT_TRUE(bpe.AddMerge('a', 'a', 300));
  EXPECT_THAT(Encode(bpe, "aaa"), ElementsAre(300, 'a'));
}

TEST(BpeTest, LeavesOutBytesWithoutATokenAndMergesAcrossThem) {
  Bpe bpe(Bytes(), 1);
  ASSERT_TRUE(bpe.AddMerge('a', 'b', 300));
  EXPECT_THAT(Encode(bpe, "axb"), ElementsAre(300));
  EXPECT_THAT(Encode(bpe, "x"), IsEmpty());
  EXPECT_THAT(Encode(bpe, ""), IsEmpty());
  EXPECT_THAT(Encode(bpe, std::string(1000, 'x')), IsEmpty());
}

TEST(BpeTest, RefusesAPairThatHasARank) {
  Bpe bpe(Bytes(), 2);
  EXPECT_TRUE(bpe.AddMerge('a', 'b', 300));
  EXPECT_FALSE(bpe.AddMerge('a', 'b', 301));
}

TEST(BpeTest, IsNotQuadraticOnOneLongPiece) {
  Bpe bpe(Bytes(), 8);
  TokenId unit = 'a';
  for (TokenId id = 300; id < 308; ++id) {
    ASSERT_TRUE(bpe.AddMerge(unit, unit, id));
    unit = id;
  }
  const std::vector<TokenId> tokens = Encode(bpe, std::string(256 * 2000 + 1, 'a'));
  EXPECT_EQ(tokens.size(), 2001u);
  EXPECT_EQ(tokens.front(), 307u);
  EXPECT_EQ(tokens.back(), TokenId{'a'});
}

// The definition, word for word.
std::vector<TokenId> PlainEncode(const std::map<std::pair<TokenId, TokenId>, std::pair<std::size_t, TokenId>>& merges,
                                 std::string_view text) {
  std::vector<TokenId> tokens;
  for (const char c : text) {
    if (c != 'x') tokens.push_back(static_cast<unsigned char>(c));
  }
  for (;;) {
    std::size_t best = tokens.size(), best_rank = SIZE_MAX;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto found = merges.find({tokens[i], tokens[i + 1]});
      if (found != merges.end() && found->second.first < best_rank) {
        best = i;
        best_rank = found->second.first;
      }
    }
    if (best == tokens.size()) return tokens;
    tokens[best] = merges.at({tokens[best], tokens[best + 1]}).second;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BpeTest, EqualsItsDefinitionOnRandomMergesAndTexts) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    constexpr std::size_t kMerges = 40;
    Bpe bpe(Bytes(), kMerges);
    std::map<std::pair<TokenId, TokenId>, std::pair<std::size_t, TokenId>> merges;
    // Merges in any order, so that a later step may need an earlier rank. What a token stands for only grows, as the
    // heap's test for stale entries requires.
    std::vector<std::string> texts{"a", "b", "c"};
    std::map<std::string, TokenId> ids{{"a", 'a'}, {"b", 'b'}, {"c", 'c'}};
    std::vector<std::pair<std::string, std::string>> pairs;
    while (pairs.size() < kMerges) {
      const std::string left = texts[random() % texts.size()], right = texts[random() % texts.size()];
      pairs.emplace_back(left, right);
      if (ids.emplace(left + right, static_cast<TokenId>(300 + ids.size())).second) texts.push_back(left + right);
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    for (const auto& [left, right] : pairs) {
      const std::size_t rank = merges.size();
      if (bpe.AddMerge(ids[left], ids[right], ids[left + right])) {
        merges[{ids[left], ids[right]}] = {rank, ids[left + right]};
      }
    }
    for (int i = 0; i < 20; ++i) {
      std::string text(random() % 120, 'a');
      for (char& c : text) c = "abcx"[random() % (i % 2 == 0 ? 4 : 2)];
      EXPECT_EQ(Encode(bpe, text), PlainEncode(merges, text)) << "round " << round << ", text " << text;
    }
  }
}

}  // namespace
}  // namespace decant::text
