// Passes over a row of scores: maxima, selecting, counting, masks. All of it compares scores, so all of it is exact.
//
// A row is looked at in blocks: consecutive tokens, `block` of them, the last block shorter. -inf is a ban.
#ifndef DECANT_SIMD_ROW_SCAN_H_
#define DECANT_SIMD_ROW_SCAN_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "decant/candidates.h"
#include "decant/sampler.h"
#include "decant/token.h"

namespace decant::simd {

inline constexpr std::size_t kMaxBlock = 512;
inline constexpr std::size_t kMinBlock = 32;  // whole words of a mask
// Tokens that a collecting kernel may write past its last.
inline constexpr std::size_t kCollectSlack = 16;

// maxima[b] = the largest of block b. False if any value is NaN or +inf, and it may be false where finite values leave
// the floats when added up; maxima are of no use then.
bool ScanMaxima(std::span<const float> row, std::size_t block, float* maxima);
// The same for the tokens [first, first + n) of a row of f32, f16 or bf16 under its mask (whose bans hide no NaN).
// REQUIRES: first a multiple of 32.
bool ScanMaxima(const RowView& row, std::size_t first, std::size_t n, std::size_t block, float* maxima);

// Collects the tokens at or above `bound`, ids ascending from first_id, from the blocks whose maximum reaches it.
// Returns how many. REQUIRES: room for all of them + kCollectSlack.
std::size_t CollectAtLeast(std::span<const float> row, std::size_t block, const float* maxima, float bound,
                           TokenId first_id, Candidates::Room room);

// How many are at or above the bound; strictly above it.
std::size_t CountAtLeast(std::span<const float> row, float bound);
inline std::size_t CountAbove(std::span<const float> row, float bound) {
  return CountAtLeast(row, std::nextafter(bound, std::numeric_limits<float>::infinity()));
}
// The sum of terms[i] over scores[i] >= bound. In f32 it is a rough one. REQUIRES: equal lengths.
double SumAtLeast(std::span<const float> scores, const double* terms, float bound);
float SumAtLeast(std::span<const float> scores, const float* terms, float bound);
// The first place that holds the score, or row.size().
std::size_t FirstWithScore(std::span<const float> row, float score);

// out = row, with -inf where the bit of a token is 0 (bit i % 32 of word i / 32). False if any value of the row is NaN
// or +inf, whatever its bit. May be in place.
bool CopyMasked(std::span<const float> row, const std::uint32_t* words, float* out);
// Halves and upper halves of f32 as the f32 that they are.
void WidenF16(std::span<const std::uint16_t> row, float* out);
void WidenBF16(std::span<const std::uint16_t> row, float* out);

}  // namespace decant::simd

#endif  // DECANT_SIMD_ROW_SCAN_H_
