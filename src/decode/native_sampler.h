// The native sampler: a planned chain in decant's own arithmetic (docs/determinism.md).
#ifndef DECANT_DECODE_NATIVE_SAMPLER_H_
#define DECANT_DECODE_NATIVE_SAMPLER_H_

#include <cstddef>
#include <memory>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/sampler.h"

namespace decant::decode {

Result<std::shared_ptr<const Sampler>> MakeNativeSampler(Chain chain, std::size_t vocabulary);

}  // namespace decant::decode

#endif  // DECANT_DECODE_NATIVE_SAMPLER_H_
