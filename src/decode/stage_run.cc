// Two switches over the stages, one case each.
#include "decode/stage_run.h"

#include <variant>

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
#include "process/token_lists.h"

namespace decant::decode {

Result<void> RunProcessor(const StageSpec& stage, process::Row& row) {
  if (std::holds_alternative<std::monostate>(stage.params)) return {};
  switch (stage.id) {
    case StageId::kLogitBias:
      return process::ApplyLogitBias(std::get<LogitBiasParams>(stage.params), row.scores);
    case StageId::kRepetitionPenalty:
      return process::ApplyRepetitionPenalty(std::get<RepetitionPenaltyParams>(stage.params), row);
    case StageId::kFrequencyPenalty:
    case StageId::kPresencePenalty:
      return process::ApplyCountPenalty(stage.id, std::get<CountPenaltyParams>(stage.params), row);
    case StageId::kDry:
      return process::ApplyDry(std::get<DryParams>(stage.params), row);
    case StageId::kNoRepeatNgram:
      return process::ApplyNoRepeatNgram(std::get<NoRepeatNgramParams>(stage.params), row);
    case StageId::kBadWords:
      process::ApplyBadWords(std::get<BadWordsParams>(stage.params), row);
      return {};
    case StageId::kAllowedTokens:
    case StageId::kBannedTokens:
    case StageId::kBeginSuppress:
    case StageId::kForcedTokens:
      process::ApplyTokenList(stage.id, std::get<TokenListParams>(stage.params), row);
      return {};
    case StageId::kMinTokens:
      process::ApplyMinTokens(std::get<MinTokensParams>(stage.params), row);
      return {};
    default:
      return {};
  }
}

void RunFilter(const StageSpec& stage, Candidates& candidates) {
  switch (stage.id) {
    case StageId::kTopK:
      return filter::ApplyTopK(std::get<TopKParams>(stage.params), candidates);
    case StageId::kTopP:
      return filter::ApplyTopP(std::get<TopPParams>(stage.params), candidates);
    case StageId::kMinP:
      return filter::ApplyMinP(std::get<MinPParams>(stage.params), candidates);
    default:
      return;
  }
}

}  // namespace decant::decode
