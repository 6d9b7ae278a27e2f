// dry ("don't repeat yourself"): makes the token less likely that would lengthen a repeat of what stands at the end.
//
// Where an earlier place ends in the same L tokens as the sequence does, the token that followed there would make the
// repeat L + 1 long. With the longest such L for each token, L >= allowed_length costs multiplier * base^(L -
// allowed_length). (text-generation-webui's idea; matches, breakers and the longest-match rule are llama.cpp's.)
//
// A breaker is a sequence of tokens that no match may hold: L never reaches back beyond the last breaker. The power is
// formed by repeated f64 products and stops growing before it passes 2^64.
#ifndef DECANT_PROCESS_DRY_H_
#define DECANT_PROCESS_DRY_H_

#include <cstddef>
#include <vector>

#include "process/row.h"

namespace decant::process {

inline constexpr double kMaxDryMultiplier = 1e6, kMaxDryBase = 100;

// kOutOfRange, naming the parameter; kTokenOutOfRange for a breaker outside the vocabulary.
Result<void> ValidateDry(const DryParams& params, std::size_t vocabulary);
// By last token, as ApplyDry looks them up. REQUIRES: none empty.
void SortBreakers(DryParams& params);
// What one use works with; kept from row to row, so that none allocates once the longest history was seen.
struct DryScratch {
  struct Match {
    TokenId follower;
    std::size_t length;
  };
  std::vector<double> powers;
  std::vector<Match> matches;
};
// REQUIRES: breakers sorted. O(earlier occurrences of the last token, times the length of their matches, at most the
// length that still adds to the penalty). Skips structural tokens.
Result<void> ApplyDry(const DryParams& params, Row& row);

}  // namespace decant::process

#endif  // DECANT_PROCESS_DRY_H_
