// Selecting and sorting by the canonical order: sorting goes no deeper than a filter asks.
#include "decant/candidates.h"

#include <algorithm>
#include <cstddef>

#include "core/check.h"

namespace decant {
namespace {

struct Canonical {
  std::span<const float> scores;
  bool operator()(TokenId a, TokenId b) const { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); }
};

auto At(std::vector<TokenId>& ids, std::size_t n) { return ids.begin() + static_cast<std::ptrdiff_t>(n); }

}  // namespace

void Candidates::SortCanonical() { SelectCanonical(size()); }

void Candidates::SortById() {
  if (order_ == CandidateOrder::kIdAscending) return;
  std::sort(ids_.begin(), ids_.end());
  order_ = CandidateOrder::kIdAscending;
}

void Candidates::SelectCanonical(std::size_t n) {
  DECANT_DCHECK(n <= size());
  if (order_ == CandidateOrder::kCanonical) return;
  const Canonical canonical{scores_};
  if (n < size()) std::nth_element(ids_.begin(), At(ids_, n), ids_.end(), canonical);
  std::sort(ids_.begin(), At(ids_, n), canonical);
  order_ = n == size() ? CandidateOrder::kCanonical : CandidateOrder::kOther;
}

TokenId Candidates::First() const {
  DECANT_DCHECK(size() > 0);
  if (order_ == CandidateOrder::kCanonical) return ids_[0];
  return *std::min_element(ids_.begin(), ids_.end(), Canonical{scores_});
}

}  // namespace decant
