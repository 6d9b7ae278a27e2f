#include "decode/stages.h"

#include <array>
#include <string>

#include "filter/min_p.h"
#include "filter/top_k.h"
#include "filter/top_p.h"
#include "process/logit_bias.h"
#include "process/temperature.h"

namespace decant {
namespace decode {
namespace {

constexpr std::array kStages = {
    StageInfo{StageId::kLogitBias, "logit_bias", StageKind::kProcessor},
    StageInfo{StageId::kTemperature, "temperature", StageKind::kProcessor},
    StageInfo{StageId::kTopK, "top_k", StageKind::kFilter},
    StageInfo{StageId::kTopP, "top_p", StageKind::kFilter},
    StageInfo{StageId::kMinP, "min_p", StageKind::kFilter},
    StageInfo{StageId::kGreedy, "greedy", StageKind::kDrawer},
    StageInfo{StageId::kCategorical, "categorical", StageKind::kDrawer},
};

struct OffTest {
  bool operator()(const std::monostate&) const { return false; }
  bool operator()(const LogitBiasParams& p) const { return p.biases.empty(); }
  bool operator()(const TemperatureParams& p) const { return p.temperature == 1; }
  bool operator()(const TopKParams& p) const { return filter::IsOff(p); }
  bool operator()(const TopPParams& p) const { return filter::IsOff(p); }
  bool operator()(const MinPParams& p) const { return filter::IsOff(p); }
};

struct Validation {
  std::size_t vocabulary;
  Result<void> operator()(const std::monostate&) const { return {}; }
  Result<void> operator()(const LogitBiasParams& p) const { return process::ValidateLogitBias(p, vocabulary); }
  Result<void> operator()(const TemperatureParams& p) const { return process::ValidateTemperature(p.temperature); }
  Result<void> operator()(const TopKParams& p) const { return filter::ValidateTopK(p); }
  Result<void> operator()(const TopPParams& p) const { return filter::ValidateTopP(p); }
  Result<void> operator()(const MinPParams& p) const { return filter::ValidateMinP(p); }
};

// The alternative of StageParams that belongs to each stage.
std::size_t ParamsIndex(StageId id) {
  switch (id) {
    case StageId::kLogitBias:
      return 1;
    case StageId::kTemperature:
      return 2;
    case StageId::kTopK:
      return 3;
    case StageId::kTopP:
      return 4;
    case StageId::kMinP:
      return 5;
    case StageId::kGreedy:
    case StageId::kCategorical:
      return 0;
  }
  return 0;
}

}  // namespace

std::span<const StageInfo> Stages() { return kStages; }

bool IsOff(const StageSpec& stage) { return std::visit(OffTest{}, stage.params); }

Result<void> Validate(const StageSpec& stage, std::size_t vocabulary) {
  if (stage.params.index() != ParamsIndex(stage.id)) {
    return Fail(ErrorCode::kWrongType, "stage " + std::string(NameOf(stage.id)) + " has another stage's parameters",
                {.subject = std::string(NameOf(stage.id))});
  }
  return std::visit(Validation{vocabulary}, stage.params);
}

}  // namespace decode

std::string_view NameOf(StageId id) {
  for (const decode::StageInfo& stage : decode::kStages) {
    if (stage.id == id) return stage.name;
  }
  return "unknown";
}

StageKind KindOf(StageId id) {
  for (const decode::StageInfo& stage : decode::kStages) {
    if (stage.id == id) return stage.kind;
  }
  return StageKind::kFilter;
}

std::optional<StageId> FindStage(std::string_view name) {
  for (const decode::StageInfo& stage : decode::kStages) {
    if (stage.name == name) return stage.id;
  }
  return std::nullopt;
}

}  // namespace decant
