// NumPy's .npy (numpy.lib.format): a magic, two version bytes, the length of a header, the header as a Python
// dictionary, the values. Only what a table of logits can be is read; everything else is refused by name.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "core/float16.h"
#include "core/mapped_file.h"
#include "core/number_text.h"
#include "core/utf8.h"
#include "decant/bench.h"

namespace decant {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 1 << 16;  // a table's header has about a hundred bytes
constexpr std::size_t kAlignment = 64;        // of the values in a file that NumPy writes

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

// Reads the dictionary, value by value.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::size_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  Result<Header> Read() {
    Header header;
    if (!Take('{')) return Broken("the header", "a dictionary that starts with {");
    while (!Take('}')) {
      DECANT_TRY(const std::string key, ReadString("a key of the header"));
      if (!Take(':')) return Broken("key " + core::Quoted(key), "a colon and a value");
      DECANT_CHECKED(ReadValue(key, header));
      if (Take('}')) break;
      if (!Take(',')) return Broken("the header after key " + core::Quoted(key), "a comma or }");
    }
    SkipSpace();
    if (at_ != text_.size()) return Broken("the header", "spaces and a newline after }");
    for (const auto& [key, is_there] :
         {std::pair("descr", header.descr.has_value()), std::pair("fortran_order", header.fortran_order.has_value()),
          std::pair("shape", header.shape.has_value())}) {
      if (!is_there) return Broken("the header", "the key '" + std::string(key) + "'");
    }
    return header;
  }

 private:
  std::unexpected<Error> Broken(const std::string& field, const std::string& allowed) const {
    const std::size_t offset = offset_ + at_;
    return Fail(ErrorCode::kCorruptFile,
                name_ + ": " + field + " is broken at byte " + std::to_string(offset) + "; expected " + allowed,
                {.subject = name_, .allowed = allowed, .at = Position{.offset = offset}});
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool Take(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<std::string> ReadString(const std::string& field) {
    SkipSpace();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return Broken(field, "a text in quotes");
    std::string found(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return found;
  }

  Result<void> ReadValue(const std::string& key, Header& header) {
    const bool is_twice = (key == "descr" && header.descr.has_value()) ||
                          (key == "fortran_order" && header.fortran_order.has_value()) ||
                          (key == "shape" && header.shape.has_value());
    if (is_twice) return Broken("key " + core::Quoted(key), "each key once");
    if (key == "descr") {
      SkipSpace();
      if (text_.substr(at_).starts_with('[')) {
        return Fail(ErrorCode::kUnsupportedFile, name_ + ": descr is that of records; expected '<f4' or '<f2'",
                    {.subject = name_, .allowed = "'<f4', '<f2'", .at = Position{.offset = offset_ + at_}});
      }
      DECANT_TRY(header.descr, ReadString("descr"));
    } else if (key == "fortran_order") {
      const bool is_true = TakeWord("True");
      if (!is_true && !TakeWord("False")) return Broken("fortran_order", "True or False");
      header.fortran_order = is_true;
    } else if (key == "shape") {
      DECANT_TRY(header.shape, ReadShape());
    } else {
      return Broken("key " + core::Quoted(key), "descr, fortran_order or shape");
    }
    return {};
  }

  Result<std::vector<std::uint64_t>> ReadShape() {
    std::vector<std::uint64_t> shape;
    if (!Take('(')) return Broken("shape", "a tuple of whole numbers");
    while (!Take(')')) {
      SkipSpace();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      const auto number = core::ParseUint64(text_.substr(at_, end - at_));
      if (!number.has_value() || shape.size() == 32) return Broken("shape", "at most 32 whole numbers of 64 bits");
      at_ = end;
      TakeWord("L");  // as Python 2 wrote them
      shape.push_back(*number);
      if (Take(')')) {
        if (shape.size() == 1) return Broken("shape", "a comma after the only number");
        break;
      }
      if (!Take(',')) return Broken("shape", "a comma or )");
    }
    return shape;
  }

  std::string_view text_;
  std::size_t offset_;  // of the text in the file
  const std::string& name_;
  std::size_t at_ = 0;
};

std::unexpected<Error> CutShort(const std::string& name, const std::string& what, std::size_t offset) {
  return Fail(ErrorCode::kCorruptFile, name + ": the file ends inside " + what,
              {.subject = name, .at = Position{.offset = offset}});
}

std::unexpected<Error> Unsupported(const std::string& name, const std::string& field, const std::string& value,
                                   const std::string& allowed) {
  return Fail(ErrorCode::kUnsupportedFile, name + ": " + field + " is " + value + "; expected " + allowed,
              {.subject = name, .allowed = allowed});
}

// The header's text, and where the values begin.
struct Parts {
  std::string_view header;
  std::size_t header_begin = 0;
};

Result<Parts> Split(std::string_view file, const std::string& name) {
  if (!file.starts_with(kMagic)) {
    return Fail(ErrorCode::kCorruptFile, name + " does not start as an .npy file does",
                {.subject = name, .allowed = "\\x93NUMPY", .at = Position{.offset = 0}});
  }
  if (file.size() < 8) return CutShort(name, "the version", file.size());
  const unsigned major = static_cast<unsigned char>(file[6]), minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return Unsupported(name, "the version", std::to_string(major) + "." + std::to_string(minor), "1.0, 2.0 or 3.0");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < 8 + length_bytes) return CutShort(name, "the header's length", file.size());
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(file[8 + i])) << (8 * i);
  }
  if (length > kMostHeader) {
    return Unsupported(name, "the header's length", std::to_string(length),
                       "at most " + std::to_string(kMostHeader) + " bytes");
  }
  const std::size_t begin = 8 + length_bytes;
  if (file.size() - begin < length) return CutShort(name, "the header", file.size());
  return Parts{.header = file.substr(begin, length), .header_begin = begin};
}

std::string ShapeText(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (const std::uint64_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Rows and columns; kUnsupportedFile for what is no table.
Result<FloatTable> TableOf(const std::vector<std::uint64_t>& shape, const std::string& name) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const bool is_table = (shape.size() == 1 || shape.size() == 2) &&
                        std::ranges::all_of(shape, [](std::uint64_t n) { return n >= 1 && n <= kMost; });
  if (!is_table) {
    return Unsupported(name, "shape", ShapeText(shape), "(vocabulary,) or (rows, vocabulary), none of them 0");
  }
  FloatTable table;
  table.rows = shape.size() == 2 ? shape[0] : 1;
  table.columns = shape.back();
  return table;
}

float F4At(const std::byte* p) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) bits |= std::to_integer<std::uint32_t>(p[i]) << (8 * i);
  return std::bit_cast<float>(bits);
}

float F2At(const std::byte* p) {
  const unsigned bits = std::to_integer<unsigned>(p[0]) | (std::to_integer<unsigned>(p[1]) << 8);
  return core::HalfToFloat(static_cast<std::uint16_t>(bits));
}

}  // namespace

Result<FloatTable> ParseNpy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  DECANT_TRY(const Parts parts, Split(file, name));
  DECANT_TRY(const Header header, HeaderReader(parts.header, parts.header_begin, name).Read());
  const bool is_f4 = *header.descr == "<f4";
  if (!is_f4 && *header.descr != "<f2") {
    return Unsupported(name, "descr", core::Quoted(*header.descr), "'<f4' or '<f2', little-endian floats");
  }
  if (*header.fortran_order) return Unsupported(name, "fortran_order", "True", "False: a row's values side by side");
  DECANT_TRY(FloatTable table, TableOf(*header.shape, name));
  const std::size_t width = is_f4 ? 4 : 2;
  const std::span<const std::byte> values = bytes.subspan(parts.header_begin + parts.header.size());
  // Both are below 2^32: the product fits, and times four it may not, so that the file's size is divided instead.
  const std::size_t count = table.rows * table.columns;
  if (values.size() % width != 0 || values.size() / width != count) {
    return Fail(ErrorCode::kCorruptFile,
                name + ": shape " + ShapeText(*header.shape) + " asks for " + std::to_string(count) + " values of " +
                    std::to_string(width) + " bytes; the file has " + std::to_string(values.size()) + " bytes of them",
                {.subject = name, .at = Position{.offset = bytes.size()}});
  }
  table.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const p = values.data() + i * width;
    table.values[i] = is_f4 ? F4At(p) : F2At(p);
  }
  return table;
}

Result<FloatTable> ReadNpy(const std::string& path) {
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
  return ParseNpy(file.bytes(), path);
}

std::string NpyHeader(std::size_t rows, std::size_t columns) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                     std::to_string(columns) + "), }";
  constexpr std::size_t kBefore = 10;
  while ((kBefore + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace decant
