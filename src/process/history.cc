// Counters slide with their windows; n-gram indices chain the ends of equal n-grams.
#include "decant/history.h"

#include <algorithm>
#include <bit>

#include "core/check.h"

namespace decant {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two

// One multiplication a token; the upper bits are the good ones.
std::uint64_t Hash(std::span<const TokenId> tokens) {
  std::uint64_t hash = 0;
  for (const TokenId token : tokens) hash = (std::rotl(hash, 29) ^ token) * 0x9E3779B97F4A7C15u;
  return hash;
}

auto PlaceOf(std::vector<TokenCount>& counts, TokenId token) {
  return std::ranges::lower_bound(counts, token, {}, &TokenCount::token);
}

}  // namespace

History::History(std::span<const TokenId> prompt, std::span<const TokenId> output) : prompt_size_(prompt.size()) {
  tokens_.reserve(prompt.size() + output.size());
  tokens_.insert(tokens_.end(), prompt.begin(), prompt.end());
  tokens_.insert(tokens_.end(), output.begin(), output.end());
}

std::size_t History::WindowBegin(const CountWindow& window) const {
  const std::size_t floor = window.scope == PenaltyScope::kOutput ? prompt_size_ : 0;
  if (window.size < 0 || static_cast<std::uint64_t>(window.size) >= tokens_.size()) return floor;
  return std::max(floor, tokens_.size() - static_cast<std::size_t>(window.size));
}

void History::Add(Counter& counter, TokenId token) {
  const auto place = PlaceOf(counter.counts, token);
  if (place != counter.counts.end() && place->token == token) {
    ++place->count;
  } else {
    counter.counts.insert(place, {token, 1});
  }
}

void History::Remove(Counter& counter, TokenId token) {
  const auto place = PlaceOf(counter.counts, token);
  if (--place->count == 0) counter.counts.erase(place);
}

std::size_t History::SlotOf(const NgramIndex& index, std::size_t end) const {
  const std::span<const TokenId> all(tokens_);
  const auto ngram = all.subspan(end - index.n, index.n);
  const std::size_t last = index.newest.size() - 1;
  std::size_t slot = static_cast<std::size_t>(Hash(ngram) >> (64 - std::countr_zero(index.newest.size())));
  while (index.newest[slot] != 0 && !std::ranges::equal(all.subspan(index.newest[slot] - index.n, index.n), ngram)) {
    slot = (slot + 1) & last;
  }
  return slot;
}

void History::Extend(NgramIndex& index, std::size_t end) const {
  if (2 * index.taken >= index.newest.size()) GrowSlots(index);
  std::size_t& newest = index.newest[SlotOf(index, end)];
  if (newest == 0) ++index.taken;
  index.previous.push_back(newest);
  newest = end;
}

void History::Shrink(NgramIndex& index) const {
  std::size_t& newest = index.newest[SlotOf(index, tokens_.size())];
  newest = index.previous.back();
  if (newest == 0) --index.taken;
  index.previous.pop_back();
}

// Anew from the first n-gram on, so that slots are taken in the order in which rollbacks expect it.
void History::GrowSlots(NgramIndex& index) const {
  index.newest.assign(std::max(kFirstSlots, 2 * index.newest.size()), 0);
  for (std::size_t i = 0; i < index.previous.size(); ++i) index.newest[SlotOf(index, i + index.n)] = i + index.n;
}

void History::Append(TokenId token) {
  tokens_.push_back(token);
  for (Counter& counter : counters_) {
    // A window of size 0 counts nothing: its begin moves past the token at once.
    Add(counter, token);
    const std::size_t begin = WindowBegin(counter.window);
    for (; counter.begin < begin; ++counter.begin) Remove(counter, tokens_[counter.begin]);
  }
  for (NgramIndex& index : indices_) {
    if (tokens_.size() >= index.n) Extend(index, tokens_.size());
  }
}

void History::RollBack(std::size_t n) {
  DECANT_DCHECK(n <= output_size());
  for (; n > 0; --n) {
    for (NgramIndex& index : indices_) {
      if (tokens_.size() >= index.n) Shrink(index);
    }
    const TokenId token = tokens_.back();
    tokens_.pop_back();
    for (Counter& counter : counters_) {
      const std::size_t begin = WindowBegin(counter.window);
      if (counter.begin > tokens_.size()) {  // a window of size 0 never counted the token
        counter.begin = begin;
        continue;
      }
      for (; counter.begin > begin; --counter.begin) Add(counter, tokens_[counter.begin - 1]);
      Remove(counter, token);
    }
  }
}

std::span<const TokenCount> History::Counts(CountWindow window) {
  const auto known = std::ranges::find(counters_, window, &Counter::window);
  if (known != counters_.end()) return known->counts;
  Counter counter{.window = window, .counts = {}, .begin = WindowBegin(window)};
  std::vector<TokenId> sorted(tokens_.begin() + static_cast<std::ptrdiff_t>(counter.begin), tokens_.end());
  std::ranges::sort(sorted);
  for (const TokenId token : sorted) {
    if (counter.counts.empty() || counter.counts.back().token != token) counter.counts.push_back({token, 0});
    ++counter.counts.back().count;
  }
  return counters_.emplace_back(std::move(counter)).counts;
}

std::span<const std::size_t> History::PlacesAfterSuffix(std::size_t n, std::size_t first) {
  DECANT_DCHECK(n >= 1);
  places_.clear();
  if (tokens_.size() <= n) return places_;
  auto index = std::ranges::find(indices_, n, &NgramIndex::n);
  if (index == indices_.end()) {
    index = indices_.insert(indices_.end(), NgramIndex{.n = n, .newest = {}, .previous = {}});
    for (std::size_t end = n; end <= tokens_.size(); ++end) Extend(*index, end);
  }
  for (std::size_t end = index->previous.back(); end != 0 && end >= first; end = index->previous[end - n]) {
    places_.push_back(end);
  }
  return places_;
}

}  // namespace decant
