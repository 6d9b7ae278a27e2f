// Counters slide with their windows; n-gram indices chain the ends of equal n-grams by hash and verify on lookup.
#include "decant/history.h"

#include <algorithm>

#include "core/check.h"

namespace decant {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

// FNV-1a over whole tokens. Lookups compare the tokens themselves: a collision costs time, never truth.
std::uint64_t Hash(std::span<const TokenId> tokens) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const TokenId token : tokens) hash = (hash ^ token) * 0x100000001b3u;
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

void History::Extend(NgramIndex& index) const {
  if (tokens_.size() < index.n) return;
  const auto [place, is_new] = index.head.try_emplace(Hash(std::span(tokens_).last(index.n)), kNone);
  index.previous.push_back(place->second);
  place->second = tokens_.size();
}

void History::Append(TokenId token) {
  tokens_.push_back(token);
  for (Counter& counter : counters_) {
    // A window of size 0 counts nothing: its begin moves past the token at once.
    Add(counter, token);
    const std::size_t begin = WindowBegin(counter.window);
    for (; counter.begin < begin; ++counter.begin) Remove(counter, tokens_[counter.begin]);
  }
  for (NgramIndex& index : indices_) Extend(index);
}

void History::RollBack(std::size_t n) {
  DECANT_DCHECK(n <= output_size());
  for (; n > 0; --n) {
    for (NgramIndex& index : indices_) {
      if (tokens_.size() < index.n) continue;
      const std::uint64_t hash = Hash(std::span(tokens_).last(index.n));
      if (index.previous.back() == kNone) {
        index.head.erase(hash);
      } else {
        index.head[hash] = index.previous.back();
      }
      index.previous.pop_back();
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

std::vector<std::size_t> History::PlacesAfterSuffix(std::size_t n, std::size_t first) {
  DECANT_DCHECK(n >= 1);
  std::vector<std::size_t> places;
  if (tokens_.size() <= n) return places;
  auto index = std::ranges::find(indices_, n, &NgramIndex::n);
  if (index == indices_.end()) {
    index = indices_.insert(indices_.end(), NgramIndex{.n = n, .head = {}, .previous = {}});
    for (std::size_t end = n; end <= tokens_.size(); ++end) {
      const auto [place, is_new] = index->head.try_emplace(Hash(std::span(tokens_).subspan(end - n, n)), kNone);
      index->previous.push_back(place->second);
      place->second = end;
    }
  }
  const std::span<const TokenId> all(tokens_);
  const auto suffix = all.last(n);
  for (std::size_t end = index->previous.back(); end != kNone && end >= first; end = index->previous[end - n]) {
    if (std::ranges::equal(all.subspan(end - n, n), suffix)) places.push_back(end);
  }
  return places;
}

}  // namespace decant
