// Loops over every token of the row and every place of the context; slow on purpose.
#include "twin/processors.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace decant::twin {
namespace {

using Scores = std::vector<float>;

std::vector<TokenId> Window(const Context& context, PenaltyScope scope, std::int64_t size) {
  std::vector<TokenId> tokens;
  if (scope == PenaltyScope::kWindow) tokens.assign(context.prompt.begin(), context.prompt.end());
  const std::size_t all = context.prompt.size() + context.output.size();
  tokens.insert(tokens.end(), context.output.begin(), context.output.end());
  // The window is the end of prompt and output together.
  const std::size_t most = size < 0 ? all : std::min(all, static_cast<std::size_t>(size));
  if (tokens.size() > most) tokens.erase(tokens.begin(), tokens.end() - static_cast<std::ptrdiff_t>(most));
  return tokens;
}

std::vector<TokenId> Everything(const Context& context) { return Window(context, PenaltyScope::kWindow, -1); }

bool IsStructural(const Context& context, std::size_t token) {
  return context.structural != nullptr && (context.structural[token / 32] >> (token % 32)) % 2 == 1;
}

Result<void> Store(double score, float& place) {
  if (std::isinf(place)) return {};
  if (std::isinf(static_cast<float>(score))) return Fail(ErrorCode::kNonFiniteLogit, "");
  place = static_cast<float>(score);
  return {};
}

Result<void> CheckTokens(const std::vector<TokenId>& tokens, const Scores& scores) {
  for (const TokenId token : tokens) {
    if (token >= scores.size()) return Fail(ErrorCode::kTokenOutOfRange, "");
  }
  return {};
}

Result<void> Penalize(const StageSpec& stage, const Context& context, Scores& scores) {
  const auto* repetition = std::get_if<RepetitionPenaltyParams>(&stage.params);
  const auto* by_count = std::get_if<CountPenaltyParams>(&stage.params);
  const std::vector<TokenId> seen = repetition != nullptr ? Window(context, PenaltyScope::kWindow, repetition->window)
                                                          : Window(context, by_count->scope, by_count->window);
  DECANT_CHECKED(CheckTokens(seen, scores));
  for (std::size_t id = 0; id < scores.size(); ++id) {
    const auto count = std::ranges::count(seen, id);
    if (count == 0 || IsStructural(context, id)) continue;
    const auto score = static_cast<double>(scores[id]);
    if (repetition != nullptr) {
      DECANT_CHECKED(Store(score > 0 ? score / repetition->penalty : score * repetition->penalty, scores[id]));
    } else {
      const double times = stage.id == StageId::kFrequencyPenalty ? static_cast<double>(count) : 1;
      DECANT_CHECKED(Store(score - by_count->penalty * times, scores[id]));
    }
  }
  return {};
}

// Whether a breaker ends at `end` (one past its last token).
bool BreakerEndsAt(const std::vector<TokenId>& tokens, std::size_t end, const DryParams& dry) {
  for (const TokenSequence& breaker : dry.breakers) {
    if (breaker.size() > end) continue;
    bool same = true;
    for (std::size_t i = 0; i < breaker.size(); ++i) same = same && tokens[end - breaker.size() + i] == breaker[i];
    if (same) return true;
  }
  return false;
}

Result<void> Dry(const DryParams& dry, const Context& context, Scores& scores) {
  const std::vector<TokenId> tokens = Window(context, PenaltyScope::kWindow, dry.window);
  const std::size_t n = tokens.size();
  std::size_t reach = 0;  // tokens at the end without a breaker
  while (reach < n && !BreakerEndsAt(tokens, n - reach, dry)) ++reach;
  std::vector<std::size_t> longest(scores.size(), 0);
  for (std::size_t place = 1; place < n; ++place) {
    std::size_t length = 0;
    while (length < reach && length < place && tokens[place - 1 - length] == tokens[n - 1 - length]) ++length;
    if (length < static_cast<std::size_t>(dry.allowed_length)) continue;
    if (tokens[place] >= scores.size()) return Fail(ErrorCode::kTokenOutOfRange, "");
    longest[tokens[place]] = std::max(longest[tokens[place]], length);
  }
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (longest[id] == 0 || IsStructural(context, id)) continue;
    if (std::ranges::find(dry.breakers, TokenSequence{static_cast<TokenId>(id)}) != dry.breakers.end()) continue;
    double power = 1;
    for (std::size_t i = static_cast<std::size_t>(dry.allowed_length); i < longest[id]; ++i) {
      if (power * dry.base <= 0x1p64) power *= dry.base;
    }
    DECANT_CHECKED(Store(static_cast<double>(scores[id]) - dry.multiplier * power, scores[id]));
  }
  return {};
}

Result<void> NoRepeatNgram(std::size_t n, const Context& context, Scores& scores) {
  const std::vector<TokenId> tokens = Everything(context);
  for (std::size_t begin = 0; begin + n <= tokens.size(); ++begin) {
    bool same = true;
    for (std::size_t i = 0; i + 1 < n; ++i) same = same && tokens[begin + i] == tokens[tokens.size() - n + 1 + i];
    if (!same) continue;
    const TokenId token = tokens[begin + n - 1];
    if (token >= scores.size()) return Fail(ErrorCode::kTokenOutOfRange, "");
    if (!IsStructural(context, token)) scores[token] = -HUGE_VALF;
  }
  return {};
}

void BadWords(const BadWordsParams& bad, const Context& context, Scores& scores) {
  const std::vector<TokenId> tokens = Everything(context);
  for (const TokenSequence& word : bad.words) {
    if (word.size() - 1 > tokens.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      same = same && tokens[tokens.size() - word.size() + 1 + i] == word[i];
    }
    if (same) scores[word.back()] = -HUGE_VALF;
  }
}

void TokenList(StageId stage, const std::vector<TokenId>& tokens, std::size_t generated, Scores& scores) {
  for (std::size_t id = 0; id < scores.size(); ++id) {
    const bool listed = std::ranges::count(tokens, id) > 0;
    bool banned = false;
    if (stage == StageId::kAllowedTokens) banned = !listed;
    if (stage == StageId::kBannedTokens) banned = listed;
    if (stage == StageId::kBeginSuppress) banned = listed && generated == 0;
    if (stage == StageId::kForcedTokens) banned = generated < tokens.size() && id != tokens[generated];
    if (banned) scores[id] = -HUGE_VALF;
  }
}

Result<void> Bias(const LogitBiasParams& params, bool yields, Scores& scores) {
  for (const TokenBias& entry : params.biases) {
    if (std::isinf(entry.bias)) {
      if (!yields) scores[entry.token] = -HUGE_VALF;
      continue;
    }
    DECANT_CHECKED(Store(static_cast<double>(scores[entry.token]) + entry.bias, scores[entry.token]));
  }
  return {};
}

}  // namespace

bool ProcessorIsOff(const StageSpec& stage) {
  if (const auto* p = std::get_if<LogitBiasParams>(&stage.params)) return p->biases.empty();
  if (const auto* p = std::get_if<RepetitionPenaltyParams>(&stage.params)) return p->penalty == 1 || p->window == 0;
  if (const auto* p = std::get_if<CountPenaltyParams>(&stage.params)) return p->penalty == 0 || p->window == 0;
  if (const auto* p = std::get_if<DryParams>(&stage.params)) return p->multiplier == 0 || p->window == 0;
  if (const auto* p = std::get_if<NoRepeatNgramParams>(&stage.params)) return p->size == 0;
  if (const auto* p = std::get_if<BadWordsParams>(&stage.params)) return p->words.empty();
  if (const auto* p = std::get_if<TokenListParams>(&stage.params)) return p->tokens.empty();
  if (const auto* p = std::get_if<MinTokensParams>(&stage.params)) return p->count == 0 || p->tokens.empty();
  return true;
}

bool SetsEndBans(const StageSpec& stage) { return stage.id == StageId::kMinTokens; }

bool SetsOtherBans(const StageSpec& stage) {
  if (const auto* bias = std::get_if<LogitBiasParams>(&stage.params)) {
    for (const TokenBias& entry : bias->biases) {
      if (std::isinf(entry.bias)) return true;
    }
  }
  return std::holds_alternative<NoRepeatNgramParams>(stage.params) ||
         std::holds_alternative<BadWordsParams>(stage.params) || std::holds_alternative<TokenListParams>(stage.params);
}

Result<void> Process(const StageSpec& stage, bool yields, const Context& context, Scores& scores) {
  if (const auto* p = std::get_if<LogitBiasParams>(&stage.params)) return Bias(*p, yields, scores);
  if (yields) return {};
  if (const auto* p = std::get_if<DryParams>(&stage.params)) return Dry(*p, context, scores);
  if (const auto* p = std::get_if<NoRepeatNgramParams>(&stage.params)) {
    return NoRepeatNgram(static_cast<std::size_t>(p->size), context, scores);
  }
  if (const auto* p = std::get_if<BadWordsParams>(&stage.params)) {
    BadWords(*p, context, scores);
  } else if (const auto* list = std::get_if<TokenListParams>(&stage.params)) {
    TokenList(stage.id, list->tokens, context.output.size(), scores);
  } else if (const auto* least = std::get_if<MinTokensParams>(&stage.params)) {
    if (context.output.size() < static_cast<std::size_t>(least->count)) {
      for (const TokenId token : least->tokens) scores[token] = -HUGE_VALF;
    }
  } else {
    return Penalize(stage, context, scores);
  }
  return {};
}

}  // namespace decant::twin
