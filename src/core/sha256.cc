// SHA-256 as FIPS 180-4 writes it, and the same rounds through the x86 SHA instructions where the CPU has them.
#include "core/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "core/sha256_block.h"

namespace decant::core {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
alignas(16) constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

std::uint32_t LoadBigEndian(const unsigned char* bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) | (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

#if defined(__x86_64__)
bool HasShaInstructions() {
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool sse41 = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & (1u << 19)) != 0;
    return sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1u << 29)) != 0;
  }();
  return has;
}

// The instructions hold the state as the words (a, b, e, f) and (c, d, g, h), highest lane first, and do two rounds
// at a time; message words w[t..t+3] live in one register, the last four registers in a ring.
__attribute__((target("sha,sse4.1"))) void CompressWithInstructions(std::uint32_t* state, const unsigned char* block) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* const halves = reinterpret_cast<__m128i*>(state);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xB1);      // b a d c, lowest lane first
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1B);  // h g f e
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
  const __m128i abef_before = abef;
  const __m128i cdgh_before = cdgh;

  __m128i ring[4];
  for (int i = 0; i < 4; ++i) {
    ring[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i), swap);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    __m128i words = ring[i & 3];
    if (i >= 4) {  // w[t] = w[t-16] + s0(w[t-15]) + w[t-7] + s1(w[t-2])
      const __m128i last = ring[(i + 3) & 3];
      words =
          _mm_add_epi32(_mm_sha256msg1_epu32(words, ring[(i + 1) & 3]), _mm_alignr_epi8(last, ring[(i + 2) & 3], 4));
      words = _mm_sha256msg2_epu32(words, last);
      ring[i & 3] = words;
    }
    const __m128i input = _mm_add_epi32(words, _mm_load_si128(reinterpret_cast<const __m128i*>(kRound) + i));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0E));
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
  const __m128i abcd_parts = _mm_shuffle_epi32(abef, 0x1B);  // a b e f, lowest lane first
  const __m128i ghcd_parts = _mm_shuffle_epi32(cdgh, 0xB1);  // g h c d
  _mm_storeu_si128(halves, _mm_blend_epi16(abcd_parts, ghcd_parts, 0xF0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(ghcd_parts, abcd_parts, 8));
}
#endif

}  // namespace

void CompressSha256Plain(std::uint32_t* state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = LoadBigEndian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = std::to_array({state[0], state[1], state[2], state[3],  //
                                                 state[4], state[5], state[6], state[7]});
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + sum1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

void CompressSha256(std::uint32_t* state, const unsigned char* block) {
#if defined(__x86_64__)
  if (HasShaInstructions()) return CompressWithInstructions(state, block);
#endif
  CompressSha256Plain(state, block);
}

// The first 32 bits of the fractional parts of the square roots of the first eight primes.
Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::Compress(const unsigned char* block) { CompressSha256(state_.data(), block); }

void Sha256::Update(std::span<const std::byte> bytes) {
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  std::size_t held = length_ % 64;
  length_ += left;
  while (left > 0) {
    if (held == 0 && left >= 64) {
      Compress(next);
      next += 64;
      left -= 64;
      continue;
    }
    const std::size_t taken = std::min(left, 64 - held);
    std::memcpy(buffer_.data() + held, next, taken);
    next += taken;
    left -= taken;
    held = (held + taken) % 64;
    if (held == 0) Compress(buffer_.data());
  }
}

void Sha256::Update(std::string_view text) { Update(std::as_bytes(std::span(text))); }

std::string Sha256::Finish() {
  const std::uint64_t bits = length_ * 8;
  std::array<std::byte, 72> padding{};
  padding[0] = std::byte{0x80};
  const std::size_t zeros_end = 1 + (119 - length_ % 64) % 64;
  for (std::size_t i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  Update(std::span(padding).first(zeros_end + 8));
  std::string text;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  }
  return text;
}

std::string Sha256Hex(std::string_view text) {
  Sha256 hash;
  hash.Update(text);
  return hash.Finish();
}

}  // namespace decant::core
