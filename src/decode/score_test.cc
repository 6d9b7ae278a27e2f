// Scores of given tokens over a scripted model: values, ranks, chunks, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "decant/measure.h"

namespace decant {
namespace {

// Three tokens; after a token t at position n the logits are (t, n, 0).
class PlainModel final : public LanguageModel {
 public:
  std::size_t vocabulary_size() const override { return 3; }
  std::size_t context_length() const override { return 8; }
  KvSequence Start() const override { return KvSequence(pool_); }
  Result<std::vector<RowError>> Forward(std::span<const Row> rows, std::span<float> logits) const override {
    std::size_t out = 0;
    most_rows_ = std::max(most_rows_, rows.size());
    for (const Row& row : rows) {
      EXPECT_EQ(row.position, row.sequence->size());
      DECANT_CHECKED(row.sequence->Reserve(1));
      row.sequence->Advance(1);
      for (const auto logit : {static_cast<float>(row.token), static_cast<float>(row.position), 0.0f}) {
        logits[out++] = logit;
      }
    }
    EXPECT_EQ(out, logits.size());
    return std::vector<RowError>();
  }
  std::size_t most_rows() const { return most_rows_; }

 private:
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>(64, 64);
  mutable std::size_t most_rows_ = 0;
};

TEST(ScoreTokensTest, ScoresEachTokenAfterTheFirst) {
  const PlainModel model;
  const std::vector<TokenId> tokens = {0, 1, 2};
  const auto scores = ScoreTokens(model, tokens, {});
  ASSERT_TRUE(scores.has_value()) << scores.error().message;
  ASSERT_EQ(scores->size(), 2);
  // (0, 0, 0): a third each, log2(3) bits; token 1 is second among equals.
  EXPECT_EQ((*scores)[0].token, 1);
  EXPECT_NEAR((*scores)[0].log_probability, -1.0986122886681098, 1e-12);
  EXPECT_EQ((*scores)[0].rank, 2);
  EXPECT_NEAR((*scores)[0].entropy_bits, 1.584962500721156, 1e-9);
  // (1, 1, 0): the worst of three, e^0 / (2 e + 1).
  EXPECT_NEAR((*scores)[1].log_probability, -1.8619948040582512, 1e-9);
  EXPECT_EQ((*scores)[1].rank, 3);
}

TEST(ScoreTokensTest, IsTheSameInAnyChunks) {
  const std::vector<TokenId> tokens = {2, 1, 0, 0, 1, 2, 2, 1, 0};  // one more than the context holds
  const PlainModel whole;
  const auto expected = ScoreTokens(whole, tokens, {.prefill_chunk = 100});
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  EXPECT_EQ(expected->size(), 8);
  for (const std::size_t chunk : {1U, 3U, 8U}) {
    const PlainModel model;
    std::vector<std::size_t> progress;
    const auto scores = ScoreTokens(
        model, tokens,
        {.prefill_chunk = chunk, .on_progress = [&](std::size_t done, std::size_t) { progress.push_back(done); }});
    ASSERT_TRUE(scores.has_value());
    EXPECT_EQ(*scores, *expected);
    EXPECT_EQ(model.most_rows(), chunk);
    EXPECT_EQ(progress.back(), 8);
  }
}

TEST(ScoreTokensTest, OneTokenHasNothingBeforeIt) {
  const std::vector<TokenId> tokens = {1};
  EXPECT_TRUE(ScoreTokens(PlainModel(), tokens, {})->empty());
}

TEST(ScoreTokensTest, RefusesWithTheNumbers) {
  const PlainModel model;
  const auto code_of = [&](const std::vector<TokenId>& tokens, const ScoreOptions& options) {
    const auto scores = ScoreTokens(model, tokens, options);
    return scores.has_value() ? ErrorCode::kInternal : scores.error().code;
  };
  EXPECT_EQ(code_of({}, {}), ErrorCode::kEmptyPrompt);
  EXPECT_EQ(code_of({0, 3}, {}), ErrorCode::kTokenOutOfRange);
  EXPECT_EQ(code_of({0, 1}, {.prefill_chunk = 0}), ErrorCode::kOutOfRange);
  const auto too_long = ScoreTokens(model, std::vector<TokenId>(10), {});
  ASSERT_FALSE(too_long.has_value());
  EXPECT_EQ(too_long.error().code, ErrorCode::kPromptTooLong);
  EXPECT_EQ(too_long.error().message, "the text has 10 tokens; a context of 8 can score 9");
}

TEST(ScoreTokensTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<TokenId> tokens = {0, 1};
  const auto scores = ScoreTokens(PlainModel(), tokens, {.cancel = stop.get_token()});
  ASSERT_FALSE(scores.has_value());
  EXPECT_EQ(scores.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace decant
