// Two configurations on the same prompts and the same randomness: where they part, by which numbers, and what becomes
// of it.
#ifndef DECANT_CLI_COMPARE_H_
#define DECANT_CLI_COMPARE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decant/generate.h"
#include "decant/measure.h"
#include "decant/model.h"
#include "decant/parameters.h"
#include "decant/step.h"

namespace decant::cli {

// What a side says of its own, over what both have in common.
struct SideSettings {
  std::vector<std::pair<const ParameterSpec*, std::optional<ParameterValue>>> values;  // nothing = taken away
  std::optional<Preset> preset;
};
// "top_k=40,temperature=0.8,preset=native". A part that is no NAME=VALUE goes on with the list before it
// ("samplers=top_k,temperature"). Errors name the part.
Result<SideSettings> ParseSettings(std::string_view text);
// Values of `over` replace those of `under`.
SideSettings Overlay(SideSettings under, const SideSettings& over);

struct Side {
  ParameterSet parameters;
  Preset preset = Preset::kNative;
};
// As decant run would have it: without preset, temperature 0.8 and top_k 40; seed 0 and 200 tokens unless told
// otherwise.
Result<Side> MakeSide(const ParameterSet& common, std::optional<Preset> common_preset, const SideSettings& own);

// How one token came to be.
struct StepFacts {
  TokenId token = 0;
  DrawRecord draw;
  double entropy_bits = 0;   // of the model's distribution, at temperature 1
  double surprise_bits = 0;  // -log2 of the token's probability in it
};

struct SideRun {
  Generation generation;
  std::vector<StepFacts> steps;
};

struct Comparison {
  SideRun a, b;
  // 0-based. The first token that differs, one side having ended counts; the first step at which, after equal tokens,
  // the distributions differ that the tokens are drawn from, and half the sum of their absolute differences there.
  std::optional<std::size_t> token_difference, distribution_difference;
  double total_variation = 0;
  bool equal() const;  // tokens, text and reason to stop
};

// Half the sum of |p - q| over all tokens.
double TotalVariation(const StepRecord& p, const StepRecord& q);

struct CompareEvents {
  std::function<void(char side, std::size_t tokens)> on_token = {};
  std::stop_token cancel = {};
};
Result<Comparison> CompareSides(const Model& model, const std::vector<TokenId>& prompt, const Side& a, const Side& b,
                                const CompareEvents& events);

// Sums over the prompts of one side.
struct SideTotals {
  std::size_t tokens = 0;
  double first_entropy = 0, last_entropy = 0;  // means over the first and the last quarter of each run's steps
  RepeatCounts four_word_runs = {};
  std::uint64_t words = 0, articles = 0;
  std::optional<double> ArticleShare() const;
  double surprise_bits = 0;  // per token
};
SideTotals TotalsOf(std::span<const SideRun* const> runs);

}  // namespace decant::cli

#endif  // DECANT_CLI_COMPARE_H_
