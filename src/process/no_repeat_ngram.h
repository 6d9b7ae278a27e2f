// no_repeat_ngram_size: bans every token that would complete an n-gram which the sequence already has (Paulus, Xiong,
// Socher 2017; Hugging Face's NoRepeatNGramLogitsProcessor: prompt and output alike).
#ifndef DECANT_PROCESS_NO_REPEAT_NGRAM_H_
#define DECANT_PROCESS_NO_REPEAT_NGRAM_H_

#include "process/row.h"

namespace decant::process {

Result<void> ValidateNoRepeatNgram(const NoRepeatNgramParams& params);  // kOutOfRange below 0
// O(earlier occurrences of the last n - 1 tokens). With n = 1 every token that occurred is banned. Skips structural
// tokens.
Result<void> ApplyNoRepeatNgram(const NoRepeatNgramParams& params, Row& row);

}  // namespace decant::process

#endif  // DECANT_PROCESS_NO_REPEAT_NGRAM_H_
