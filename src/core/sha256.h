// SHA-256 (FIPS 180-4): the hash of models, traces and goldens.
#ifndef DECANT_CORE_SHA256_H_
#define DECANT_CORE_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace decant::core {

class Sha256 {
 public:
  Sha256();
  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text);
  std::string Finish();  // 64 lower-case hex digits; the object may not be used afterwards

 private:
  void Compress(const unsigned char* block);
  std::array<std::uint32_t, 8> state_;
  std::array<unsigned char, 64> buffer_{};
  std::uint64_t length_ = 0;
};

std::string Sha256Hex(std::string_view text);

}  // namespace decant::core

#endif  // DECANT_CORE_SHA256_H_
