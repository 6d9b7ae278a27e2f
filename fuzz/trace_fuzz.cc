// Any bytes as a trace: reading names what is broken, or gives lines that seal to the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "trace/lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = decant::trace::ReadLines(text);
  if (!lines.has_value()) return 0;
  decant::trace::LineChain chain;
  std::size_t at = 0;
  for (const decant::trace::Line& line : *lines) {
    const std::string sealed = chain.Seal(line.payload + "}", "{}");
    const std::string_view expected = std::string_view(sealed).substr(0, sealed.find("\"ms\":"));
    DECANT_CHECK(text.substr(at, expected.size()) == expected);
    at = text.find('\n', at) + 1;
  }
  return 0;
}
