// top_k: keeps the k best tokens (Fan, Lewis, Dauphin 2018). Of equal scores the lower ids stay: exactly k remain.
#ifndef DECANT_FILTER_TOP_K_H_
#define DECANT_FILTER_TOP_K_H_

#include "decant/candidates.h"
#include "decant/chain.h"
#include "decant/error.h"

namespace decant::filter {

Result<void> ValidateTopK(const TopKParams& params);
bool IsOff(const TopKParams& params);
// REQUIRES: validated, not off, candidates not empty.
void ApplyTopK(const TopKParams& params, Candidates& candidates);

}  // namespace decant::filter

#endif  // DECANT_FILTER_TOP_K_H_
