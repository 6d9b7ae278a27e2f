// A row that lies there as f32 is one call of a kernel a range; any other is made block by block.
#include "decode/block_passes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/math.h"
#include "process/row_scores.h"

namespace decant::decode {
namespace {

using process::kBanned;

// The bounds of the kernels hold for their own sums; a little more covers adding those up, and the exact weights' own
// distance from the real numbers (below 2^-49).
constexpr double kCoarseError = simd::kMassError * 1.02;
constexpr double kFineError = simd::kFineError * 1.02;

constexpr std::size_t kSampleRun = 8;  // consecutive tokens that each block gives to a sample

// A value with at least n of them at or above it, and not many more; -inf if there are fewer.
float BoundOf(std::span<const float> values, std::size_t n, float max) {
  constexpr int kSteps = 40;
  const std::size_t enough = 4 + n / 16;  // so many more do not matter
  float low = max;
  std::size_t count = 0;
  for (const float value : values) {
    if (value == kBanned) continue;
    low = std::min(low, value);
    ++count;
  }
  if (count < n) return kBanned;
  float high = max;
  for (int step = 0; step < kSteps && count > n + enough; ++step) {
    const float middle = low / 2 + high / 2;
    if (!(middle > low && middle < high)) break;
    const std::size_t above = simd::CountAtLeast(values, middle);
    if (above >= n) {
      low = middle;
      count = above;
    } else {
      high = middle;
    }
  }
  return low;
}

// 2^n, 0 far below.
double ScaleDown(float n) { return n < -1000 ? 0.0 : core::PowerOfTwo(static_cast<int>(n)); }

// A half a token for the rounding to an integer, in either of two sums; twice that for everything smaller.
double SlackOf(std::size_t tokens) { return 4 * static_cast<double>(tokens) * simd::kRoundingError; }

}  // namespace

double Sum(std::span<const double> masses) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  return sum;
}

bool BlockPasses::FindMaxima() {
  work_.maxima.resize(blocks_.count());
  std::atomic<bool> valid = true;
  ForRanges([&](std::size_t first, std::size_t end) {
    float* maxima = work_.maxima.data();
    bool good = true;
    if (!blocks_.HasChanges()) {
      const std::size_t from = blocks_.FirstOf(first);
      const std::size_t tokens = std::min(blocks_.FirstOf(end), blocks_.tokens()) - from;
      good = simd::ScanMaxima(blocks_.Unchanged(), from, tokens, blocks_.block(), maxima + first);
    } else {
      float scratch[simd::kMaxBlock];
      for (std::size_t b = first; b < end; ++b) {
        const std::span<const float> values = blocks_.At(b, scratch, &good);
        good = simd::ScanMaxima(values, blocks_.block(), maxima + b) && good;
      }
    }
    if (!good) valid = false;
  });
  TakeMax();
  return valid;
}

bool BlockPasses::ScanMasses(std::optional<float> bound) {
  std::atomic<bool> valid = true;
  ForRanges([&](std::size_t first, std::size_t end) {
    bool good = true;
    const auto scan = [&](std::span<const float> values, std::size_t b) {
      const simd::MassCut cut = bound.has_value() ? simd::MassCut{*bound, &work_.above[b]} : simd::MassCut{};
      good = simd::ScanMasses(values, blocks_.block(), mass_scale_, &work_.maxima[b], &work_.references[b],
                              &work_.masses[b], cut) &&
             good;
    };
    if (blocks_.IsPlain()) {
      scan(blocks_.Plain(first, end - first), first);
    } else {
      float scratch[simd::kMaxBlock];
      for (std::size_t b = first; b < end; ++b) scan(blocks_.At(b, scratch, &good), b);
    }
    if (!good) valid = false;
  });
  TakeMax();
  return valid;
}

bool BlockPasses::FindMasses(double scale, std::optional<float> bound) {
  work_.maxima.resize(blocks_.count());
  work_.references.resize(blocks_.count());
  work_.masses.resize(blocks_.count());
  work_.above.resize(blocks_.count());
  scale_ = scale;
  mass_scale_ = simd::MassScaleOf(scale, 0);
  if (!ScanMasses(bound) || max_ == kBanned) return false;
  if (!simd::FitsMassScale(scale, 0, max_)) {
    // Large scores or a low temperature: count from the maximum, now that it is known.
    if (!simd::FitsMassScale(scale, max_, max_)) return false;
    mass_scale_ = simd::MassScaleOf(scale, max_);
    ScanMasses(bound);
  }
  top_ = simd::MaxScore(work_.references);
  if (bound.has_value()) mass_above_ = SumOfAbove();
  for (std::size_t b = 0; b < blocks_.count(); ++b) work_.masses[b] *= ScaleDown(work_.references[b] - top_);
  return true;
}

double BlockPasses::SumOfAbove() const {
  double total = 0;
  for (std::size_t b = 0; b < blocks_.count(); ++b) total += work_.above[b] * ScaleDown(work_.references[b] - top_);
  return total;
}

void BlockPasses::RefreshMaximum(std::size_t b) {
  const std::span<const float> values = blocks_.At(b, work_.block);
  simd::ScanMaxima(values, blocks_.block(), &work_.maxima[b]);
}

void BlockPasses::TakeMax() { max_ = simd::MaxScore(work_.maxima); }

MassKind BlockPasses::Coarse() const {
  const double exponent =
      (static_cast<double>(max_) - static_cast<double>(mass_scale_.shift)) * scale_ - static_cast<double>(top_);
  return {.fine = false, .error = kCoarseError, .slack = SlackOf(blocks_.tokens()), .unit = core::Exp2(exponent)};
}

MassKind BlockPasses::Fine() const {
  return {.fine = true, .error = kFineError, .slack = SlackOf(blocks_.tokens()), .unit = 1};
}

MassKind BlockPasses::FindFine() {
  ForSpans([&](std::span<const float> values, std::size_t b) {
    simd::FineMasses(values, blocks_.block(), max_, scale_, &work_.above[b]);
  });
  return Fine();
}

double BlockPasses::MassAbove(float bound) {
  ForSpans([&](std::span<const float> values, std::size_t b) {
    simd::MassesAbove(values, blocks_.block(), mass_scale_, &work_.references[b], bound, &work_.above[b]);
  });
  return SumOfAbove();
}

bool BlockPasses::FindFineBand(const simd::Band& band, std::size_t most) {
  work_.band.Clear(1.0);
  const auto scan = [&](std::span<const float> values, std::size_t b) {
    const std::size_t left = most - work_.band.size();
    const Candidates::Room room = work_.band.MakeRoom(left + blocks_.block() + simd::kCollectSlack);
    work_.band.Grow(simd::FineBand(values, blocks_.block(), max_, scale_, band,
                                   static_cast<TokenId>(blocks_.FirstOf(b)), left, room, &work_.above[b],
                                   &work_.masses[b]));
    return work_.band.size() <= most;
  };
  if (blocks_.IsPlain()) return scan(blocks_.Plain(), 0);
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    if (!scan(blocks_.At(b, work_.block), b)) return false;
  }
  return true;
}

void BlockPasses::Collect(float bound, Candidates& out) {
  const auto collect = [&](std::span<const float> values, std::size_t b, std::size_t blocks) {
    std::size_t most = 0;
    for (std::size_t i = b; i < b + blocks; ++i) most += work_.maxima[i] >= bound ? blocks_.block() : 0;
    if (most == 0) return;
    const Candidates::Room room = out.MakeRoom(most + simd::kCollectSlack);
    out.Grow(simd::CollectAtLeast(values, blocks_.block(), &work_.maxima[b], bound,
                                  static_cast<TokenId>(blocks_.FirstOf(b)), room));
  };
  if (blocks_.IsPlain()) return collect(blocks_.Plain(), 0, blocks_.count());
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    if (work_.maxima[b] >= bound && work_.maxima[b] != kBanned) collect(blocks_.At(b, work_.block), b, 1);
  }
}

float BlockPasses::BoundOfBlocks(std::size_t n) const { return BoundOf(work_.maxima, n, max_); }

void BlockPasses::Sample() {
  Candidates& sample = work_.band;
  sample.Clear(1.0);
  const auto begin_of = [&](std::size_t b, std::size_t size) {
    return (b * 7 * kSampleRun) % (size - std::min(kSampleRun, size) + 1);
  };
  if (blocks_.IsPlain()) {
    // From all over memory: asked for at once, it comes in the time of a few.
    for (std::size_t b = 0; b < blocks_.count(); ++b) {
      const std::span<const float> values = blocks_.Plain(b, 1);
      __builtin_prefetch(values.data() + begin_of(b, values.size()));
    }
  }
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    const std::span<const float> values = blocks_.At(b, work_.block);
    const std::size_t run = std::min(kSampleRun, values.size());
    const Candidates::Room room = sample.MakeRoom(run);
    std::ranges::copy(values.subspan(begin_of(b, values.size()), run), room.scores);
    sample.Grow(run);
  }
}

float BlockPasses::BoundOfTokens(std::size_t n) {
  // A block's best is one token: n blocks are n tokens at least.
  if (n <= blocks_.count() / 2) return BoundOfBlocks(n);
  if (2 * n >= blocks_.tokens()) return kBanned;
  Sample();
  const double share = static_cast<double>(n) / static_cast<double>(blocks_.tokens());
  const double expected = share * static_cast<double>(work_.band.size());
  const float bound =
      BoundOf(work_.band.scores(), static_cast<std::size_t>(expected + 4 * std::sqrt(expected) + 4), max_);
  std::atomic<std::size_t> count = 0;
  ForSpans([&](std::span<const float> values, std::size_t) { count += simd::CountAtLeast(values, bound); });
  return count >= n ? bound : kBanned;
}

std::optional<TokenId> BlockPasses::Locate(std::span<const double> masses, const MassKind& kind, std::uint64_t r,
                                           const DrawSet& set) {
  const double target = static_cast<double>(r) * 0x1p-53 * Sum(masses);
  double before = 0;
  std::size_t b = 0;
  while (b < masses.size() && before + masses[b] <= target) before += masses[b++];
  if (b == masses.size()) return std::nullopt;
  const std::span<const float> values = blocks_.At(b, work_.block);
  double unit = 1;
  if (kind.fine) {
    simd::FineTerms(values, max_, scale_, work_.fine_terms);
  } else {
    simd::Terms(values, mass_scale_, work_.references[b], work_.terms);
    unit = ScaleDown(work_.references[b] - top_);
  }
  const auto first_id = static_cast<TokenId>(blocks_.FirstOf(b));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TokenId id = first_id + static_cast<TokenId>(i);
    if (!set.HasAll() && !set.Has(id, values[i])) continue;
    const double after = before + (kind.fine ? work_.fine_terms[i] : static_cast<double>(work_.terms[i]) * unit);
    if (after > target) {
      if (!AreApart(kind, before, target) || !AreApart(kind, after, target)) return std::nullopt;
      return id;
    }
    before = after;
  }
  return std::nullopt;
}

}  // namespace decant::decode
