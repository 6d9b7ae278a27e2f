// What a processor works on: one row's scores, and the sequence so far.
#ifndef DECANT_PROCESS_ROW_H_
#define DECANT_PROCESS_ROW_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/history.h"
#include "decant/token.h"
#include "process/row_scores.h"

namespace decant::process {

struct Row {
  RowScores& scores;
  History& history;
  const std::uint32_t* structural = nullptr;  // RowView::structural

  bool IsStructural(TokenId token) const {
    return structural != nullptr && ((structural[token / 32] >> (token % 32)) & 1u) != 0;
  }
};

// A finite score's new value, rounded to f32 once; a banned token stays banned. kNonFiniteLogit, naming the stage, when
// it leaves the floats; kTokenOutOfRange for a token of the history that the row does not have.
Result<void> SetScore(Row& row, StageId stage, TokenId token, double score);
Result<void> CheckHistoryToken(const Row& row, StageId stage, TokenId token);

// Every token < vocabulary, else kTokenOutOfRange naming `parameter`.
Result<void> CheckTokens(std::string_view parameter, std::span<const TokenId> tokens, std::size_t vocabulary);
// -1 = all, 0 = off, 1..; else kOutOfRange.
Result<void> CheckWindow(std::string_view parameter, std::int64_t window);

}  // namespace decant::process

#endif  // DECANT_PROCESS_ROW_H_
