// Changes kept beside a row give the same scores as changes written over a copy of it.
#include "process/row_scores.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/float16.h"

namespace decant::process {
namespace {

// The row as it would be after the changes: masks and lists, then the single scores.
std::vector<float> Dense(RowScores& scores, const RowView& row) {
  const auto changes = scores.Changes();
  std::vector<float> dense(row.vocabulary);
  for (std::size_t token = 0; token < dense.size(); ++token) {
    const bool allowed = scores.mask() == nullptr || ((scores.mask()[token / 32] >> (token % 32)) & 1u) != 0;
    dense[token] = allowed ? LogitOf(row, token) : kBanned;
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(changes[i - 1].token, changes[i].token);
    }
    dense[changes[i].token] = changes[i].score;
  }
  return dense;
}

std::vector<float> Banned(std::vector<float> scores, const std::vector<std::uint32_t>& mask) {
  for (std::size_t token = 0; token < scores.size(); ++token) {
    if (((mask[token / 32] >> (token % 32)) & 1u) == 0) scores[token] = kBanned;
  }
  return scores;
}

TEST(RowScoresTest, EditStartsFromTheRowAndKeepsItAsItIs) {
  const std::vector<float> row = {1, 2, 3};
  RowScores scores;
  scores.Start(RowView::F32(row));
  scores.Edit(1) += 5;
  scores.Edit(1) *= 2;
  EXPECT_EQ(scores[1], 14.0f);
  EXPECT_EQ(scores[2], 3.0f);
  EXPECT_EQ(row, (std::vector<float>{1, 2, 3}));
  ASSERT_EQ(scores.Changes().size(), 1u);
}

TEST(RowScoresTest, EditOfAMaskedTokenIsABan) {
  const std::vector<float> row = {1, 2, 3};
  const std::vector<std::uint32_t> mask = {0b101};
  RowView view = RowView::F32(row);
  view.mask = mask.data();
  RowScores scores;
  scores.Start(view);
  EXPECT_EQ(scores.Edit(1), kBanned);
  EXPECT_EQ(scores.Edit(2), 3.0f);
}

TEST(RowScoresTest, HalvesAreTakenAsTheFloatsThatTheyAre) {
  const std::vector<std::uint16_t> half = {0x3C00, 0xC100}, brain = {0x3F80, 0xC020};  // 1 and -2.5
  RowScores scores;
  for (const RowView& view : {RowView::F16(half), RowView::BF16(brain)}) {
    scores.Start(view);
    EXPECT_EQ(scores[0], 1.0f);
    EXPECT_EQ(scores.Edit(1), -2.5f);
    scores.Edit(1) += 1;
    EXPECT_EQ(scores[1], -1.5f);
  }
}

TEST(RowScoresTest, AListKeepsTheScoresOfItsTokensAndLiftsNoBan) {
  const std::vector<float> row = {1, 2, 3, 4};
  RowScores scores;
  scores.Start(RowView::F32(row));
  scores.Edit(1) = 7;
  scores.Ban(2);
  const std::vector<TokenId> listed = {1, 2, 3};
  scores.BanAllBut(listed);
  EXPECT_EQ(Dense(scores, RowView::F32(row)), (std::vector<float>{kBanned, 7, kBanned, 4}));
}

// One object for all rows: what one left behind must not show in the next.
TEST(RowScoresTest, BesideTheRowEqualsOverItOnRandomEdits) {
  std::mt19937 engine(11);  // numerics: test data only
  RowScores sparse;
  for (int round = 0; round < 600; ++round) {
    const std::size_t vocabulary = 1 + engine() % (round % 10 == 0 ? 4000 : 90);
    const auto token = [&] { return static_cast<TokenId>(engine() % vocabulary); };
    std::vector<std::uint16_t> bits(vocabulary);
    std::vector<float> floats(vocabulary);
    constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kF16, ElementType::kBF16};
    const ElementType type = kTypes[engine() % 3];
    for (std::size_t i = 0; i < vocabulary; ++i) {
      bits[i] = static_cast<std::uint16_t>(0x3000 + engine() % 0x0800);  // finite, above 0, in either format
      const float half = core::HalfToFloat(bits[i]), brain = core::Bfloat16ToFloat(bits[i]);
      floats[i] = type == ElementType::kBF16 ? brain : half;
    }
    std::vector<std::uint32_t> mask((vocabulary + 31) / 32);
    for (std::uint32_t& word : mask) word = static_cast<std::uint32_t>(engine() | engine());
    RowView view{.data = bits.data(), .type = type, .vocabulary = vocabulary};
    if (type == ElementType::kF32) view.data = floats.data();
    const bool masked = engine() % 2 == 0;
    if (masked) view.mask = mask.data();

    std::vector<float> whole = masked ? Banned(floats, mask) : floats;
    RowScores dense(whole);
    sparse.Start(view);
    const std::size_t edits = engine() % (2 * vocabulary);
    for (std::size_t edit = 0; edit < edits; ++edit) {
      const TokenId t = token();
      const auto value = static_cast<float>(engine() % 100);
      if (engine() % 50 == 0) {
        std::vector<TokenId> listed;
        for (std::size_t i = engine() % vocabulary + 1; i > 0; --i) listed.push_back(token());
        dense.BanAllBut(listed);
        sparse.BanAllBut(listed);
      } else if (engine() % 3 == 0) {
        dense.Ban(t);
        sparse.Ban(t);
      } else if (engine() % 2 == 0) {
        dense.Set(t, value);
        sparse.Set(t, value);
      } else {
        dense.Edit(t) += value;
        sparse.Edit(t) += value;
      }
      ASSERT_EQ(sparse[t], dense[t]) << "round " << round << ", token " << t;
    }
    ASSERT_EQ(Dense(sparse, view), whole) << "round " << round;
  }
}

}  // namespace
}  // namespace decant::process
