// The statistics that `decant draws` shows: is a count within what chance allows, and are all of them together?
#ifndef DECANT_CLI_STATISTICS_H_
#define DECANT_CLI_STATISTICS_H_

#include <cstdint>
#include <optional>
#include <span>

namespace decant::cli {

// The natural logarithm of the gamma function. REQUIRES: x > 0. Relative error below 1e-12.
double LogGamma(double x);

// Q(a, x), the upper tail of the gamma distribution: the chance that chi-square with 2a degrees exceeds 2x.
// REQUIRES: a > 0, x >= 0. Series below a + 1, continued fraction (Lentz) above.
double UpperGamma(double a, double x);

// The counts that a binomial of n draws with chance p falls into in 95 of 100 cases: 2.5 % quantiles at both ends.
struct CountRange {
  std::uint64_t low = 0, high = 0;
};
CountRange CentralRange(std::uint64_t n, double p);

// Pearson's chi-square of counts against probabilities. Buckets that expect fewer than 5 are pooled into one.
struct ChiSquare {
  double statistic = 0;
  std::size_t buckets = 0;
  std::size_t degrees_of_freedom = 0;
  double p_value = 1;  // the chance of at least this unevenness
};
// Nothing when fewer than two buckets are left. REQUIRES: equal lengths.
std::optional<ChiSquare> ChiSquareOf(std::span<const std::uint64_t> counts, std::span<const double> probabilities);

}  // namespace decant::cli

#endif  // DECANT_CLI_STATISTICS_H_
