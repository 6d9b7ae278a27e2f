// The yardstick of a sampler: reading a row once, for its largest value, and nothing else.
//
// Which loop reads fastest depends on the machine: how many loads it keeps in flight, how far it fetches ahead. So
// there are several, and who measures takes the best. Only the bench calls this: a NaN gives whatever the target gives.
#ifndef DECANT_SIMD_BARE_READ_H_
#define DECANT_SIMD_BARE_READ_H_

#include <cstddef>
#include <cstdint>

namespace decant::simd {

enum class ReadLoop : std::uint8_t {
  kFourVectors,   // four vectors a turn, each with its own maximum
  kEightVectors,  // eight
  kTwoStreams,    // four vectors a turn of each half of the row
  kAskingAhead,   // eight vectors a turn, and a prefetch of the lines 8 KiB ahead
  kTwoStreamsAskingAhead,
};
inline constexpr ReadLoop kReadLoops[] = {ReadLoop::kFourVectors, ReadLoop::kEightVectors, ReadLoop::kTwoStreams,
                                          ReadLoop::kAskingAhead, ReadLoop::kTwoStreamsAskingAhead};

// REQUIRES: n >= 1.
float BareMax(ReadLoop loop, const float* row, std::size_t n);
// Of 16-bit values, as signed integers: f16 and bf16 rows.
std::int16_t BareMax(ReadLoop loop, const std::int16_t* row, std::size_t n);

}  // namespace decant::simd

#endif  // DECANT_SIMD_BARE_READ_H_
