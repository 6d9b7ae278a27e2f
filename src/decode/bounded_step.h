// One step without evidence: as few passes over the row as prove which token it is (docs/determinism.md, "Bounded
// passes").
//
// The row is read once, block by block: the maximum of each block, and its mass within a proven error where the chain
// needs masses. That leaves either few tokens, on which the rest of the chain runs in exact integers, or one block to
// search. Where the error does not exclude another token, masses are formed again in f64; where that does not decide
// either, the caller takes the exact way.
#ifndef DECANT_DECODE_BOUNDED_STEP_H_
#define DECANT_DECODE_BOUNDED_STEP_H_

#include <optional>

#include "decant/runtime.h"
#include "decant/sampler.h"
#include "decode/plan.h"
#include "decode/work.h"

namespace decant::decode {

// The choice, if it is proven. None for a row that has no choice, too: the exact way names its error. REQUIRES: a plan
// with a head, a row of its vocabulary that is not f64. `runtime`: threads for the blocks of this row; null = none.
std::optional<Choice> SampleBounded(const Plan& plan, const RowView& row, SamplerState& state, Detail detail,
                                    Work& work, Runtime* runtime);

}  // namespace decant::decode

#endif  // DECANT_DECODE_BOUNDED_STEP_H_
