// What a thread needs to sample a row.
#ifndef DECANT_DECODE_WORK_H_
#define DECANT_DECODE_WORK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decant/candidates.h"
#include "decode/row_blocks.h"
#include "process/dry.h"
#include "process/row_scores.h"
#include "simd/row_scan.h"
#include "simd/weigh.h"

namespace decant::decode {

// Kept from row to row, one row at a time. Memory grows as rows need it; Reserve asks for all that a row of a
// vocabulary can need, some 70 bytes a token.
struct Work {
  void Reserve(std::size_t vocabulary);

  RowBlocks blocks;
  process::RowScores scores;
  process::DryScratch dry;
  // By block.
  std::vector<float> maxima, references;
  std::vector<double> masses, above;
  Candidates candidates;  // what is left of the row
  // Of the way stage by stage: the row as f32, and its copy with changed scores.
  std::vector<float> widened, copy;
  Candidates band;             // where a nucleus may end
  bool last_was_wide = false;  // whether the last row's nucleus was a large one; no result depends on it
  std::vector<double> band_terms;
  std::vector<float> rough_terms;  // the same, to search with
  std::vector<std::uint64_t> keys;
  simd::Weights weights;
  float block[simd::kMaxBlock];
  float terms[simd::kMaxBlock];
  double fine_terms[simd::kMaxBlock];
};

}  // namespace decant::decode

#endif  // DECANT_DECODE_WORK_H_
