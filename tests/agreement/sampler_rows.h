// Rows and chains for the tests of the sampler: what models give, and what breaks a fast path.
#ifndef DECANT_TESTS_AGREEMENT_SAMPLER_ROWS_H_
#define DECANT_TESTS_AGREEMENT_SAMPLER_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "decant/chain.h"
#include "decant/token.h"

namespace decant {

// Random numbers that are the same with every standard library: no std:: distribution.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t Bits() { return engine_(); }
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }  // REQUIRES: n > 0
  double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }           // [0, 1)
  bool Chance(double p) { return Uniform() < p; }

 private:
  std::mt19937_64 engine_;
};

enum class Family : std::uint8_t {
  kModelLike,     // about N(0, 2.2), and 200 tokens that stand out by a gamma (2, 3)
  kFlat,          // U[0, 5]
  kAllEqual,      // one value
  kTwoValues,     // two, at random
  kTies,          // small integers
  kF16Grid,       // model-like, as half precision stores it
  kHugeRange,     // up to +-3e38
  kDenormals,     // below 2^-126
  kSignedZeros,   // -0 and +0 above some that are lower
  kOneLive,       // all others are banned
  kLastLive,      // all but the last are banned
  kMostlyBanned,  // nine in ten are banned
  kAscending,     // in steps
  kDescending,    //
  kSawtooth,      // ascending, again and again
  kPowersOfTwo,   // multiples of 1, down to -50: exact powers of two as weights at temperature log2(e)
  kLongTail,      // one high token, all others near 2^-40 of it
};
std::span<const Family> Families();
std::string_view NameOf(Family family);

std::vector<float> MakeRow(Family family, std::size_t vocabulary, Random& random);

// Words for a mask in which each token is allowed with probability p, at least one is, and the bits past the vocabulary
// are random.
std::vector<std::uint32_t> MakeMask(std::size_t vocabulary, double p, Random& random);

// Tokens as text has them: some often, most rarely, with repeats of stretches.
std::vector<TokenId> MakeHistory(std::size_t vocabulary, std::size_t size, Random& random);

// The chains that the benchmark times, by its names. "all" wants a history and a mask.
enum class BenchChain : std::uint8_t { kGreedy, kTopK, kMinP, kTemperature, kTopP, kAll };
inline constexpr BenchChain kBenchChains[] = {BenchChain::kGreedy,      BenchChain::kTopK, BenchChain::kMinP,
                                              BenchChain::kTemperature, BenchChain::kTopP, BenchChain::kAll};
Chain MakeBenchChain(BenchChain chain);

// Filters, temperatures and a drawer at random: any order, any number of each.
Chain MakeRandomFilters(Random& random);
// Processors at random values, each with some chance.
Chain MakeRandomProcessors(std::size_t vocabulary, Random& random);

}  // namespace decant

#endif  // DECANT_TESTS_AGREEMENT_SAMPLER_ROWS_H_
