// The tree of tokens against a plain search of their list.
#include "grammar/token_trie.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "decant/token.h"

namespace decant::grammar {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<TokenId> AllIds(std::size_t size) {
  std::vector<TokenId> ids(size);
  std::iota(ids.begin(), ids.end(), TokenId{0});
  return ids;
}

TEST(TokenTrieTest, TokensOfEqualBytesEndAtOneNode) {
  const std::vector<std::string_view> bytes = {"b", "ab", "a", "ab", "abc"};
  const TokenTrie trie(bytes, SortedByBytes(bytes, AllIds(bytes.size())));
  ASSERT_EQ(trie.size(), 4u);
  EXPECT_EQ(trie.height(), 3u);
  EXPECT_THAT(trie.tokens(), ElementsAre(2, 1, 3, 4, 0));
  EXPECT_THAT(trie.TokensAt(0), ElementsAre(2));
  EXPECT_THAT(trie.TokensAt(1), ElementsAre(1, 3));
  EXPECT_THAT(trie.TokensAt(2), ElementsAre(4));
  EXPECT_THAT(trie.TokensAt(3), ElementsAre(0));
  EXPECT_THAT(trie.TokensOf(1), ElementsAre(1, 3, 4));
  EXPECT_EQ(trie.node(0).end, 3u);
  EXPECT_EQ(trie.node(0).height, 2);
  EXPECT_EQ(trie.node(3).height, 0);
}

TEST(TokenTrieTest, AnEmptyTreeHasNoNodes) {
  EXPECT_EQ(TokenTrie().size(), 0u);
  EXPECT_EQ(TokenTrie({}, {}).size(), 0u);
  EXPECT_THAT(TokenTrie({}, {}).tokens(), IsEmpty());
}

TEST(TokenTrieTest, OrdersBytesAsUnsignedAndTellsZerosFromEnds) {
  using std::string_view_literals::operator""sv;
  const std::vector<std::string_view> bytes = {"\xff"sv, "a"sv,         "a\0"sv,       "a\0\0"sv,
                                               "\0"sv,   "aaaaaaaab"sv, "aaaaaaaaa"sv, "aaaaaaaa"sv};
  EXPECT_THAT(SortedByBytes(bytes, AllIds(bytes.size())), ElementsAre(4, 1, 2, 3, 7, 6, 5, 0));
}

TEST(TokenTrieTest, HeightStopsAt255) {
  const std::string tall(300, 'x');
  const std::vector<std::string_view> bytes = {tall};
  const TokenTrie trie(bytes, {0});
  ASSERT_EQ(trie.size(), 300u);
  EXPECT_EQ(trie.height(), 300u);
  EXPECT_EQ(trie.node(0).height, 255);
  EXPECT_EQ(trie.node(44).height, 255);
  EXPECT_EQ(trie.node(45).height, 254);
  EXPECT_EQ(trie.node(299).depth, 300);
}

// The characters of the bytes; broken where they are not whole ones.
CharacterSet CharactersOf(std::string_view bytes, std::size_t* count) {
  CharacterSet set;
  for (*count = 0; !bytes.empty(); ++*count) {
    const core::Utf8Part part = core::DecodeUtf8(bytes);
    if (part.status != core::Utf8Status::kValid) {
      set.AddBroken();
      return set;
    }
    set.AddFirst(static_cast<std::uint8_t>(bytes.front()));
    bytes.remove_prefix(part.length);
  }
  return set;
}

// Each node's facts, found again from the tokens.
void ExpectTrue(const TokenTrie& trie, const std::vector<std::string_view>& bytes) {
  std::string path;
  for (std::uint32_t i = 0; i < trie.size(); ++i) {
    const TokenTrie::Node& node = trie.node(i);
    path.resize(node.depth - 1u);
    path.push_back(static_cast<char>(node.byte));
    std::vector<TokenId> at, of;
    CharacterSet below;
    std::size_t height = 0;
    if (!core::IsValidUtf8(path)) below.AddBroken();
    for (TokenId id = 0; id < bytes.size(); ++id) {
      if (!bytes[id].starts_with(path)) continue;
      (bytes[id].size() == path.size() ? at : of).push_back(id);
      std::size_t characters = 0;
      below.Unite(CharactersOf(bytes[id].substr(path.size()), &characters));
      height = std::max(height, characters);
    }
    EXPECT_THAT(trie.TokensAt(i), ::testing::ElementsAreArray(at)) << path;
    of.insert(of.end(), at.begin(), at.end());
    EXPECT_THAT(trie.TokensOf(i), ::testing::UnorderedElementsAreArray(of)) << path;
    if (!below.IsBroken()) {
      EXPECT_EQ(node.height, height) << path;
      EXPECT_EQ(trie.below(i), below) << path;
    } else {
      EXPECT_TRUE(trie.below(i).IsBroken()) << path;
    }
  }
}

TEST(TokenTrieTest, AgreesWithASearchOfTheList) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> texts(random() % 60);
    for (std::string& text : texts) {
      text.resize(1 + random() % 6);
      for (char& c : text) c = "ab\xe2\xc3\xa9\x80\0"[random() % 7];
    }
    const std::vector<std::string_view> bytes(texts.begin(), texts.end());
    const TokenTrie trie(bytes, SortedByBytes(bytes, AllIds(bytes.size())));
    ExpectTrue(trie, bytes);
  }
}

// By a look at every node.
std::uint32_t LookForChild(const TokenTrie& trie, std::uint32_t node, const ByteSet& bytes, unsigned from) {
  const bool is_root = node == TokenTrie::kRoot;
  const std::uint32_t begin = is_root ? 0 : node + 1, end = is_root ? trie.size() : trie.node(node).end;
  for (std::uint32_t i = begin; i < end; i = trie.node(i).end) {
    if (trie.node(i).byte >= from && bytes.Has(trie.node(i).byte)) return i;
  }
  return end;
}

TEST(TokenTrieTest, FindsChildrenByTheirBytes) {
  std::mt19937 random(7);
  bool met_many = false, met_few = false;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> texts(random() % 400);
    for (std::string& text : texts) {
      text.resize(1 + random() % 3);
      for (char& c : text) c = static_cast<char>(random() % 2 == 0 ? random() : random() % 3);
    }
    const std::vector<std::string_view> bytes(texts.begin(), texts.end());
    const TokenTrie trie(bytes, SortedByBytes(bytes, AllIds(bytes.size())));
    for (std::uint32_t n = 0; n <= trie.size(); ++n) {
      const std::uint32_t node = n == trie.size() ? TokenTrie::kRoot : n;
      (trie.HasManyChildren(node) ? met_many : met_few) = true;
      for (int probe = 0; probe < 8; ++probe) {
        ByteSet wanted;
        for (std::size_t count = random() % 40; count > 0; --count) wanted.Add(static_cast<std::uint8_t>(random()));
        const auto from = static_cast<unsigned>(random() % 257);
        ASSERT_EQ(trie.FirstChild(node, wanted, from), LookForChild(trie, node, wanted, from));
        const auto byte = static_cast<std::uint8_t>(random());
        ByteSet one;
        one.Add(byte);
        const std::uint32_t child = trie.FindChild(node, byte), end = LookForChild(trie, node, {}, 0);
        ASSERT_EQ(child == TokenTrie::kNoNode ? end : child, LookForChild(trie, node, one, 0));
      }
    }
  }
  EXPECT_TRUE(met_many && met_few);
}

TEST(ByteSetTest, CountsAndFindsBytes) {
  ByteSet a, b;
  for (const char byte : std::string_view("\0\x3F\x40\xC8\xFF", 5)) a.Add(static_cast<std::uint8_t>(byte));
  for (const char byte : std::string_view("\x40\xFF")) b.Add(static_cast<std::uint8_t>(byte));
  EXPECT_EQ(a.Count(), 5u);
  EXPECT_EQ(a.RankOf(0), 0u);
  EXPECT_EQ(a.RankOf(64), 2u);
  EXPECT_EQ(a.RankOf(255), 4u);
  EXPECT_EQ(a.FirstOfBoth(b, 0), 64u);
  EXPECT_EQ(a.FirstOfBoth(b, 64), 64u);
  EXPECT_EQ(a.FirstOfBoth(b, 65), 255u);
  EXPECT_EQ(a.FirstOfBoth(b, 256), 256u);
  a.Remove(255);
  EXPECT_FALSE(a.Has(255));
  EXPECT_EQ(a.FirstOfBoth(b, 65), 256u);
}

TEST(CharacterSetTest, TellsFirstBytesApart) {
  CharacterSet a, b;
  a.AddFirst('x');
  a.AddFirst(0xC3);
  b.AddFirst(0xF4);
  EXPECT_FALSE(a.Meets(b));
  EXPECT_FALSE(a.IsAscii());
  b.Unite(a);
  EXPECT_TRUE(a.IsWithin(b));
  EXPECT_FALSE(b.IsWithin(a));
  b.AddBroken();
  EXPECT_FALSE(b.IsWithin(a));
}

}  // namespace
}  // namespace decant::grammar
