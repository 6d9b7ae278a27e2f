// The generator against the standard's Mersenne Twister and against numbers that PyTorch printed
// (tests/golden/make_octlm.py --numbers).
#include "presets/torch_generator.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace decant::presets {
namespace {

TEST(TorchGeneratorTest, IsTheStandardMersenneTwister) {
  for (const std::uint32_t seed : {0u, 1u, 5489u, 0xffffffffu}) {
    TorchGenerator generator(std::uint64_t{seed});
    std::mt19937 standard(seed);  // numerics: fully specified by the C++ standard
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(generator.Next(), standard()) << "seed " << seed << ", word " << i;
  }
}

TEST(TorchGeneratorTest, TheTenThousandthWordOfSeed5489IsKnown) {
  TorchGenerator generator(std::uint64_t{5489});
  for (int i = 1; i < 10'000; ++i) generator.Next();
  EXPECT_EQ(generator.Next(), 4123659995u);
}

struct Known {
  std::uint64_t seed;
  std::uint32_t words[4];  // mod 65536
  float exponential[6];
};

TEST(TorchGeneratorTest, GivesTheNumbersThatTorchPrints) {
  const Known kKnown[] = {
      {0,
       {2732, 43567, 42613, 52416},
       {0x1.c110d6p+1F, 0x1.3afa7ep+0F, 0x1.3ae710p-1F, 0x1.447ec4p+1F, 0x1.0923fep+0F, 0x1.90edd2p+0F}},
      {1,
       {62501, 33003, 12172, 5192},
       {0x1.0208a8p-4F, 0x1.046bd4p-2F, 0x1.114ef8p-2F, 0x1.8f320ap-3F, 0x1.9fc97ap-1F, 0x1.dac388p-4F}},
      {4294967295u,
       {27043, 16674, 60428, 44103},
       {0x1.807828p+1F, 0x1.a46acep-1F, 0x1.71a296p+1F, 0x1.2fa5f4p-1F, 0x1.594de2p+0F, 0x1.96be24p-1F}},
      // Past 32 bits the low ones count.
      {(std::uint64_t{1} << 32) + 5,
       {35683, 18638, 20463, 59069},
       {0x1.06facap+0F, 0x1.33ff26p-2F, 0x1.ca52b2p-2F, 0x1.839d62p-2F, 0x1.3cd4e4p-2F, 0x1.e81cdap+0F}}};
  for (const Known& known : kKnown) {
    TorchGenerator words(known.seed), exponential(known.seed);
    for (const std::uint32_t word : known.words) EXPECT_EQ(words.Next() % 65536, word) << "seed " << known.seed;
    for (const float number : known.exponential) EXPECT_EQ(exponential.NextExponential(), number) << known.seed;
  }
}

TEST(TorchGeneratorTest, ASkippedNumberTakesItsTwoWords) {
  TorchGenerator skipped(std::uint64_t{7}), drawn(std::uint64_t{7});
  for (int i = 0; i < 1000; ++i) {
    skipped.SkipExponential();
    drawn.NextExponential();
    ASSERT_EQ(skipped.NextExponential(), drawn.NextExponential()) << i;
  }
}

TEST(TorchGeneratorTest, AStreamGoesOnWhereItStood) {
  TorchGenerator generator(std::uint64_t{9});
  for (int i = 0; i < 1250; ++i) {  // over two refills, at every place of the twister
    TorchGenerator resumed(generator.ToStream());
    TorchGenerator copy = generator;
    ASSERT_EQ(resumed.Next(), copy.Next()) << i;
    generator.Next();
  }
}

TEST(TorchGeneratorTest, AStreamWithoutWordsStartsFromItsSeed) {
  TorchGenerator from_stream(RandomStream{.word = 3}), from_seed(std::uint64_t{3});
  EXPECT_EQ(from_stream.Next(), from_seed.Next());
}

}  // namespace
}  // namespace decant::presets
