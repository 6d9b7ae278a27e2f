// One visitor or switch a question, one case a stage and no default: a new stage does not compile until each has its
// answer.
#include "decode/stages.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "decode/custom_stage.h"
#include "filter/min_p.h"
#include "filter/top_k.h"
#include "filter/top_p.h"
#include "process/bad_words.h"
#include "process/count_penalty.h"
#include "process/dry.h"
#include "process/logit_bias.h"
#include "process/min_tokens.h"
#include "process/no_repeat_ngram.h"
#include "process/repetition_penalty.h"
#include "process/temperature.h"
#include "process/token_lists.h"

namespace decant::decode {
namespace {

struct OffTest {
  bool operator()(const std::monostate&) const { return false; }
  bool operator()(const LogitBiasParams& p) const { return p.biases.empty(); }
  bool operator()(const TemperatureParams& p) const { return p.temperature == 1; }
  bool operator()(const TopKParams& p) const { return filter::IsOff(p); }
  bool operator()(const TopPParams& p) const { return filter::IsOff(p); }
  bool operator()(const MinPParams& p) const { return filter::IsOff(p); }
  bool operator()(const RepetitionPenaltyParams& p) const { return p.penalty == 1 || p.window == 0; }
  bool operator()(const CountPenaltyParams& p) const { return p.penalty == 0 || p.window == 0; }
  bool operator()(const DryParams& p) const { return p.multiplier == 0 || p.window == 0; }
  bool operator()(const NoRepeatNgramParams& p) const { return p.size == 0; }
  bool operator()(const BadWordsParams& p) const { return p.words.empty(); }
  bool operator()(const TokenListParams& p) const { return p.tokens.empty(); }
  bool operator()(const MinTokensParams& p) const { return p.count == 0 || p.tokens.empty(); }
  bool operator()(const CustomProcessorParams&) const { return false; }
  bool operator()(const CustomFilterParams&) const { return false; }
};

struct Validation {
  StageId id;
  std::size_t vocabulary;
  Result<void> operator()(const std::monostate&) const { return {}; }
  Result<void> operator()(const LogitBiasParams& p) const { return process::ValidateLogitBias(p, vocabulary); }
  Result<void> operator()(const TemperatureParams& p) const { return process::ValidateTemperature(p.temperature); }
  Result<void> operator()(const TopKParams& p) const { return filter::ValidateTopK(p); }
  Result<void> operator()(const TopPParams& p) const { return filter::ValidateTopP(p); }
  Result<void> operator()(const MinPParams& p) const { return filter::ValidateMinP(p); }
  Result<void> operator()(const RepetitionPenaltyParams& p) const { return process::ValidateRepetitionPenalty(p); }
  Result<void> operator()(const CountPenaltyParams& p) const { return process::ValidateCountPenalty(id, p); }
  Result<void> operator()(const DryParams& p) const { return process::ValidateDry(p, vocabulary); }
  Result<void> operator()(const NoRepeatNgramParams& p) const { return process::ValidateNoRepeatNgram(p); }
  Result<void> operator()(const BadWordsParams& p) const { return process::ValidateBadWords(p, vocabulary); }
  Result<void> operator()(const TokenListParams& p) const { return process::ValidateTokenList(id, p, vocabulary); }
  Result<void> operator()(const MinTokensParams& p) const { return process::ValidateMinTokens(p, vocabulary); }
  Result<void> operator()(const CustomProcessorParams& p) const { return ValidateCustomStage(id, p.stage.get()); }
  Result<void> operator()(const CustomFilterParams& p) const { return ValidateCustomStage(id, p.stage.get()); }
};

template <class T>
bool Holds(const StageSpec& stage) {
  return std::holds_alternative<T>(stage.params);
}

// Whether the parameters are of the struct that belongs to the stage.
bool HasItsParams(const StageSpec& stage) {
  switch (stage.id) {
    case StageId::kLogitBias:
      return Holds<LogitBiasParams>(stage);
    case StageId::kRepetitionPenalty:
      return Holds<RepetitionPenaltyParams>(stage);
    case StageId::kFrequencyPenalty:
    case StageId::kPresencePenalty:
      return Holds<CountPenaltyParams>(stage);
    case StageId::kDry:
      return Holds<DryParams>(stage);
    case StageId::kNoRepeatNgram:
      return Holds<NoRepeatNgramParams>(stage);
    case StageId::kBadWords:
      return Holds<BadWordsParams>(stage);
    case StageId::kAllowedTokens:
    case StageId::kBannedTokens:
    case StageId::kBeginSuppress:
    case StageId::kForcedTokens:
      return Holds<TokenListParams>(stage);
    case StageId::kMinTokens:
      return Holds<MinTokensParams>(stage);
    case StageId::kTemperature:
      return Holds<TemperatureParams>(stage);
    case StageId::kTopK:
      return Holds<TopKParams>(stage);
    case StageId::kTopP:
      return Holds<TopPParams>(stage);
    case StageId::kMinP:
      return Holds<MinPParams>(stage);
    case StageId::kGreedy:
    case StageId::kCategorical:
      return Holds<std::monostate>(stage);
    case StageId::kCustomProcessor:
      return Holds<CustomProcessorParams>(stage);
    case StageId::kCustomFilter:
      return Holds<CustomFilterParams>(stage);
  }
  return false;
}

}  // namespace

BanClass BansOf(const StageSpec& stage) {
  switch (stage.id) {
    case StageId::kMinTokens:
      return BanClass::kEnd;
    case StageId::kLogitBias: {
      const auto& biases = std::get<LogitBiasParams>(stage.params).biases;
      const bool bans = std::ranges::any_of(biases, [](const TokenBias& entry) { return std::isinf(entry.bias); });
      return bans ? BanClass::kOther : BanClass::kNone;
    }
    case StageId::kNoRepeatNgram:
    case StageId::kBadWords:
    case StageId::kAllowedTokens:
    case StageId::kBannedTokens:
    case StageId::kBeginSuppress:
    case StageId::kForcedTokens:
      return BanClass::kOther;
    case StageId::kRepetitionPenalty:
    case StageId::kFrequencyPenalty:
    case StageId::kPresencePenalty:
    case StageId::kDry:
    case StageId::kTemperature:
    case StageId::kTopK:
    case StageId::kTopP:
    case StageId::kMinP:
    case StageId::kGreedy:
    case StageId::kCategorical:
    case StageId::kCustomProcessor:
    case StageId::kCustomFilter:
      return BanClass::kNone;
  }
  return BanClass::kNone;
}

bool LooksBack(StageId id) {
  switch (id) {
    case StageId::kRepetitionPenalty:
    case StageId::kFrequencyPenalty:
    case StageId::kPresencePenalty:
    case StageId::kDry:
    case StageId::kNoRepeatNgram:
    case StageId::kBadWords:
    case StageId::kBeginSuppress:
    case StageId::kForcedTokens:
    case StageId::kMinTokens:
    case StageId::kCustomProcessor:  // it is handed the history, and must never see an empty one for a full one
    case StageId::kCustomFilter:
      return true;
    case StageId::kLogitBias:
    case StageId::kAllowedTokens:
    case StageId::kBannedTokens:
    case StageId::kTemperature:
    case StageId::kTopK:
    case StageId::kTopP:
    case StageId::kMinP:
    case StageId::kGreedy:
    case StageId::kCategorical:
      return false;
  }
  return false;
}

bool IsOff(const StageSpec& stage) { return std::visit(OffTest{}, stage.params); }

Result<void> Validate(const StageSpec& stage, std::size_t vocabulary) {
  if (!HasItsParams(stage)) {
    return Fail(ErrorCode::kWrongType, "stage " + std::string(NameOf(stage.id)) + " has another stage's parameters",
                {.subject = std::string(NameOf(stage.id))});
  }
  return std::visit(Validation{.id = stage.id, .vocabulary = vocabulary}, stage.params);
}

}  // namespace decant::decode
