// Tables for people: columns lined up by the width that text has on a terminal.
#ifndef DECANT_CLI_TABLE_H_
#define DECANT_CLI_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decant::cli {

// Columns that the text takes: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1.
std::size_t DisplayWidth(std::string_view text);

// The text in quotes, as one line that cannot disturb a terminal: \n, \t, \" and \\ escaped, other control,
// invisible and direction-changing characters as \u{200b}, bytes that are not UTF-8 as U+FFFD, cut after `columns`
// with an ellipsis.
std::string VisibleText(std::string_view bytes, std::size_t columns = 24);

// The same, whole, with bytes that are no UTF-8 as \xe9.
std::string QuotedBytes(std::string_view bytes);

// The same escapes for text of a file or an argument inside a sentence, quotes and backslashes as they are.
std::string HarmlessText(std::string_view bytes);

enum class Align : std::uint8_t { kLeft, kRight };

// Rows of cells; a last column aligned left is not padded.
class Table {
 public:
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  // Cells may be fewer than the columns.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A line that stands between rows and takes no part in the widths.
  void AddLine(std::string line);
  std::string Text(std::string_view indent) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::pair<std::size_t, std::string>> lines_;  // before which row
};

// A bar of `value` in proportion to `most`, in eighths of a column.
std::string Bar(double value, double most, std::size_t columns);

}  // namespace decant::cli

#endif  // DECANT_CLI_TABLE_H_
