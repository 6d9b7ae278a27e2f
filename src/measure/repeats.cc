// Repeats by naming (Karp, Miller and Rosenberg 1972): equal runs of length a + b have equal pairs of names, of their
// first a and of their last b symbols. Lengths that are powers of two come from each other, any other length is a sum
// of them. Exact: names are compared, never hashes. Loops come from the Z function of the reversed text.
#include <algorithm>
#include <unordered_map>

#include "core/check.h"
#include "decant/measure.h"

namespace decant {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

struct PairHash {
  std::size_t operator()(std::uint64_t pair) const {
    pair = (pair ^ (pair >> 30)) * 0xBF58476D1CE4E5B9U;
    pair = (pair ^ (pair >> 27)) * 0x94D049BB133111EBU;
    return static_cast<std::size_t>(pair ^ (pair >> 31));
  }
};

// The names of all runs of one length. A name is meaningless where no run begins.
struct Names {
  std::vector<std::uint32_t> of;  // by the run's start
  std::size_t length = 0;
  std::uint64_t runs = 0, distinct = 0;
};

// Texts, one behind the other, and how far each place is from the end of its own.
class Sequence {
 public:
  void Add(std::span<const Symbol> text) {
    symbols_.insert(symbols_.end(), text.begin(), text.end());
    for (std::size_t left = text.size(); left > 0; --left) room_.push_back(left);
    longest_ = std::max(longest_, text.size());
  }
  std::size_t longest() const { return longest_; }

  Names OfNothing() const { return {.of = std::vector<std::uint32_t>(symbols_.size()), .length = 0}; }
  Names OfOne() const {
    // Symbols are names already; the pair with nothing makes them dense and counts them.
    return Join(OfNothing(), {.of = symbols_, .length = 1});
  }
  Names Join(const Names& head, const Names& tail) const {
    Names names{.of = std::vector<std::uint32_t>(symbols_.size()), .length = head.length + tail.length};
    std::unordered_map<std::uint64_t, std::uint32_t, PairHash> known;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (room_[i] < names.length) continue;
      const std::uint64_t pair = (std::uint64_t{head.of[i]} << 32) | tail.of[i + head.length];
      names.of[i] = known.try_emplace(pair, static_cast<std::uint32_t>(known.size())).first->second;
      ++names.runs;
    }
    names.distinct = known.size();
    return names;
  }
  // The names of runs of any length.
  Names OfLength(std::size_t n) const {
    if (n > longest_) return {};
    Names power = OfOne(), sum = OfNothing();
    for (std::size_t bits = n;;) {
      if ((bits & 1) != 0) sum = Join(sum, power);
      bits >>= 1;
      if (bits == 0) return sum;
      power = Join(power, power);
    }
  }
  bool BeginsRun(std::size_t i, std::size_t length) const { return room_[i] >= length; }
  std::size_t size() const { return symbols_.size(); }

 private:
  std::vector<Symbol> symbols_;
  std::vector<std::size_t> room_;
  std::size_t longest_ = 0;
};

std::optional<double> Ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// z[i]: how many symbols from i on equal those from 0 on.
std::vector<std::size_t> ZFunction(std::span<const Symbol> text) {
  std::vector<std::size_t> z(text.size());
  std::size_t left = 0, right = 0;  // the match that reaches furthest
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < text.size() && text[z[i]] == text[i + z[i]]) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

}  // namespace

std::optional<double> RepeatCounts::Share() const { return Ratio(repeats, runs); }
RepeatCounts& RepeatCounts::operator+=(const RepeatCounts& other) {
  runs += other.runs;
  repeats += other.repeats;
  return *this;
}
std::optional<double> RunCounts::Share() const { return Ratio(distinct, runs); }

RepeatCounts CountRepeats(std::span<const Symbol> text, std::size_t n) {
  DECANT_DCHECK(n >= 1);
  Sequence sequence;
  sequence.Add(text);
  const Names names = sequence.OfLength(n);
  return {.runs = names.runs, .repeats = names.runs - names.distinct};
}

RunCounts CountRuns(std::span<const std::vector<Symbol>> texts, std::size_t n) {
  DECANT_DCHECK(n >= 1);
  Sequence sequence;
  for (const std::vector<Symbol>& text : texts) sequence.Add(text);
  const Names names = sequence.OfLength(n);
  return {.runs = names.runs, .distinct = names.distinct};
}

std::optional<Repeat> LongestRepeat(std::span<const Symbol> text) {
  Sequence sequence;
  sequence.Add(text);
  // Powers of two with a repeat; a text that repeats a run repeats all shorter ones.
  std::vector<Names> powers;
  for (Names next = sequence.OfOne(); next.distinct < next.runs; next = sequence.Join(powers.back(), powers.back())) {
    powers.push_back(std::move(next));
    if (2 * powers.back().length > text.size()) break;
  }
  Names longest = sequence.OfNothing();
  for (; !powers.empty(); powers.pop_back()) {
    if (longest.length + powers.back().length > text.size()) continue;
    Names longer = sequence.Join(longest, powers.back());
    if (longer.distinct < longer.runs) longest = std::move(longer);
  }
  if (longest.length == 0) return std::nullopt;
  Repeat best{.length = longest.length, .first = kNowhere, .again = kNowhere};
  std::vector<std::size_t> first(longest.distinct, kNowhere);
  for (std::size_t i = 0; i < text.size() && sequence.BeginsRun(i, longest.length); ++i) {
    std::size_t& earlier = first[longest.of[i]];
    if (earlier == kNowhere) {
      earlier = i;
    } else if (earlier < best.first) {
      best.first = earlier;
      best.again = i;
    }
  }
  return best;
}

std::optional<Loop> FindLoop(std::span<const Symbol> text, LoopOptions options) {
  DECANT_DCHECK(options.least_repetitions >= 2);
  const std::vector<Symbol> reversed(text.rbegin(), text.rend());
  const std::vector<std::size_t> z = ZFunction(reversed);
  for (std::size_t period = 1; period < text.size(); ++period) {
    const std::size_t length = z[period] + period;
    if (length / period < options.least_repetitions || length < options.least_length) continue;
    return Loop{.start = text.size() - length, .period = period, .length = length};
  }
  return std::nullopt;
}

}  // namespace decant
