// Any bytes as an .npy file: reading names what is broken, or gives a table whose own file reads as the same table.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/check.h"
#include "decant/bench.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = decant::ParseNpy(std::as_bytes(std::span(data, size)), "input");
  if (!table.has_value()) {
    DECANT_CHECK(table.error().message.contains("input"));
    return 0;
  }
  DECANT_CHECK(table->values.size() == table->rows * table->columns);
  std::string file = decant::NpyHeader(table->rows, table->columns);
  const std::size_t header = file.size();
  file.resize(header + 4 * table->values.size());
  for (std::size_t i = 0; i < table->values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(table->values[i]);
    for (std::size_t byte = 0; byte < 4; ++byte) {
      file[header + 4 * i + byte] = static_cast<char>((bits >> (8 * byte)) & 0xff);
    }
  }
  const auto again = decant::ParseNpy(std::as_bytes(std::span(file.data(), file.size())), "own");
  DECANT_CHECK(again.has_value() && again->rows == table->rows && again->columns == table->columns);
  DECANT_CHECK(std::memcmp(again->values.data(), table->values.data(), 4 * table->values.size()) == 0);
  return 0;
}
