// UTF-8 against its definition: the set of all encodings, and the standard's tables of maximal subparts.
#include "core/utf8.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace decant::core {
namespace {

// Encodes by the bit distribution of table 3-6, without any range check.
std::string Encode(char32_t c) {
  std::string bytes;
  const auto add = [&](char32_t byte) { bytes += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(192 + c / 64);
    add(128 + c % 64);
  } else if (c < 0x10000) {
    add(224 + c / 4096);
    add(128 + c / 64 % 64);
    add(128 + c % 64);
  } else {
    add(240 + c / 262144);
    add(128 + c / 4096 % 64);
    add(128 + c / 64 % 64);
    add(128 + c % 64);
  }
  return bytes;
}

bool IsScalar(char32_t c) { return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF); }

// Which byte strings of up to four bytes are encodings, and which are the start of one.
class Definition {
 public:
  Definition() {
    for (std::size_t n = 0; n < 3; ++n) starts_[n].resize(std::size_t{1} << (8 * (n + 1)));
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
      if (!IsScalar(c)) continue;
      const std::string bytes = Encode(c);
      std::uint32_t key = 0;
      for (std::size_t n = 0; n < bytes.size(); ++n) {
        key = key << 8 | static_cast<unsigned char>(bytes[n]);
        if (n < 3) starts_[n][key] = true;
      }
      whole_.push_back({static_cast<std::uint32_t>(bytes.size()), key, c});
    }
    std::sort(whole_.begin(), whole_.end());
  }

  Utf8Part Decode(std::string_view text) const {
    std::uint32_t key = 0;
    for (std::size_t n = 1; n <= std::min<std::size_t>(4, text.size()); ++n) {
      key = key << 8 | static_cast<unsigned char>(text[n - 1]);
      const std::array<std::uint32_t, 3> wanted = {static_cast<std::uint32_t>(n), key, 0};
      const auto found = std::lower_bound(whole_.begin(), whole_.end(), wanted);
      if (found != whole_.end() && (*found)[0] == n && (*found)[1] == key) return {Utf8Status::kValid, (*found)[2], n};
      if (n == 4 || !starts_[n - 1][key]) return {Utf8Status::kInvalid, kReplacement, std::max<std::size_t>(1, n - 1)};
    }
    return {Utf8Status::kIncomplete, kReplacement, text.size()};
  }

 private:
  std::array<std::vector<bool>, 3> starts_;
  std::vector<std::array<std::uint32_t, 3>> whole_;  // length, bytes, code point
};

class DecodeUtf8Test : public testing::Test {
 protected:
  static void SetUpTestSuite() { definition_ = std::make_unique<Definition>(); }
  static void TearDownTestSuite() { definition_.reset(); }

  void ExpectAsDefined(std::string_view text) {
    const Utf8Part expected = definition_->Decode(text);
    const Utf8Part part = DecodeUtf8(text);
    ASSERT_TRUE(part.status == expected.status && part.code_point == expected.code_point &&
                part.length == expected.length)
        << testing::PrintToString(std::string(text)) << ": length " << part.length << ", expected " << expected.length;
  }

 private:
  static inline std::unique_ptr<Definition> definition_;
};

TEST_F(DecodeUtf8Test, ReadsBackEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (!IsScalar(c)) continue;
    std::string text;
    AppendUtf8(c, text);
    ASSERT_EQ(text, Encode(c));
    const Utf8Part part = DecodeUtf8(text + "a");
    ASSERT_EQ(part.status, Utf8Status::kValid) << std::hex << static_cast<std::uint32_t>(c);
    ASSERT_EQ(part.code_point, c);
    ASSERT_EQ(part.length, text.size());
    for (std::size_t n = 1; n < text.size(); ++n) ExpectAsDefined(std::string_view(text).substr(0, n));
  }
}

TEST_F(DecodeUtf8Test, AgreesWithTheDefinitionOnEveryTwoBytes) {
  for (int a = 0; a < 256; ++a) {
    ExpectAsDefined(std::string{static_cast<char>(a)});
    for (int b = 0; b < 256; ++b) ExpectAsDefined(std::string{static_cast<char>(a), static_cast<char>(b)});
  }
}

TEST_F(DecodeUtf8Test, AgreesWithTheDefinitionOnEveryThreeAndFourBytesThatMatter) {
  // Bytes at the edges of every range of table 3-7, in all places.
  const std::string edges =
      "\x01\x41\x7f\x80\x81\x8f\x90\x91\x9f\xa0\xa1\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xfe"
      "\xff";
  for (const char a : edges) {
    for (const char b : edges) {
      for (const char c : edges) {
        ExpectAsDefined(std::string{a, b, c});
        for (const char d : edges) {
          ExpectAsDefined(std::string{a, b, c, d});
          ExpectAsDefined(std::string{a, b, c, d, 'a'});
        }
      }
    }
  }
}

TEST_F(DecodeUtf8Test, AgreesWithTheDefinitionOnRandomBytes) {
  std::mt19937 random(5);
  for (int i = 0; i < 500000; ++i) {
    std::string text(1 + random() % 5, '\0');
    for (char& byte : text) byte = static_cast<char>(random() % 4 == 0 ? random() % 256 : 128 + random() % 128);
    ExpectAsDefined(text);
  }
}

TEST(AppendUtf8Test, ReplacesWhatIsNoScalarValue) {
  for (const char32_t c : {0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) {
    std::string text;
    AppendUtf8(c, text);
    EXPECT_EQ(text, "\xEF\xBF\xBD");
  }
}

TEST(IsValidUtf8Test, FindsAFaultAtAnyPlace) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("plain text, longer than a word of eight"));
  const std::string text = "sixteen bytes of \xE2\x82\xAC and more \xF0\x9F\x99\x82 plain text after it";
  EXPECT_TRUE(IsValidUtf8(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string broken = text;
    broken[i] = '\xFF';
    EXPECT_FALSE(IsValidUtf8(broken)) << i;
  }
  EXPECT_FALSE(IsValidUtf8("\xE2\x82"));
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));
}

// Unicode 15, section 3.9, tables 3-8 to 3-11.
TEST(ToValidUtf8Test, ReplacesMaximalSubpartsAsTheStandardShows) {
  const std::string r = "\xEF\xBF\xBD";
  const auto times = [&](int n) {
    std::string text;
    while (n-- > 0) text += r;
    return text;
  };
  EXPECT_EQ(ToValidUtf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), times(8) + "A");
  EXPECT_EQ(ToValidUtf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), times(8) + "A");
  EXPECT_EQ(ToValidUtf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), times(5) + "A" + times(2) + "B");
  EXPECT_EQ(ToValidUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), times(4) + "A");
}

TEST(ToValidUtf8Test, LeavesValidTextAndEndsItCleanly) {
  const std::string text = "gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x99\x82";
  EXPECT_EQ(ToValidUtf8(text), text);
  EXPECT_EQ(ToValidUtf8("12345678\xF0\x9F\x99"), "12345678\xEF\xBF\xBD");
  EXPECT_EQ(ToValidUtf8(""), "");
}

TEST(QuotedTest, LeavesPlainTextBetweenQuotes) {
  EXPECT_EQ(Quoted("blk.0.attn_q.weight"), "\"blk.0.attn_q.weight\"");
  EXPECT_EQ(Quoted("gr\xC3\xBC\xC3\x9F"), "\"gr\xC3\xBC\xC3\x9F\"");
  EXPECT_EQ(Quoted(""), "\"\"");
}

TEST(QuotedTest, EscapesWhatWouldLeaveTheLineOrTheQuotes) {
  EXPECT_EQ(Quoted("a\nb\tc"), "\"a\\nb\\u0009c\"");
  EXPECT_EQ(Quoted("\x1b[31m\x7f"), "\"\\u001b[31m\\u007f\"");
  EXPECT_EQ(Quoted("\xC2\x9B"), "\"\\u009b\"");
  EXPECT_EQ(Quoted(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(Quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
}

TEST(QuotedTest, ReplacesInvalidParts) { EXPECT_EQ(Quoted("a\xFF\xE2\x82"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\""); }

TEST(QuotedTest, CutsLongTextBetweenCodePoints) {
  std::string text, sixty;
  for (int i = 0; i < 60; ++i) text += "\xE2\x82\xAC";
  sixty = text;
  EXPECT_EQ(Quoted(text), "\"" + text + "\"");
  text += "\xE2\x82\xAC";
  EXPECT_EQ(Quoted(text), "\"" + sixty + "…\"");
}

}  // namespace
}  // namespace decant::core
