// What the sampler promises beyond the choice, switched on here as its fast path comes to keep it.
#ifndef DECANT_TESTS_AGREEMENT_FAST_PATH_H_
#define DECANT_TESTS_AGREEMENT_FAST_PATH_H_

namespace decant {

inline constexpr bool kTakesHalves = true;       // preset native: rows of f16 and bf16
inline constexpr bool kTokenIsAll = true;        // Detail::kToken leaves the rest of a Choice at 0
inline constexpr bool kAllocatesNothing = true;  // a step of BatchSampler after its warm-up

}  // namespace decant

#endif  // DECANT_TESTS_AGREEMENT_FAST_PATH_H_
