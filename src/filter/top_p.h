// top_p: the nucleus (Holtzman et al. 2020), the shortest canonical prefix whose mass reaches p. The token that crosses
// p is kept, so at least one always survives.
#ifndef DECANT_FILTER_TOP_P_H_
#define DECANT_FILTER_TOP_P_H_

#include "decant/candidates.h"
#include "decant/chain.h"
#include "decant/error.h"

namespace decant::filter {

Result<void> ValidateTopP(const TopPParams& params);
bool IsOff(const TopPParams& params);
// REQUIRES: validated, not off, candidates not empty.
void ApplyTopP(const TopPParams& params, Candidates& candidates);

}  // namespace decant::filter

#endif  // DECANT_FILTER_TOP_P_H_
