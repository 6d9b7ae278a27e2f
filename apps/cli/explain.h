// One step made visible: every candidate with its probabilities and interval, and who was cut by which rule.
//
// Figures that decide come from the sampler's record; what is added here (model probabilities, intervals of tokens that
// were not drawn, entropies of preset reference) is for show, and computed from the same public functions.
#ifndef DECANT_CLI_EXPLAIN_H_
#define DECANT_CLI_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decant/sampler.h"
#include "decant/step.h"
#include "decant/tokenizer.h"

namespace decant::cli {

struct ShownStage {
  StageRecord record;      // with entropies for preset reference too
  std::string parameters;  // "k 3"
};

// The best token that a filter removed.
struct Cut {
  std::string stage;
  TokenId token = 0;
  double model_probability = 0;
  std::size_t rank = 0;  // canonical order of the processed scores, 1-based
  std::string rule;      // "rank 4 > k 3"
};

struct ShownRow {
  std::size_t rank = 0;
  TokenId token = 0;
  double logit = 0;
  double model_probability = 0, final_probability = 0;
  double interval[2] = {0, 0};  // empty for a token that cannot be drawn; a race has none
};

struct Explanation {
  std::size_t candidates = 0;  // tokens that are not banned
  double entropy_bits = 0;     // of the model's distribution
  std::vector<ShownStage> stages;
  std::vector<Cut> cuts;
  std::vector<ShownRow> kept;  // all survivors, by rank
  ShownRow chosen;
  std::vector<std::pair<TokenId, TokenId>>
      ties;  // neighbours in rank with equal scores, among survivors and the first cut
};

// REQUIRES: the record is the sampler's for this row (f32 for native; f64 for reference, exactly converted if need be).
Result<Explanation> Explain(std::span<const double> logits, const Sampler& sampler, const StepRecord& record);

// The bytes of a token, "#12" without a tokenizer, as a quoted visible text.
std::string ShownToken(const Tokenizer* tokenizer, TokenId token);

}  // namespace decant::cli

#endif  // DECANT_CLI_EXPLAIN_H_
