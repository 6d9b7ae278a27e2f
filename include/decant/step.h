// The evidence of one step: what was chosen, by which numbers, and who left at which stage.
#ifndef DECANT_STEP_H_
#define DECANT_STEP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/chain.h"
#include "decant/token.h"

namespace decant {

enum class DrawKind : std::uint8_t {
  kGreedy,      // no randomness: temperature 0, or the greedy drawer
  kInverseCdf,  // one uniform number against the cumulative weights
  kRace,        // a random number a token; the best score wins
};
std::string_view NameOf(DrawKind kind);  // "greedy", "inverse_cdf", "race"

struct Choice {
  TokenId token = 0;
  // 1-based place in the canonical order of the processed scores, bans excluded.
  std::uint32_t rank = 0;
  double probability = 0;      // among the candidates that the drawer saw
  double log_probability = 0;  // natural logarithm of the same, finite even where the weight rounds to 0
  DrawKind drawn_by = DrawKind::kGreedy;
  bool operator==(const Choice&) const = default;
};

struct StageRecord {
  StageId id{};
  std::uint32_t kept = 0;     // candidates after the stage
  std::uint32_t removed = 0;  // candidates that left here
  double removed_mass = 0;    // their share of the mass at this stage's input
  double entropy_bits = 0;    // of what is left, at the temperature so far (docs/sampling.md); 0 at temperature 0
  bool skipped = false;       // temperature 0: filters have no say
  bool yielded = false;       // its bans would have left nothing and gave way (docs/sampling.md, "When rules meet")
  std::string custom = {};    // the name of a custom stage; empty = one of decant's own
  bool operator==(const StageRecord&) const = default;
};

// "top_k"; a custom stage's own name.
inline std::string_view NameOf(const StageRecord& stage) {
  return stage.custom.empty() ? NameOf(stage.id) : std::string_view(stage.custom);
}

// How the token was drawn. Integers are exact; in preset `reference` only u and the interval have a meaning.
struct DrawRecord {
  DrawKind kind = DrawKind::kGreedy;
  std::uint64_t r = 0;           // 53 random bits
  std::uint64_t t = 0;           // floor(r * z / 2^53)
  std::uint64_t z = 0;           // sum of the weights
  std::uint64_t lo = 0, hi = 0;  // cumulative weight before and after the token: lo <= t < hi
  double u = 0;                  // r * 2^-53
  double interval[2] = {0, 1};   // lo / z, hi / z
  double score = 0;              // of a race: the winner's
  double runner_up = 0;          // of a race: the best of the others, 0 where there are none
  bool operator==(const DrawRecord&) const = default;
};

// The full record of one step.
struct StepRecord {
  Choice choice = {};
  double temperature = 1;                  // the product of the chain's temperatures
  std::vector<float> scores = {};          // by token id, after the processors; -inf = banned; preset native only
  std::vector<StageRecord> stages = {};    // one for each stage of the chain, the drawer excluded
  std::vector<TokenId> kept = {};          // survivors: canonical order (an engine preset: as its last stage left them)
  std::vector<TokenId> support = {};       // survivors whose stored probability is > 0, id ascending
  std::vector<double> probabilities = {};  // of `support`
  std::vector<std::uint64_t> weights = {};  // of `support`; empty in preset reference
  DrawRecord draw = {};
  bool operator==(const StepRecord&) const = default;
};

}  // namespace decant

#endif  // DECANT_STEP_H_
