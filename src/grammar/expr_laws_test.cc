// The laws of expressions: random ones against plain sets of short texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/expr_pool.h"

namespace decant::grammar {
namespace {

constexpr SearchBudget kBudget{};

// Texts of up to `longest` letters; a language is the set of those of its texts. Letters are single characters: bytes
// of ASCII, or of UTF-8 such that first bytes, and first two, are shared.
struct Alphabet {
  std::vector<std::u32string> letters;
  std::size_t longest = 0;
};

const Alphabet kTwoBytes{{U"a", U"b"}, 7};
const Alphabet kCharacters{{U"a", U"é", U"ê", U"€", U"₭"}, 4};

using Word = std::string;  // indices of letters
using Language = std::set<Word>;

std::string Utf8(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 63)); };
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(0)};
  return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
}

std::string TextOf(const Word& word, const Alphabet& alphabet) {
  std::string text;
  for (const char letter : word) text += Utf8(alphabet.letters[static_cast<std::size_t>(letter)][0]);
  return text;
}

std::vector<Word> AllWords(const Alphabet& alphabet) {
  std::vector<Word> words = {""};
  for (std::size_t i = 0; words[i].size() < alphabet.longest; ++i) {
    for (std::size_t letter = 0; letter < alphabet.letters.size(); ++letter) {
      words.push_back(words[i] + static_cast<char>(letter));
    }
  }
  return words;
}

Language Product(const Language& x, const Language& y, std::size_t longest) {
  Language made;
  for (const Word& a : x) {
    for (const Word& b : y) {
      if (a.size() + b.size() <= longest) made.insert(a + b);
    }
  }
  return made;
}

struct Both {
  Expr e;
  Language language;
};

class RandomExprs {
 public:
  RandomExprs(ExprPool& pool, const Alphabet& alphabet, std::uint32_t seed)
      : pool_(pool), alphabet_(alphabet), random_(seed) {}

  Both Make(int depth, bool booleans) {
    const std::size_t kind = Below(depth == 0 ? 3 : booleans ? 9 : 7);
    if (kind < 2) return MakeClass(kind == 0);
    if (kind == 2) return MakeLiterals();
    const Both x = Make(depth - 1, booleans);
    if (kind == 3 || kind == 4) return MakeRepeat(x);
    if (kind == 8) return MakeComplement(x);
    const Both y = Make(depth - 1, booleans);
    if (kind == 5) return {pool_.Concat(x.e, y.e), Product(x.language, y.language, alphabet_.longest)};
    Language language;
    if (kind == 6) {
      std::ranges::set_union(x.language, y.language, std::inserter(language, language.end()));
      return {pool_.Union(x.e, y.e), language};
    }
    std::ranges::set_intersection(x.language, y.language, std::inserter(language, language.end()));
    return {pool_.Intersect(x.e, y.e), language};
  }

  // Words of a number of letters that has bounds.
  Both MakeBound() {
    const std::uint64_t least = Below(6), most = least + Below(9);
    Language language;
    for (const Word& word : AllWords(alphabet_)) {
      if (word.size() >= least && word.size() <= most) language.insert(word);
    }
    return {pool_.Repeat(pool_.AnyCodePoint(), least, most), language};
  }

 private:
  std::size_t Below(std::size_t n) { return random_() % n; }

  Both MakeClass(bool one) {
    Language language;
    std::vector<CodePointRange> ranges;
    const std::size_t only = Below(alphabet_.letters.size());
    const bool any = !one && Below(3) == 0;
    for (std::size_t letter = 0; letter < alphabet_.letters.size(); ++letter) {
      if (any || (one ? letter == only : Below(2) == 0)) {
        language.insert(Word(1, static_cast<char>(letter)));
        ranges.push_back({alphabet_.letters[letter][0], alphabet_.letters[letter][0]});
      }
    }
    return {any ? pool_.AnyCodePoint() : pool_.CodePoints(ranges), language};
  }

  Both MakeLiterals() {
    Language language;
    std::vector<std::string> texts;
    for (std::size_t n = Below(4); n > 0; --n) {
      Word word;
      for (std::size_t length = Below(4); length > 0; --length) {
        word += static_cast<char>(Below(alphabet_.letters.size()));
      }
      texts.push_back(TextOf(word, alphabet_));
      language.insert(word);
    }
    return {pool_.Literals(texts), language};
  }

  Both MakeRepeat(const Both& x) {
    const std::uint64_t least = Below(4);
    const std::uint64_t most = Below(3) == 0 ? kUnbounded : least + Below(4);
    Language power = {""}, language;
    for (std::uint64_t count = 0; count <= std::min<std::uint64_t>(most, 2 * alphabet_.longest); ++count) {
      if (count >= least) language.insert(power.begin(), power.end());
      power = Product(power, x.language, alphabet_.longest);
    }
    return {pool_.Repeat(x.e, least, most), language};
  }

  Both MakeComplement(const Both& x) {
    Language rest;
    for (const Word& word : AllWords(alphabet_)) {
      if (!x.language.contains(word)) rest.insert(word);
    }
    const Expr e = pool_.Complement(x.e);
    // A part of a character is no word, and yet a byte string.
    const bool alone = &alphabet_ == &kTwoBytes && Below(2) == 0;
    return {alone ? e : pool_.Intersect(pool_.AnyText(), e), rest};
  }

  ExprPool& pool_;
  const Alphabet& alphabet_;
  std::mt19937 random_;
};

bool Takes(ExprPool& pool, Expr e, std::string_view text) {
  const Expr after = pool.Next(e, text);
  return after != kNothing && pool.IsNullable(after);
}

// Membership of all words; that beginnings of texts live; that all that lives can be completed.
void ExpectAgreement(ExprPool& pool, const Both& made, const Alphabet& alphabet) {
  const std::vector<Word> words = AllWords(alphabet);
  std::set<std::string> beginnings;
  for (const Word& word : words) {
    const std::string text = TextOf(word, alphabet);
    const bool in = made.language.contains(word);
    ASSERT_EQ(Takes(pool, made.e, text), in) << pool.ToText(made.e) << " on \"" << text << '"';
    for (std::size_t n = 1; n <= text.size(); ++n) beginnings.insert(text.substr(0, n));
    for (std::size_t n = 1; in && n <= text.size(); ++n) ASSERT_NE(pool.Next(made.e, text.substr(0, n)), kNothing);
  }
  for (const std::string& begun : beginnings) {
    const Expr after = pool.Next(made.e, begun);
    if (after == kNothing) continue;
    const ByteSet first = pool.FirstBytes(after);
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto next = static_cast<std::uint8_t>(byte);
      ASSERT_TRUE(first.Has(next) || pool.Next(after, next) == kNothing) << pool.ToText(after) << " by " << byte;
    }
    const auto rest = pool.ShortestText(after, kBudget);
    ASSERT_TRUE(rest.has_value()) << pool.ToText(made.e) << " after \"" << begun << '"';
    ASSERT_TRUE(Takes(pool, made.e, begun + *rest)) << pool.ToText(made.e);
  }
  ASSERT_EQ(pool.undecided(), 0u) << pool.ToText(made.e);
}

TEST(ExprLawsTest, BytesAgreeWithPlainSets) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    ExprPool pool;
    RandomExprs random(pool, kTwoBytes, seed);
    const Both made = random.Make(1 + static_cast<int>(seed % 4), seed % 3 != 0);
    ASSERT_NO_FATAL_FAILURE(ExpectAgreement(pool, made, kTwoBytes));
  }
}

TEST(ExprLawsTest, CharactersAgreeWithPlainSets) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    ExprPool pool;
    RandomExprs random(pool, kCharacters, seed);
    Both made = random.Make(1 + static_cast<int>(seed % 4), seed % 3 != 0);
    if (seed % 2 == 0) {
      const Both bound = random.MakeBound();
      Language both;
      std::ranges::set_intersection(made.language, bound.language, std::inserter(both, both.end()));
      made = {pool.Intersect(made.e, bound.e), both};
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAgreement(pool, made, kCharacters));
  }
}

TEST(ExprLawsTest, NoFreeTextDies) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    ExprPool pool;
    RandomExprs random(pool, kCharacters, 300000 + seed);
    const Expr any = pool.AnyText();
    Expr e = random.Make(static_cast<int>(seed % 3), seed % 2 == 0).e;
    if (seed % 3 != 0) e = pool.Concat(any, pool.Concat(e, any));
    if (seed % 5 != 0) e = pool.Intersect(e, random.MakeBound().e);
    if (pool.HasText(e, kBudget) != true) continue;
    const std::uint64_t length = pool.FreeLength(e, kCharacters.longest, kBudget);
    bool is_least = length >= kCharacters.longest;
    for (const Word& word : AllWords(kCharacters)) {
      const Expr after = pool.Next(e, TextOf(word, kCharacters));
      if (word.size() > length) continue;
      ASSERT_NE(after, kNothing) << seed << ": " << pool.ToText(e);
      for (const char32_t c : std::u32string_view(U"aéê€₭xЖ漢")) {
        is_least = is_least || (word.size() == length && pool.Next(after, Utf8(c)) == kNothing);
      }
    }
    EXPECT_TRUE(is_least) << seed << ": " << pool.ToText(e);
  }
}

TEST(ExprLawsTest, CountsAndShortestTextsAgreeWithPlainSets) {
  int finite = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    ExprPool pool;
    const Both made = RandomExprs(pool, kTwoBytes, 5000 + seed).Make(1 + static_cast<int>(seed % 3), true);
    const Expr letter = pool.CodePoints(std::array<CodePointRange, 1>{{{U'a', U'b'}}});
    const Expr e = pool.Intersect(made.e, pool.Repeat(letter, 0, kUnbounded));
    const auto shortest = pool.ShortestText(e, kBudget);
    ASSERT_EQ(shortest.has_value(), pool.HasText(e, kBudget).value()) << "seed " << seed;
    if (!made.language.empty()) {
      const Word& word =
          *std::ranges::min_element(made.language, {}, [](const Word& w) { return std::pair(w.size(), w); });
      const std::string least = TextOf(word, kTwoBytes);
      ASSERT_EQ(shortest, least) << "seed " << seed << ": " << pool.ToText(e);
    }
    const auto count = pool.CountTexts(e, 100000, kBudget);
    ASSERT_TRUE(count.has_value());
    if (pool.HasText(pool.Intersect(e, pool.Repeat(letter, kTwoBytes.longest + 1, kUnbounded)), kBudget).value()) {
      EXPECT_GT(*count, made.language.size());
    } else {
      ++finite;
      ASSERT_EQ(*count, made.language.size()) << "seed " << seed << ": " << pool.ToText(e);
    }
  }
  EXPECT_GT(finite, 100);
}

// ---- Fingerprints ----

TEST(ExprLawsTest, FingerprintsAreTheSameInEveryPool) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    ExprPool one, two;
    RandomExprs(two, kTwoBytes, seed + 77777).Make(3, true);  // other ids
    const Expr a = RandomExprs(one, kTwoBytes, seed).Make(1, true).e,
               b = RandomExprs(two, kTwoBytes, seed).Make(1, true).e;
    EXPECT_EQ(one.ContentWithin(a, 5), two.ContentWithin(b, 5)) << one.ToText(a);
  }
}

using Behaviour = std::pair<std::set<std::string>, std::set<std::string>>;

// What e says of texts of up to n bytes: those that begin one of its own, and its own.
Behaviour BehaviourOf(ExprPool& pool, Expr e, std::size_t n) {
  Behaviour seen;
  std::vector<std::pair<Expr, std::string>> live = {{e, ""}};
  for (std::size_t i = 0; i < live.size(); ++i) {
    const auto [state, text] = live[i];
    seen.first.insert(text);
    if (pool.IsNullable(state)) seen.second.insert(text);
    for (const char byte : std::string_view("abx\xC3\xA9\xAA\xE2\x82\xAC")) {
      const Expr next = text.size() < n ? pool.Next(state, static_cast<std::uint8_t>(byte)) : kNothing;
      if (next != kNothing) live.emplace_back(next, text + byte);
    }
  }
  return seen;
}

void ExpectEqualBehaviour(const Alphabet& alphabet, std::size_t bytes, std::uint32_t seeds) {
  std::map<Fingerprint, Behaviour> known;
  std::size_t again = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    ExprPool pool;
    RandomExprs random(pool, alphabet, 900 + seed);
    Expr e = random.Make(static_cast<int>(seed % 4), seed % 2 == 0).e;
    if (seed % 3 == 0) e = pool.Concat(pool.AnyText(), pool.Concat(e, pool.AnyText()));
    if (seed % 5 != 0) e = pool.Intersect(e, random.MakeBound().e);
    // A state that Next() gave has a text; another is looked at first.
    if (pool.HasText(e, kBudget) != true) continue;
    for (const char* begun : {"", "a", "aa", "\xC3", "\xE2\x82", "a\xE2"}) {
      const Expr state = pool.Next(e, begun);
      if (state == kNothing) continue;
      Behaviour behaviour = BehaviourOf(pool, state, bytes);
      const auto [at, is_new] = known.try_emplace(pool.ContentWithin(state, bytes), behaviour);
      again += is_new ? 0 : 1;
      ASSERT_EQ(at->second, behaviour) << bytes << " bytes, seed " << seed << ": " << pool.ToText(state);
    }
  }
  EXPECT_GT(again, seeds / 4);
}

TEST(ExprLawsTest, EqualFingerprintsMeanEqualBehaviour) {
  for (const std::size_t bytes : {0u, 1u, 2u, 3u, 4u}) {
    ASSERT_NO_FATAL_FAILURE(ExpectEqualBehaviour(kTwoBytes, bytes, 300));
    ASSERT_NO_FATAL_FAILURE(ExpectEqualBehaviour(kCharacters, bytes, 300));
  }
}

}  // namespace
}  // namespace decant::grammar
