// Generation in preset `reference`, over anything that gives the logits after a prefix.
#ifndef DECANT_DECODE_REFERENCE_GENERATION_H_
#define DECANT_DECODE_REFERENCE_GENERATION_H_

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "decant/error.h"
#include "decant/reference.h"
#include "decant/token.h"

namespace decant::decode {

// What generation needs to know of a model: the logits that follow a whole prefix.
struct PrefixModel {
  std::size_t vocabulary = 0;
  std::size_t context = 0;  // tokens a prefix may hold
  std::function<Result<std::vector<double>>(std::span<const TokenId>)> last_logits;
};
// GenerateUncached over any such model.
Result<reference::Generation> GenerateWith(const PrefixModel& model, std::span<const TokenId> prompt,
                                           const reference::GenerationConfig& config, reference::SplitMix64& rng);

}  // namespace decant::decode

#endif  // DECANT_DECODE_REFERENCE_GENERATION_H_
