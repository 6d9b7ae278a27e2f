// Candidates: the subset of the vocabulary that is still in the running, with its scores.
//
// Weights (docs/determinism.md, "Weights") are formed on demand over the candidates there are now; nothing is sorted
// that a stage can select. Bans (-inf) are never candidates.
#ifndef DECANT_CANDIDATES_H_
#define DECANT_CANDIDATES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decant/token.h"

namespace decant {

// How the ids are arranged.
enum class CandidateOrder : std::uint8_t {
  kIdAscending,
  kCanonical,  // score descending, then id ascending: total, so every target agrees
  kOther,      // an engine preset's own; its drawer walks that
};

// Ids and their scores, side by side; both are the object's own and their memory is kept from row to row. Not
// thread-safe. Copies are whole.
class Candidates {
 public:
  Candidates() = default;
  // Every token of a row that is not banned, ids ascending. scores: one f32 a token, -inf = banned.
  Candidates(std::span<const float> scores, double temperature);

  std::size_t size() const { return size_; }
  CandidateOrder order() const { return order_; }
  double temperature() const { return temperature_; }
  void set_temperature(double temperature) { temperature_ = temperature; }
  std::span<const TokenId> ids() const { return {ids_.data(), size_}; }
  std::span<const float> scores() const { return {scores_.data(), size_}; }  // aligned with ids()

  // Starts anew, empty and in ascending order of id.
  void Clear(double temperature);
  // Memory for n candidates and whatever is done with them.
  void Reserve(std::size_t n);
  // Room behind the last candidate for at least n more, to be written and then added. The room of earlier calls is
  // invalid after the next.
  struct Room {
    TokenId* ids;
    float* scores;
  };
  Room MakeRoom(std::size_t n);
  void Grow(std::size_t n) { size_ += n; }  // REQUIRES: n <= the room made; ids and scores as order() says
  void Add(TokenId id, float score);        // REQUIRES: as order() says

  // Keeps those for which keep(id, score) holds, arranged as they were.
  template <class Keep>
  void KeepIf(Keep keep) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const TokenId id = ids_[i];
      const float score = scores_[i];
      if (!keep(id, score)) continue;
      ids_[kept] = id;
      scores_[kept++] = score;
    }
    size_ = kept;
  }
  // Gives every candidate its score of a row by token id, drops those that are -inf, and arranges the rest by id.
  void Rescore(std::span<const float> scores);
  // Keeps the first n of the canonical order, arranged as they were. No sort: a selection. REQUIRES: 1 <= n <= size().
  void KeepBest(std::size_t n);
  // Drops all but the first n as they are arranged now. REQUIRES: n <= size().
  void KeepFirst(std::size_t n) { size_ = n; }

  // The first n of the canonical order, sorted, as keys; the candidates stay as they are. The view lasts until the
  // next call of any member that is not const. REQUIRES: n <= size().
  std::span<const std::uint64_t> BestKeys(std::size_t n);

  void SortCanonical();
  void SortById();
  // Where the first of the canonical order stands. REQUIRES: size() > 0.
  std::size_t FirstPlace() const;

 private:
  std::vector<TokenId> ids_;  // as long as the room made so far; the first size_ count
  std::vector<float> scores_;
  std::size_t size_ = 0;
  CandidateOrder order_ = CandidateOrder::kIdAscending;
  double temperature_ = 1;
  std::vector<std::uint64_t> keys_;  // scratch

  void FillKeys();
};

// A number that grows along the canonical order: the score's place from the top, then the id. -0 and +0 are one score.
// REQUIRES: not NaN.
inline std::uint64_t CanonicalKey(TokenId id, float score) {
  constexpr std::uint32_t kSign = 0x8000'0000u;
  // Adding +0 turns -0 into +0. Flipped this way, the bits of floats compare as unsigned integers.
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0f);
  const std::uint32_t ascending = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::uint64_t{~ascending} << 32 | id;
}
inline TokenId IdOfKey(std::uint64_t key) { return static_cast<TokenId>(key); }
float ScoreOfKey(std::uint64_t key);  // +0 for either zero

}  // namespace decant

#endif  // DECANT_CANDIDATES_H_
