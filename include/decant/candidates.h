// Candidates: the subset of the vocabulary that is still in the running, with its scores.
//
// Weights (docs/determinism.md, "Weights") are formed on demand over the candidates there are now; sorting goes only
// as deep as a filter asks. Bans (-inf) are never candidates.
#ifndef DECANT_CANDIDATES_H_
#define DECANT_CANDIDATES_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decant/token.h"

namespace decant {

// How the ids are arranged.
enum class CandidateOrder : std::uint8_t {
  kIdAscending,
  kCanonical,  // score descending, then id ascending: total, so every target agrees
  kOther,      // an engine preset's own; its drawer walks that
};

// A view of one row's scores plus the ids that survived so far. Not thread-safe; lives for one step.
class Candidates {
 public:
  // scores: one f32 a token, -inf = banned; must outlive this. temperature: > 0.
  Candidates(std::span<const float> scores, std::vector<TokenId> ids, CandidateOrder order, double temperature)
      : scores_(scores), ids_(std::move(ids)), order_(order), temperature_(temperature) {}

  std::size_t size() const { return ids_.size(); }
  CandidateOrder order() const { return order_; }
  double temperature() const { return temperature_; }
  std::span<const TokenId> ids() const { return ids_; }
  float score(TokenId id) const { return scores_[id]; }
  std::span<const float> scores() const { return scores_; }

  // Replaces the survivors. REQUIRES: a subset of ids(), arranged as `order` says.
  void Keep(std::vector<TokenId> ids, CandidateOrder order) {
    ids_ = std::move(ids);
    order_ = order;
  }
  // Drops all but the first n, which are now arranged as `order` says. REQUIRES: 1 <= n <= size().
  void KeepFirst(std::size_t n, CandidateOrder order) {
    ids_.resize(n);
    order_ = order;
  }

  void SortCanonical();  // all ids
  void SortById();
  // The first n of ids() become the first n of the canonical order, sorted; the rest follow in any order (order() is
  // kOther then). Returns without work when the order is canonical already. REQUIRES: n <= size().
  void SelectCanonical(std::size_t n);
  TokenId First() const;  // of the canonical order; linear unless canonical. REQUIRES: size() > 0.

 private:
  std::span<const float> scores_;
  std::vector<TokenId> ids_;
  CandidateOrder order_;
  double temperature_;
};

}  // namespace decant

#endif  // DECANT_CANDIDATES_H_
