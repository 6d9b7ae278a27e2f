// A drawer chooses the token; nothing can follow it.
#include "presets/chain_parts.h"

#include <cstddef>

namespace decant::presets {

Result<void> CheckDrawerIsLast(const Chain& chain) {
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    if (KindOf(chain[i].id) != StageKind::kDrawer) continue;
    const std::string name(NameOf(chain[i].id));
    return Fail(ErrorCode::kConflict, "stage " + name + " draws the token; it must be the last of the chain",
                {.subject = name});
  }
  return {};
}

std::uint32_t RankOf(std::span<const float> scores, TokenId token) {
  std::uint32_t better = 0;
  for (std::size_t id = 0; id < scores.size(); ++id) {
    better += scores[id] > scores[token] || (scores[id] == scores[token] && id < token);
  }
  return better + 1;
}

}  // namespace decant::presets
