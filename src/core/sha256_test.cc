// SHA-256: the examples of FIPS 180-4, lengths around the block, and the fast rounds against the plain ones.
#include "core/sha256.h"

#include <array>
#include <random>
#include <string>

#include "core/sha256_block.h"
#include "gtest/gtest.h"

namespace decant::core {
namespace {

TEST(Sha256Test, AgreesWithThePublishedExamples) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                      "mnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, DoesNotDependOnHowTheTextArrives) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 37);
  const std::string expected = Sha256Hex(text);
  for (std::size_t a = 0; a <= text.size(); ++a) {
    for (std::size_t b = a; b <= text.size(); b += 13) {
      Sha256 hash;
      hash.Update(std::string_view(text).substr(0, a));
      hash.Update(std::string_view(text).substr(a, b - a));
      hash.Update(std::string_view(text).substr(b));
      ASSERT_EQ(hash.Finish(), expected) << a << " " << b;
    }
  }
}

// One hash over the hashes of 0 to 255 bytes 'x': every padding. From Python's hashlib.
TEST(Sha256Test, PadsEveryLength) {
  Sha256 all;
  for (std::size_t i = 0; i < 256; ++i) all.Update(Sha256Hex(std::string(i, 'x')));
  EXPECT_EQ(all.Finish(), "16a386ccdc473081470491c28d9a8e7060fbcfa888a8cd4354861367c1852b57");
}

TEST(Sha256Test, FastRoundsEqualPlainOnes) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint32_t, 8> plain;
    std::array<unsigned char, 64> block;
    for (std::uint32_t& word : plain) word = static_cast<std::uint32_t>(random());
    for (unsigned char& byte : block) byte = static_cast<unsigned char>(random());
    std::array<std::uint32_t, 8> fast = plain;
    CompressSha256Plain(plain.data(), block.data());
    CompressSha256(fast.data(), block.data());
    ASSERT_EQ(fast, plain);
  }
}

}  // namespace
}  // namespace decant::core
