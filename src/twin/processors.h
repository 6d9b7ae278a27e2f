// The plain twin of the processors: each rule by its formula, the whole context counted anew at every step.
#ifndef DECANT_TWIN_PROCESSORS_H_
#define DECANT_TWIN_PROCESSORS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/token.h"

namespace decant::twin {

struct Context {
  std::span<const TokenId> prompt = {}, output = {};
  const std::uint32_t* structural = nullptr;
};

// Whether a processor other than temperature does nothing at these values. A drawer counts as off.
bool ProcessorIsOff(const StageSpec& stage);
bool SetsEndBans(const StageSpec& stage);    // min_tokens
bool SetsOtherBans(const StageSpec& stage);  // every other stage that can write -inf

// A processor other than temperature. With `yields` its bans stay out. kNonFiniteLogit when a score overflows,
// kTokenOutOfRange for a token of the context outside the row.
Result<void> Process(const StageSpec& stage, bool yields, const Context& context, std::vector<float>& scores);

}  // namespace decant::twin

#endif  // DECANT_TWIN_PROCESSORS_H_
