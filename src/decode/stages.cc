// One visitor a question, one case a stage: a new stage does not compile until each has its answer.
#include "decode/stages.h"

#include <string>

#include "filter/min_p.h"
#include "filter/top_k.h"
#include "filter/top_p.h"
#include "process/logit_bias.h"
#include "process/temperature.h"

namespace decant::decode {
namespace {

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

bool IsOff(const StageSpec& stage) { return std::visit(OffTest{}, stage.params); }

Result<void> Validate(const StageSpec& stage, std::size_t vocabulary) {
  if (stage.params.index() != ParamsIndex(stage.id)) {
    return Fail(ErrorCode::kWrongType, "stage " + std::string(NameOf(stage.id)) + " has another stage's parameters",
                {.subject = std::string(NameOf(stage.id))});
  }
  return std::visit(Validation{vocabulary}, stage.params);
}

}  // namespace decant::decode
