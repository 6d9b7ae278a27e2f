// What a sampler costs beside reading its logits once: rows, chains by name, and the measurement.
//
//   DECANT_TRY(const LogitRows rows, LogitRows::Make({.kind = RowKind::kModelLike}));
//   DECANT_TRY(const NamedChain chain, FindNamedChain("top_k:40+temperature", rows.vocabulary()));
//   DECANT_TRY(const SamplerTiming timing, TimeSampler(chain, rows, {.batch = 256}));
//   timing.ratio_to_read;
//
// How to read the numbers: docs/benchmarks.md.
#ifndef DECANT_BENCH_H_
#define DECANT_BENCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/runtime.h"
#include "decant/sampler.h"
#include "decant/token.h"

namespace decant {

// A table of numbers from outside: rows of equal length, one after the other.
struct FloatTable {
  std::size_t rows = 0, columns = 0;  // at least 1
  std::vector<float> values = {};     // rows * columns
};

// NumPy's .npy, versions 1 to 3: little-endian f2 or f4 in C order, one or two dimensions (one = a single row).
// `name` is the file's in messages. Errors name the field and what it may be, with a byte offset: kCorruptFile,
// kUnsupportedFile.
Result<FloatTable> ParseNpy(std::span<const std::byte> bytes, const std::string& name);
Result<FloatTable> ReadNpy(const std::string& path);  // kCannotRead too
// The bytes before the values of a version 1 file of little-endian f4 in C order, and two dimensions.
std::string NpyHeader(std::size_t rows, std::size_t columns);

enum class RowKind : std::uint8_t {
  kModelLike,  // N(0, 2.2), and at 200 random places a Gamma(shape 2, scale 3) more: a bulk with a heavy head
  kFlat,       // uniform in [0, 5): no head at all
  kRecorded,   // given
};
std::string_view NameOf(RowKind kind);  // "model-like", "flat", "recorded"

struct RowOptions {
  RowKind kind = RowKind::kModelLike;  // not kRecorded
  std::size_t rows = 256;              // 1..2^24
  std::size_t vocabulary = 128'256;    // 1..2^19
  std::uint64_t seed = 0;
  ElementType type = ElementType::kF32;  // not kF64
};

// Rows in memory, one after the other from a 64-byte boundary. Move only.
class LogitRows {
 public:
  // Row i depends on kind, vocabulary, seed and i alone; halves are those values rounded to nearest even. kOutOfRange:
  // a bound above, or no memory.
  static Result<LogitRows> Make(const RowOptions& options);
  // `rows` rows: those of the table, again and again from its first.
  static Result<LogitRows> Repeat(const FloatTable& table, std::size_t rows, ElementType type);
  ~LogitRows();
  LogitRows(LogitRows&& other) noexcept;
  LogitRows& operator=(LogitRows&& other) noexcept;

  std::size_t size() const { return rows_; }
  std::size_t vocabulary() const { return vocabulary_; }
  RowKind kind() const { return kind_; }
  ElementType type() const { return type_; }
  std::size_t row_bytes() const;
  RowView row(std::size_t i) const;                // REQUIRES: i < size()
  std::vector<float> values(std::size_t i) const;  // the same, as the f32 that they are

 private:
  struct Memory;
  LogitRows();
  static Result<LogitRows> Allocate(std::size_t rows, std::size_t vocabulary, ElementType type);
  void Store(std::size_t i, std::span<const float> values);
  std::unique_ptr<Memory> memory_;
  std::size_t rows_ = 0, vocabulary_ = 0;
  RowKind kind_ = RowKind::kModelLike;
  ElementType type_ = ElementType::kF32;
};
// How many rows to hold so that they come from memory: at least `bytes` of them, or 4,096 where rows are short; a whole
// number of batches.
std::size_t RowsFor(std::size_t batch, std::size_t row_bytes, std::size_t bytes);

// A chain that reports call by a name. "temperature" is 0.8; stages stand in the default order, temperature before
// filters.
struct NamedChain {
  std::string name = {};
  Chain chain = {};
  // Of "all": tokens before the step, different for each row, that penalties and DRY look at, and a mask that allows
  // nine of ten tokens.
  std::size_t history = 0;
  bool has_mask = false;
};
// "greedy", "top_k:40+temperature", "min_p:0.05+temperature", "temperature", "top_p:0.95+temperature" and "all":
// repetition, frequency and presence penalty over 1,000 tokens, DRY, mask, temperature, top-k 40, top-p 0.95, min-p
// 0.05.
std::span<const std::string_view> ChainNames();
// One of these, or filters of other numbers in an order of one's own, such as "top_k:40+top_p:0.95+temperature".
// kUnknownParameter has a did-you-mean.
Result<NamedChain> FindNamedChain(std::string_view name, std::size_t vocabulary);

// What every row of a measurement draws with: its state, and its mask where the chain has one.
class ChainInputs {
 public:
  ChainInputs(const NamedChain& chain, std::size_t rows, std::size_t vocabulary, std::uint64_t seed,
              std::uint32_t sequence);
  SamplerState& state(std::size_t row) { return states_[row]; }
  const std::uint32_t* mask(std::size_t row) const;  // null = none

 private:
  std::vector<SamplerState> states_;
  std::vector<std::uint32_t> masks_;
  std::size_t mask_words_ = 0;
};

// The token that is right for a row, by another way: a test's, or the twin's.
using RightToken = std::function<Result<TokenId>(const Chain& chain, const RowView& row, const SamplerState& state)>;

struct TimingOptions {
  std::size_t batch = 256;  // rows a call; 1..65536
  std::size_t pairs = 15;   // of blocks, one that reads and one that samples; 1..10000
  std::uint64_t seed = 0;
  Detail detail = Detail::kToken;
  std::shared_ptr<Runtime> runtime = {};  // null = the caller's thread
  double block_ms = 2;                    // a block is at least one pass over all rows, and at least as long
  // Before anything is timed, so many rows are drawn both by BatchSampler and by Sampler::Sample, and must agree; the
  // first right_rows of them by `right` too, where there is one.
  std::size_t checked_rows = 64;
  RightToken right = {};
  std::size_t right_rows = 64;
  std::stop_token cancel = {};
  std::function<void(std::size_t done, std::size_t pairs)> on_pair = {};
};

// Reading: the fastest of several loops over the same memory for its largest value (src/simd/bare_read.h), on as many
// threads.
struct SamplerTiming {
  std::string name = {};
  RowKind rows = RowKind::kModelLike;
  ElementType type = ElementType::kF32;
  std::size_t batch = 0, vocabulary = 0, pairs = 0, rows_held = 0, rows_checked = 0;
  int threads = 1;
  double us_per_row = 0;       // the median of the blocks that sample
  double read_us_per_row = 0;  // of those that read
  double ratio_to_read = 0;    // the median of the pairs' ratios, and their quartiles
  double ratio_low = 0, ratio_high = 0;
  double falls_per_1000 = 0;  // draws that a bounded pass could not prove (Sampler::exact_falls)
  // With more than one thread: how many times as fast as one, for sampling and for reading, from the same run.
  std::optional<double> gain = {}, read_gain = {};
};

// Reading and sampling take turns, block by block. Errors: of the sampler, naming the row; kOutOfRange; kCancelled;
// kInternal where two ways to draw disagree.
Result<SamplerTiming> TimeSampler(const NamedChain& chain, const LogitRows& rows, const TimingOptions& options);

// "AMD EPYC 9R14, 2 cores, Linux x86_64, avx512, g++ 12.2.0"
std::string MachineText();

}  // namespace decant

#endif  // DECANT_BENCH_H_
