// Sets of bytes.
#ifndef DECANT_GRAMMAR_BYTE_SET_H_
#define DECANT_GRAMMAR_BYTE_SET_H_

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace decant::grammar {

struct ByteSet {
  std::array<std::uint64_t, 4> words = {};
  constexpr bool Has(std::uint8_t byte) const { return ((words[byte / 64] >> (byte % 64)) & 1u) != 0; }
  constexpr void Add(std::uint8_t byte) { words[byte / 64] |= std::uint64_t{1} << (byte % 64); }
  constexpr void Remove(std::uint8_t byte) { words[byte / 64] &= ~(std::uint64_t{1} << (byte % 64)); }
  constexpr std::size_t Count() const {
    std::size_t count = 0;
    for (const std::uint64_t word : words) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  // How many bytes below this one it has.
  constexpr std::size_t RankOf(std::uint8_t byte) const {
    std::size_t rank = 0;
    for (std::size_t i = 0; i < byte / 64u; ++i) rank += static_cast<std::size_t>(std::popcount(words[i]));
    return rank + static_cast<std::size_t>(std::popcount(words[byte / 64] & ((std::uint64_t{1} << (byte % 64)) - 1)));
  }
  // Its least byte that is also in `other` and not below `from`; 256 if there is none.
  constexpr unsigned FirstOfBoth(const ByteSet& other, unsigned from) const {
    for (std::size_t i = from / 64; i < words.size(); ++i) {
      std::uint64_t both = words[i] & other.words[i];
      if (i == from / 64) both &= ~std::uint64_t{0} << (from % 64);
      if (both != 0) return static_cast<unsigned>(64 * i) + static_cast<unsigned>(std::countr_zero(both));
    }
    return 256;
  }
  auto operator<=>(const ByteSet&) const = default;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_BYTE_SET_H_
