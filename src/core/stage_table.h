// The table of stages: their names and kinds, in the default order of a chain.
#ifndef DECANT_CORE_STAGE_TABLE_H_
#define DECANT_CORE_STAGE_TABLE_H_

#include <span>
#include <string_view>

#include "decant/chain.h"

namespace decant::core {

struct StageRow {
  StageId id;
  std::string_view name;
  StageKind kind;
};
// Processors, temperature, filters, drawers; no custom stages.
std::span<const StageRow> Stages();

}  // namespace decant::core

#endif  // DECANT_CORE_STAGE_TABLE_H_
