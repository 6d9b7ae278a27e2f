// bad_words: bans listed token sequences: the last token of one is banned where the sequence so far, prompt included,
// ends in all of its tokens but the last (Hugging Face's NoBadWordsLogitsProcessor).
#ifndef DECANT_PROCESS_BAD_WORDS_H_
#define DECANT_PROCESS_BAD_WORDS_H_

#include "process/row.h"

namespace decant::process {

// kOutOfRange for an empty sequence, kTokenOutOfRange.
Result<void> ValidateBadWords(const BadWordsParams& params, std::size_t vocabulary);
void ApplyBadWords(const BadWordsParams& params, Row& row);  // O(tokens of the words)

}  // namespace decant::process

#endif  // DECANT_PROCESS_BAD_WORDS_H_
