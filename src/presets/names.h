// The table of presets, with the generators of their randomness.
#ifndef DECANT_PRESETS_NAMES_H_
#define DECANT_PRESETS_NAMES_H_

#include <span>
#include <string_view>

#include "decant/sampler.h"

namespace decant::presets {

struct PresetRow {
  Preset preset;
  std::string_view name;
  std::string_view generator;  // of its randomness
};
std::span<const PresetRow> Presets();

}  // namespace decant::presets

#endif  // DECANT_PRESETS_NAMES_H_
