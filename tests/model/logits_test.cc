// The logits of the real model: the golden hash, and the levels D1 to D3 and D5 of docs/determinism.md against it.
// D5's instruction sets are the same tests run with DECANT_SIMD set (tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/sha256.h"
#include "tests/model/model_for_test.h"

namespace decant {
namespace {

std::vector<TokenId> TokensOf(const Model& model, const std::string& prompt) {
  return model.tokenizer()->Encode(prompt, SpecialText::kParse);
}

// The rows of one sequence from its end on.
std::vector<Row> RowsOf(KvSequence& sequence, std::span<const TokenId> tokens) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    rows.push_back({.sequence = &sequence, .token = tokens[i], .position = sequence.size() + i, .wants_logits = true});
  }
  return rows;
}

std::vector<float> Forward(const LanguageModel& model, std::span<const Row> rows) {
  std::vector<float> logits(rows.size() * model.vocabulary_size());
  const auto failed = model.Forward(rows, logits);
  EXPECT_TRUE(failed.has_value() && failed->empty());
  return logits;
}

// Logits of every position, in chunks.
std::vector<float> LogitsOf(const Model& model, std::span<const TokenId> tokens, std::size_t chunk) {
  const LanguageModel& language_model = model.language_model();
  KvSequence sequence = language_model.Start();
  std::vector<float> all;
  for (std::size_t i = 0; i < tokens.size(); i += chunk) {
    const auto part = Forward(language_model, RowsOf(sequence, tokens.subspan(i, std::min(chunk, tokens.size() - i))));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string HashOfAllPrompts(const Model& model, std::size_t chunk) {
  core::Sha256 hash;
  for (const std::string& prompt : PromptsForTest()) {
    hash.Update(std::as_bytes(std::span<const float>(LogitsOf(model, TokensOf(model, prompt), chunk))));
  }
  return hash.Finish();
}

TEST(LogitsTest, AreTheGoldenOnes) {
  DECANT_NEEDS_MODEL();
  ASSERT_EQ(PromptsForTest().size(), 8u);
  EXPECT_EQ(HashOfAllPrompts(*LoadModelForTest(1), 512), GoldenForTest("logits.sha256"));
}

TEST(LogitsTest, DoNotDependOnThreads) {
  DECANT_NEEDS_MODEL();
  for (const int threads : {2, 3}) {
    EXPECT_EQ(HashOfAllPrompts(*LoadModelForTest(threads), 512), GoldenForTest("logits.sha256")) << threads;
  }
}

TEST(LogitsTest, DoNotDependOnChunks) {
  DECANT_NEEDS_MODEL();
  const auto model = LoadModelForTest(2);
  for (const std::size_t chunk : {1u, 5u, 33u}) {
    EXPECT_EQ(HashOfAllPrompts(*model, chunk), GoldenForTest("logits.sha256")) << "chunk " << chunk;
  }
}

TEST(LogitsTest, DoNotDependOnBatchMatesOrTheirOrder) {
  DECANT_NEEDS_MODEL();
  const auto model = LoadModelForTest(2);
  const LanguageModel& language_model = model->language_model();
  const std::size_t vocabulary = language_model.vocabulary_size();
  const std::vector<TokenId> first = TokensOf(*model, PromptsForTest()[0]),
                             second = TokensOf(*model, PromptsForTest()[1]);
  const std::vector<float> alone = LogitsOf(*model, first, 512), other = LogitsOf(*model, second, 512);

  KvSequence a = language_model.Start(), b = language_model.Start();
  std::vector<Row> rows = RowsOf(b, second);
  const std::vector<Row> mates = RowsOf(a, first);
  rows.insert(rows.begin() + 3, mates.begin(), mates.end());
  const std::vector<float> mixed = Forward(language_model, rows);
  const auto begin = mixed.begin() + static_cast<std::ptrdiff_t>(3 * vocabulary);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), begin));
  EXPECT_TRUE(std::equal(other.begin(), begin - mixed.begin() + other.begin(), mixed.begin()));
}

TEST(LogitsTest, OfAForkAndOfATruncatedSequenceAreThoseOfAFreshOne) {
  DECANT_NEEDS_MODEL();
  const auto model = LoadModelForTest(2);
  const LanguageModel& language_model = model->language_model();
  const std::vector<TokenId> tokens = TokensOf(*model, PromptsForTest()[7]);
  ASSERT_GT(tokens.size(), 40u);
  const std::span<const TokenId> head = std::span(tokens).first(37), tail = std::span(tokens).subspan(37);
  const std::vector<float> fresh = LogitsOf(*model, tokens, 512);
  const std::vector<float> expected(fresh.begin() + static_cast<std::ptrdiff_t>(37 * language_model.vocabulary_size()),
                                    fresh.end());

  KvSequence sequence = language_model.Start();
  Forward(language_model, RowsOf(sequence, head));
  KvSequence fork = sequence.Fork().value();
  Forward(language_model, RowsOf(sequence, std::span(tokens).first(5)));  // the original goes elsewhere
  EXPECT_EQ(Forward(language_model, RowsOf(fork, tail)), expected);
  sequence.Truncate(37);
  EXPECT_EQ(Forward(language_model, RowsOf(sequence, tail)), expected);
}

}  // namespace
}  // namespace decant
