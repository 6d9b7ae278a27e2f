// What every sampler asks of a chain and of a row, whatever its preset.
#ifndef DECANT_PRESETS_CHAIN_PARTS_H_
#define DECANT_PRESETS_CHAIN_PARTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/token.h"

namespace decant::presets {

// kConflict, naming the stage, when a drawer stands before the end.
Result<void> CheckDrawerIsLast(const Chain& chain);

// The parameters of a stage, as the struct that its id asks for; kWrongType.
template <class Params>
Result<Params> ParamsOf(const StageSpec& stage) {
  if (const auto* params = std::get_if<Params>(&stage.params)) return *params;
  const std::string name(NameOf(stage.id));
  return Fail(ErrorCode::kWrongType, "stage " + name + " has another stage's parameters", {.subject = name});
}

// The 1-based place of a token in the canonical order of a row: score descending, id ascending.
std::uint32_t RankOf(std::span<const float> scores, TokenId token);

}  // namespace decant::presets

#endif  // DECANT_PRESETS_CHAIN_PARTS_H_
