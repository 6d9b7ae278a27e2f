// The chains behind the fixed names, and what their rows draw with.
#include <gtest/gtest.h>

#include <bit>

#include "decant/bench.h"

namespace decant {
namespace {

TEST(ChainsTest, EveryNameIsAChainThatCanBePlanned) {
  EXPECT_EQ(ChainNames().size(), 6u);
  for (const std::string_view name : ChainNames()) {
    const auto chain = FindNamedChain(name, 1000);
    ASSERT_TRUE(chain.has_value()) << name;
    EXPECT_EQ(chain->name, name);
    EXPECT_TRUE(MakeSampler(chain->chain, 1000, {}).has_value()) << name;
  }
}

TEST(ChainsTest, AnUnknownNameHasADidYouMean) {
  const auto chain = FindNamedChain("top_k:40+temperatur", 1000);
  ASSERT_FALSE(chain.has_value());
  EXPECT_EQ(chain.error().code, ErrorCode::kUnknownParameter);
  EXPECT_EQ(chain.error().hint, "did you mean top_k:40+temperature?");
}

TEST(ChainsTest, OtherChainsGoByTheirStages) {
  const auto chain = FindNamedChain("top_k:50+top_p:0.9+min_p:0.1+temperature", 1000);
  ASSERT_TRUE(chain.has_value()) << chain.error().message;
  ASSERT_EQ(chain->chain.size(), 4u);
  EXPECT_EQ(chain->chain[0].id, StageId::kTemperature);
  EXPECT_EQ(std::get<TopKParams>(chain->chain[1].params).k, 50);
  EXPECT_EQ(std::get<TopPParams>(chain->chain[2].params).p, 0.9);
  EXPECT_EQ(std::get<MinPParams>(chain->chain[3].params).p, 0.1);
  for (const char* bad : {"", "+", "top_k:40", "temperature+top_k:40", "top_k+temperature", "top_k:+temperature",
                          "top_k:1.5+temperature", "top_q:0.5+temperature", "top_p:nan+temperature", "+temperature"}) {
    EXPECT_FALSE(FindNamedChain(bad, 1000).has_value()) << bad;
  }
}

TEST(ChainsTest, AllLooksBackAndIsMasked) {
  const auto chain = FindNamedChain("all", 10'000);
  ASSERT_TRUE(chain.has_value());
  ChainInputs inputs(*chain, 3, 10'000, 7, 0);
  EXPECT_EQ(inputs.state(0).history().tokens().size(), 1000u);
  EXPECT_NE(inputs.state(0).history().tokens().front(), inputs.state(1).history().tokens().front());
  // The last tokens stood before, so that DRY has something to find.
  EXPECT_FALSE(inputs.state(2).history().PlacesAfterSuffix(5, 0).empty());
  ASSERT_NE(inputs.mask(2), nullptr);
  std::size_t allowed = 0;
  for (std::size_t word = 0; word < 10'000 / 32; ++word) {
    allowed += static_cast<std::size_t>(std::popcount(inputs.mask(2)[word]));
  }
  EXPECT_NEAR(static_cast<double>(allowed) / 9984, 0.9, 0.02);
}

TEST(ChainsTest, TheOthersNeedNoTokens) {
  const auto chain = FindNamedChain("temperature", 100);
  ASSERT_TRUE(chain.has_value());
  ChainInputs inputs(*chain, 2, 100, 0, 3);
  EXPECT_EQ(inputs.mask(1), nullptr);
  EXPECT_EQ(inputs.state(1).sequence(), 3u);
  EXPECT_TRUE(inputs.state(1).history().tokens().empty());
}

}  // namespace
}  // namespace decant
