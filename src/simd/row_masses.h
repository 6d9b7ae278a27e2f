// Passes over a row of scores that weigh it within a proven error (docs/determinism.md, "Bounded passes").
//
// Masses are sums of 2^((x - shift) * c) over the tokens of a block (simd/row_scan.h) in floating point, within a
// stated relative error of the real number. They may differ between targets, so that a decision may only rest on them
// where it holds for the whole of the error.
#ifndef DECANT_SIMD_ROW_MASSES_H_
#define DECANT_SIMD_ROW_MASSES_H_

#include <cstddef>
#include <span>

#include "decant/candidates.h"
#include "decant/token.h"
#include "simd/row_scan.h"

namespace decant::simd {

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

// What a scan adds up besides: the mass of the tokens at or above `bound` alone, by block, unless `above` is null.
struct MassCut {
  float bound = 0;
  double* above = nullptr;
};

// ScanMaxima, and the mass of each block: masses[b] * 2^references[b], relative error < kMassError, plus an absolute
// one below 2^-110 of the largest term. A reference is an integer. The same of what `cut` asks for.
bool ScanMasses(std::span<const float> row, std::size_t block, const MassScale& scale, float* maxima, float* references,
                double* masses, const MassCut& cut = {});
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

}  // namespace decant::simd

#endif  // DECANT_SIMD_ROW_MASSES_H_
