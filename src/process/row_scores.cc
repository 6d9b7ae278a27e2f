// A small hash table from token to change. Penalties come ids ascending, so that the list is mostly in order when it is
// asked for.
#include "process/row_scores.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/float16.h"

namespace decant::process {
namespace {

constexpr std::size_t kFirstSlots = 256;  // a power of two

}  // namespace

float LogitOf(const RowView& row, std::size_t token) {
  switch (row.type) {
    case ElementType::kF16:
      return core::HalfToFloat(static_cast<const std::uint16_t*>(row.data)[token]);
    case ElementType::kBF16:
      return core::Bfloat16ToFloat(static_cast<const std::uint16_t*>(row.data)[token]);
    default:
      return static_cast<const float*>(row.data)[token];
  }
}

void RowScores::Start(const RowView& row) {
  whole_ = nullptr;
  size_ = row.vocabulary;
  row_ = row;
  mask_ = row.mask;
  if (slots_.empty()) {
    slots_.resize(kFirstSlots);
    shift_ = 32 - std::countr_zero(kFirstSlots);
  }
  ClearSlots();
  changes_.clear();
  next_ = 0;
}

// By the changes where they are few, so that one row with many does not slow every later one.
void RowScores::ClearSlots() {
  if (8 * changes_.size() >= slots_.size()) {
    std::ranges::fill(slots_, 0u);
    return;
  }
  // A run of probes may cross free slots once its first are free: look for the places, not for the tokens.
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    std::size_t slot = (changes_[i].token * kMultiplier) >> shift_;
    while (slots_[slot] != 0) {
      slots_[slot] = 0;
      slot = (slot + 1) & (slots_.size() - 1);
    }
  }
}

void RowScores::Reserve(std::size_t changes, std::size_t vocabulary) {
  changes_.reserve(changes);
  const std::size_t slots = std::bit_ceil(2 * changes + 2);
  if (slots > slots_.size()) {
    slots_.assign(slots, 0u);
    shift_ = 32 - std::countr_zero(slots);
    changes_.clear();
  }
  for (auto* words : {&words_, &next_words_}) words->reserve((vocabulary + 31) / 32);
}

float RowScores::operator[](std::size_t token) const {
  if (whole_ != nullptr) return whole_[token];
  const std::uint32_t place = slots_[Find(static_cast<TokenId>(token))];
  if (place != 0) return changes_[place - 1].score;
  return Given(token);
}

void RowScores::Set(TokenId token, float score) {
  if (whole_ != nullptr) {
    whole_[token] = score;
    return;
  }
  const std::size_t slot = Find(token);
  if (slots_[slot] != 0) {
    changes_[slots_[slot] - 1].score = score;
  } else {
    Insert(slot, token, score);
  }
}

float& RowScores::Insert(std::size_t slot, TokenId token, float score) {
  changes_.push_back({.token = token, .score = score});
  slots_[slot] = static_cast<std::uint32_t>(changes_.size());
  if (2 * changes_.size() > slots_.size()) GrowSlots();
  return changes_.back().score;
}

void RowScores::GrowSlots() {
  slots_.assign(2 * slots_.size(), 0u);
  --shift_;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    slots_[Find(changes_[i].token)] = static_cast<std::uint32_t>(i + 1);
  }
}

void RowScores::BanAllBut(std::span<const TokenId> tokens) {
  std::vector<std::uint32_t>& allowed = next_words_;
  allowed.assign((size_ + 31) / 32, 0u);
  for (const TokenId token : tokens) allowed[token / 32] |= 1u << (token % 32);
  const auto listed = [&allowed](std::size_t token) { return ((allowed[token / 32] >> (token % 32)) & 1u) != 0; };
  if (whole_ != nullptr) {
    for (std::size_t token = 0; token < size_; ++token) {
      if (!listed(token)) whole_[token] = kBanned;
    }
    return;
  }
  for (Change& change : changes_) {
    if (!listed(change.token)) change.score = kBanned;
  }
  for (std::size_t i = 0; mask_ != nullptr && i < allowed.size(); ++i) allowed[i] &= mask_[i];
  std::swap(words_, next_words_);
  mask_ = words_.data();
}

std::span<const RowScores::Change> RowScores::Changes() {
  if (!std::ranges::is_sorted(changes_, {}, &Change::token)) std::ranges::sort(changes_, {}, &Change::token);
  return changes_;
}

}  // namespace decant::process
