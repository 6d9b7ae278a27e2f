// Validation and bookkeeping around LlamaPass: what a call of Forward promises (decant/language_model.h).
#include "model/llama_model.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/math.h"
#include "model/kv_layout.h"
#include "model/llama_pass.h"

namespace decant::model {
namespace {

// What a call does with one sequence.
struct SequencePlan {
  KvSequence* sequence = nullptr;
  std::size_t rows = 0;                        // in the call
  std::optional<std::size_t> failed_row = {};  // the first
  std::size_t done = 0;                        // rows before it
};

struct CallPlan {
  std::vector<SequencePlan> sequences;
  std::vector<std::size_t> of_row;  // index into sequences
  std::size_t wanting = 0;
};

class LlamaModel final : public LanguageModel {
 public:
  LlamaModel(LlamaWeights weights, std::shared_ptr<Runtime> runtime, std::uint32_t context, std::uint32_t sequences)
      : weights_(std::move(weights)), runtime_(std::move(runtime)), context_(context), pass_(weights_, *runtime_) {
    const std::size_t blocks = (std::size_t{context} + kKvBlockTokens - 1) / kKvBlockTokens * sequences;
    pool_ = std::make_shared<BlockPool>(KvLayout(weights_.config).block_bytes(), blocks);
  }

  std::size_t vocabulary_size() const override { return weights_.config.vocabulary; }
  std::size_t context_length() const override { return context_; }
  KvSequence Start() const override { return KvSequence(pool_); }

  Result<std::vector<RowError>> Forward(std::span<const Row> rows, std::span<float> logits) const override {
    const std::lock_guard turn(mutex_);
    const core::FloatingPointGuard guard;
    DECANT_TRY(CallPlan plan, Validate(rows, logits.size()));
    DECANT_CHECKED(ReserveAll(plan));
    std::vector<RowError> errors;
    RunInChunks(rows, plan, logits, errors);
    for (SequencePlan& s : plan.sequences) {
      const std::size_t kept = s.failed_row ? s.done : s.rows;
      s.sequence->Advance(kept);
      s.sequence->Truncate(s.sequence->size());
    }
    return errors;
  }

 private:
  Result<CallPlan> Validate(std::span<const Row> rows, std::size_t logits) const {
    CallPlan plan;
    plan.of_row.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      const std::string name = "row " + std::to_string(i);
      if (row.sequence == nullptr) return Fail(ErrorCode::kOutOfRange, name + " has no sequence", {.subject = name});
      if (row.token >= vocabulary_size()) {
        return Fail(ErrorCode::kTokenOutOfRange,
                    "token " + std::to_string(row.token) + " of " + name + " is not below the vocabulary size " +
                        std::to_string(vocabulary_size()),
                    {.subject = name});
      }
      const std::size_t s = PlanOf(plan, row.sequence);
      const std::size_t expected = row.sequence->size() + plan.sequences[s].rows;
      if (row.position != expected) {
        return Fail(ErrorCode::kOutOfRange,
                    name + " is at position " + std::to_string(row.position) + "; expected " + std::to_string(expected),
                    {.subject = name});
      }
      if (row.position >= context_) {
        return Fail(ErrorCode::kOutOfRange,
                    name + " is at position " + std::to_string(row.position) + "; the context holds " +
                        std::to_string(context_) + " tokens",
                    {.subject = name});
      }
      ++plan.sequences[s].rows;
      plan.of_row.push_back(s);
      if (row.wants_logits) ++plan.wanting;
    }
    if (logits != plan.wanting * vocabulary_size()) {
      return Fail(ErrorCode::kLogitCountMismatch,
                  "the span for logits has " + std::to_string(logits) + " places; expected " +
                      std::to_string(plan.wanting) + " rows of " + std::to_string(vocabulary_size()),
                  {.subject = "logits"});
    }
    return plan;
  }

  static std::size_t PlanOf(CallPlan& plan, KvSequence* sequence) {
    if (!plan.of_row.empty() && plan.sequences[plan.of_row.back()].sequence == sequence) return plan.of_row.back();
    for (std::size_t s = 0; s < plan.sequences.size(); ++s) {
      if (plan.sequences[s].sequence == sequence) return s;
    }
    plan.sequences.push_back({.sequence = sequence});
    return plan.sequences.size() - 1;
  }

  static Result<void> ReserveAll(CallPlan& plan) {
    for (std::size_t s = 0; s < plan.sequences.size(); ++s) {
      Result<void> reserved = plan.sequences[s].sequence->Reserve(plan.sequences[s].rows);
      if (reserved.has_value()) continue;
      for (std::size_t back = 0; back < s; ++back) {
        KvSequence* const sequence = plan.sequences[back].sequence;
        sequence->Truncate(sequence->size());
      }
      return reserved;
    }
    return {};
  }

  void RunInChunks(std::span<const Row> rows, CallPlan& plan, std::span<float> logits,
                   std::vector<RowError>& errors) const {
    const std::size_t vocabulary = vocabulary_size();
    float* out = logits.data();
    std::vector<PassRow> pass;
    std::vector<std::size_t> index;  // of the pass's rows in the call
    for (std::size_t next = 0; next < rows.size();) {
      pass.clear();
      index.clear();
      std::size_t wanting = 0;
      for (; next < rows.size() && pass.size() < LlamaPass::kMaxRows; ++next) {
        // Rows after a failure are not computed. Their logits would fall between those of others: end the pass there.
        if (plan.sequences[plan.of_row[next]].failed_row) {
          if (wanting != 0) break;
          if (rows[next].wants_logits) out = std::fill_n(out, vocabulary, 0.0f);
          errors.push_back(LaterRow(plan, next));
          continue;
        }
        pass.push_back({.sequence = rows[next].sequence,
                        .token = rows[next].token,
                        .position = rows[next].position,
                        .wants_logits = rows[next].wants_logits,
                        .failed_at = {}});
        index.push_back(next);
        if (rows[next].wants_logits) ++wanting;
      }
      if (pass.empty()) break;
      pass_.Run(pass, out);
      for (std::size_t i = 0; i < pass.size(); ++i) {
        float* const row_logits = pass[i].wants_logits ? std::exchange(out, out + vocabulary) : nullptr;
        SequencePlan& s = plan.sequences[plan.of_row[index[i]]];
        if (s.failed_row) {
          errors.push_back(LaterRow(plan, index[i]));
        } else if (!pass[i].failed_at.empty()) {
          s.failed_row = index[i];
          errors.push_back(FailedRow(index[i], pass[i]));
        } else {
          ++s.done;
          continue;
        }
        if (row_logits != nullptr) std::fill_n(row_logits, vocabulary, 0.0f);
      }
    }
    std::sort(errors.begin(), errors.end(), [](const RowError& a, const RowError& b) { return a.row < b.row; });
  }

  static RowError FailedRow(std::size_t row, const PassRow& pass) {
    return {row, Error{.code = ErrorCode::kNonFiniteActivation,
                       .message = "the activation " + pass.failed_at + " of token " + std::to_string(pass.token) +
                                  " at position " + std::to_string(pass.position) + " is not a finite number",
                       .subject = pass.failed_at,
                       .allowed = {},
                       .hint = {},
                       .at = {}}};
  }
  static RowError LaterRow(const CallPlan& plan, std::size_t row) {
    const std::size_t first = *plan.sequences[plan.of_row[row]].failed_row;
    return {row, Error{.code = ErrorCode::kNonFiniteActivation,
                       .message = "row " + std::to_string(row) + " was not computed: row " + std::to_string(first) +
                                  " of its sequence failed",
                       .subject = "row " + std::to_string(first),
                       .allowed = {},
                       .hint = {},
                       .at = {}}};
  }

  LlamaWeights weights_;
  std::shared_ptr<Runtime> runtime_;
  std::uint32_t context_;
  std::shared_ptr<BlockPool> pool_;
  mutable std::mutex mutex_;
  mutable LlamaPass pass_;  // buffers; guarded by mutex_
};

}  // namespace

Result<std::unique_ptr<LanguageModel>> MakeLlama(LlamaWeights weights, std::shared_ptr<Runtime> runtime,
                                                 LlamaOptions options) {
  DECANT_CHECKED(SimdLevel());
  const std::uint32_t most = weights.config.context;
  const std::uint32_t context = options.context == 0 ? most : options.context;
  if (context > most) {
    return decant::Fail(ErrorCode::kOutOfRange,
                        "context is " + std::to_string(context) + "; the model's is " + std::to_string(most),
                        {.subject = "context", .allowed = "0 to " + std::to_string(most)});
  }
  if (options.sequences < 1) {
    return decant::Fail(ErrorCode::kOutOfRange, "sequences is 0; expected at least 1", {.subject = "sequences"});
  }
  return std::make_unique<LlamaModel>(std::move(weights), std::move(runtime), context, options.sequences);
}

}  // namespace decant::model
