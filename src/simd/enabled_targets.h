// The instruction sets that kernels are compiled for. Include before any Highway header.
//
// Left out: SSSE3 (such machines run the scalar code) and SVE, whose vectors have no fixed size.
#ifndef DECANT_SIMD_ENABLED_TARGETS_H_
#define DECANT_SIMD_ENABLED_TARGETS_H_

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif

#endif  // DECANT_SIMD_ENABLED_TARGETS_H_
