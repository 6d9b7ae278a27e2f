// What a chain comes to for a vocabulary: planned once, then followed for every row.
#ifndef DECANT_DECODE_PLAN_H_
#define DECANT_DECODE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decant/chain.h"
#include "decant/error.h"

namespace decant::decode {

// What the first look at a row has to find. Bounded passes (docs/determinism.md) do that over the whole row; what is
// left after it is few tokens, on which the rest of the chain runs exactly.
enum class Head : std::uint8_t {
  kStageByStage,  // the chain has no bounded pass
  kFirst,         // temperature 0, or the greedy drawer without a filter: the first of the canonical order
  kTopK,
  kTopP,
  kMinP,
  kDraw,  // no filter: one draw over the whole row
};

struct Plan {
  std::vector<StageSpec> stages;  // without off stages and the drawer
  StageId drawer = StageId::kCategorical;
  double temperature = 1;       // the product; 0 = the first of the canonical order wins
  bool changes_scores = false;  // some stage writes scores
  bool has_end_bans = false, has_other_bans = false;
  std::string looks_back;  // the name of the first stage that needs the sequence's tokens; empty = none does

  Head head = Head::kStageByStage;
  // stages[0, filters) are processors; stages[filters] is the filter of kTopK, kTopP or kMinP.
  std::size_t filters = 0;
  double head_temperature = 1;  // the product of the temperatures before the first filter
};

bool IsCustom(const StageSpec& stage);  // one of the caller's own

// Errors name the stage, the value and its range.
Result<Plan> MakePlan(const Chain& chain, std::size_t vocabulary);

// The passes over a row, one a line.
std::string PlanText(const Plan& plan);

}  // namespace decant::decode

#endif  // DECANT_DECODE_PLAN_H_
