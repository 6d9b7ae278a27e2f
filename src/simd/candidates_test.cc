// The canonical order of candidates: score descending, then id ascending.
#include "decant/candidates.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace decant {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

std::vector<TokenId> Ids(const Candidates& candidates) { return {candidates.ids().begin(), candidates.ids().end()}; }

TEST(CandidatesTest, BansAreNoCandidates) {
  const Candidates candidates(std::vector<float>{0.0f, kBanned, -1.0f}, 1.0);
  EXPECT_EQ(Ids(candidates), (std::vector<TokenId>{0, 2}));
  EXPECT_EQ(candidates.scores()[1], -1.0f);
}

TEST(CandidatesTest, KeepsTheBestWithTiesByLowerIdWhereTheyStand) {
  Candidates candidates(std::vector<float>{0.0f, 1.0f, 1.0f, 2.0f}, 1.0);
  EXPECT_EQ(candidates.FirstPlace(), 3u);
  candidates.KeepBest(2);
  EXPECT_EQ(Ids(candidates), (std::vector<TokenId>{1, 3}));
  candidates.SortCanonical();
  EXPECT_EQ(Ids(candidates), (std::vector<TokenId>{3, 1}));
  EXPECT_EQ(candidates.FirstPlace(), 0u);
  candidates.SortById();
  EXPECT_EQ(Ids(candidates), (std::vector<TokenId>{1, 3}));
  EXPECT_EQ(candidates.scores()[1], 2.0f);
}

TEST(CandidatesTest, MinusZeroAndPlusZeroAreEqualScores) {
  Candidates candidates(std::vector<float>{-0.0f, 0.0f}, 1.0);
  EXPECT_EQ(candidates.FirstPlace(), 0u);
  candidates.SortCanonical();
  EXPECT_EQ(Ids(candidates), (std::vector<TokenId>{0, 1}));
}

TEST(CandidatesTest, KeysHoldIdAndScoreAndGrowAlongTheOrder) {
  const float scores[] = {3e38f, 1.0f, 1e-45f, 0.0f, -1e-45f, -2.0f, -3e38f};
  for (std::size_t i = 0; i < std::size(scores); ++i) {
    const std::uint64_t key = CanonicalKey(7, scores[i]);
    EXPECT_EQ(IdOfKey(key), 7u);
    EXPECT_EQ(ScoreOfKey(key), scores[i]);
    EXPECT_LT(key, CanonicalKey(8, scores[i]));
    if (i > 0) {
      EXPECT_LT(CanonicalKey(9, scores[i - 1]), key);
    }
  }
}

TEST(CandidatesTest, ClearedAndFilledAnew) {
  Candidates candidates(std::vector<float>(100, 1.0f), 1.0);
  candidates.SortCanonical();
  candidates.Clear(0.5);
  EXPECT_EQ(candidates.size(), 0u);
  EXPECT_EQ(candidates.order(), CandidateOrder::kIdAscending);
  candidates.Add(4, -1.0f);
  candidates.Add(9, 3.0f);
  candidates.Rescore(std::vector<float>{0, 0, 0, 0, kBanned, 0, 0, 0, 0, 5.0f});
  EXPECT_EQ(Ids(candidates), (std::vector<TokenId>{9}));
  EXPECT_EQ(candidates.scores()[0], 5.0f);
  EXPECT_EQ(candidates.temperature(), 0.5);
}

}  // namespace
}  // namespace decant
