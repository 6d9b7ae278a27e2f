// Names are looked up in one table, so that a new stage is one row.
#include "core/stage_table.h"

#include "core/check.h"

namespace decant {
namespace {

using core::StageRow;

constexpr StageRow kStages[] = {
    {StageId::kLogitBias, "logit_bias", StageKind::kProcessor},
    {StageId::kRepetitionPenalty, "repetition_penalty", StageKind::kProcessor},
    {StageId::kFrequencyPenalty, "frequency_penalty", StageKind::kProcessor},
    {StageId::kPresencePenalty, "presence_penalty", StageKind::kProcessor},
    {StageId::kDry, "dry", StageKind::kProcessor},
    {StageId::kNoRepeatNgram, "no_repeat_ngram_size", StageKind::kProcessor},
    {StageId::kBadWords, "bad_words", StageKind::kProcessor},
    {StageId::kAllowedTokens, "allowed_token_ids", StageKind::kProcessor},
    {StageId::kBannedTokens, "banned_token_ids", StageKind::kProcessor},
    {StageId::kBeginSuppress, "begin_suppress_tokens", StageKind::kProcessor},
    {StageId::kForcedTokens, "forced_token_ids", StageKind::kProcessor},
    {StageId::kMinTokens, "min_tokens", StageKind::kProcessor},
    {StageId::kTemperature, "temperature", StageKind::kProcessor},
    {StageId::kTopK, "top_k", StageKind::kFilter},
    {StageId::kTopP, "top_p", StageKind::kFilter},
    {StageId::kMinP, "min_p", StageKind::kFilter},
    {StageId::kGreedy, "greedy", StageKind::kDrawer},
    {StageId::kCategorical, "categorical", StageKind::kDrawer},
};

// What a caller's own stage goes by where it has no name. No parameter makes one, so that nothing lists them.
constexpr StageRow kCustomStages[] = {
    {StageId::kCustomProcessor, "custom_processor", StageKind::kProcessor},
    {StageId::kCustomFilter, "custom_filter", StageKind::kFilter},
};

const StageRow& RowOf(StageId id) {
  for (const StageRow& row : kStages) {
    if (row.id == id) return row;
  }
  for (const StageRow& row : kCustomStages) {
    if (row.id == id) return row;
  }
  core::CheckFailed(__FILE__, __LINE__, "every StageId has a row");
}

}  // namespace

std::span<const StageRow> core::Stages() { return kStages; }

std::string_view NameOf(StageId id) { return RowOf(id).name; }
StageKind KindOf(StageId id) { return RowOf(id).kind; }
std::string_view NameOf(const StageSpec& stage) {
  if (const auto* p = std::get_if<CustomProcessorParams>(&stage.params); p != nullptr && p->stage != nullptr) {
    return p->stage->name();
  }
  if (const auto* f = std::get_if<CustomFilterParams>(&stage.params); f != nullptr && f->stage != nullptr) {
    return f->stage->name();
  }
  return NameOf(stage.id);
}
std::optional<StageId> FindStage(std::string_view name) {
  for (const StageRow& row : kStages) {
    if (row.name == name) return row.id;
  }
  return std::nullopt;
}

}  // namespace decant
