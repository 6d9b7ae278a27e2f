// Any bytes: reading either fails with a position or gives a value that its own text gives again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "json/value.h"
#include "json/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = decant::json::Read(text, {});
  if (!value.has_value()) {
    DECANT_CHECK(value.error().at.has_value() && value.error().at->offset <= size);
    return 0;
  }
  decant::json::Writer writer;
  writer.Write(*value);
  const auto again = decant::json::Read(writer.text(), {});
  DECANT_CHECK(again.has_value() && *again == *value);
  return 0;
}
