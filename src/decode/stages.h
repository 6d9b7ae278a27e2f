// The stage table: for every StageId its name, kind, off test and validation, in the default order of a chain.
#ifndef DECANT_DECODE_STAGES_H_
#define DECANT_DECODE_STAGES_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "decant/chain.h"
#include "decant/error.h"

namespace decant::decode {

struct StageInfo {
  StageId id;
  std::string_view name;
  StageKind kind;
};
// In the default order: processors, temperature, filters, drawers.
std::span<const StageInfo> Stages();

// Whether the stage does nothing at these values, so that a plan leaves it out.
bool IsOff(const StageSpec& stage);
// Values in range for this vocabulary, and params of the struct that the stage's name says (else kInternal).
Result<void> Validate(const StageSpec& stage, std::size_t vocabulary);

}  // namespace decant::decode

#endif  // DECANT_DECODE_STAGES_H_
