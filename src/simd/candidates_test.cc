// The canonical order of candidates: score descending, then id ascending.
#include "decant/candidates.h"

#include <gtest/gtest.h>

#include <vector>

namespace decant {
namespace {

TEST(CandidatesTest, SelectsTheBestWithTiesByLowerId) {
  const std::vector<float> scores = {0.0f, 1.0f, 1.0f, 2.0f};
  Candidates candidates(scores, {0, 1, 2, 3}, CandidateOrder::kIdAscending, 1.0);
  EXPECT_EQ(candidates.First(), 3u);
  candidates.SelectCanonical(2);
  candidates.KeepFirst(2, CandidateOrder::kCanonical);
  EXPECT_EQ(std::vector<TokenId>(candidates.ids().begin(), candidates.ids().end()), (std::vector<TokenId>{3, 1}));
  candidates.SortById();
  EXPECT_EQ(candidates.ids()[0], 1u);
}

TEST(CandidatesTest, MinusZeroAndPlusZeroAreEqualScores) {
  const std::vector<float> scores = {-0.0f, 0.0f};
  Candidates candidates(scores, {0, 1}, CandidateOrder::kIdAscending, 1.0);
  candidates.SortCanonical();
  EXPECT_EQ(candidates.ids()[0], 0u);
}

}  // namespace
}  // namespace decant
