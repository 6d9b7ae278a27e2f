// Kept counts and places equal what counting anew gives, after any edits.
#include "decant/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace decant {
namespace {

std::vector<TokenCount> CountAnew(const History& history, CountWindow window) {
  const auto all = history.tokens();
  std::size_t begin = window.scope == PenaltyScope::kOutput ? history.prompt_size() : 0;
  if (window.size >= 0) {
    const auto size = static_cast<std::size_t>(window.size);
    begin = std::max(begin, all.size() > size ? all.size() - size : 0);
  }
  std::map<TokenId, std::uint32_t> counts;
  for (std::size_t i = begin; i < all.size(); ++i) ++counts[all[i]];
  std::vector<TokenCount> list;
  for (const auto& [token, count] : counts) list.push_back({token, count});
  return list;
}

std::vector<std::size_t> PlacesAnew(const History& history, std::size_t n, std::size_t first) {
  const auto all = history.tokens();
  std::vector<std::size_t> places;
  for (std::size_t end = all.size(); end-- > n;) {
    if (end >= first && std::ranges::equal(all.subspan(end - n, n), all.last(n))) places.push_back(end);
  }
  return places;
}

std::vector<TokenCount> Kept(History& history, CountWindow window) {
  const auto counts = history.Counts(window);
  return {counts.begin(), counts.end()};
}

std::vector<std::size_t> Places(History& history, std::size_t n, std::size_t first) {
  const auto places = history.PlacesAfterSuffix(n, first);
  return {places.begin(), places.end()};
}

TEST(HistoryTest, CountsPromptAndOutputApart) {
  const std::vector<TokenId> prompt = {7, 7, 1}, output = {7, 2};
  History history(prompt, output);
  EXPECT_EQ(Kept(history, {.scope = PenaltyScope::kOutput}), (std::vector<TokenCount>{{2, 1}, {7, 1}}));
  EXPECT_EQ(Kept(history, {.scope = PenaltyScope::kWindow}), (std::vector<TokenCount>{{1, 1}, {2, 1}, {7, 3}}));
  EXPECT_EQ(Kept(history, {.scope = PenaltyScope::kWindow, .size = 3}),
            (std::vector<TokenCount>{{1, 1}, {2, 1}, {7, 1}}));
  EXPECT_TRUE(Kept(history, {.size = 0}).empty());
}

TEST(HistoryTest, FindsWhereTheSuffixStoodBefore) {
  const std::vector<TokenId> prompt = {1, 2, 3, 1, 2, 4, 1, 2};
  History history(prompt, {});
  EXPECT_EQ(Places(history, 2, 0), (std::vector<std::size_t>{5, 2}));
  EXPECT_EQ(Places(history, 2, 3), (std::vector<std::size_t>{5}));
  EXPECT_TRUE(history.PlacesAfterSuffix(3, 0).empty());
  EXPECT_TRUE(history.PlacesAfterSuffix(9, 0).empty());
}

TEST(HistoryTest, OverlappingOccurrencesCount) {
  const std::vector<TokenId> prompt = {5, 5, 5, 5};
  History history(prompt, {});
  EXPECT_EQ(Places(history, 2, 0), (std::vector<std::size_t>{3, 2}));
}

// More n-grams than the first slots hold; then back to where slots were taken before they grew.
TEST(HistoryTest, PlacesStayExactAsSlotsGrowAndAreFreed) {
  std::mt19937 engine(7);  // numerics: test data only
  History history;
  for (const std::size_t target : {3000u, 20u, 900u, 1u, 5000u, 60u, 64u, 65u}) {
    while (history.output_size() < target) history.Append(static_cast<TokenId>(engine() % 700));
    history.RollBack(history.output_size() - target);
    for (std::size_t n = 1; n <= 3; ++n) {
      ASSERT_EQ(Places(history, n, 0), PlacesAnew(history, n, 0)) << target << " tokens, n " << n;
    }
    History fork = history;
    fork.Append(fork.tokens().front());
    ASSERT_EQ(Places(fork, 1, 0), PlacesAnew(fork, 1, 0)) << "fork at " << target;
  }
}

TEST(HistoryTest, AnEmptyHistoryHasNothing) {
  History history;
  EXPECT_TRUE(Kept(history, {}).empty());
  EXPECT_TRUE(history.PlacesAfterSuffix(1, 0).empty());
  history.Append(3);
  history.RollBack(1);
  EXPECT_TRUE(Kept(history, {}).empty());
}

TEST(HistoryTest, AnEmptyWindowStaysEmptyWhenRolledBack) {
  const CountWindow none{PenaltyScope::kWindow, 0};
  History history;
  EXPECT_TRUE(Kept(history, none).empty());
  history.Append(3);
  history.Append(4);
  history.RollBack(2);
  EXPECT_TRUE(Kept(history, none).empty());
}

TEST(HistoryTest, KeptCountsEqualRecountingOverRandomEditsWithRollBacks) {
  std::mt19937 engine(4);  // numerics: test data only
  const std::vector<CountWindow> windows = {{PenaltyScope::kOutput, -1}, {PenaltyScope::kOutput, 5},
                                            {PenaltyScope::kWindow, -1}, {PenaltyScope::kWindow, 0},
                                            {PenaltyScope::kWindow, 1},  {PenaltyScope::kWindow, 17}};
  std::vector<TokenId> prompt;
  for (int i = 0; i < 20; ++i) prompt.push_back(static_cast<TokenId>(engine() % 6));
  History history(prompt, {});
  constexpr int kEdits = 100'000;
  for (int edit = 0; edit < kEdits; ++edit) {
    if (engine() % 3 != 0 || history.output_size() == 0) {
      history.Append(static_cast<TokenId>(engine() % 6));
    } else {
      history.RollBack(1 + engine() % std::min<std::size_t>(history.output_size(), 9));
    }
    if (engine() % 1000 == 0) history.RollBack(history.output_size());
    // Asked in changing order, and not each time, so that indices are built and kept at different points.
    const CountWindow window = windows[engine() % windows.size()];
    ASSERT_EQ(Kept(history, window), CountAnew(history, window)) << "edit " << edit;
    const std::size_t n = 1 + engine() % 4, first = engine() % (history.tokens().size() + 1);
    ASSERT_EQ(Places(history, n, first), PlacesAnew(history, n, first)) << "edit " << edit << ", n " << n;
    if (edit % 5000 == 0) {
      History fork = history;  // a copy lives on its own
      fork.Append(1);
      ASSERT_EQ(Kept(fork, window), CountAnew(fork, window));
      ASSERT_EQ(Kept(history, window), CountAnew(history, window));
    }
  }
}

}  // namespace
}  // namespace decant
