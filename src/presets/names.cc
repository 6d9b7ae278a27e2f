// Names are looked up in tables, so that a new stage or preset is one row.
#include "presets/names.h"

#include <string>
#include <vector>

#include "core/check.h"
#include "core/number_text.h"

namespace decant {
namespace {

using presets::PresetRow;
using presets::StageRow;

constexpr StageRow kStages[] = {
    {StageId::kLogitBias, "logit_bias", StageKind::kProcessor},
    {StageId::kTemperature, "temperature", StageKind::kProcessor},
    {StageId::kTopK, "top_k", StageKind::kFilter},
    {StageId::kTopP, "top_p", StageKind::kFilter},
    {StageId::kMinP, "min_p", StageKind::kFilter},
    {StageId::kGreedy, "greedy", StageKind::kDrawer},
    {StageId::kCategorical, "categorical", StageKind::kDrawer},
};

constexpr PresetRow kPresets[] = {
    {Preset::kNative, "native", "philox4x32-10"},
    {Preset::kReference, "reference", "splitmix64"},
};

const StageRow& RowOf(StageId id) {
  for (const StageRow& row : kStages) {
    if (row.id == id) return row;
  }
  core::CheckFailed(__FILE__, __LINE__, "every StageId has a row");
}

const PresetRow& RowOf(Preset preset) {
  for (const PresetRow& row : kPresets) {
    if (row.preset == preset) return row;
  }
  core::CheckFailed(__FILE__, __LINE__, "every Preset has a row");
}

}  // namespace

std::span<const StageRow> presets::Stages() { return kStages; }
std::span<const PresetRow> presets::Presets() { return kPresets; }

std::string_view NameOf(StageId id) { return RowOf(id).name; }
StageKind KindOf(StageId id) { return RowOf(id).kind; }
std::optional<StageId> FindStage(std::string_view name) {
  for (const StageRow& row : kStages) {
    if (row.name == name) return row.id;
  }
  return std::nullopt;
}

std::string_view NameOf(DrawKind kind) { return kind == DrawKind::kGreedy ? "greedy" : "inverse_cdf"; }

std::string_view NameOf(Preset preset) { return RowOf(preset).name; }
std::string_view GeneratorOf(Preset preset) { return RowOf(preset).generator; }
Result<Preset> FindPreset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PresetRow& row : kPresets) {
    if (row.name == name) return row.preset;
    names.push_back(row.name);
  }
  const auto close = core::Closest(name, names);
  return Fail(
      ErrorCode::kUnknownPreset, "preset is \"" + std::string(name) + "\"; expected native or reference",
      {.subject = "preset", .allowed = "native, reference", .hint = close ? "did you mean \"" + *close + "\"?" : ""});
}

}  // namespace decant
