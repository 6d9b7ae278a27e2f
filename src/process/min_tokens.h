// min_tokens: bans the end tokens (eos and stop tokens) until so many tokens were generated. (vLLM's rule: with 2, the
// first and the second generated token are no end token; the third may be.)
#ifndef DECANT_PROCESS_MIN_TOKENS_H_
#define DECANT_PROCESS_MIN_TOKENS_H_

#include "process/row.h"

namespace decant::process {

// kOutOfRange below 0, kTokenOutOfRange.
Result<void> ValidateMinTokens(const MinTokensParams& params, std::size_t vocabulary);
void ApplyMinTokens(const MinTokensParams& params, Row& row);

}  // namespace decant::process

#endif  // DECANT_PROCESS_MIN_TOKENS_H_
