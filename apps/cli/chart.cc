// Bars in eighths of a character, and panels of SVG laid out with fixed numbers.
#include "chart.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/utf8.h"

namespace decant::cli {
namespace {

constexpr std::size_t kAxisColumns = 5;  // "1.0 |"
constexpr std::size_t kLeastColumns = 20;
constexpr std::size_t kUnknownColumns = 80;

// Levels of one character, empty first.
constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kMarks[] = {" ", ".", ":", "#"};

double MeanOf(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Layout of the SVG, in its own units.
constexpr double kWidth = 760, kLeft = 64, kRight = 16, kTop = 74, kPanel = 104, kGap = 26, kBottom = 48;

// Okabe and Ito's colors, darkened for text-like contrast, and lighter ones for dark pages; names on the panels say it
// too.
constexpr std::string_view kLightColors[] = {"#0072b2", "#b34700", "#007a59", "#8a3f73"};
constexpr std::string_view kDarkColors[] = {"#56b4e9", "#f0a04b", "#3ecfa0", "#d694bd"};
constexpr std::size_t kColors = std::size(kLightColors);

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (const char c : core::ToValidUtf8(text)) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
      escaped += c;
    }
  }
  return escaped;
}

std::string StyleSheet(std::size_t series) {
  std::string style =
      "  <style>\n    text { font: 13px system-ui, sans-serif; fill: #1f2328 }\n"
      "    .title { font-size: 16px; font-weight: 600 }\n    .page { fill: #ffffff }\n"
      "    .grid { stroke: #d0d7de; stroke-width: 1 }\n    .axis { stroke: #57606a; stroke-width: 1 }\n"
      "    .line { fill: none; stroke-width: 1.5; stroke-linejoin: round }\n"
      "    .mean { stroke-width: 1; stroke-dasharray: 6 4 }\n";
  for (std::size_t i = 0; i < std::min(series, kColors); ++i)
    style += fmt::format("    .s{} {{ stroke: {} }}\n", i, kLightColors[i]);
  style +=
      "    @media (prefers-color-scheme: dark) {\n      text { fill: #e6edf3 }\n      .page { fill: #0d1117 }\n"
      "      .grid { stroke: #30363d }\n      .axis { stroke: #8b949e }\n";
  for (std::size_t i = 0; i < std::min(series, kColors); ++i)
    style += fmt::format("      .s{} {{ stroke: {} }}\n", i, kDarkColors[i]);
  return style + "    }\n  </style>\n";
}

// One series in its panel.
std::string Panel(const Series& series, std::size_t index, double top, std::size_t longest) {
  const double right = kWidth - kRight, bottom = top + kPanel;
  const auto y_of = [&](double value) { return bottom - value * kPanel; };
  const double step = (right - kLeft) / static_cast<double>(std::max<std::size_t>(longest, 2) - 1);
  std::string svg = "  <g>\n";
  for (const double value : {0.0, 0.5, 1.0}) {
    svg += fmt::format("    <line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       value == 0 ? "axis" : "grid", kLeft, y_of(value), right, y_of(value));
    svg += fmt::format("    <text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.1f}</text>\n", kLeft - 8,
                       y_of(value) + 4, value);
  }
  const std::size_t color = index % kColors;
  const double mean = MeanOf(series.values);
  svg += fmt::format("    <line class=\"mean s{}\" x1=\"{:.1f}\" y1=\"{:.2f}\" x2=\"{:.1f}\" y2=\"{:.2f}\"/>\n", color,
                     kLeft, y_of(mean), right, y_of(mean));
  svg += fmt::format("    <polyline class=\"line s{}\" points=\"", color);
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    svg += fmt::format("{}{:.1f},{:.2f}", i == 0 ? "" : " ", kLeft + step * static_cast<double>(i),
                       y_of(series.values[i]));
  }
  svg += fmt::format("\"/>\n    <text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n  </g>\n", right,
                     top - 6, EscapedXml(series.name));
  return svg;
}

std::string Legend(std::span<const Series> series) {
  std::string svg;
  double x = kLeft;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string label = fmt::format("{} (mean {:.2f})", series[i].name, MeanOf(series[i].values));
    svg += fmt::format("  <line class=\"line s{}\" x1=\"{:.1f}\" y1=\"46\" x2=\"{:.1f}\" y2=\"46\"/>\n", i % kColors, x,
                       x + 24);
    svg += fmt::format("  <text x=\"{:.1f}\" y=\"50\">{}</text>\n", x + 30, EscapedXml(label));
    x += 30 + 7.2 * static_cast<double>(label.size()) + 24;
  }
  svg += fmt::format("  <line class=\"mean axis\" x1=\"{:.1f}\" y1=\"46\" x2=\"{:.1f}\" y2=\"46\"/>\n", x, x + 24);
  return svg + fmt::format("  <text x=\"{:.1f}\" y=\"50\">mean</text>\n", x + 30);
}

// The tokens' numbers under the last panel: 1, 20, 40, ...
std::string XAxis(std::size_t longest, double y) {
  const double right = kWidth - kRight;
  const double step = (right - kLeft) / static_cast<double>(std::max<std::size_t>(longest, 2) - 1);
  std::size_t every = 1;
  for (const std::size_t candidate : {1U, 2U, 5U, 10U, 20U, 50U, 100U, 200U, 500U, 1000U, 2000U, 5000U}) {
    every = candidate;
    if (longest <= candidate * 10) break;
  }
  std::string svg;
  for (std::size_t token = 1; token <= longest; ++token) {
    if (token != 1 && token % every != 0) continue;
    if (token == 1 && every == 1 && longest > 1) continue;
    svg += fmt::format("  <text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       kLeft + step * static_cast<double>(token - 1), y, token);
  }
  return svg;
}

}  // namespace

ChartGlyphs GlyphsOf(const EnvironmentLookup& environment) {
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (locale.empty()) locale = environment(name);
  }
  std::ranges::transform(locale, locale.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const bool is_utf8 = locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  return is_utf8 ? ChartGlyphs::kUnicode : ChartGlyphs::kAscii;
}

std::size_t ColumnsOf(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUnknownColumns;
  return std::max<std::size_t>(size.ws_col, kLeastColumns);
}

std::size_t ValuesPerColumn(std::span<const Series> series, const TerminalChart& chart) {
  std::size_t longest = 0;
  for (const Series& one : series) longest = std::max(longest, one.values.size());
  const std::size_t room = std::max(chart.columns, kLeastColumns) - kAxisColumns - 1;
  return std::max<std::size_t>((longest + room - 1) / room, 1);
}

std::string DrawChart(const Series& series, std::size_t values_per_column, const TerminalChart& chart) {
  const bool unicode = chart.glyphs == ChartGlyphs::kUnicode;
  const std::span<const std::string_view> glyphs = unicode ? std::span<const std::string_view>(kBlocks) : kMarks;
  const std::size_t levels = glyphs.size() - 1;
  std::vector<std::size_t> heights;
  for (std::size_t begin = 0; begin < series.values.size(); begin += values_per_column) {
    const std::size_t count = std::min(values_per_column, series.values.size() - begin);
    const double mean = MeanOf(std::span(series.values).subspan(begin, count));
    heights.push_back(
        static_cast<std::size_t>(std::lround(std::clamp(mean, 0.0, 1.0) * static_cast<double>(levels * chart.rows))));
  }
  std::string text = series.name + "\n";
  for (std::size_t row = chart.rows; row-- > 0;) {
    std::string line = row + 1 == chart.rows ? "1.0 " : row == 0 ? "0.0 " : "    ";
    line += unicode ? "│" : "|";
    for (const std::size_t height : heights) {
      const std::size_t below = row * levels;
      line += glyphs[height <= below ? 0 : std::min(height - below, levels)];
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string DrawSvg(std::span<const Series> series, const SvgText& text) {
  std::size_t longest = 0;
  for (const Series& one : series) longest = std::max(longest, one.values.size());
  const double panels = static_cast<double>(series.size()) * (kPanel + kGap) - kGap;
  const double height = kTop + panels + kBottom;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "role=\"img\" "
      "aria-labelledby=\"title description\">\n",
      kWidth, height, kWidth, height);
  svg += fmt::format("  <title id=\"title\">{}</title>\n  <desc id=\"description\">{}</desc>\n", EscapedXml(text.title),
                     EscapedXml(text.description));
  svg += StyleSheet(series.size());
  svg += fmt::format("  <rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", kWidth, height);
  svg += fmt::format("  <text class=\"title\" x=\"{:.1f}\" y=\"24\">{}</text>\n", kLeft, EscapedXml(text.title));
  svg += Legend(series);
  for (std::size_t i = 0; i < series.size(); ++i)
    svg += Panel(series[i], i, kTop + static_cast<double>(i) * (kPanel + kGap), longest);
  svg += XAxis(longest, kTop + panels + 18);
  svg += fmt::format("  <text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, kTop + panels + 38, EscapedXml(text.x_label));
  svg += fmt::format("  <text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     kTop + panels / 2, EscapedXml(text.y_label));
  return svg + "</svg>\n";
}

}  // namespace decant::cli
