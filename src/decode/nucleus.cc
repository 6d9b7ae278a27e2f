// Small nuclei first: most are, and a sample of the row tells the others. The bracket of a large one is a guess from
// the sample; what it holds is then measured.
#include "decode/nucleus.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/math.h"
#include "filter/top_p.h"
#include "process/row_scores.h"

namespace decant::decode {
namespace {

using process::kBanned;

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr std::size_t kFirstBlocks = 64, kNextBlocks = 192;
// A first look that finds less than this share of the needed mass says that the nucleus is large.
constexpr double kHopeful = 0.3;
constexpr std::size_t kGroup = 48;     // so few are sorted without more ado
constexpr double kDeviations = 4;      // how wide the bracket is
constexpr std::size_t kBandShare = 4;  // a band of more than V / 4 tokens is no help
// A nucleus is looked for as a large one at once if so many of a sample are in it, and the sample has its part of the
// row's mass: it may lack the few tokens that have most of it.
constexpr std::size_t kWideSample = 16;
constexpr double kTypical = 1.5;

// Several lanes, so that one comparison need not wait for the last.
float LeastOf(std::span<const float> scores) {
  constexpr std::size_t kLanes = 32;
  float lanes[kLanes];
  std::ranges::fill(lanes, scores[0]);
  std::size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = scores[i + lane] < lanes[lane] ? scores[i + lane] : lanes[lane];
    }
  }
  float least = scores[0];
  for (; i < scores.size(); ++i) least = std::min(least, scores[i]);
  for (const float lane : lanes) least = std::min(least, lane);
  return least;
}

}  // namespace

bool Nucleus::Find() {
  // To look all over a row before it is read in order costs a third of reading it: it pays where the nucleus is large,
  // as it most likely is if the last row's was. And what has to be made block by block is not made twice.
  if (work_.last_was_wide && work_.blocks.IsPlain()) TakeSample();
  if (!passes_.FindMasses(scale_, sample_.has_value() ? std::optional(sample_->guess) : std::nullopt)) return false;
  if (LooksWide()) return FindWide();
  const Found first = FindAmong(kFirstBlocks);
  work_.last_was_wide = false;
  if (first != Found::kTooFew) return first == Found::kYes;
  return FindWide();
}

// Where the prefix of the keys ends that has the mass, if that is the same for every total within the error.
bool Nucleus::KeepPrefix(double total, const MassKind& kind, std::span<const std::uint64_t> keys,
                         std::size_t* count) const {
  const double needed = share_ * total;
  double sum = 0;
  *count = 0;
  for (const std::uint64_t key : keys) {
    const double before = sum;
    const std::uint64_t weight = simd::Weight(simd::Gap(ScoreOfKey(key), passes_.max(), scale_));
    sum += static_cast<double>(weight) * 0x1p-44;
    ++*count;
    if (sum > needed) return AreApart(kind, sum, needed) && (*count == 1 || AreApart(kind, before, needed));
  }
  *count = 0;
  return true;
}

Nucleus::Found Nucleus::FindAmong(std::size_t best_blocks) {
  Candidates& candidates = work_.candidates;
  const float bound = passes_.BoundOfBlocks(std::min(best_blocks, work_.blocks.count()));
  candidates.Clear(1.0);
  passes_.Collect(bound, candidates);
  if (bound == kBanned) {  // the whole row: the filter itself
    candidates.set_temperature(temperature_);
    filter::ApplyTopP(params_, candidates);
    held_ = true;
    return Found::kYes;
  }
  const MassKind coarse = passes_.Coarse();
  const double total = Sum(work_.masses) / coarse.unit;
  // In units of the best token's weight, the slack is at most twice what it was.
  const MassKind kind{.fine = false, .error = coarse.error, .slack = 2 * coarse.slack, .unit = 1};
  const std::uint64_t weight = simd::WeighScores(candidates.scores(), passes_.max(), scale_, nullptr);
  const double mass = static_cast<double>(weight) * 0x1p-44;
  if (mass <= share_ * total || !AreApart(kind, mass, share_ * total)) {
    const bool again = best_blocks == kFirstBlocks && mass > kHopeful * share_ * total;
    return again ? FindAmong(kNextBlocks) : Found::kTooFew;
  }
  const std::span<const std::uint64_t> keys = candidates.BestKeys(candidates.size());
  std::size_t count = 0;
  if (!KeepPrefix(total, kind, keys, &count) || count == 0) {
    const MassKind fine = passes_.FindFine();
    if (!KeepPrefix(Sum(work_.above), fine, keys, &count) || count == 0) return Found::kUnproven;
  }
  const std::uint64_t last = keys[count - 1];
  candidates.KeepIf([last](TokenId id, float score) { return CanonicalKey(id, score) <= last; });
  held_ = true;
  return Found::kYes;
}

// The terms of the band's tokens, which may be a sample, over this maximum.
void Nucleus::WeighBand(float max) {
  const std::size_t n = work_.band.size();
  work_.band_terms.resize(n);
  work_.rough_terms.resize(n);
  simd::FineTerms(work_.band.scores(), max, scale_, work_.band_terms.data());
  for (std::size_t i = 0; i < n; ++i) work_.rough_terms[i] = static_cast<float>(work_.band_terms[i]);
}

void Nucleus::TakeSample() {
  passes_.Sample();
  const std::span<const float> scores = work_.band.scores();
  Sample& sample = sample_.emplace();
  sample.max = simd::MaxScore(scores);
  sample.least = LeastOf(scores);
  WeighBand(sample.max);
  sample.mass = Sum(work_.band_terms);
  sample.guess = SampleBound(share_ * sample.mass);
}

// A score at or above which the sample has about this mass.
float Nucleus::SampleBound(double mass) const {
  constexpr int kSteps = 12;
  const std::span<const float> scores = work_.band.scores();
  const double max = sample_->max;
  double high = max, low = std::max(max - 64 / scale_, static_cast<double>(std::max(sample_->least, -kLargest)));
  for (int step = 0; step < kSteps; ++step) {
    const double middle = low / 2 + high / 2;
    const float sum = simd::SumAtLeast(scores, work_.rough_terms.data(), static_cast<float>(middle));
    (static_cast<double>(sum) >= mass ? low : high) = middle;
  }
  return static_cast<float>(low);
}

bool Nucleus::LooksWide() const {
  if (!sample_.has_value() || simd::CountAtLeast(work_.band.scores(), sample_->guess) < kWideSample) return false;
  const double mass = sample_->mass * core::Exp2(simd::Gap(sample_->max, passes_.max(), scale_));
  const double part = static_cast<double>(work_.band.size()) / static_cast<double>(work_.blocks.tokens());
  return Sum(work_.masses) / passes_.Coarse().unit * part <= kTypical * mass;
}

bool Nucleus::FindWide() {
  work_.last_was_wide = true;
  simd::Band band;
  return Bracket(&band) && passes_.FindFineBand(band, work_.blocks.tokens() / kBandShare + simd::kMaxBlock) &&
         CutBand(band);
}

// Scores between which the nucleus very likely ends. The sample alone knows that only roughly: the mass above its guess
// is measured, and the sample then says how far to go from there.
bool Nucleus::Bracket(simd::Band* band) {
  double above;
  if (sample_.has_value()) {
    above = passes_.mass_above();
  } else {
    TakeSample();
    above = passes_.MassAbove(sample_->guess);
  }
  const float guess = sample_->guess;
  const double missing = (share_ - above / Sum(work_.masses)) * sample_->mass;  // in masses of the sample
  const double at_guess = simd::SumAtLeast(work_.band.scores(), work_.band_terms.data(), guess);
  const float corrected = SampleBound(at_guess + missing);
  const auto between = static_cast<double>(simd::CountAtLeast(work_.band.scores(), std::min(guess, corrected)) -
                                           simd::CountAtLeast(work_.band.scores(), std::max(guess, corrected)));
  // What lies between is known as well as its number of tokens allows, and never better than by a few tokens' mass.
  const double token = core::Exp2(simd::Gap(corrected, sample_->max, scale_));
  const double off = kDeviations * (std::abs(missing) / std::sqrt(between + 1) + token);
  band->low = SampleBound(at_guess + missing + off);
  band->high = SampleBound(at_guess + missing - off);
  if (at_guess + missing + off >= sample_->mass) band->low = -kLargest;
  if (at_guess + missing - off <= 0) band->high = std::numeric_limits<float>::infinity();
  return band->low < band->high;
}

// Narrows the band by halving scores until few tokens are left, sorts those, and finds the end among them.
bool Nucleus::CutBand(const simd::Band& band) {
  constexpr int kSteps = 64;
  const std::span<const float> scores = work_.band.scores();
  if (scores.empty()) return false;
  WeighBand(passes_.max());
  const double needed = share_ * Sum(work_.masses), above = Sum(work_.above);
  float low = std::max(band.low, LeastOf(scores));
  float high = std::min(band.high, std::nextafter(simd::MaxScore(scores), std::numeric_limits<float>::infinity()));
  std::size_t inside = scores.size();
  const auto missing = static_cast<float>(needed - above);
  for (int step = 0; step < kSteps && inside > kGroup; ++step) {
    const float middle = low / 2 + high / 2;
    if (!(middle > low && middle < high)) break;
    (simd::SumAtLeast(scores, work_.rough_terms.data(), middle) < missing ? high : low) = middle;
    inside = simd::CountAtLeast(scores, low) - simd::CountAtLeast(scores, high);
  }
  work_.keys.clear();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= low && scores[i] < high) work_.keys.push_back(CanonicalKey(work_.band.ids()[i], scores[i]));
  }
  std::ranges::sort(work_.keys);
  if (!CutGroup(needed, above + simd::SumAtLeast(scores, work_.band_terms.data(), high))) return false;
  AddBand();
  return true;
}

// Which key of the sorted group is the nucleus's last, given the mass before the group.
bool Nucleus::CutGroup(double target, double before) {
  const MassKind fine = passes_.Fine();
  double sum = before;
  for (const std::uint64_t key : work_.keys) {
    const double gap = simd::Gap(ScoreOfKey(key), passes_.max(), scale_);
    const double next = sum + static_cast<double>(simd::Weight(gap)) * 0x1p-44;
    if (next > target) {
      if (sum > target || !AreApart(fine, sum, target) || !AreApart(fine, next, target)) return false;
      set_.last_key = key;
      return true;
    }
    sum = next;
  }
  return false;
}

// Adds the band's tokens that are in the nucleus to the masses above the band: those of the nucleus, then.
void Nucleus::AddBand() {
  const std::span<const TokenId> ids = work_.band.ids();
  const std::span<const float> scores = work_.band.scores();
  const float last = ScoreOfKey(set_.last_key);
  const TokenId last_id = IdOfKey(set_.last_key);
  const int shift = std::countr_zero(work_.blocks.block());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (scores[i] > last || (scores[i] == last && ids[i] <= last_id))
      work_.above[ids[i] >> shift] += work_.band_terms[i];
  }
}

void Nucleus::Materialise() {
  if (held_) return;
  Candidates& candidates = work_.candidates;
  candidates.Clear(1.0);
  passes_.Collect(ScoreOfKey(set_.last_key), candidates);
  candidates.KeepIf([this](TokenId id, float score) { return set_.Has(id, score); });
}

std::optional<TokenId> Nucleus::Draw(std::uint64_t r) { return passes_.Locate(work_.above, passes_.Fine(), r, set_); }

}  // namespace decant::decode
