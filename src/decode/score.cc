// Scores of given tokens: the prefill of a text that keeps every row of logits long enough to look one number up.
#include <algorithm>
#include <string>

#include "decant/measure.h"
#include "decant/sampler.h"

namespace decant {
namespace {

Result<void> Check(const LanguageModel& model, std::span<const TokenId> tokens, const ScoreOptions& options) {
  if (tokens.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, "the text has no tokens; expected at least one", {.subject = "text"});
  }
  // The last token is looked up in the logits of the one before; the model never reads it.
  const std::size_t most = model.context_length() + 1;
  if (tokens.size() > most) {
    return Fail(ErrorCode::kPromptTooLong,
                "the text has " + std::to_string(tokens.size()) + " tokens; a context of " +
                    std::to_string(model.context_length()) + " can score " + std::to_string(most),
                {.subject = "text", .allowed = "1.." + std::to_string(most) + " tokens"});
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < model.vocabulary_size()) continue;
    const std::string last = std::to_string(model.vocabulary_size() - 1);
    return Fail(ErrorCode::kTokenOutOfRange,
                "token " + std::to_string(tokens[i]) + " at position " + std::to_string(i) +
                    " is outside the vocabulary; expected 0.." + last,
                {.subject = "text", .allowed = "0.." + last});
  }
  if (options.prefill_chunk == 0) {
    return Fail(ErrorCode::kOutOfRange, "prefill_chunk is 0; expected at least 1", {.subject = "prefill_chunk"});
  }
  return {};
}

Result<TokenScore> ScoreOf(std::span<const float> logits, TokenId token) {
  DECANT_TRY(const RawDistribution raw, RawDistributionOf(logits));
  const float own = logits[token];
  std::uint32_t rank = 1;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (logits[id] > own || (logits[id] == own && id < token)) ++rank;
  }
  return TokenScore{
      .token = token, .log_probability = RawLogProbability(raw, own), .rank = rank, .entropy_bits = raw.entropy_bits};
}

}  // namespace

Result<std::vector<TokenScore>> ScoreTokens(const LanguageModel& model, std::span<const TokenId> tokens,
                                            const ScoreOptions& options) {
  DECANT_CHECKED(Check(model, tokens, options));
  const std::size_t total = tokens.size() - 1, vocabulary = model.vocabulary_size();
  std::vector<TokenScore> scores;
  std::vector<float> logits(std::min(total, options.prefill_chunk) * vocabulary);
  KvSequence sequence = model.Start();
  while (scores.size() < total) {
    if (options.cancel.stop_requested()) {
      return Fail(ErrorCode::kCancelled,
                  "interrupted after " + std::to_string(scores.size()) + " of " + std::to_string(total) + " scores");
    }
    const std::size_t begin = scores.size(), end = std::min(total, begin + options.prefill_chunk);
    std::vector<Row> rows;
    for (std::size_t i = begin; i < end; ++i) {
      rows.push_back({.sequence = &sequence, .token = tokens[i], .position = i, .wants_logits = true});
    }
    const std::span<float> out(logits.data(), (end - begin) * vocabulary);
    DECANT_TRY(const std::vector<RowError> failed, model.Forward(rows, out));
    if (!failed.empty()) return std::unexpected(failed.front().error);
    for (std::size_t i = begin; i < end; ++i) {
      DECANT_TRY(const TokenScore score, ScoreOf(out.subspan((i - begin) * vocabulary, vocabulary), tokens[i + 1]));
      scores.push_back(score);
    }
    if (options.on_progress) options.on_progress(end, total);
  }
  return scores;
}

}  // namespace decant
