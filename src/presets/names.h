// The tables of names that every preset shares: stages with their kinds, presets with their generators.
#ifndef DECANT_PRESETS_NAMES_H_
#define DECANT_PRESETS_NAMES_H_

#include <span>
#include <string_view>

#include "decant/chain.h"
#include "decant/sampler.h"

namespace decant::presets {

struct StageRow {
  StageId id;
  std::string_view name;
  StageKind kind;
};
// In the default order of a chain: processors, temperature, filters, drawers.
std::span<const StageRow> Stages();

struct PresetRow {
  Preset preset;
  std::string_view name;
  std::string_view generator;  // of its randomness
};
std::span<const PresetRow> Presets();

}  // namespace decant::presets

#endif  // DECANT_PRESETS_NAMES_H_
