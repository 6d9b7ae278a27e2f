// A row with its sequence, for tests of processors.
#ifndef DECANT_PROCESS_ROW_FOR_TEST_H_
#define DECANT_PROCESS_ROW_FOR_TEST_H_

#include <utility>
#include <vector>

#include "process/dry.h"
#include "process/row.h"

namespace decant::process {

struct RowForTest {
  RowForTest(std::vector<float> row_scores, const std::vector<TokenId>& prompt, const std::vector<TokenId>& output)
      : scores(std::move(row_scores)), history(prompt, output) {}
  Row row() {
    view = RowScores(scores);
    return {.scores = view,
            .history = history,
            .structural = structural.empty() ? nullptr : structural.data(),
            .dry = &dry};
  }

  std::vector<float> scores;
  RowScores view;
  History history;
  std::vector<std::uint32_t> structural;
  DryScratch dry;
};

}  // namespace decant::process

#endif  // DECANT_PROCESS_ROW_FOR_TEST_H_
