// Small nuclei first: most are. The bracket of a large one is a guess from a sample; what it holds is then measured.
#include "decode/nucleus.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math.h"
#include "filter/top_p.h"

namespace decant::decode {
namespace {

constexpr float kNoScore = -std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr std::size_t kFirstBlocks = 64, kNextBlocks = 192;
// A first look that finds less than this share of the needed mass says that the nucleus is large.
constexpr double kHopeful = 0.3;
constexpr std::size_t kSampleRun = 16;  // consecutive tokens that each block gives to the sample
constexpr std::size_t kGroup = 48;      // so few are sorted without more ado
constexpr double kDeviations = 4;       // how wide the bracket is
constexpr std::size_t kBandShare = 4;   // a band of more than V / 4 tokens is no help

float LeastOf(std::span<const float> scores) {
  float least = scores[0];
  for (const float score : scores) least = score < least ? score : least;
  return least;
}

}  // namespace

bool Nucleus::Find() {
  const Found first = FindAmong(kFirstBlocks);
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
    const std::uint64_t weight = simd::Weight(simd::Gap(ScoreOfKey(key), passes_.max(), passes_.scale()));
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
  if (bound == kNoScore) {  // the whole row: the filter itself
    candidates.set_temperature(temperature_);
    filter::ApplyTopP(params_, candidates);
    held_ = true;
    return Found::kYes;
  }
  const MassKind coarse = passes_.Coarse();
  double total = 0;
  for (const double mass : work_.masses) total += mass;
  total /= coarse.unit;
  // In units of the best token's weight, the slack is at most twice what it was.
  const MassKind kind{.fine = false, .error = coarse.error, .slack = 2 * coarse.slack, .unit = 1};
  const std::uint64_t weight = simd::WeighScores(candidates.scores(), passes_.max(), passes_.scale(), nullptr);
  const double mass = static_cast<double>(weight) * 0x1p-44;
  if (mass <= share_ * total || !AreApart(kind, mass, share_ * total)) {
    const bool again = best_blocks == kFirstBlocks && mass > kHopeful * share_ * total;
    return again ? FindAmong(kNextBlocks) : Found::kTooFew;
  }
  const std::span<const std::uint64_t> keys = candidates.BestKeys(candidates.size());
  std::size_t count = 0;
  if (!KeepPrefix(total, kind, keys, &count) || count == 0) {
    fine_ = passes_.FindFine(kNoScore, nullptr);
    double fine_total = 0;
    for (const double above : work_.above) fine_total += above;
    if (!KeepPrefix(fine_total, fine_, keys, &count) || count == 0) return Found::kUnproven;
  }
  const std::uint64_t last = keys[count - 1];
  candidates.KeepIf([last](TokenId id, float score) { return CanonicalKey(id, score) <= last; });
  held_ = true;
  return Found::kYes;
}

// A run of tokens of every block, with their fine terms, into the band.
void Nucleus::Sample() {
  const RowBlocks& blocks = work_.blocks;
  Candidates& sample = work_.band;
  sample.Clear(1.0);
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    const std::span<const float> values = blocks.At(b, work_.block);
    const std::size_t run = std::min(kSampleRun, values.size());
    const std::size_t begin = (b * 7 * kSampleRun) % (values.size() - run + 1);
    const Candidates::Room room = sample.MakeRoom(run);
    std::ranges::copy(values.subspan(begin, run), room.scores);
    sample.Grow(run);
  }
  work_.band_terms.resize(std::max(work_.band_terms.size(), sample.size()));
  simd::FineTerms(sample.scores(), passes_.max(), passes_.scale(), work_.band_terms.data());
}

// A score at or above which the sample has about this mass.
float Nucleus::SampleBound(double mass) const {
  constexpr int kSteps = 14;
  const std::span<const float> scores = work_.band.scores();
  double high = passes_.max();
  double low = high - 64 / passes_.scale();
  for (int step = 0; step < kSteps; ++step) {
    const double middle = low / 2 + high / 2;
    const bool enough = simd::SumAtLeast(scores, work_.band_terms.data(), static_cast<float>(middle)) >= mass;
    (enough ? low : high) = middle;
  }
  return static_cast<float>(std::max(low, -static_cast<double>(kLargest)));
}

bool Nucleus::FindWide() {
  const MassKind coarse = passes_.Coarse();
  total_ = 0;
  for (const double mass : work_.masses) total_ += mass;
  Sample();
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < work_.band.size(); ++i) {
    sum += work_.band_terms[i];
    squares += work_.band_terms[i] * work_.band_terms[i];
  }
  const double effective = sum * sum / squares;  // as many equal terms would be as informative
  double deviation = kDeviations * std::sqrt(share_ * (1 - share_) / effective) + 1 / effective;
  for (int attempt = 0; attempt < 2; ++attempt, deviation *= 4) {
    const double from = share_ - deviation, to = share_ + deviation;
    const float high = from <= 0 ? std::numeric_limits<float>::infinity() : SampleBound(from * sum);
    const float low = to >= 1 ? -kLargest : SampleBound(to * sum);
    if (!(low < high) || !ScanBand(low, high)) return false;
    const double needed = share_ * total_;
    double band = 0;
    for (std::size_t i = 0; i < work_.band.size(); ++i) band += work_.band_terms[i];
    const double reach = above_total_ + band * coarse.unit;
    if (above_total_ < needed && AreApart(coarse, above_total_, needed) &&
        (low == -kLargest || (reach > needed && AreApart(coarse, reach, needed)))) {
      return NarrowAndCut();
    }
    Sample();
  }
  return false;
}

// What lies above the bracket by block, in the unit of the coarse masses; what lies in it, with fine terms.
bool Nucleus::ScanBand(float low, float high) {
  const RowBlocks& blocks = work_.blocks;
  low_ = low;
  high_ = high;
  const std::size_t most = blocks.tokens() / kBandShare + simd::kMaxBlock;
  work_.band.Clear(1.0);
  work_.above.resize(blocks.count());
  std::size_t found = 0;
  const auto scan = [&](std::span<const float> values, std::size_t b) {
    const Candidates::Room room = work_.band.MakeRoom(most - found + blocks.block() + simd::kCollectSlack);
    const std::size_t more =
        simd::ScanBand(values, blocks.block(), passes_.mass_scale(), &work_.references[b], low, high,
                       static_cast<TokenId>(blocks.FirstOf(b)), most - found, room, &work_.above[b]);
    work_.band.Grow(more);
    found += more;
    return found <= most;
  };
  if (blocks.IsPlain()) {
    if (!scan(blocks.Plain(), 0)) return false;
  } else {
    for (std::size_t b = 0; b < blocks.count(); ++b) {
      if (!scan(blocks.At(b, work_.block), b)) return false;
    }
  }
  above_total_ = 0;
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    const float down = work_.references[b] - passes_.top();
    work_.above[b] *= down < -1000 ? 0.0 : core::PowerOfTwo(static_cast<int>(down));
    above_total_ += work_.above[b];
  }
  work_.band_terms.resize(std::max(work_.band_terms.size(), work_.band.size()));
  simd::FineTerms(work_.band.scores(), passes_.max(), passes_.scale(), work_.band_terms.data());
  return true;
}

// Narrows the bracket by halving scores until few tokens are left in it, sorts those, and finds the end among them.
bool Nucleus::NarrowAndCut() {
  constexpr int kSteps = 64;
  const MassKind coarse = passes_.Coarse();
  const std::span<const float> scores = work_.band.scores();
  const double needed = share_ * total_;
  if (scores.empty()) return false;
  float low = std::max(low_, LeastOf(scores));
  float high = std::min(high_, std::nextafter(simd::MaxScore(scores), std::numeric_limits<float>::infinity()));
  std::size_t inside = scores.size();
  double before = above_total_;
  for (int step = 0; step < kSteps && inside > kGroup; ++step) {
    const float middle = low / 2 + high / 2;
    if (!(middle > low && middle < high)) break;
    const double mass = above_total_ + coarse.unit * simd::SumAtLeast(scores, work_.band_terms.data(), middle);
    if (mass < needed) {
      high = middle;
      before = mass;
    } else {
      low = middle;
    }
    inside = simd::CountAtLeast(scores, low) - simd::CountAtLeast(scores, high);
  }
  work_.keys.clear();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= low && scores[i] < high) work_.keys.push_back(CanonicalKey(work_.band.ids()[i], scores[i]));
  }
  std::ranges::sort(work_.keys);
  group_high_ = high;
  if (CutGroup(needed, before, coarse)) return true;
  has_fine_ = true;
  // work.masses is free: what is drawn from is work.above.
  fine_ = passes_.FindFine(high, work_.masses.data());
  double all = 0, above = 0;
  for (std::size_t b = 0; b < work_.blocks.count(); ++b) {
    all += work_.masses[b];
    above += work_.above[b];
  }
  return CutGroup(share_ * all, above, fine_);
}

// Which key of the sorted group is the nucleus's last, given the mass before the group.
bool Nucleus::CutGroup(double target, double before, const MassKind& kind) {
  double sum = before;
  for (const std::uint64_t key : work_.keys) {
    const double gap = simd::Gap(ScoreOfKey(key), passes_.max(), passes_.scale());
    const double next = sum + kind.unit * static_cast<double>(simd::Weight(gap)) * 0x1p-44;
    if (next > target) {
      if (sum > target || !AreApart(kind, sum, target) || !AreApart(kind, next, target)) return false;
      set_.last_key = key;
      return true;
    }
    sum = next;
  }
  return false;
}

// Adds the band's tokens that are in the nucleus and below a score to the masses of their blocks.
void Nucleus::AddBandTo(std::span<double> masses, float below, double unit) const {
  const std::span<const TokenId> ids = work_.band.ids();
  const std::span<const float> scores = work_.band.scores();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (scores[i] < below && set_.Has(ids[i], scores[i])) {
      masses[ids[i] / work_.blocks.block()] += unit * work_.band_terms[i];
    }
  }
}

void Nucleus::Materialise() {
  if (held_) return;
  Candidates& candidates = work_.candidates;
  candidates.Clear(1.0);
  passes_.Collect(ScoreOfKey(set_.last_key), candidates);
  candidates.KeepIf([this](TokenId id, float score) { return set_.Has(id, score); });
}

std::optional<TokenId> Nucleus::Draw(std::uint64_t r) {
  if (!has_fine_) {
    const MassKind coarse = passes_.Coarse();
    AddBandTo(work_.above, high_, coarse.unit);
    if (const auto token = passes_.Locate(work_.above, coarse, r, set_); token.has_value()) return token;
    fine_ = passes_.FindFine(group_high_, nullptr);
  }
  AddBandTo(work_.above, group_high_, 1);
  return passes_.Locate(work_.above, fine_, r, set_);
}

}  // namespace decant::decode
