// MT19937 by its recurrence, and exponential numbers by decant's own logarithm.
#include "presets/torch_generator.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/math.h"

namespace decant::presets {

TorchGenerator::TorchGenerator(std::uint64_t seed) : seed_(seed) { Start(static_cast<std::uint32_t>(seed)); }

TorchGenerator::TorchGenerator(const RandomStream& stream) : seed_(stream.word) {
  if (stream.words == nullptr) {
    Start(static_cast<std::uint32_t>(stream.word));
    return;
  }
  DECANT_CHECK(stream.words->size() == kWords + 1 && stream.words->back() <= kWords);
  std::copy_n(stream.words->begin(), kWords, words_.begin());
  used_ = stream.words->back();
}

RandomStream TorchGenerator::ToStream() const {
  std::vector<std::uint32_t> words(words_.begin(), words_.end());
  words.push_back(static_cast<std::uint32_t>(used_));
  return {.word = seed_, .words = std::make_shared<const std::vector<std::uint32_t>>(std::move(words))};
}

void TorchGenerator::Start(std::uint32_t seed) {
  words_[0] = seed;
  for (std::uint32_t i = 1; i < kWords; ++i) {
    const std::uint32_t before = words_[i - 1];
    words_[i] = 1812433253u * (before ^ (before >> 30)) + i;
  }
  used_ = kWords;
}

void TorchGenerator::Refill() {
  constexpr std::size_t kDistance = 397;
  const auto twist = [this](std::size_t i, std::size_t next, std::size_t far) {
    const std::uint32_t mixed = (words_[i] & 0x80000000u) | (words_[next] & 0x7fffffffu);
    words_[i] = words_[far] ^ (mixed >> 1) ^ ((mixed & 1u) != 0 ? 0x9908b0dfu : 0u);
  };
  for (std::size_t i = 0; i < kWords - kDistance; ++i) twist(i, i + 1, i + kDistance);
  for (std::size_t i = kWords - kDistance; i + 1 < kWords; ++i) twist(i, i + 1, i + kDistance - kWords);
  twist(kWords - 1, 0, kDistance - 1);
  used_ = 0;
}

std::uint32_t TorchGenerator::Next() {
  if (used_ == kWords) Refill();
  std::uint32_t word = words_[used_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}

float TorchGenerator::NextExponential() {
  const std::uint64_t high = Next();
  const std::uint64_t bits = (high << 32 | Next()) & ((std::uint64_t{1} << 53) - 1);
  const double u = static_cast<double>(bits) * 0x1p-53;
  return static_cast<float>(0.0 - core::Log(1.0 - u));
}

void TorchGenerator::SkipExponential() {
  Next();
  Next();
}

}  // namespace decant::presets
