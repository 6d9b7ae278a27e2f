// Rows, details and choices, between C and C++.
#ifndef DECANT_CAPI_ROW_H_
#define DECANT_CAPI_ROW_H_

#include "decant/c.h"
#include "decant/error.h"
#include "decant/sampler.h"
#include "decant/step.h"

namespace decant::capi {

// kOutOfRange: no data, a misaligned pointer, an unknown element type, a reserved field that is not 0. Its length is
// the sampler's to check.
Result<RowView> RowOf(const decant_row& row);
Result<Detail> DetailOf(decant_detail detail);  // kOutOfRange
decant_choice ChoiceOf(const Choice& choice);

}  // namespace decant::capi

#endif  // DECANT_CAPI_ROW_H_
