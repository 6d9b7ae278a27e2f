// 128 bits that stand for a content: equal contents have equal ones in every process, unequal contents practically
// never (2^-64 for a thousand million of them).
#ifndef DECANT_GRAMMAR_FINGERPRINT_H_
#define DECANT_GRAMMAR_FINGERPRINT_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace decant::grammar {

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Fingerprint&) const = default;
};

inline std::uint64_t MixBits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Depends on the order of what is added.
inline Fingerprint Add(Fingerprint to, std::uint64_t value) {
  return {.high = MixBits(to.high * 0x9e3779b97f4a7c15u + value + 0x632be59bd9b4e019u),
          .low = MixBits((to.low ^ value) * 0xd6e8feb86659fd93u + 0xa0761d6478bd642fu)};
}
inline Fingerprint Add(Fingerprint to, Fingerprint value) { return Add(Add(to, value.high), value.low); }
inline Fingerprint Add(Fingerprint to, std::string_view bytes) {
  to = Add(to, bytes.size());
  std::uint64_t word = 0;
  std::size_t i = 0;
  for (; i < bytes.size(); ++i) {
    word = word << 8 | static_cast<unsigned char>(bytes[i]);
    if (i % 8 == 7) to = Add(to, word), word = 0;
  }
  return i % 8 == 0 ? to : Add(to, word);
}

struct FingerprintHash {
  std::size_t operator()(const Fingerprint& f) const { return static_cast<std::size_t>(f.low); }
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_FINGERPRINT_H_
