// min_p: keeps tokens at least p times as likely as the best one (Nguyen et al. 2024). Equal scores stay or go
// together.
#ifndef DECANT_FILTER_MIN_P_H_
#define DECANT_FILTER_MIN_P_H_

#include "decant/candidates.h"
#include "decant/chain.h"
#include "decant/error.h"

namespace decant::filter {

Result<void> ValidateMinP(const MinPParams& params);
bool IsOff(const MinPParams& params);
// REQUIRES: validated, not off, candidates not empty.
void ApplyMinP(const MinPParams& params, Candidates& candidates);

}  // namespace decant::filter

#endif  // DECANT_FILTER_MIN_P_H_
