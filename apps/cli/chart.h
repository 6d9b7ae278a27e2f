// Series of probabilities as pictures: bars of characters for a terminal, a standalone SVG for a page.
#ifndef DECANT_CLI_CHART_H_
#define DECANT_CLI_CHART_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "environment.h"

namespace decant::cli {

struct Series {
  std::string name;
  std::vector<double> values;  // each in [0, 1]
};

enum class ChartGlyphs : std::uint8_t { kUnicode, kAscii };

// ASCII where the locale (LC_ALL, else LC_CTYPE, else LANG) names no UTF-8.
ChartGlyphs GlyphsOf(const EnvironmentLookup& environment);
// Columns of the terminal that a descriptor is; 80 when it is none or does not say.
std::size_t ColumnsOf(int descriptor);

struct TerminalChart {
  std::size_t columns = 80;  // in all, at least 20
  std::size_t rows = 4;      // of bars
  ChartGlyphs glyphs = ChartGlyphs::kUnicode;
};
// Values a column: 1, or as many as it takes to fit the longest series.
std::size_t ValuesPerColumn(std::span<const Series> series, const TerminalChart& chart);
// The name, then a bar for each column with the mean of its values. The axis goes from 0 to 1.
std::string DrawChart(const Series& series, std::size_t values_per_column, const TerminalChart& chart);

struct SvgText {
  std::string title, description;
  std::string x_label, y_label;
};
// A panel a series, one axis for all, mean as a dashed line, legend on top. Valid XML of its own: no scripts, no links,
// no fonts; light and dark by the reader's preference. The same bytes for the same values.
std::string DrawSvg(std::span<const Series> series, const SvgText& text);

}  // namespace decant::cli

#endif  // DECANT_CLI_CHART_H_
