// What a stage's parameters mean: whether they switch it off, and whether they are in range.
#ifndef DECANT_DECODE_STAGES_H_
#define DECANT_DECODE_STAGES_H_

#include <cstddef>
#include <cstdint>

#include "decant/chain.h"
#include "decant/error.h"

namespace decant::decode {

// Whether the stage does nothing at these values, so that a plan leaves it out.
bool IsOff(const StageSpec& stage);

// The bans that a stage may set, by who yields to whom when nothing is left: first kOther, then kEnd, then the error
// (docs/sampling.md, "When rules meet").
enum class BanClass : std::uint8_t { kNone, kEnd, kOther };
BanClass BansOf(const StageSpec& stage);
// Whether the stage needs the sequence's tokens.
bool LooksBack(StageId id);

// Values in range for this vocabulary, and params of the struct that the stage's name says (else kWrongType).
Result<void> Validate(const StageSpec& stage, std::size_t vocabulary);

}  // namespace decant::decode

#endif  // DECANT_DECODE_STAGES_H_
