// Quantiles of the binomial and the tail of chi-square, on the library's own exp and log.
// numerics: display only. Nothing here decides a token.
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/math.h"

namespace decant::cli {
namespace {

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
constexpr double kLeastExpected = 5;
constexpr double kTail = 0.025;

double LogBinomial(std::uint64_t n, std::uint64_t k, double p) {
  const auto total = static_cast<double>(n), hits = static_cast<double>(k);
  return LogGamma(total + 1) - LogGamma(hits + 1) - LogGamma(total - hits + 1) + hits * core::Log(p) +
         (total - hits) * core::Log(1 - p);
}

}  // namespace

double LogGamma(double x) {
  // Stirling's series is exact enough from 12 on; below, gamma(x) = gamma(x + 1) / x.
  double shift = 1;
  while (x < 12) shift *= x++;
  const double y = 1 / (x * x);
  const double series = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188))))) / x;
  return (x - 0.5) * core::Log(x) - x + kLogSqrtTwoPi + series - core::Log(shift);
}

double UpperGamma(double a, double x) {
  if (x <= 0) return 1;
  const double front = core::Exp(a * core::Log(x) - x - LogGamma(a));
  constexpr double kSmall = 1e-15;
  constexpr int kMostTerms = 100000;
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int i = 1; i < kMostTerms && term > sum * kSmall; ++i) sum += term *= x / (a + i);
    return std::clamp(1 - front * sum, 0.0, 1.0);
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, fraction = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double factor = -i * (i - a);
    b += 2;
    d = factor * d + b;
    c = b + factor / c;
    if (std::abs(d) < kTiny) d = kTiny;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    fraction *= d * c;
    if (std::abs(d * c - 1) < kSmall) break;
  }
  return std::clamp(front * fraction, 0.0, 1.0);
}

CountRange CentralRange(std::uint64_t n, double p) {
  if (!(p > 0)) return {0, 0};
  if (p >= 1) return {n, n};
  // The mass farther than ten deviations from the mean is below every tail of interest.
  const auto total = static_cast<double>(n);
  const double reach = 10 * std::sqrt(total * p * (1 - p)) + 10;
  const auto first = static_cast<std::uint64_t>(std::max(0.0, total * p - reach));
  CountRange range{first, n};
  double below = 0;
  bool found_low = false;
  for (std::uint64_t k = first; k <= n; ++k) {
    below += core::Exp(LogBinomial(n, k, p));
    if (!found_low && below >= kTail) {
      range.low = k;
      found_low = true;
    }
    if (below >= 1 - kTail) {
      range.high = k;
      break;
    }
  }
  return range;
}

std::optional<ChiSquare> ChiSquareOf(std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  const auto draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  struct Bucket {
    double expected, drawn;
  };
  std::vector<Bucket> buckets;
  Bucket pooled{0, 0};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Bucket bucket{draws * probabilities[i], static_cast<double>(counts[i])};
    if (bucket.expected >= kLeastExpected) {
      buckets.push_back(bucket);
    } else {
      pooled.expected += bucket.expected;
      pooled.drawn += bucket.drawn;
    }
  }
  if (pooled.expected >= kLeastExpected) {
    buckets.push_back(pooled);
  } else if (!buckets.empty()) {  // too small even together: joins the smallest
    const auto smallest = std::ranges::min_element(buckets, {}, &Bucket::expected);
    smallest->expected += pooled.expected;
    smallest->drawn += pooled.drawn;
  }
  if (buckets.size() < 2) return std::nullopt;
  ChiSquare result{.buckets = buckets.size(), .degrees_of_freedom = buckets.size() - 1};
  for (const Bucket& bucket : buckets) {
    const double difference = bucket.drawn - bucket.expected;
    result.statistic += difference * difference / bucket.expected;
  }
  result.p_value = UpperGamma(static_cast<double>(result.degrees_of_freedom) / 2, result.statistic / 2);
  return result;
}

}  // namespace decant::cli
