// Each word is compared with the end of the sequence.
#include "process/bad_words.h"

#include <algorithm>

namespace decant::process {

Result<void> ValidateBadWords(const BadWordsParams& params, std::size_t vocabulary) {
  for (const TokenSequence& word : params.words) {
    if (word.empty()) {
      return Fail(ErrorCode::kOutOfRange, "a bad word has no tokens; expected at least one",
                  {.subject = "bad_words", .allowed = "at least one token"});
    }
    DECANT_CHECKED(CheckTokens("bad_words", word, vocabulary));
  }
  return {};
}

void ApplyBadWords(const BadWordsParams& params, Row& row) {
  const auto tokens = row.history.tokens();
  for (const TokenSequence& word : params.words) {
    const auto before = std::span(word).first(word.size() - 1);
    if (before.size() > tokens.size()) continue;
    if (std::ranges::equal(tokens.last(before.size()), before)) row.scores.Ban(word.back());
  }
}

}  // namespace decant::process
