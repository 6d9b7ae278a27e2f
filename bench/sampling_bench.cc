// sampling_bench [--quick] [--rows FILE.npy] [--two-threads]: what a row costs the sampler beside a bare read of it,
// for
//   batches of 1, 32 and 256, vocabularies of 32,000, 128,256 and 262,144, model-like and flat rows, and those of a
//   file.
// sampling_bench --count CHAIN: one pass for callgrind to count (bench/callgrind.sh).
//
// Tokens are compared with the plain twin's before anything is timed. Prints a JSON object a line: the machine, then
// the fields of `decant bench sampler`, with the memory that the sampler holds for a row of a batch and how often a
// step allocates once it is warm.
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "decant/bench.h"
#include "decant/sampler.h"
#include "twin/sampler.h"

namespace {

std::atomic<std::uint64_t> allocations = 0;

void* Counted(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// The program's own, to count: GCC takes free() here for a mistake.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) { return Counted(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using decant::BatchSampler;
using decant::ChainInputs;
using decant::Choice;
using decant::LogitRows;
using decant::NamedChain;
using decant::Result;
using decant::RowKind;
using decant::RowView;
using decant::SampleRequest;
using decant::SamplerState;
using decant::SamplerTiming;
using decant::TokenId;

struct Plan {
  bool quick = false;
  bool two_threads = false;
  std::string file;
  std::string counted;  // a chain; empty = the grid
};

Result<TokenId> ByTwin(const decant::Chain& chain, const RowView& row, const SamplerState& state) {
  const auto logits = std::span(static_cast<const float*>(row.data), row.vocabulary);
  const std::span<const TokenId> tokens = state.history().tokens();
  const std::size_t prompt = state.history().prompt_size();
  const decant::twin::DrawAddress address{
      .seed = state.seed(), .position = state.position(), .sequence = state.sequence()};
  DECANT_TRY(const decant::StepRecord record, decant::twin::Sample(chain, {.logits = logits,
                                                                           .mask = row.mask,
                                                                           .structural = row.structural,
                                                                           .prompt = tokens.first(prompt),
                                                                           .output = tokens.subspan(prompt),
                                                                           .address = address}));
  return record.choice.token;
}

// A sampler with all that a batch of it works on.
struct Batch {
  Batch(const NamedChain& chain, const LogitRows& rows, std::size_t size)
      : inputs(chain, size, rows.vocabulary(), 0, 0), out(size, Choice{}) {
    for (std::size_t i = 0; i < size; ++i) {
      RowView row = rows.row(i);
      row.mask = inputs.mask(i);
      requests.push_back({.sampler = nullptr, .row = row, .state = &inputs.state(i)});
    }
  }
  ChainInputs inputs;
  std::vector<SampleRequest> requests;
  std::vector<Result<Choice>> out;
};

struct Memory {
  double bytes_per_row = 0;        // held after the first step: by the sampler, and by indices of the histories
  double allocations_per_row = 0;  // of a step after it
};

std::uint64_t HeldBytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Result<Memory> MeasureMemory(const NamedChain& chain, const LogitRows& rows, std::size_t size) {
  Batch batch(chain, rows, size);
  const std::uint64_t before = HeldBytes();
  DECANT_TRY(const auto sampler, decant::MakeSampler(chain.chain, rows.vocabulary(), {}));
  for (SampleRequest& request : batch.requests) request.sampler = sampler.get();
  BatchSampler batch_sampler(nullptr);
  batch_sampler.Sample(batch.requests, decant::Detail::kToken, batch.out);
  const std::uint64_t after = HeldBytes();
  const std::uint64_t counted = allocations.load();
  batch_sampler.Sample(batch.requests, decant::Detail::kToken, batch.out);
  const auto count = static_cast<double>(size);
  return Memory{.bytes_per_row = static_cast<double>(after > before ? after - before : 0) / count,
                .allocations_per_row = static_cast<double>(allocations.load() - counted) / count};
}

void Print(const SamplerTiming& t, const Memory& memory) {
  std::printf(
      "{\"name\":\"%s\",\"rows\":\"%s\",\"batch\":%zu,\"vocab\":%zu,\"threads\":%d,\"us_per_row\":%.4g,"
      "\"ratio_to_read\":%.4g,\"ratio_low\":%.4g,\"ratio_high\":%.4g,\"read_us_per_row\":%.4g,\"pairs\":%zu,"
      "\"falls_per_1000\":%.4g,\"bytes_per_row\":%.0f,\"allocations_per_row\":%.3g",
      t.name.c_str(), std::string(NameOf(t.rows)).c_str(), t.batch, t.vocabulary, t.threads, t.us_per_row,
      t.ratio_to_read, t.ratio_low, t.ratio_high, t.read_us_per_row, t.pairs, t.falls_per_1000, memory.bytes_per_row,
      memory.allocations_per_row);
  if (t.gain.has_value()) std::printf(",\"gain\":%.4g,\"read_gain\":%.4g", *t.gain, t.read_gain.value_or(0));
  std::printf("}\n");
  std::fflush(stdout);
}

Result<void> MeasureRows(const Plan& plan, const LogitRows& rows, std::span<const std::size_t> batches) {
  std::shared_ptr<decant::Runtime> runtime;
  if (plan.two_threads) {
    DECANT_TRY(runtime, decant::Runtime::Make({.threads = 2}));
  }
  for (const std::string_view name : decant::ChainNames()) {
    DECANT_TRY(const NamedChain chain, decant::FindNamedChain(name, rows.vocabulary()));
    for (const std::size_t batch : batches) {
      DECANT_TRY(const Memory memory, MeasureMemory(chain, rows, batch));
      DECANT_TRY(const SamplerTiming timing, decant::TimeSampler(chain, rows,
                                                                 {.batch = batch,
                                                                  .pairs = plan.quick ? 3u : 15u,
                                                                  .runtime = runtime,
                                                                  .checked_rows = plan.quick ? 4u : 32u,
                                                                  .right = ByTwin,
                                                                  .right_rows = batch == batches.back() ? 4u : 1u}));
      Print(timing, memory);
    }
  }
  return {};
}

Result<void> MeasureGrid(const Plan& plan) {
  const std::vector<std::size_t> vocabularies = plan.quick         ? std::vector<std::size_t>{4'000, 8'000}
                                                : plan.two_threads ? std::vector<std::size_t>{128'256}
                                                                   : std::vector<std::size_t>{32'000, 128'256, 262'144};
  std::vector<std::size_t> batches = {1, 32, 256};
  if (plan.two_threads) batches = {1, 256};
  if (plan.quick) batches = {1, 8};
  const std::size_t pool = plan.quick ? 0 : std::size_t{64} << 20;
  for (const std::size_t vocabulary : vocabularies) {
    for (const RowKind kind : {RowKind::kModelLike, RowKind::kFlat}) {
      if (plan.two_threads && kind == RowKind::kFlat) continue;
      // The largest batch is a multiple of the others: one pool serves all.
      const std::size_t count = decant::RowsFor(batches.back(), 4 * vocabulary, pool);
      DECANT_TRY(const LogitRows rows, LogitRows::Make({.kind = kind, .rows = count, .vocabulary = vocabulary}));
      DECANT_CHECKED(MeasureRows(plan, rows, batches));
    }
  }
  if (plan.file.empty()) return {};
  DECANT_TRY(const decant::FloatTable table, decant::ReadNpy(plan.file));
  const std::size_t count = decant::RowsFor(batches.back(), 4 * table.columns, pool);
  DECANT_TRY(const LogitRows rows, LogitRows::Repeat(table, count, decant::ElementType::kF32));
  return MeasureRows(plan, rows, batches);
}

}  // namespace

// What callgrind counts, by this name.
extern "C" [[gnu::noinline]] void DecantCountedPass(BatchSampler& sampler, std::span<const SampleRequest> requests,
                                                    std::span<Result<Choice>> out) {
  sampler.Sample(requests, decant::Detail::kToken, out);
}

namespace {

Result<void> Count(const Plan& plan) {
  constexpr std::size_t kRows = 8, kVocabulary = 128'256;
  DECANT_TRY([[maybe_unused]] const std::string_view level, decant::SimdLevel());  // chosen before a kernel runs
  DECANT_TRY(const LogitRows rows, LogitRows::Make({.rows = kRows, .vocabulary = kVocabulary}));
  DECANT_TRY(const NamedChain chain, decant::FindNamedChain(plan.counted, kVocabulary));
  DECANT_TRY(const auto sampler, decant::MakeSampler(chain.chain, kVocabulary, {}));
  Batch batch(chain, rows, kRows);
  for (SampleRequest& request : batch.requests) request.sampler = sampler.get();
  BatchSampler batch_sampler(nullptr);
  batch_sampler.Sample(batch.requests, decant::Detail::kToken, batch.out);  // warm: no allocation is counted
  DecantCountedPass(batch_sampler, batch.requests, batch.out);
  for (const Result<Choice>& choice : batch.out) {
    if (!choice.has_value()) return std::unexpected(choice.error());
  }
  std::printf("{\"machine\":\"%s\",\"name\":\"%s\",\"vocab\":%zu,\"rows\":%zu}\n", decant::MachineText().c_str(),
              plan.counted.c_str(), kVocabulary, kRows);
  return {};
}

std::optional<Plan> ReadPlan(int argc, char** argv) {
  Plan plan;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      plan.quick = true;
    } else if (argument == "--two-threads") {
      plan.two_threads = true;
    } else if (argument == "--rows" && i + 1 < argc) {
      plan.file = argv[++i];
    } else if (argument == "--count" && i + 1 < argc) {
      plan.counted = argv[++i];
    } else {
      return std::nullopt;
    }
  }
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Plan> plan = ReadPlan(argc, argv);
  if (!plan.has_value()) {
    std::fputs("usage: sampling_bench [--quick] [--two-threads] [--rows FILE.npy] | --count CHAIN\n", stderr);
    return 2;
  }
  if (plan->counted.empty()) {
    std::printf("{\"machine\":\"%s\"}\n", decant::MachineText().c_str());
    std::fflush(stdout);
  }
  const Result<void> done = plan->counted.empty() ? MeasureGrid(*plan) : Count(*plan);
  if (done.has_value()) return 0;
  std::fprintf(stderr, "sampling_bench: %s\n", done.error().message.c_str());
  return 1;
}
