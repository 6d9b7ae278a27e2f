// What decoding sees of a model: rows of (sequence, token, position) in, rows of logits out.
//
// The KV cache of a sequence is a table of 32-token blocks from a counted pool, so that sequences can share
// prefixes (Fork) and give tokens back (Truncate); attention reads through the table (PagedAttention, Kwon et al.
// 2023). Results never depend on how tokens are grouped into calls (docs/determinism.md, D2 and D3).
#ifndef DECANT_LANGUAGE_MODEL_H_
#define DECANT_LANGUAGE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"

namespace decant {

inline constexpr std::size_t kKvBlockTokens = 32;

// A counted pool of fixed-size, 64-byte aligned blocks; memory is taken when first needed and reused. Thread-safe.
class BlockPool {
 public:
  // block_bytes: size of one block; max_blocks: how many may live at once.
  BlockPool(std::size_t block_bytes, std::size_t max_blocks);
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  std::size_t block_bytes() const;
  std::size_t max_blocks() const;
  std::size_t blocks_in_use() const;

  struct Block;   // counted storage
  Block* Take();  // count 1; nullptr when max_blocks are in use or there is no memory
  static void AddReference(Block* block);
  void Release(Block* block);  // frees for reuse at count 0
  static std::byte* Data(Block* block);
  static std::uint32_t References(const Block* block);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The cached keys and values of one sequence. One owner; a fork shares whole blocks and copies the last, partial one.
class KvSequence {
 public:
  explicit KvSequence(std::shared_ptr<BlockPool> pool);
  ~KvSequence();
  KvSequence(KvSequence&&) noexcept;
  KvSequence& operator=(KvSequence&&) noexcept;

  std::size_t size() const { return size_; }  // tokens stored
  Result<KvSequence> Fork() const;            // kCacheExhausted when the copy of the last block finds no room
  void Truncate(std::size_t size);            // REQUIRES: size <= this->size()

  // For models: makes room for `tokens` more (unsharing the last block if needed); all or nothing.
  Result<void> Reserve(std::size_t tokens);
  void Advance(std::size_t tokens);           // REQUIRES: reserved
  std::byte* block(std::size_t index) const;  // the data of the index-th block
  std::size_t block_count() const { return blocks_.size(); }

 private:
  std::shared_ptr<BlockPool> pool_;
  std::vector<BlockPool::Block*> blocks_;
  std::size_t size_ = 0;
};

// One token to process. Rows of one sequence in a call come in order of position, without gaps.
struct Row {
  KvSequence* sequence = nullptr;
  TokenId token = 0;
  std::size_t position = 0;  // = sequence->size() + its earlier rows in this call
  bool wants_logits = false;
};

struct RowError {
  std::size_t row;
  Error error;
};

// May be shared; calls to Forward on one model take turns. Sequences belong to the model that started them.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual std::size_t vocabulary_size() const = 0;
  virtual std::size_t context_length() const = 0;  // tokens a sequence may hold

  // An empty sequence.
  virtual KvSequence Start() const = 0;

  // Processes the rows and writes the logits of the wanting rows, in row order, vocabulary_size() floats each.
  // REQUIRES: logits.size() = (wanting rows) * vocabulary_size().
  // An error means that nothing was computed and no sequence moved. Otherwise the rows listed in the answer failed
  // (kNonFiniteActivation); their sequences keep the tokens before the first failing row, all others advanced.
  virtual Result<std::vector<RowError>> Forward(std::span<const Row> rows, std::span<float> logits) const = 0;
};

}  // namespace decant

#endif  // DECANT_LANGUAGE_MODEL_H_
