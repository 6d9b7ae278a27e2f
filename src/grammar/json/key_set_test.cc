// Sets of keys against std::set, and earlier sets after later keys.
#include "grammar/json/key_set.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace decant::grammar {
namespace {

SeenKey KeyOf(std::string_view text, Arena& arena) { return {.hash = HashOfKey(text), .text = arena.Keep(text)}; }

TEST(KeySetTest, EverySetStaysWhatItWas) {
  Arena arena;
  std::vector<KeySet> sets(1);
  constexpr int kKeys = 300;
  for (int i = 0; i < kKeys; ++i) sets.push_back(sets.back().With(KeyOf("k" + std::to_string(i), arena), arena));
  for (const int size : {0, 1, 4, 5, 16, 63, 64, 65, 255, 300}) {
    const KeySet& set = sets[static_cast<std::size_t>(size)];
    EXPECT_EQ(set.size(), static_cast<std::uint64_t>(size));
    for (int i = 0; i < kKeys; ++i) {
      const std::string text = "k" + std::to_string(i);
      EXPECT_EQ(set.Has({.hash = HashOfKey(text), .text = text}), i < size) << size << ", " << i;
    }
    int visited = 0;
    set.ForEach([&visited](const SeenKey&) { ++visited; });
    EXPECT_EQ(visited, size);
  }
}

TEST(KeySetTest, ContentDoesNotDependOnTheOrder) {
  Arena arena;
  const KeySet ab = KeySet().With(KeyOf("a", arena), arena).With(KeyOf("b", arena), arena);
  const KeySet ba = KeySet().With(KeyOf("b", arena), arena).With(KeyOf("a", arena), arena);
  EXPECT_EQ(ab.content(), ba.content());
  EXPECT_NE(ab.content(), KeySet().With(KeyOf("a", arena), arena).content());
}

TEST(KeySetTest, NamesEveryWayOn) {
  Arena arena;
  KeySet set;
  const std::vector<std::string> keys = {"", "a", "ab", "abc", "abd", "b", "ba", "\xc3\xa9", "ac", "acd", "acde", "z"};
  for (const std::string& key : keys) set = set.With(KeyOf(key, arena), arena);
  for (const std::string text : {"", "a", "ab", "abc", "ac", "q", "b"}) {
    std::set<std::string> wanted, met;
    for (const std::string& key : keys) {
      if (key.starts_with(text)) wanted.insert(key.substr(0, text.size() + 1));
    }
    set.ForEachWayOn(text, [&](const SeenKey& key) {
      ASSERT_TRUE(key.text.starts_with(text));
      met.emplace(key.text.substr(0, text.size() + 1));
    });
    EXPECT_EQ(met, wanted) << text;
  }
}

}  // namespace
}  // namespace decant::grammar
