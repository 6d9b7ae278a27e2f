// Shows on many draws that the sampler's choice is the twin's.
//
//   draws_proof [--draws 10000000] [--threads 2] [--seed 0] [--rows N] [--row I]
//
// Rows have 1 to 262,144 logits, their logarithm uniform, and one in a hundred has 262,144. The twin works a row out
// once; its exact prefix sums then answer each draw, and the row's first draw is the twin's own. Every difference is
// printed with the command that repeats it (--row: that row alone). Exit status: 0 = no difference, 1 = some, 2 =
// usage.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "agreement/sampler_rows.h"
#include "agreement/twin_answer.h"
#include "core/math.h"
#include "decant/runtime.h"
#include "decant/sampler.h"

namespace decant {
namespace {

constexpr std::size_t kLargest = 262'144;
constexpr std::uint64_t kDrawsPerRow = 500;
constexpr std::uint64_t kFewestRows = 200;
constexpr std::uint64_t kFullEvery = 16;  // one draw in so many asks for every detail
constexpr std::uint64_t kMostShown = 20;

struct Options {
  std::uint64_t draws = 10'000'000;
  std::uint64_t threads = 2;
  std::uint64_t seed = 0;
  std::uint64_t rows = 0;  // 0 = one for each 500 draws, at least 200
  std::optional<std::uint64_t> row = {};
};

std::optional<Options> ParseOptions(int count, char** words) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    if (i + 1 == count) return std::nullopt;
    const std::string_view text = words[i + 1];
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (name == "--draws" && value > 0) {
      options.draws = value;
    } else if (name == "--threads" && value >= 1 && value <= 256) {
      options.threads = value;
    } else if (name == "--seed") {
      options.seed = value;
    } else if (name == "--rows" && value > 0) {
      options.rows = value;
    } else if (name == "--row") {
      options.row = value;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

std::uint64_t RowsOf(const Options& options) {
  if (options.rows != 0) return std::min(options.draws, options.rows);
  return std::min(options.draws, std::max(kFewestRows, options.draws / kDrawsPerRow));
}

// A row under a chain, with what its sequences look back on.
struct Task {
  Chain chain;
  Family family = Family::kModelLike;
  std::vector<float> logits;
  std::vector<std::uint32_t> mask, structural;
  std::vector<TokenId> tokens;
  std::size_t prompt = 0;
  std::uint64_t seed = 0, position = 0;

  twin::StepInput Input() const {
    const std::span<const TokenId> all(tokens);
    return {.logits = logits,
            .mask = mask.empty() ? nullptr : mask.data(),
            .structural = structural.empty() ? nullptr : structural.data(),
            .prompt = all.first(prompt),
            .output = all.subspan(prompt),
            .address = {.seed = seed, .position = position}};
  }
};

Family PickFamily(Random& random) {
  if (random.Chance(0.35)) return Family::kModelLike;
  if (random.Chance(0.25)) return Family::kFlat;
  return Families()[random.Below(Families().size())];
}

// As many tokens as the twin can look back on in reasonable time: it compares each with each logit. Now and then all.
std::size_t HistorySize(std::size_t vocabulary, Random& random) {
  if (random.Chance(0.05)) return 1000;
  const auto size = static_cast<std::size_t>(core::Exp2(random.Uniform() * 10));
  return std::min<std::size_t>({size, 1000, 20'000'000 / vocabulary});
}

Task MakeTask(std::uint64_t seed, std::uint64_t number) {
  Random random(seed * 0x9e3779b97f4a7c15u + number);
  Task task;
  const bool largest = number % 100 == 99;
  const std::size_t vocabulary = largest ? kLargest : static_cast<std::size_t>(core::Exp2(random.Uniform() * 18));
  task.family = PickFamily(random);
  task.logits = MakeRow(task.family, vocabulary, random);
  task.seed = random.Bits();
  const double kind = random.Uniform();
  bool masked = random.Chance(0.15), looks_back = false;
  if (kind < 0.6) {
    const BenchChain chain = kBenchChains[random.Below(std::size(kBenchChains))];
    task.chain = MakeBenchChain(chain);
    masked = masked || chain == BenchChain::kAll;
    looks_back = chain == BenchChain::kAll;
  } else if (kind < 0.85) {
    task.chain = MakeRandomFilters(random);
  } else {
    task.chain = MakeRandomProcessors(vocabulary, random);
    const Chain filters = MakeRandomFilters(random);
    task.chain.insert(task.chain.end(), filters.begin(), filters.end());
    looks_back = true;
  }
  if (masked) task.mask = MakeMask(vocabulary, random.Chance(0.5) ? 0.9 : random.Uniform(), random);
  if (looks_back && random.Chance(0.2)) task.structural = MakeMask(vocabulary, 0.1, random);
  task.position = random.Below(1000);
  if (looks_back) {
    task.tokens = MakeHistory(vocabulary, HistorySize(vocabulary, random), random);
    task.prompt = random.Below(task.tokens.size() + 1);
    task.position = task.tokens.size();
  }
  return task;
}

// All rows, shared out to threads; a row's draws stay together.
class Proof {
 public:
  // `level` = the instruction set that the sampler runs on.
  Proof(const Options& options, std::string_view level) : options_(options), rows_(RowsOf(options)), level_(level) {}

  // The number of differences.
  std::uint64_t Run() {
    const auto start = std::chrono::steady_clock::now();
    std::printf("%llu draws, %llu rows, seed %llu, %llu threads, %.*s\n", Shown(options_.draws), Shown(rows_),
                Shown(options_.seed), Shown(options_.threads), static_cast<int>(level_.size()), level_.data());
    if (options_.row.has_value()) {
      ProveRow(*options_.row);
    } else {
      std::vector<std::jthread> threads;
      for (std::uint64_t i = 0; i < options_.threads; ++i) threads.emplace_back([this] { Work(); });
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    PrintCounts();
    std::printf("%.1f s; of all threads' time the twin took %.1f s, the draws %.1f s\ndifferences: %llu\n",
                took.count(), twin_ms_ / 1000, draws_ms_ / 1000, Shown(differences_));
    return differences_;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  static double MillisecondsTo(Time end, Time start) {
    return std::chrono::duration<double, std::milli>(end - start).count();
  }
  static unsigned long long Shown(std::uint64_t value) { return value; }

  void Work() {
    for (std::uint64_t row = next_++; row < rows_; row = next_++) {
      ProveRow(row);
      if (++done_ % std::max<std::uint64_t>(1, rows_ / 10) == 0) PrintCounts();
    }
  }

  void PrintCounts() {
    const std::scoped_lock lock(print_);
    std::printf(
        "%llu rows (%llu of %zu), sum of V %llu, %llu draws (%llu in full), %llu exact falls, %llu rows refused\n",
        Shown(proven_), Shown(largest_), kLargest, Shown(logits_), Shown(draws_), Shown(full_), Shown(falls_),
        Shown(refused_));
    std::fflush(stdout);
  }

  std::uint64_t DrawsOf(std::uint64_t row) const {
    return options_.draws / rows_ + (row < options_.draws % rows_ ? 1 : 0);
  }

  void ProveRow(std::uint64_t row) {
    const Task task = MakeTask(options_.seed, row);
    const auto sampler = MakeSampler(task.chain, task.logits.size(), {});
    if (!sampler.has_value()) return Report(row, 0, task, "the chain is refused: " + sampler.error().message);
    twin::StepInput input = task.Input();
    const auto start = std::chrono::steady_clock::now();
    const TwinAnswer twin(task.chain, input);
    const auto answered = std::chrono::steady_clock::now();
    const RowView view = ViewOf(input);
    const std::uint64_t draws = DrawsOf(row);
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      input.address.sequence = static_cast<std::uint32_t>(draw);
      const Detail detail = draw % kFullEvery == 0 ? Detail::kFull : Detail::kToken;
      SamplerState state = StateFor(input, task.seed);
      const Result<Choice> fast = (*sampler)->Choose(view, state, detail);
      std::string difference = Difference(fast, twin, BitsFor(input, task.seed), detail);
      if (difference.empty() && draw == 0 && fast.has_value() && *fast != twin.record()->choice) {
        difference = "the first draw is not the twin's own";
      }
      if (!difference.empty()) Report(row, draw, task, difference);
    }
    twin_ms_ += MillisecondsTo(answered, start);
    draws_ms_ += MillisecondsTo(std::chrono::steady_clock::now(), answered);
    draws_ += draws;
    full_ += (draws + kFullEvery - 1) / kFullEvery;
    logits_ += task.logits.size();
    falls_ += (*sampler)->exact_falls();
    if (task.logits.size() == kLargest) ++largest_;
    if (!twin.record().has_value()) ++refused_;
    ++proven_;
  }

  void Report(std::uint64_t row, std::uint64_t draw, const Task& task, const std::string& what) {
    if (++differences_ > kMostShown) return;
    const std::scoped_lock lock(print_);
    std::printf(
        "difference: row %llu (%zu logits, %.*s%s), draw %llu: %s\n  chain %s\n  draws_proof --draws %llu --rows %llu "
        "--seed %llu --row %llu\n",
        Shown(row), task.logits.size(), static_cast<int>(NameOf(task.family).size()), NameOf(task.family).data(),
        task.mask.empty() ? "" : ", masked", Shown(draw), what.c_str(), Describe(task.chain).c_str(),
        Shown(options_.draws), Shown(rows_), Shown(options_.seed), Shown(row));
    std::fflush(stdout);
  }

  const Options options_;
  const std::uint64_t rows_;
  const std::string_view level_;
  std::mutex print_;
  std::atomic<std::uint64_t> next_ = 0, done_ = 0;
  std::atomic<std::uint64_t> proven_ = 0, draws_ = 0, full_ = 0, logits_ = 0, falls_ = 0, largest_ = 0, refused_ = 0,
                             differences_ = 0;
  std::atomic<double> twin_ms_ = 0, draws_ms_ = 0;
};

}  // namespace
}  // namespace decant

int main(int count, char** words) {
  const auto options = decant::ParseOptions(count, words);
  if (!options.has_value()) {
    std::fputs("usage: draws_proof [--draws N] [--threads 1..256] [--seed S] [--rows N] [--row I]\n", stderr);
    return 2;
  }
  const auto level = decant::SimdLevel();
  if (!level.has_value()) {
    std::fprintf(stderr, "error: %s\n", level.error().message.c_str());
    return 2;
  }
  return decant::Proof(*options, *level).Run() == 0 ? 0 : 1;
}
