// The most that any chain asks of each buffer.
#include "decode/work.h"

namespace decant::decode {

void Work::Reserve(std::size_t vocabulary) {
  const std::size_t most_blocks = vocabulary / simd::kMinBlock + 1;
  for (auto* by_block : {&maxima, &references}) by_block->reserve(most_blocks);
  for (auto* by_block : {&masses, &above}) by_block->reserve(most_blocks);
  const std::size_t tokens = vocabulary + simd::kMaxBlock + simd::kCollectSlack;
  candidates.Reserve(tokens);
  band.Reserve(tokens);
  band_terms.reserve(tokens);
  rough_terms.reserve(tokens);
  keys.reserve(tokens);
  weights.values.reserve(tokens);
  for (auto* row : {&widened, &copy}) row->reserve(tokens);
  blocks.Reserve(most_blocks);
  constexpr std::size_t kLookedBack = 4096;  // distinct tokens of a history; a longer one grows it once
  scores.Reserve(kLookedBack, vocabulary);
  dry.powers.reserve(kLookedBack);
  dry.matches.reserve(kLookedBack);
}

}  // namespace decant::decode
