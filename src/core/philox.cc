// Ten rounds: two 32-bit multiplications whose halves change places, and a key that grows by odd constants.
#include "core/philox.h"

namespace decant::core {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::array<std::uint32_t, 4> RandomWords(const RandomAddress& address) {
  return Philox4x32({static_cast<std::uint32_t>(address.position), address.sequence,
                     static_cast<std::uint32_t>(address.purpose), address.block},
                    {static_cast<std::uint32_t>(address.seed), static_cast<std::uint32_t>(address.seed >> 32)});
}

std::uint64_t RandomBits53(const RandomAddress& address) {
  const std::array<std::uint32_t, 4> words = RandomWords(address);
  return ((std::uint64_t{words[1]} << 32) | words[0]) >> 11;
}

}  // namespace decant::core
