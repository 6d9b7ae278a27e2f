// Philox against the answers its authors publish, and the layout of an address.
#include "core/philox.h"

#include <gtest/gtest.h>

namespace decant::core {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST(PhiloxTest, GivesThePublishedAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, AddressesADrawBySeedAndPosition) {
  const RandomAddress address{.seed = 7, .position = 5};
  EXPECT_EQ(RandomWords(address), (Words{0x56af56bc, 0x5613c9b1, 0xe4c7f903, 0xb825d37c}));
  EXPECT_EQ(RandomBits53(address), 3028575622714858u);
}

TEST(PhiloxTest, EveryPartOfTheAddressMatters) {
  const RandomAddress base{.seed = 7, .position = 5};
  RandomAddress other = base;
  other.seed += std::uint64_t{1} << 32;
  EXPECT_NE(RandomWords(other), RandomWords(base));
  other = base;
  other.sequence = 1;
  EXPECT_NE(RandomWords(other), RandomWords(base));
  other = base;
  other.purpose = Purpose::kXtcCoin;
  EXPECT_NE(RandomWords(other), RandomWords(base));
  other = base;
  other.block = 1;
  EXPECT_NE(RandomWords(other), RandomWords(base));
}

}  // namespace
}  // namespace decant::core
