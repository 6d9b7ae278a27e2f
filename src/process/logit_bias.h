// logit_bias: adds a number to single tokens' scores; a bias of -inf is a ban. (OpenAI's parameter; native scores have
// no scale of their own, so nothing clamps the bias to -100..100.)
#ifndef DECANT_PROCESS_LOGIT_BIAS_H_
#define DECANT_PROCESS_LOGIT_BIAS_H_

#include <cstddef>

#include "decant/chain.h"
#include "decant/error.h"
#include "process/row_scores.h"

namespace decant::process {

// Every bias finite or -inf, every token < vocabulary and named once: kOutOfRange, kTokenOutOfRange, kConflict.
Result<void> ValidateLogitBias(const LogitBiasParams& params, std::size_t vocabulary);

// score = f32(f64(score) + bias), a banned token stays banned. kNonFiniteLogit when a finite sum leaves the f32 range;
// `scores` may be half changed then. REQUIRES: validated for scores.size().
Result<void> ApplyLogitBias(const LogitBiasParams& params, RowScores& scores);

}  // namespace decant::process

#endif  // DECANT_PROCESS_LOGIT_BIAS_H_
