// Rows for measurements: made from a seed, or given.
//
// Row i has a generator of its own, SplitMix64 started at a mix of seed, kind and i, so that it is the same in any
// pool. Normal numbers come in pairs by Marsaglia's polar method; Gamma(2, 3) is −3·ln(u·v).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "core/check.h"
#include "core/float16.h"
#include "core/math.h"
#include "decant/bench.h"
#include "simd/aligned_buffer.h"
#include "simd/weigh.h"
#include "timing/split_mix.h"

namespace decant {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 24;
constexpr std::size_t kMostHeld = 4096;  // each row has a sequence, which has a history
constexpr double kBulk = 2.2;            // standard deviation
constexpr std::size_t kHeads = 200;      // places that get more
constexpr double kHeadScale = 3;
constexpr double kFlatRange = 5;

using Generator = timing::SplitMix;

Generator GeneratorOf(const RowOptions& options, std::size_t row) {
  const std::uint64_t start = timing::Mix(options.seed) ^ (static_cast<std::uint64_t>(options.kind) << 56);
  return Generator(timing::Mix(start + row));
}

void FillFlat(Generator& random, std::span<float> row) {
  for (float& value : row) value = static_cast<float>(random.Unit() * kFlatRange);
}

void FillNormal(Generator& random, std::span<float> row) {
  std::size_t i = 0;
  while (i < row.size()) {
    const double u = 2 * random.Unit() - 1, v = 2 * random.Unit() - 1;
    const double s = u * u + v * v;
    if (s >= 1) continue;
    const double factor = kBulk * std::sqrt(-2 * core::Log(s) / s);
    row[i++] = static_cast<float>(u * factor);
    if (i < row.size()) row[i++] = static_cast<float>(v * factor);
  }
}

void AddHeads(Generator& random, std::span<float> row) {
  std::unordered_set<std::size_t> places;
  const std::size_t heads = std::min(kHeads, row.size() / 2);
  while (places.size() < heads) {
    const std::size_t place = random.Next() % row.size();
    if (!places.insert(place).second) continue;
    row[place] += static_cast<float>(-kHeadScale * core::Log(random.Unit() * random.Unit()));
  }
}

std::uint16_t ToBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // a NaN stays one
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

std::size_t WidthOf(ElementType type) { return type == ElementType::kF32 ? 4 : 2; }

std::unexpected<Error> OutOfRange(const std::string& what, std::size_t value, std::size_t most) {
  const std::string allowed = "an integer in 1.." + std::to_string(most);
  return Fail(ErrorCode::kOutOfRange, what + " is " + std::to_string(value) + "; expected " + allowed,
              {.subject = what, .allowed = allowed});
}

}  // namespace

std::string_view NameOf(RowKind kind) {
  switch (kind) {
    case RowKind::kModelLike:
      return "model-like";
    case RowKind::kFlat:
      return "flat";
    case RowKind::kRecorded:
      return "recorded";
  }
  return "";
}

struct LogitRows::Memory {
  simd::AlignedBuffer<std::byte> bytes;
};

LogitRows::LogitRows() = default;
LogitRows::~LogitRows() = default;
LogitRows::LogitRows(LogitRows&& other) noexcept = default;
LogitRows& LogitRows::operator=(LogitRows&& other) noexcept = default;

Result<LogitRows> LogitRows::Allocate(std::size_t rows, std::size_t vocabulary, ElementType type) {
  if (rows < 1 || rows > kMostRows) return OutOfRange("rows", rows, kMostRows);
  if (vocabulary < 1 || vocabulary > simd::kMaxVocabulary)
    return OutOfRange("vocabulary", vocabulary, simd::kMaxVocabulary);
  if (type == ElementType::kF64) {
    return Fail(ErrorCode::kOutOfRange, "the element type is f64; expected f32, f16 or bf16",
                {.subject = "type", .allowed = "f32, f16, bf16"});
  }
  const std::size_t bytes = rows * vocabulary * WidthOf(type);
  auto buffer = simd::AlignedBuffer<std::byte>::TryMake(bytes);
  if (!buffer.has_value()) {
    return Fail(ErrorCode::kOutOfRange,
                "there is no memory for " + std::to_string(rows) + " rows of " + std::to_string(vocabulary) +
                    " logits, " + std::to_string(bytes >> 20) + " MiB",
                {.subject = "rows"});
  }
  LogitRows made;
  made.memory_ = std::make_unique<Memory>(*std::move(buffer));
  made.rows_ = rows;
  made.vocabulary_ = vocabulary;
  made.type_ = type;
  return made;
}

Result<LogitRows> LogitRows::Make(const RowOptions& options) {
  DECANT_DCHECK(options.kind != RowKind::kRecorded);
  DECANT_TRY(LogitRows made, Allocate(options.rows, options.vocabulary, options.type));
  made.kind_ = options.kind;
  std::vector<float> values(options.vocabulary);
  for (std::size_t i = 0; i < options.rows; ++i) {
    Generator random = GeneratorOf(options, i);
    if (options.kind == RowKind::kFlat) {
      FillFlat(random, values);
    } else {
      FillNormal(random, values);
      AddHeads(random, values);
    }
    made.Store(i, values);
  }
  return made;
}

Result<LogitRows> LogitRows::Repeat(const FloatTable& table, std::size_t rows, ElementType type) {
  DECANT_TRY(LogitRows made, Allocate(rows, table.columns, type));
  made.kind_ = RowKind::kRecorded;
  for (std::size_t i = 0; i < rows; ++i) {
    made.Store(i, std::span(table.values).subspan(i % table.rows * table.columns, table.columns));
  }
  return made;
}

void LogitRows::Store(std::size_t i, std::span<const float> values) {
  std::byte* const to = memory_->bytes.data() + i * row_bytes();
  if (type_ == ElementType::kF32) {
    std::memcpy(to, values.data(), values.size_bytes());
    return;
  }
  for (std::size_t t = 0; t < values.size(); ++t) {
    const std::uint16_t half = type_ == ElementType::kF16 ? core::FloatToHalf(values[t]) : ToBfloat16(values[t]);
    std::memcpy(to + 2 * t, &half, sizeof half);
  }
}

std::size_t LogitRows::row_bytes() const { return vocabulary_ * WidthOf(type_); }

RowView LogitRows::row(std::size_t i) const {
  DECANT_DCHECK(i < rows_);
  return {.data = memory_->bytes.data() + i * row_bytes(), .type = type_, .vocabulary = vocabulary_};
}

std::vector<float> LogitRows::values(std::size_t i) const {
  const RowView view = row(i);
  std::vector<float> values(vocabulary_);
  if (type_ == ElementType::kF32) {
    std::memcpy(values.data(), view.data, row_bytes());
    return values;
  }
  const auto* const halves = static_cast<const std::uint16_t*>(view.data);
  for (std::size_t t = 0; t < vocabulary_; ++t) {
    values[t] = type_ == ElementType::kF16 ? core::HalfToFloat(halves[t]) : core::Bfloat16ToFloat(halves[t]);
  }
  return values;
}

std::size_t RowsFor(std::size_t batch, std::size_t row_bytes, std::size_t bytes) {
  const std::size_t needed = std::clamp<std::size_t>((bytes + row_bytes - 1) / row_bytes, 1, kMostHeld);
  return (needed + batch - 1) / batch * batch;
}

}  // namespace decant
