// Lists of tokens that may or may not come: allowed_token_ids (vLLM), banned_token_ids, begin_suppress_tokens
// (Hugging Face: banned as the first generated token only) and forced_token_ids (the i-th generated token is the i-th
// listed; Hugging Face's forced_decoder_ids without their holes).
#ifndef DECANT_PROCESS_TOKEN_LISTS_H_
#define DECANT_PROCESS_TOKEN_LISTS_H_

#include "process/row.h"

namespace decant::process {

// kTokenOutOfRange.
Result<void> ValidateTokenList(StageId stage, const TokenListParams& params, std::size_t vocabulary);
// stage: one of the four. Whether a list is off at this place of the sequence shows in what it changes: nothing.
void ApplyTokenList(StageId stage, const TokenListParams& params, Row& row);

}  // namespace decant::process

#endif  // DECANT_PROCESS_TOKEN_LISTS_H_
