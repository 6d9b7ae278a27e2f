// The canonical order as plain integers: one key a candidate, so that selecting and sorting compare no floats.
#include "decant/candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.h"

namespace decant {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000u;

auto At(std::vector<std::uint64_t>& keys, std::size_t n) { return keys.begin() + static_cast<std::ptrdiff_t>(n); }

}  // namespace

float ScoreOfKey(std::uint64_t key) {
  const std::uint32_t ascending = ~static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>((ascending & kSign) != 0 ? ascending ^ kSign : ~ascending);
}

Candidates::Candidates(std::span<const float> scores, double temperature) : temperature_(temperature) {
  const Room room = MakeRoom(scores.size());
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (std::isinf(scores[id])) continue;
    room.ids[size_] = static_cast<TokenId>(id);
    room.scores[size_++] = scores[id];
  }
}

void Candidates::Clear(double temperature) {
  size_ = 0;
  order_ = CandidateOrder::kIdAscending;
  temperature_ = temperature;
}

void Candidates::Reserve(std::size_t n) {
  if (n > ids_.size()) {
    ids_.resize(n);
    scores_.resize(n);
  }
  if (n > keys_.size()) keys_.resize(n);
}

Candidates::Room Candidates::MakeRoom(std::size_t n) {
  const std::size_t needed = size_ + n;
  if (needed > ids_.size()) {
    const std::size_t room = std::max(needed, 2 * ids_.size());
    ids_.resize(room);
    scores_.resize(room);
  }
  return {ids_.data() + size_, scores_.data() + size_};
}

void Candidates::Add(TokenId id, float score) {
  const Room room = MakeRoom(1);
  *room.ids = id;
  *room.scores = score;
  Grow(1);
}

void Candidates::Rescore(std::span<const float> scores) {
  SortById();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const TokenId id = ids_[i];
    if (std::isinf(scores[id])) continue;
    ids_[kept] = id;
    scores_[kept++] = scores[id];
  }
  size_ = kept;
}

void Candidates::FillKeys() {
  if (keys_.size() < size_) keys_.resize(ids_.size());
  for (std::size_t i = 0; i < size_; ++i) keys_[i] = CanonicalKey(ids_[i], scores_[i]);
}

std::span<const std::uint64_t> Candidates::BestKeys(std::size_t n) {
  DECANT_DCHECK(n <= size_);
  FillKeys();
  if (n < size_) std::nth_element(keys_.begin(), At(keys_, n), At(keys_, size_));
  std::sort(keys_.begin(), At(keys_, n));
  return {keys_.data(), n};
}

void Candidates::KeepBest(std::size_t n) {
  DECANT_DCHECK(n >= 1 && n <= size_);
  if (n == size_) return;
  if (order_ == CandidateOrder::kCanonical) return KeepFirst(n);
  FillKeys();
  std::nth_element(keys_.begin(), At(keys_, n - 1), At(keys_, size_));
  const std::uint64_t last = keys_[n - 1];
  KeepIf([last](TokenId id, float score) { return CanonicalKey(id, score) <= last; });
}

void Candidates::SortCanonical() {
  if (order_ == CandidateOrder::kCanonical) return;
  BestKeys(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    ids_[i] = IdOfKey(keys_[i]);
    scores_[i] = ScoreOfKey(keys_[i]);
  }
  order_ = CandidateOrder::kCanonical;
}

void Candidates::SortById() {
  if (order_ == CandidateOrder::kIdAscending) return;
  if (keys_.size() < size_) keys_.resize(ids_.size());
  for (std::size_t i = 0; i < size_; ++i) {
    keys_[i] = std::uint64_t{ids_[i]} << 32 | std::bit_cast<std::uint32_t>(scores_[i]);
  }
  std::sort(keys_.begin(), At(keys_, size_));
  for (std::size_t i = 0; i < size_; ++i) {
    ids_[i] = static_cast<TokenId>(keys_[i] >> 32);
    scores_[i] = std::bit_cast<float>(static_cast<std::uint32_t>(keys_[i]));
  }
  order_ = CandidateOrder::kIdAscending;
}

std::size_t Candidates::FirstPlace() const {
  DECANT_DCHECK(size_ > 0);
  if (order_ == CandidateOrder::kCanonical) return 0;
  std::size_t first = 0;
  for (std::size_t i = 1; i < size_; ++i) {
    if (scores_[i] > scores_[first] || (scores_[i] == scores_[first] && ids_[i] < ids_[first])) first = i;
  }
  return first;
}

}  // namespace decant
