// Reading and sampling the same rows, block by block in turn: what else the machine does meets both, and a ratio is
// taken within each pair of neighbours. Sequences stand where they are: every block draws at the same positions, from
// one of a few sets of sequences.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "core/check.h"
#include "decant/bench.h"
#include "simd/bare_read.h"

namespace decant {
namespace {

constexpr std::size_t kMostBatch = 65'536;
constexpr std::size_t kMostPairs = 10'000;
// Sequences with a history are one set: in a server too each would come from memory once a step.
constexpr std::size_t kSequenceSets = 4;

using Clock = std::chrono::steady_clock;

double MicrosecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double Quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}
double Median(std::vector<double> values) { return Quantile(std::move(values), 0.5); }

std::vector<double> Ratios(const std::vector<double>& over, const std::vector<double>& under) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < over.size(); ++i) ratios.push_back(over[i] / under[i]);
  return ratios;
}

// Reads rows for their maxima, in calls of a batch, as the sampler takes them.
class Reader {
 public:
  Reader(const LogitRows& rows, std::size_t batch, Runtime* runtime) : rows_(rows), batch_(batch), runtime_(runtime) {}

  // Takes the loop that reads fastest here.
  void Choose() {
    double best = 0;
    simd::ReadLoop chosen = loop_;
    for (int round = 0; round < 3; ++round) {
      for (const simd::ReadLoop loop : simd::kReadLoops) {
        loop_ = loop;
        const auto begin = Clock::now();
        Pass();
        const double took = MicrosecondsSince(begin);
        // The first round brings the pages in.
        if (round == 0 || (best > 0 && took >= best)) continue;
        best = took;
        chosen = loop;
      }
    }
    loop_ = chosen;
  }

  void Pass() {
    for (std::size_t first = 0; first < rows_.size(); first += batch_) Call(first);
  }

 private:
  void Call(std::size_t first) {
    const auto threads = static_cast<std::size_t>(runtime_ == nullptr ? 1 : runtime_->threads());
    if (threads == 1) {
      for (std::size_t i = 0; i < batch_; ++i) Read(first + i, 0, rows_.vocabulary());
      return;
    }
    if (batch_ >= threads) {
      const std::size_t tasks = std::min(batch_, 4 * threads);
      runtime_->Parallel(static_cast<int>(tasks), [&](int task) {
        const auto t = static_cast<std::size_t>(task);
        for (std::size_t i = batch_ * t / tasks; i < batch_ * (t + 1) / tasks; ++i) {
          Read(first + i, 0, rows_.vocabulary());
        }
      });
      return;
    }
    const std::size_t parts = std::min((threads + batch_ - 1) / batch_, rows_.vocabulary());
    runtime_->Parallel(static_cast<int>(batch_ * parts), [&](int task) {
      const auto t = static_cast<std::size_t>(task);
      const std::size_t part = t % parts;
      Read(first + t / parts, rows_.vocabulary() * part / parts, rows_.vocabulary() * (part + 1) / parts);
    });
  }

  void Read(std::size_t row, std::size_t begin, std::size_t end) {
    const void* const data = rows_.row(row).data;
    const float most = rows_.type() == ElementType::kF32
                           ? simd::BareMax(loop_, static_cast<const float*>(data) + begin, end - begin)
                           : simd::BareMax(loop_, static_cast<const std::int16_t*>(data) + begin, end - begin);
    // Nobody asks for it; without a use the compiler may leave the reading out.
    sink_.store(most, std::memory_order_relaxed);
  }

  const LogitRows& rows_;
  std::size_t batch_;
  Runtime* runtime_;
  simd::ReadLoop loop_ = simd::ReadLoop::kFourVectors;
  std::atomic<float> sink_ = 0;
};

// Samples the same rows in the same calls.
class Drawer {
 public:
  Drawer(const NamedChain& chain, std::shared_ptr<const Sampler> sampler, const LogitRows& rows,
         const TimingOptions& options)
      : sampler_(std::move(sampler)), options_(options), out_(rows.size(), Choice{}) {
    const std::size_t sets = chain.history > 0 ? 1 : kSequenceSets;
    for (std::size_t set = 0; set < sets; ++set) {
      inputs_.emplace_back(chain, rows.size(), rows.vocabulary(), options.seed, static_cast<std::uint32_t>(set));
    }
    requests_.resize(sets);
    for (std::size_t set = 0; set < sets; ++set) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        RowView row = rows.row(i);
        row.mask = inputs_[set].mask(i);
        requests_[set].push_back({.sampler = sampler_.get(), .row = row, .state = &inputs_[set].state(i)});
      }
    }
  }

  const Sampler& sampler() const { return *sampler_; }

  // False: cancelled.
  bool Pass(BatchSampler& batch_sampler, std::size_t set) {
    const std::span<const SampleRequest> requests = requests_[set % requests_.size()];
    const std::span<Result<Choice>> out = out_;
    for (std::size_t first = 0; first < requests.size(); first += options_.batch) {
      if (options_.cancel.stop_requested()) return false;
      batch_sampler.Sample(requests.subspan(first, options_.batch), options_.detail,
                           out.subspan(first, options_.batch));
    }
    return true;
  }

  Result<void> FindErrors() const {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i].has_value()) continue;
      Error error = out_[i].error();
      error.message = "row " + std::to_string(i) + ": " + error.message;
      return std::unexpected(std::move(error));
    }
    return {};
  }

  // Compares what the last pass over the first set drew with other ways to draw.
  Result<std::size_t> Check() {
    const std::size_t checked = std::min(options_.checked_rows, out_.size());
    for (std::size_t n = 0; n < checked; ++n) {
      if (options_.cancel.stop_requested()) return Fail(ErrorCode::kCancelled, "interrupted");
      const std::size_t i = n * out_.size() / checked;
      const SampleRequest& request = requests_[0][i];
      SamplerState state = *request.state;
      DECANT_TRY(const Choice alone, sampler_->Sample(request.row, state, nullptr));
      DECANT_CHECKED(Same(i, "alone", out_[i]->token, alone.token));
      if (!options_.right || n >= options_.right_rows) continue;
      DECANT_TRY(const TokenId right, options_.right(sampler_->chain(), request.row, state));
      DECANT_CHECKED(Same(i, "by the other way", out_[i]->token, right));
    }
    return checked;
  }

 private:
  static Result<void> Same(std::size_t row, const std::string& how, TokenId batched, TokenId other) {
    if (batched == other) return {};
    return Fail(ErrorCode::kInternal, "row " + std::to_string(row) + ": token " + std::to_string(batched) +
                                          " in a batch, " + std::to_string(other) + " " + how);
  }

  std::shared_ptr<const Sampler> sampler_;
  const TimingOptions& options_;
  std::vector<ChainInputs> inputs_;
  std::vector<std::vector<SampleRequest>> requests_;  // by set
  std::vector<Result<Choice>> out_;
};

// What takes turns: a number of threads, its reader, its sampler, and the blocks so far.
struct Lane {
  Lane(const LogitRows& rows, std::size_t batch, const std::shared_ptr<Runtime>& runtime)
      : reader(rows, batch, runtime.get()), sampler(runtime) {}
  Reader reader;
  BatchSampler sampler;
  std::size_t read_passes = 1, sample_passes = 1;  // a block
  std::vector<double> read_us, sample_us;          // of a pass, by block
};

Result<void> CheckOptions(const LogitRows& rows, const TimingOptions& options) {
  const auto check = [](const std::string& what, std::size_t value, std::size_t most) -> Result<void> {
    if (value >= 1 && value <= most) return {};
    const std::string allowed = "an integer in 1.." + std::to_string(most);
    return Fail(ErrorCode::kOutOfRange, what + " is " + std::to_string(value) + "; expected " + allowed,
                {.subject = what, .allowed = allowed});
  };
  DECANT_CHECKED(check("batch", options.batch, kMostBatch));
  DECANT_CHECKED(check("pairs", options.pairs, kMostPairs));
  if (rows.size() % options.batch == 0) return {};
  return Fail(ErrorCode::kOutOfRange,
              std::to_string(rows.size()) + " rows are no whole number of batches of " + std::to_string(options.batch),
              {.subject = "batch", .allowed = "a divisor of the number of rows"});
}

std::unexpected<Error> Cancelled() { return Fail(ErrorCode::kCancelled, "interrupted"); }

// Times of a pass, each the mean of a block's. False: cancelled.
bool MeasurePair(std::vector<std::unique_ptr<Lane>>& lanes, Drawer& drawer, std::size_t pair) {
  for (const auto& lane : lanes) {
    auto begin = Clock::now();
    for (std::size_t pass = 0; pass < lane->read_passes; ++pass) lane->reader.Pass();
    lane->read_us.push_back(MicrosecondsSince(begin) / static_cast<double>(lane->read_passes));
    begin = Clock::now();
    for (std::size_t pass = 0; pass < lane->sample_passes; ++pass) {
      if (!drawer.Pass(lane->sampler, pair)) return false;
    }
    lane->sample_us.push_back(MicrosecondsSince(begin) / static_cast<double>(lane->sample_passes));
  }
  return true;
}

// How many passes make a block as long as asked, by one that is timed.
std::size_t PassesFor(double pass_us, double block_ms) {
  return static_cast<std::size_t>(std::clamp(std::ceil(block_ms * 1000 / std::max(pass_us, 0.1)), 1.0, 1e6));
}

// Chooses the loop, and the lengths of blocks. False: cancelled.
bool Prepare(Lane& lane, Drawer& drawer, double block_ms) {
  lane.reader.Choose();
  auto begin = Clock::now();
  lane.reader.Pass();
  lane.read_passes = PassesFor(MicrosecondsSince(begin), block_ms);
  begin = Clock::now();
  if (!drawer.Pass(lane.sampler, 0)) return false;
  lane.sample_passes = PassesFor(MicrosecondsSince(begin), block_ms);
  return true;
}

}  // namespace

Result<SamplerTiming> TimeSampler(const NamedChain& chain, const LogitRows& rows, const TimingOptions& options) {
  DECANT_CHECKED(CheckOptions(rows, options));
  DECANT_TRY([[maybe_unused]] const std::string_view level, SimdLevel());  // chosen before a kernel runs
  DECANT_TRY(std::shared_ptr<const Sampler> made, MakeSampler(chain.chain, rows.vocabulary(), {}));
  Drawer drawer(chain, std::move(made), rows, options);
  const int threads = options.runtime == nullptr ? 1 : options.runtime->threads();
  std::vector<std::unique_ptr<Lane>> lanes;
  lanes.push_back(std::make_unique<Lane>(rows, options.batch, nullptr));
  if (threads > 1) lanes.push_back(std::make_unique<Lane>(rows, options.batch, options.runtime));
  // The last lane is the one asked for: its tokens are checked, after a pass that warms it up.
  Lane& asked = *lanes.back();
  if (!drawer.Pass(asked.sampler, 0)) return Cancelled();
  DECANT_CHECKED(drawer.FindErrors());
  DECANT_TRY(const std::size_t checked, drawer.Check());
  for (const auto& lane : lanes) {
    if (!Prepare(*lane, drawer, options.block_ms)) return Cancelled();
  }
  const std::uint64_t falls_before = drawer.sampler().exact_falls();
  for (std::size_t pair = 0; pair < options.pairs; ++pair) {
    if (options.on_pair) options.on_pair(pair, options.pairs);
    if (!MeasurePair(lanes, drawer, pair)) return Cancelled();
  }
  DECANT_CHECKED(drawer.FindErrors());

  const auto rows_a_pass = static_cast<double>(rows.size());
  std::size_t passes = 0;
  for (const auto& lane : lanes) passes += lane->sample_passes * options.pairs;
  const double draws = rows_a_pass * static_cast<double>(passes);
  const std::vector<double> ratios = Ratios(asked.sample_us, asked.read_us);
  SamplerTiming timing{.name = chain.name,
                       .rows = rows.kind(),
                       .type = rows.type(),
                       .batch = options.batch,
                       .vocabulary = rows.vocabulary(),
                       .pairs = options.pairs,
                       .rows_held = rows.size(),
                       .rows_checked = checked,
                       .threads = threads,
                       .us_per_row = Median(asked.sample_us) / rows_a_pass,
                       .read_us_per_row = Median(asked.read_us) / rows_a_pass,
                       .ratio_to_read = Median(ratios),
                       .ratio_low = Quantile(ratios, 0.25),
                       .ratio_high = Quantile(ratios, 0.75)};
  timing.falls_per_1000 = 1000 * static_cast<double>(drawer.sampler().exact_falls() - falls_before) / draws;
  if (lanes.size() > 1) {
    timing.gain = Median(Ratios(lanes[0]->sample_us, asked.sample_us));
    timing.read_gain = Median(Ratios(lanes[0]->read_us, asked.read_us));
  }
  return timing;
}

}  // namespace decant
