// What a processor works on: one row's scores, and the sequence so far.
#ifndef DECANT_PROCESS_ROW_H_
#define DECANT_PROCESS_ROW_H_

#include <cmath>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/history.h"
#include "decant/token.h"
#include "process/row_scores.h"

namespace decant::process {

struct DryScratch;  // process/dry.h

struct Row {
  RowScores& scores;
  History& history;
  const std::uint32_t* structural = nullptr;  // RowView::structural
  DryScratch* dry = nullptr;                  // null = dry allocates its own at each use

  bool IsStructural(TokenId token) const {
    return structural != nullptr && ((structural[token / 32] >> (token % 32)) & 1u) != 0;
  }
};

// Gives a finite score its new value, rounded to f32 once; a ban stays. False when it leaves the floats: then the stage
// fails with LeavesTheFloats. (A Result a token is what a penalty over a long history would mostly do.)
inline bool ChangeScore(float& score, double changed) {
  if (std::isinf(score)) return true;
  score = static_cast<float>(changed);
  return std::isfinite(score);
}
// kNonFiniteLogit, naming the stage.
std::unexpected<Error> LeavesTheFloats(StageId stage, TokenId token);
// kTokenOutOfRange: a token of the history that the row does not have.
std::unexpected<Error> NoSuchToken(const Row& row, StageId stage, TokenId token);

// Every token < vocabulary, else kTokenOutOfRange naming `parameter`.
Result<void> CheckTokens(std::string_view parameter, std::span<const TokenId> tokens, std::size_t vocabulary);
// -1 = all, 0 = off, 1..; else kOutOfRange.
Result<void> CheckWindow(std::string_view parameter, std::int64_t window);

}  // namespace decant::process

#endif  // DECANT_PROCESS_ROW_H_
