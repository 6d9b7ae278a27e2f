// Passes over a row of scores that find what a decision needs, and bound what they do not compute exactly.
//
// A row is looked at in blocks: consecutive tokens, `block` of them, the last block shorter. -inf is a ban. What is an
// order of scores (maxima, comparisons) is exact. Masses are sums of 2^((x - shift) * c) in floating point, within a
// stated relative error of the real number; they may differ between targets, so that a decision may only rest on them
// where it holds for the whole of the error (docs/determinism.md, "Bounded passes").
#ifndef DECANT_SIMD_ROW_SCAN_H_
#define DECANT_SIMD_ROW_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "decant/candidates.h"
#include "decant/sampler.h"
#include "decant/token.h"

namespace decant::simd {

inline constexpr std::size_t kMaxBlock = 512;
inline constexpr std::size_t kMinBlock = 32;  // whole words of a mask
// Tokens that a collecting kernel may write past its last.
inline constexpr std::size_t kCollectSlack = 16;

// Relative errors. A term: the polynomial, its rounding, the reduction. A mass adds at most 3 roundings of a sum.
inline constexpr double kTermError = 0x1p-24 * 2.5;
inline constexpr double kMassError = 0x1p-24 * 5.6;
inline constexpr double kFineError = 0x1p-34;  // of a fine term and of a fine mass
// An integer weight is within a half of its real number, in units of the largest's 2^44.
inline constexpr double kRoundingError = 0x1p-45;

// The factor c and what is taken off every score first.
struct MassScale {
  double exact;  // c
  float hi, lo;  // c = hi + lo, within 2^-48
  float shift;
};
// Whether masses can be formed for scores up to `max`; with shift = 0 they need |max| c small. Where it is large, shift
// = max: a score whose term counts is then so near to it that f32 subtracts exactly (Sterbenz).
bool FitsMassScale(double scale, float shift, float max);
MassScale MassScaleOf(double scale, float shift);

// maxima[b] = the largest of block b. False if any value is NaN or +inf, and it may be false where finite values leave
// the floats when added up; maxima are of no use then.
bool ScanMaxima(std::span<const float> row, std::size_t block, float* maxima);
// The same for the tokens [first, first + n) of a row of f32, f16 or bf16 under its mask (whose bans hide no NaN).
// REQUIRES: first a multiple of 32.
bool ScanMaxima(const RowView& row, std::size_t first, std::size_t n, std::size_t block, float* maxima);

// The same, and the mass of each block: masses[b] * 2^references[b], relative error < kMassError, plus an absolute one
// below 2^-110 of the largest term. A reference is an integer.
bool ScanMasses(std::span<const float> row, std::size_t block, const MassScale& scale, float* maxima, float* references,
                double* masses);
// The terms of one block: out[i] * 2^reference, relative error < kTermError.
void Terms(std::span<const float> block, const MassScale& scale, float reference, float* out);

// The mass of the tokens at or above `bound` alone, as above[b] * 2^references[b].
void MassesAbove(std::span<const float> row, std::size_t block, const MassScale& scale, const float* references,
                 float bound, double* above);

// masses[b] = the sum of 2^((x - max) * c) over the tokens of block b in f64: relative error < kFineError, plus an
// absolute one below 2^-80.
void FineMasses(std::span<const float> row, std::size_t block, float max, double scale, double* masses);
// The same into `all`, and over the tokens at or above `high` into `above`; those in [low, high) are collected, ids
// ascending from first_id. Returns how many; stops early once they are more than `most`. REQUIRES: room for most +
// block + kCollectSlack.
struct Band {
  float low, high;
};
std::size_t FineBand(std::span<const float> row, std::size_t block, float max, double scale, const Band& band,
                     TokenId first_id, std::size_t most, Candidates::Room room, double* above, double* all);
void FineTerms(std::span<const float> block, float max, double scale, double* out);

// Collects the tokens at or above `bound`, ids ascending from first_id, from the blocks whose maximum reaches it.
// Returns how many. REQUIRES: room for all of them + kCollectSlack.
std::size_t CollectAtLeast(std::span<const float> row, std::size_t block, const float* maxima, float bound,
                           TokenId first_id, Candidates::Room room);

// How many are at or above the bound; strictly above it.
std::size_t CountAtLeast(std::span<const float> row, float bound);
std::size_t CountAbove(std::span<const float> row, float bound);
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
