// What a step's record looks like in every JSON output (docs/sampling.md, "Out").
#ifndef DECANT_CLI_RECORD_JSON_H_
#define DECANT_CLI_RECORD_JSON_H_

#include <cstdint>
#include <span>

#include "decant/sampler.h"
#include "decant/step.h"
#include "decant/token.h"
#include "json/writer.h"

namespace decant::cli {

// [3,1,2]
void WriteIds(json::Writer& writer, std::span<const TokenId> ids);
// [0.25,0.5]
void WriteInterval(json::Writer& writer, const double (&interval)[2]);

enum class StageFields : std::uint8_t {
  kCounts,            // name, kept, removed, removed_mass
  kCountsAndEntropy,  // the same and entropy_bits
};
void WriteStages(json::Writer& writer, std::span<const StageRecord> stages, StageFields fields);

// The integers of preset reference have no meaning and are left out.
void WriteDraw(json::Writer& writer, const DrawRecord& draw, Preset preset);

}  // namespace decant::cli

#endif  // DECANT_CLI_RECORD_JSON_H_
