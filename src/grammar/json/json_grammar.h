// A compiled JSON Schema as a grammar, and the constraints that it starts.
#ifndef DECANT_GRAMMAR_JSON_JSON_GRAMMAR_H_
#define DECANT_GRAMMAR_JSON_JSON_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "grammar/json/history.h"
#include "grammar/json/json_walk.h"
#include "grammar/json/machine.h"
#include "grammar/json/row_entry.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// Immutable as seen from outside; any thread. What is found out about the schema on the way is kept under a lock.
class JsonGrammar final : public Grammar, public std::enable_shared_from_this<JsonGrammar> {
 public:
  // The options' horizon is the vocabulary's.
  JsonGrammar(std::shared_ptr<const Vocabulary> vocabulary, std::unique_ptr<JsonRules> rules, MachineOptions options,
              std::vector<std::string> unenforced);

  std::unique_ptr<Constraint> Start() const override;
  std::size_t row_length() const override { return vocabulary_->row_length(); }
  std::span<const std::string> unenforced() const override { return unenforced_; }

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  // Whoever uses the machine or the walk holds the lock.
  std::unique_lock<std::mutex> Lock() const { return std::unique_lock(mutex_); }
  Machine& machine() const { return *machine_; }
  JsonWalk& walk() const { return *walk_; }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<std::string> unenforced_;
  mutable std::mutex mutex_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<JsonWalk> walk_;
};

// Fork is O(1): the history is shared.
class JsonConstraint final : public Constraint {
 public:
  explicit JsonConstraint(std::shared_ptr<const JsonGrammar> grammar);

  void FillMask(std::span<std::uint32_t> mask) const override;
  void FillStructural(std::span<std::uint32_t> structural) const override;
  Result<void> Accept(TokenId token) override;
  std::size_t Validate(std::span<const TokenId> tokens) const override;
  void RollBack(std::size_t n) override;
  std::unique_ptr<Constraint> Fork() const override;
  ConstraintState state() const override { return now_->state; }
  std::vector<TokenId> ForcedTokens() const override;
  std::string ForcedBytes() const override;
  bool IsProven() const override;
  std::optional<std::string> ShortestEnd() const override;
  std::string Expected() const override;

 private:
  JsonConstraint(std::shared_ptr<const JsonGrammar> grammar, MomentRef now)
      : grammar_(std::move(grammar)), now_(std::move(now)) {}
  enum class Which : std::uint8_t { kAllowed, kStructural };
  void FillRow(Which which, std::span<std::uint32_t> row) const;
  std::shared_ptr<const RowEntry> MakeRow(Which which, std::span<std::uint32_t> words, bool& was_probed) const;

  std::shared_ptr<const JsonGrammar> grammar_;
  MomentRef now_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_JSON_GRAMMAR_H_
