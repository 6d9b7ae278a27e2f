// The scores of one row as processors see and change them: a whole row of f32, or a row nobody may write to beside the
// few scores that differ from it.
#ifndef DECANT_PROCESS_ROW_SCORES_H_
#define DECANT_PROCESS_ROW_SCORES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "decant/sampler.h"
#include "decant/token.h"

namespace decant::process {

inline constexpr float kBanned = -std::numeric_limits<float>::infinity();

// One logit as the f32 that it is. REQUIRES: f32, f16 or bf16; token < vocabulary.
float LogitOf(const RowView& row, std::size_t token);

// One row at a time; its memory is kept from row to row.
class RowScores {
 public:
  struct Change {
    TokenId token;
    float score;
  };

  RowScores() = default;
  explicit RowScores(std::span<float> whole)
      : whole_(whole.data()), size_(whole.size()) {}  // changes are written there

  // Memory for so many changes of rows of so many tokens.
  void Reserve(std::size_t changes, std::size_t vocabulary);
  // Starts on a whole row, which changes are written to.
  void StartWhole(std::span<float> whole) {
    whole_ = whole.data();
    size_ = whole.size();
  }
  // Starts on a row that stays as it is: changes are kept beside it. Its mask bans. The row must outlive the use.
  void Start(const RowView& row);

  std::size_t size() const { return size_; }
  float operator[](std::size_t token) const;  // kBanned = banned
  void Set(TokenId token, float score);
  // The score, to be read and changed in one look-up. Valid until another is set, edited or banned.
  float& Edit(TokenId token);
  void Ban(TokenId token) { Set(token, kBanned); }
  // Bans every other token. Those listed keep their scores.
  void BanAllBut(std::span<const TokenId> tokens);

  // After Start: the scores that were set, each token once, ids ascending; where there is one, the mask has no say. No
  // score may be set after it.
  std::span<const Change> Changes();
  // Bit t % 32 of word t / 32 = the token is not banned by a mask or a list; null = none is.
  const std::uint32_t* mask() const { return mask_; }

 private:
  // Consecutive ids land far apart (Fibonacci hashing).
  static constexpr std::uint32_t kMultiplier = 0x9E3779B1u;

  // In slots_: where it is, or the free slot for it.
  std::size_t Find(TokenId token) const {
    const std::size_t last = slots_.size() - 1;
    std::size_t slot = (token * kMultiplier) >> shift_;
    while (slots_[slot] != 0 && changes_[slots_[slot] - 1].token != token) slot = (slot + 1) & last;
    return slot;
  }
  float& Insert(std::size_t slot, TokenId token, float score);  // REQUIRES: a free slot that Find gave
  void GrowSlots();
  void ClearSlots();
  float Given(std::size_t token) const {  // by the row and the masks
    if (!Allows(token)) return kBanned;
    return row_.type == ElementType::kF32 ? static_cast<const float*>(row_.data)[token] : LogitOf(row_, token);
  }
  bool Allows(std::size_t token) const { return mask_ == nullptr || ((mask_[token / 32] >> (token % 32)) & 1u) != 0; }

  float* whole_ = nullptr;
  std::size_t size_ = 0;
  RowView row_ = {};
  const std::uint32_t* mask_ = nullptr;  // the row's, or words_
  std::vector<std::uint32_t> words_, next_words_;
  std::vector<Change> changes_;       // in the order in which they came
  std::vector<std::uint32_t> slots_;  // open addressing: 1 + a place in changes_; 0 = free
  std::size_t next_ = 0;              // of changes_: behind the one last edited; stages come ids ascending
  int shift_ = 0;                     // of the hash: 32 - log2 of the slots
};

// Here, so that a penalty over a long history pays for no call a token.
inline float& RowScores::Edit(TokenId token) {
  if (whole_ != nullptr) return whole_[token];
  if (next_ < changes_.size() && changes_[next_].token == token) return changes_[next_++].score;
  const std::size_t slot = Find(token);
  next_ = slots_[slot];
  if (next_ != 0) return changes_[next_ - 1].score;
  float& score = Insert(slot, token, Given(token));
  next_ = changes_.size();
  return score;
}

}  // namespace decant::process

#endif  // DECANT_PROCESS_ROW_SCORES_H_
