// top_p over a whole row: the shortest canonical prefix with the mass, without sorting the vocabulary.
#ifndef DECANT_DECODE_NUCLEUS_H_
#define DECANT_DECODE_NUCLEUS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "decant/chain.h"
#include "decant/token.h"
#include "decode/block_passes.h"
#include "decode/work.h"

namespace decant::decode {

// Finds the nucleus with mass p. A small one is sorted among the tokens of the best blocks, in exact integers. A large
// one is never held: a sample of the row brackets the score at which it ends, one fine pass adds up what lies above the
// bracket and collects what lies in it, and only the last few of that are sorted.
class Nucleus {
 public:
  // Over the scores at this temperature.
  Nucleus(const TopPParams& params, double temperature, BlockPasses& passes, Work& work)
      : params_(params),
        temperature_(temperature),
        scale_(simd::GapScale(temperature)),
        share_(static_cast<double>(simd::Threshold(params.p)) * 0x1p-53),
        passes_(passes),
        work_(work) {}

  // Weighs the row. False if it cannot be, or if the end of the nucleus is not proven.
  bool Find();

  // After Find. Puts the nucleus into work.candidates, ids ascending.
  void Materialise();
  // The token that r draws from the nucleus; none if that is not proven. Only for a nucleus that is not held.
  std::optional<TokenId> Draw(std::uint64_t r);
  bool IsHeld() const { return held_; }  // in work.candidates already

 private:
  enum class Found : std::uint8_t { kYes, kTooFew, kUnproven };

  Found FindAmong(std::size_t best_blocks);
  bool KeepPrefix(double total, const MassKind& kind, std::span<const std::uint64_t> keys, std::size_t* count) const;
  bool FindWide();
  void WeighBand(float max);
  // A part of the row's tokens, in work.band, and a guess from them at the last score of the nucleus.
  void TakeSample();
  float SampleBound(double mass) const;
  bool LooksWide() const;
  bool Bracket(simd::Band* band);
  bool CutBand(const simd::Band& band);
  bool CutGroup(double target, double before);
  void AddBand();

  const TopPParams& params_;
  double temperature_;
  double scale_;
  double share_;  // RN(p * 2^53) / 2^53
  BlockPasses& passes_;
  Work& work_;

  bool held_ = false;
  struct Sample {
    float max, least;
    double mass;  // over its maximum
    float guess;
  };
  std::optional<Sample> sample_;
  DrawSet set_;
};

}  // namespace decant::decode

#endif  // DECANT_DECODE_NUCLEUS_H_
