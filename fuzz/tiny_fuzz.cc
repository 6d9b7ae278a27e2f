// Any bytes as a tiny checkpoint: refused, or written back to the same bytes. The hash at the end would hide the rest
// from a fuzzer, so the bytes are also tried with the hash that fits them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/sha256.h"
#include "model/tiny_checkpoint.h"

namespace {

using decant::model::ParseTinyCheckpoint;
using decant::model::WriteTinyCheckpoint;

constexpr std::size_t kHashBytes = 32;

void Try(std::span<const std::byte> bytes) {
  const auto checkpoint = ParseTinyCheckpoint(bytes);
  if (!checkpoint.has_value()) {
    DECANT_CHECK(!checkpoint.error().message.empty());
    return;
  }
  DECANT_CHECK(std::ranges::equal(WriteTinyCheckpoint(*checkpoint), bytes));
}

unsigned DigitOf(char hex) { return static_cast<unsigned>(hex <= '9' ? hex - '0' : hex - 'a' + 10); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  Try(bytes);
  if (size < kHashBytes) return 0;
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  decant::core::Sha256 hash;
  hash.Update(bytes.first(size - kHashBytes));
  const std::string hex = hash.Finish();
  for (std::size_t i = 0; i < kHashBytes; ++i) {
    sealed[size - kHashBytes + i] = static_cast<std::byte>(DigitOf(hex[2 * i]) * 16 + DigitOf(hex[2 * i + 1]));
  }
  Try(sealed);
  return 0;
}
