// The table of presets: names are looked up in it, so that a new preset is one row.
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/number_text.h"
#include "decant/sampler.h"

namespace decant {
namespace {

struct PresetRow {
  Preset preset;
  std::string_view name;
  std::string_view generator;  // of its randomness
};
constexpr PresetRow kPresets[] = {
    {Preset::kNative, "native", "philox4x32-10"},
    {Preset::kReference, "reference", "splitmix64"},
    {Preset::kOctlm, "octlm", "mt19937"},
};

const PresetRow& RowOf(Preset preset) {
  for (const PresetRow& row : kPresets) {
    if (row.preset == preset) return row;
  }
  core::CheckFailed(__FILE__, __LINE__, "every Preset has a row");
}

}  // namespace

std::string_view NameOf(DrawKind kind) {
  switch (kind) {
    case DrawKind::kGreedy:
      return "greedy";
    case DrawKind::kInverseCdf:
      return "inverse_cdf";
    case DrawKind::kRace:
      return "race";
  }
  core::CheckFailed(__FILE__, __LINE__, "every DrawKind has a name");
}

std::string_view NameOf(Preset preset) { return RowOf(preset).name; }
std::string_view GeneratorOf(Preset preset) { return RowOf(preset).generator; }
Result<Preset> FindPreset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PresetRow& row : kPresets) {
    if (row.name == name) return row.preset;
    names.push_back(row.name);
  }
  std::string alternatives, list;  // "a, b or c" and "a, b, c"
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    if (i > 0) alternatives += last ? " or " : ", ";
    if (i > 0) list += ", ";
    alternatives += names[i];
    list += names[i];
  }
  const auto close = core::Closest(name, names);
  return Fail(ErrorCode::kUnknownPreset, "preset is \"" + std::string(name) + "\"; expected " + alternatives,
              {.subject = "preset", .allowed = list, .hint = close ? "did you mean \"" + *close + "\"?" : ""});
}

std::span<const Preset> Presets() {
  static constexpr auto kAll = [] {
    std::array<Preset, std::size(kPresets)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kPresets[i].preset;
    return all;
  }();
  return kAll;
}

}  // namespace decant
