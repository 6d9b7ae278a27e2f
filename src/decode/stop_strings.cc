// The text is searched only as far back as a stop string that ends in the new bytes can start.
#include "decode/stop_strings.h"

#include <algorithm>
#include <utility>

namespace decant::decode {

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
  for (const std::string& string : strings_) longest_ = std::max(longest_, string.size());
}

std::optional<StopStrings::Match> StopStrings::Find(std::string_view text, std::size_t old_size) const {
  // A match that was complete before would have stopped the text: new ones end in the new bytes.
  const std::size_t from = old_size + 1 > longest_ ? old_size + 1 - longest_ : 0;
  std::optional<Match> best;
  for (const std::string& string : strings_) {
    const std::size_t begin = text.find(string, from);
    if (begin == std::string_view::npos) continue;
    if (!best || begin < best->begin || (begin == best->begin && string.size() > best->string.size())) {
      best = Match{begin, string};
    }
  }
  return best;
}

std::size_t StopStrings::HeldBytes(std::string_view text) const {
  const std::size_t most = std::min(text.size(), longest_ == 0 ? 0 : longest_ - 1);
  for (std::size_t held = most; held > 0; --held) {
    const std::string_view tail = text.substr(text.size() - held);
    for (const std::string& string : strings_) {
      if (string.size() > held && string.starts_with(tail)) return held;
    }
  }
  return 0;
}

}  // namespace decant::decode
