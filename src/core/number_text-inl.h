// The template half of number_text.h.
#ifndef DECANT_CORE_NUMBER_TEXT_INL_H_
#define DECANT_CORE_NUMBER_TEXT_INL_H_

#include <algorithm>
#include <cstddef>

namespace decant::core {

template <class Range>
std::optional<std::string> Closest(std::string_view word, const Range& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

}  // namespace decant::core

#endif  // DECANT_CORE_NUMBER_TEXT_INL_H_
