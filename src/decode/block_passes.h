// Passes over the blocks of one row, and what may be concluded from masses that are only known within an error.
#ifndef DECANT_DECODE_BLOCK_PASSES_H_
#define DECANT_DECODE_BLOCK_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "decant/candidates.h"
#include "decant/runtime.h"
#include "decode/work.h"
#include "simd/row_masses.h"

namespace decant::decode {

// How masses were formed: their unit, and how far from the exact integer weights they may be.
struct MassKind {
  bool fine = false;
  double error = 0;  // relative, of any sum
  double slack = 0;  // absolute, of any sum: the roundings to integers, and terms taken for larger ones
  double unit = 1;   // the mass of the row's best token
};
// Whether two masses are so far apart that their order is that of the exact ones.
inline bool AreApart(const MassKind& kind, double a, double b) {
  const double off = kind.error * (a + b) + kind.slack;
  return a - b > off || b - a > off;
}

double Sum(std::span<const double> masses);

// Which tokens a draw is from: those at or before a key of the canonical order.
struct DrawSet {
  std::uint64_t last_key = ~std::uint64_t{0};
  bool Has(TokenId id, float score) const { return CanonicalKey(id, score) <= last_key; }
  bool HasAll() const { return last_key == ~std::uint64_t{0}; }
};

class BlockPasses {
 public:
  // Over work.blocks. runtime: threads to share the blocks out to; null = none.
  BlockPasses(Work& work, Runtime* runtime) : work_(work), blocks_(work.blocks), runtime_(runtime) {}

  // work.maxima. False if a value is NaN or +inf.
  bool FindMaxima();
  // work.maxima, and work.masses in one unit; with a bound, mass_above() too. False also where masses cannot be formed
  // at this scale.
  bool FindMasses(double scale, std::optional<float> bound = std::nullopt);
  // The maximum of one block, anew.
  void RefreshMaximum(std::size_t b);

  float max() const { return max_; }  // of work.maxima as it was found, or set
  void TakeMax();                     // from work.maxima as it is now

  // The kind of work.masses after FindMasses.
  MassKind Coarse() const;
  // After FindMasses: fine masses into work.above.
  MassKind FindFine();
  // The coarse mass of all tokens at or above a bound, in the unit of work.masses: measured now, or by FindMasses.
  double MassAbove(float bound);
  double mass_above() const { return mass_above_; }
  // Fine masses of all tokens into work.masses and of those at or above the band into work.above; the band into
  // work.band. False if it has more than `most` tokens.
  bool FindFineBand(const simd::Band& band, std::size_t most);
  MassKind Fine() const;

  // Collects the tokens at or above the bound into `out`, ids ascending.
  void Collect(float bound, Candidates& out);
  // A score with at least n blocks at or above it, and not many more; -inf if there are fewer.
  float BoundOfBlocks(std::size_t n) const;
  // A score with at least n tokens at or above it, and not very many more if n is small beside the row; or -inf.
  float BoundOfTokens(std::size_t n);
  // A run of tokens from every block into work.band, without their ids: the row in small.
  void Sample();

  // Which token of the set r draws, given the masses of the set's tokens by block; none if that is not proven.
  std::optional<TokenId> Locate(std::span<const double> masses, const MassKind& kind, std::uint64_t r,
                                const DrawSet& set);

 private:
  // Calls body(first block, end) for ranges that make up the row; several at once where there are threads.
  template <class Body>
  void ForRanges(const Body& body) {
    const std::size_t count = blocks_.count();
    const int threads = runtime_ == nullptr ? 1 : runtime_->threads();
    if (threads <= 1 || count < 2 * static_cast<std::size_t>(threads)) return body(std::size_t{0}, count);
    const auto tasks = static_cast<std::size_t>(threads);
    struct Share {
      const Body& body;
      std::size_t count, tasks;
    } share{body, count, tasks};
    runtime_->Parallel(threads, [&share](int task) {
      const auto t = static_cast<std::size_t>(task);
      share.body(share.count * t / share.tasks, share.count * (t + 1) / share.tasks);
    });
  }

  // Calls body(values, first block) for spans of whole blocks that make up the row, likewise.
  template <class Body>
  void ForSpans(const Body& body) {
    ForRanges([&](std::size_t first, std::size_t end) {
      if (blocks_.IsPlain()) return body(blocks_.Plain(first, end - first), first);
      float scratch[simd::kMaxBlock];
      for (std::size_t b = first; b < end; ++b) body(blocks_.At(b, scratch), b);
    });
  }
  bool ScanMasses(std::optional<float> bound);
  double SumOfAbove() const;

  Work& work_;
  const RowBlocks& blocks_;
  Runtime* runtime_;
  float max_ = 0;
  double scale_ = 1;
  simd::MassScale mass_scale_ = {};
  float top_ = 0;
  double mass_above_ = 0;
};

}  // namespace decant::decode

#endif  // DECANT_DECODE_BLOCK_PASSES_H_
