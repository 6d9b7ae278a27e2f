// A chain is data: the list of stages, with their parameters, that turns a row of logits into a token.
#ifndef DECANT_CHAIN_H_
#define DECANT_CHAIN_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"

namespace decant {

enum class StageId : std::uint8_t {
  kLogitBias,    // processor: l + b
  kTemperature,  // processor: multiplies the row's temperature
  kTopK,         // filter: the k best (Fan et al. 2018)
  kTopP,         // filter: the nucleus (Holtzman et al. 2020)
  kMinP,         // filter: at least p times the best (Nguyen et al. 2024)
  kGreedy,       // drawer: the first of what the filters left
  kCategorical,  // drawer: one random number against the cumulative weights, ids ascending
};
enum class StageKind : std::uint8_t { kProcessor, kFilter, kDrawer };

std::string_view NameOf(StageId id);  // "top_k"
StageKind KindOf(StageId id);
std::optional<StageId> FindStage(std::string_view name);  // canonical names only

struct TokenBias {
  TokenId token = 0;
  double bias = 0;  // finite, or -inf for a ban
  bool operator==(const TokenBias&) const = default;
};
struct LogitBiasParams {
  std::vector<TokenBias> biases;  // each token at most once; empty = off
  bool operator==(const LogitBiasParams&) const = default;
};
struct TemperatureParams {
  double temperature = 1;  // 0 (greedy) or [DBL_MIN, 1e6]; 1 = off
  bool operator==(const TemperatureParams&) const = default;
};
struct TopKParams {
  std::int64_t k = 0;  // 1..; 0 and -1 = off; above the vocabulary = all
  bool operator==(const TopKParams&) const = default;
};
struct TopPParams {
  double p = 1;  // (0, 1]; 1 = off
  bool operator==(const TopPParams&) const = default;
};
struct MinPParams {
  double p = 0;  // [0, 1]; 0 = off
  bool operator==(const MinPParams&) const = default;
};
using StageParams =
    std::variant<std::monostate, LogitBiasParams, TemperatureParams, TopKParams, TopPParams, MinPParams>;

// Stages run in the order of the list; a drawer, if given, comes last (none = categorical).
struct StageSpec {
  StageId id;
  StageParams params;  // the struct named for the stage; monostate for drawers
  bool operator==(const StageSpec&) const = default;
};
using Chain = std::vector<StageSpec>;

}  // namespace decant

#endif  // DECANT_CHAIN_H_
