// Off stages are left out, temperatures multiplied; then the first filter says which pass the row needs.
#include "decode/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "decode/stages.h"
#include "presets/chain_parts.h"
#include "process/dry.h"
#include "process/temperature.h"

namespace decant::decode {
namespace {

bool IsProcessor(const StageSpec& stage) { return KindOf(stage.id) == StageKind::kProcessor; }

Head HeadOf(const StageSpec& filter) {
  switch (filter.id) {
    case StageId::kTopK:
      return Head::kTopK;
    case StageId::kTopP:
      return Head::kTopP;
    case StageId::kMinP:
      return Head::kMinP;
    default:
      return Head::kStageByStage;
  }
}

// Chooses the first look. Custom stages see whole rows, and every candidate that there is. Scores may change before the
// first filter only: behind it there is no row any more.
void ChooseHead(Plan& plan) {
  if (std::ranges::any_of(plan.stages, IsCustom)) return;
  const auto filter = std::ranges::find_if_not(plan.stages, IsProcessor);
  plan.filters = static_cast<std::size_t>(std::distance(plan.stages.begin(), filter));
  for (const StageSpec& stage : std::span(plan.stages).first(plan.filters)) {
    if (const auto* t = std::get_if<TemperatureParams>(&stage.params)) plan.head_temperature *= t->temperature;
  }
  const bool scores_change_later = std::any_of(filter, plan.stages.end(), [](const StageSpec& stage) {
    return IsProcessor(stage) && stage.id != StageId::kTemperature;
  });
  if (scores_change_later) return;
  if (plan.temperature == 0) {
    plan.head = Head::kFirst;
  } else if (filter != plan.stages.end()) {
    plan.head = HeadOf(*filter);
  } else {
    plan.head = plan.drawer == StageId::kGreedy ? Head::kFirst : Head::kDraw;
  }
}

std::string HeadText(const Plan& plan) {
  const std::string once =
      plan.changes_scores ? "read the row once, and again with the changes: " : "read the row once: ";
  switch (plan.head) {
    case Head::kStageByStage:
      return "stage by stage, each over every candidate";
    case Head::kFirst:
      return "read the row once: the maximum of each block; the first token that has the largest";
    case Head::kTopK:
      return "top_k: read the row once: the maximum of each block; select in the blocks that can hold one of the k "
             "best";
    case Head::kMinP:
      return "min_p: read the row once: the maximum of each block; test the tokens of the blocks that reach the bound";
    case Head::kTopP:
      return "top_p: " + once + "maximum and bounded mass of each block; sort only where the cut can fall";
    case Head::kDraw:
      return once + "bounded mass of each block; search one block for the token";
  }
  return "";
}

}  // namespace

bool IsCustom(const StageSpec& stage) {
  return stage.id == StageId::kCustomProcessor || stage.id == StageId::kCustomFilter;
}

Result<Plan> MakePlan(const Chain& chain, std::size_t vocabulary) {
  Plan plan;
  for (const StageSpec& stage : chain) {
    DECANT_CHECKED(Validate(stage, vocabulary));
    if (KindOf(stage.id) == StageKind::kDrawer) {
      plan.drawer = stage.id;
      continue;
    }
    if (IsOff(stage)) continue;
    if (stage.id == StageId::kTemperature) {
      const double temperature = std::get<TemperatureParams>(stage.params).temperature;
      DECANT_TRY(plan.temperature, process::MultiplyTemperature(plan.temperature, temperature));
    }
    plan.changes_scores |= IsProcessor(stage) && stage.id != StageId::kTemperature;
    plan.has_end_bans |= BansOf(stage) == BanClass::kEnd;
    plan.has_other_bans |= BansOf(stage) == BanClass::kOther;
    if (LooksBack(stage.id) && plan.looks_back.empty()) plan.looks_back = NameOf(stage);
    plan.stages.push_back(stage);
    if (auto* dry = std::get_if<DryParams>(&plan.stages.back().params)) process::SortBreakers(*dry);
  }
  DECANT_CHECKED(presets::CheckDrawerIsLast(chain));
  ChooseHead(plan);
  return plan;
}

std::string PlanText(const Plan& plan) {
  std::string text;
  const auto line = [&text](const std::string& words) { text += words + "\n"; };
  if (plan.head == Head::kStageByStage) {
    for (const StageSpec& stage : plan.stages) line(std::string(NameOf(stage)) + ": a pass over every candidate");
    line(std::string(NameOf(plan.drawer)) + ": a pass over what is left");
    return text;
  }
  for (const StageSpec& stage : std::span(plan.stages).first(plan.filters)) {
    const std::string name(NameOf(stage.id));
    line(stage.id == StageId::kTemperature ? name + ": no pass, a factor of the weights"
                                           : name + ": only the tokens it changes, beside the row");
  }
  line(HeadText(plan));
  if (plan.head == Head::kFirst || plan.head == Head::kDraw) return text;
  for (const StageSpec& stage : std::span(plan.stages).subspan(plan.filters + 1)) {
    line(std::string(NameOf(stage.id)) + ": exact, over what is left");
  }
  line(std::string(NameOf(plan.drawer)) + ": exact, over what is left");
  return text;
}

}  // namespace decant::decode
