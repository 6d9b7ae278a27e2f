// Widths are those of a modest table of ranges: enough for lining up columns, not a Unicode library.
#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/utf8.h"

namespace decant::cli {
namespace {

struct Range {
  char32_t first, last;
};
// Marks that sit on the character before.
constexpr Range kCombining[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},     {0x610, 0x61A},
                                {0x64B, 0x65F},   {0x6D6, 0x6DC},   {0x93A, 0x93C},     {0x941, 0x948},
                                {0xE31, 0xE31},   {0xE34, 0xE3A},   {0xE47, 0xE4E},     {0x1AB0, 0x1AFF},
                                {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0x302A, 0x302D},   {0x3099, 0x309A},
                                {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
// East Asian Wide and Fullwidth, and emoji.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},  {0x2648, 0x2653}, {0x26A1, 0x26A1},
    {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x2705, 0x2705},   {0x270A, 0x270B},  {0x2728, 0x2728}, {0x274C, 0x274C},
    {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},   {0x2E80, 0x303E},  {0x3041, 0xA4CF}, {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};
// Characters that show nothing or turn the direction of text.
constexpr Range kInvisible[] = {{0x0, 0x1F},      {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
                                {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
                                {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

template <std::size_t kSize>
bool Contains(const Range (&ranges)[kSize], char32_t code_point) {
  const auto* const after =
      std::ranges::upper_bound(ranges, code_point, {}, [](const Range& range) { return range.first; });
  return after != std::begin(ranges) && code_point <= std::prev(after)->last;
}

std::size_t WidthOf(char32_t code_point) {
  if (Contains(kCombining, code_point)) return 0;
  return Contains(kWide, code_point) ? 2 : 1;
}

std::string EscapedCodePoint(char32_t code_point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (auto rest = static_cast<std::uint32_t>(code_point); rest != 0 || hex.empty(); rest /= 16) {
    hex.insert(hex.begin(), kDigits[rest % 16]);
  }
  return "\\u{" + hex + "}";
}

std::string Escaped(char32_t code_point) {
  switch (code_point) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    case U'"':
      return "\\\"";
    case U'\\':
      return "\\\\";
    default:
      break;
  }
  if (Contains(kInvisible, code_point)) return EscapedCodePoint(code_point);
  std::string text;
  core::AppendUtf8(code_point, text);
  return text;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (text.starts_with("\x1b[")) {  // a colour
      text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
      continue;
    }
    const core::Utf8Part part = core::DecodeUtf8(text);
    width += WidthOf(part.code_point);
    text.remove_prefix(part.length);
  }
  return width;
}

std::string QuotedBytes(std::string_view bytes) {
  std::string shown = "\"";
  while (!bytes.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(bytes);
    const std::string_view piece = bytes.substr(0, part.length);
    if (part.status == core::Utf8Status::kValid) {
      const std::string visible = VisibleText(piece, SIZE_MAX);
      shown += visible.substr(1, visible.size() - 2);
    } else {
      for (const char byte : piece) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    bytes.remove_prefix(part.length);
  }
  return shown + "\"";
}

std::string HarmlessText(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(bytes);
    const bool is_plain = part.code_point == U'"' || part.code_point == U'\\';
    text += is_plain ? std::string(bytes.substr(0, part.length)) : Escaped(part.code_point);
    bytes.remove_prefix(part.length);
  }
  return text;
}

std::string VisibleText(std::string_view bytes, std::size_t columns) {
  std::string text;
  std::size_t width = 0;
  bool first = true;
  while (!bytes.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(bytes);
    // A mark at the start would sit on the quote.
    const bool bare_mark = first && WidthOf(part.code_point) == 0;
    const std::string shown = bare_mark ? EscapedCodePoint(part.code_point) : Escaped(part.code_point);
    const std::size_t wide = DisplayWidth(shown);
    if (width + wide > columns) {
      text += "…";
      break;
    }
    text += shown;
    width += wide;
    first = false;
    bytes.remove_prefix(part.length);
  }
  return "\"" + text + "\"";
}

void Table::AddLine(std::string line) { lines_.emplace_back(rows_.size(), std::move(line)); }

std::string Table::Text(std::string_view indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  std::string text;
  auto line = lines_.begin();
  for (std::size_t r = 0; r <= rows_.size(); ++r) {
    for (; line != lines_.end() && line->first == r; ++line) text += std::string(indent) + line->second + "\n";
    if (r == rows_.size()) break;
    std::string shown(indent);
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      if (i > 0) shown += "  ";
      const std::string padding(widths[i] - DisplayWidth(rows_[r][i]), ' ');
      shown += columns_[i] == Align::kRight ? padding + rows_[r][i] : rows_[r][i] + padding;
    }
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += shown + "\n";
  }
  return text;
}

std::string Bar(double value, double most, std::size_t columns) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = most > 0 ? static_cast<std::size_t>(std::lround(value / most * static_cast<double>(columns * 8)))
                                : std::size_t{0};
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + std::string(kParts[eighths % 8]);
}

}  // namespace decant::cli
