// The levels by name, over Highway's own choice of target: it is narrowed to one, so that every kernel follows.
#include "simd/targets.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "simd/enabled_targets.h"

#include "hwy/highway.h"

#include "core/check.h"
#include "core/utf8.h"
#include "decant/runtime.h"

namespace decant {
namespace simd {
namespace {

struct Level {
  std::string_view name;
  std::int64_t target;
};

// Best first.
constexpr Level kLevels[] = {
    {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2},     {"sse4", HWY_SSE4},
    {"neon", HWY_NEON},   {"scalar", HWY_SCALAR}, {"scalar", HWY_EMU128},
};

bool IsSupported(const Level& level) { return (HWY_SUPPORTED_TARGETS & HWY_TARGETS & level.target) != 0; }

void Use([[maybe_unused]] std::int64_t target) {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) != 0
  hwy::SetSupportedTargetsForTest(target);
#endif
}

// Undoes an earlier choice, so that SupportedLevels speaks of the machine.
void UseAll() { Use(0); }

Result<std::string_view> FromEnvironment() {
  const char* wanted = std::getenv("DECANT_SIMD");
  return SelectLevel(wanted != nullptr ? wanted : "");
}

}  // namespace

std::vector<std::string_view> SupportedLevels() {
  // Asked once, before any choice narrows what Highway reports.
  static const std::vector<std::string_view> levels = [] {
    std::vector<std::string_view> found;
    for (const Level& level : kLevels) {
      if (IsSupported(level)) found.push_back(level.name);
    }
    if (found.empty()) found.push_back("scalar");
    return found;
  }();
  return levels;
}

Result<std::string_view> SelectLevel(std::string_view wanted) {
  const std::vector<std::string_view> supported = SupportedLevels();
  if (wanted.empty()) wanted = supported.front();
  UseAll();
  std::string allowed;
  for (const std::string_view name : supported) {
    if (!allowed.empty()) allowed += ", ";
    allowed += name;
  }
  for (const Level& level : kLevels) {
    if (level.name != wanted || !IsSupported(level)) continue;
    Use(level.target);
    return level.name;
  }
  return Fail(ErrorCode::kUnsupportedMachine,
              "DECANT_SIMD is " + core::Quoted(wanted) + "; this machine has " + allowed,
              {.subject = "DECANT_SIMD", .allowed = allowed});
}

LevelForTest::LevelForTest(std::string_view level) {
  DECANT_CHECK(SimdLevel().has_value());
  DECANT_CHECK(SelectLevel(level).has_value());
}
LevelForTest::~LevelForTest() { DECANT_CHECK(SelectLevel(*SimdLevel()).has_value()); }

}  // namespace simd

std::vector<std::string_view> SimdLevels() { return simd::SupportedLevels(); }

Result<std::string_view> SimdLevel() {
  static const Result<std::string_view> level = simd::FromEnvironment();
  return level;
}

}  // namespace decant
