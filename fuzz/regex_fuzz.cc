// The first byte chooses flavour and match, then come a pattern, a byte 0xFF and a text: reading fails with a position
// in the pattern or gives a language, which can take the text's bytes, and which has UTF-8 alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "core/utf8.h"
#include "grammar/expr_pool.h"
#include "grammar/regex/regex.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace decant;
  using namespace decant::grammar;
  if (size == 0) return 0;
  const auto flavour = (data[0] & 1) != 0 ? RegexFlavour::kPython : RegexFlavour::kEcma;
  const auto match = (data[0] & 2) != 0 ? RegexMatch::kWhole : RegexMatch::kSearch;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(input.find('\xFF'), input.size());
  const std::string_view pattern = input.substr(0, end);
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  ExprPool pool;
  const Result<Expr> language = ParseRegex(pattern, flavour, match, pool);
  if (!language.has_value()) {
    DECANT_CHECK(!language.error().message.empty());
    DECANT_CHECK(language.error().at.has_value() && language.error().at->offset <= pattern.size());
    return 0;
  }
  Expr state = *language;
  for (const char c : text.substr(0, 64)) {
    state = pool.Next(state, static_cast<std::uint8_t>(c));
    if (pool.size() > 100'000) return 0;  // a language of many states is no fault of the reader
  }
  if (text.size() <= 64 && pool.IsNullable(state)) DECANT_CHECK(core::IsValidUtf8(text));
  return 0;
}
