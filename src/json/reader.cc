// The reader: RapidJSON's iterative parser drives, a handler builds the Value, a stream of our own deals with numbers.
//
// RapidJSON 1.1 loses a number's text ("1e400" is an error even when numbers are asked for as strings, and names such
// as NaN have none). So the stream lexes each number by itself and shows the parser a single "0" in its place; the
// handler, told of a 0, asks the stream for the text.
#include <rapidjson/error/error.h>
#include <rapidjson/reader.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "json/number_lexer.h"
#include "json/value.h"

namespace decant::json {
namespace {

struct Fault {
  std::size_t offset;
  std::string message;
};

// RapidJSON's input stream concept, over a string_view. Follows quotes to know where a string is.
class Stream {
 public:
  using Ch = char;
  Stream(std::string_view text, std::size_t start) : text_(text), at_(start) {}

  Ch Peek() {
    if (at_ == text_.size()) return '\0';
    if (inside_string_ || !StartsNumber(text_[at_])) return text_[at_];
    if (!number_.empty()) return '0';
    return LexHere();
  }
  Ch Take() {
    if (at_ == text_.size()) return '\0';
    const char c = Peek();
    if (!number_.empty()) {
      taken_ = number_;
      at_ += number_.size();
      number_ = {};
      return c;
    }
    ++at_;
    if (escaped_) {
      escaped_ = false;
    } else if (c == '"') {
      inside_string_ = !inside_string_;
    } else if (c == '\\') {
      escaped_ = inside_string_;
    }
    return c;
  }
  std::size_t Tell() const { return at_; }

  // The text of the number that was taken last.
  std::string_view taken_number() const { return taken_; }
  const std::optional<Fault>& fault() const { return fault_; }

  // The concept's output half, which only parsing in place uses.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  std::size_t PutEnd(Ch*) { return 0; }

 private:
  Ch LexHere() {
    const LexedNumber lexed = LexNumber(text_.substr(at_));
    if (lexed.expected.empty()) {
      number_ = text_.substr(at_, lexed.length);
      return '0';
    }
    if (!fault_.has_value()) fault_ = {at_ + lexed.length, "expected " + std::string(lexed.expected)};
    return '\x01';  // starts no value
  }

  std::string_view text_;
  std::size_t at_;
  bool inside_string_ = false;
  bool escaped_ = false;
  std::string_view number_;  // lexed and not yet taken
  std::string_view taken_;
  std::optional<Fault> fault_;
};

// Builds the Value. Open containers lie on a stack of their own and move into their parent when they close.
class Builder {
 public:
  Builder(const Stream& stream, std::size_t max_depth) : stream_(stream), max_depth_(max_depth) {}

  bool Null() { return Add(Value()); }
  bool Bool(bool value) { return Add(Value(value)); }
  bool Uint(unsigned) { return Add(Value(Number{std::string(stream_.taken_number())})); }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view view(text, length);
    return IsWhole(view) && Add(Value(std::string(view)));
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view view(text, length);
    if (!IsWhole(view)) return false;
    open_.back().key = view;
    return true;
  }
  bool StartObject() { return Open(Value(Object())); }
  bool StartArray() { return Open(Value(Array())); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  // The stream shows no number but 0.
  bool Int(int) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }

  const std::string& fault() const { return fault_; }
  Value Take() { return std::move(root_); }

 private:
  struct Container {
    Value value;
    std::string key;  // of an object: the key whose value comes next
  };

  // RapidJSON lets an escaped low surrogate through that has no high one before it.
  bool IsWhole(std::string_view text) {
    if (core::IsValidUtf8(text)) return true;
    fault_ = "the string has an unpaired surrogate";
    return false;
  }
  bool Add(Value&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Container& parent = open_.back();
    if (Array* const array = parent.value.if_array()) {
      array->push_back(std::move(value));
    } else {
      parent.value.if_object()->emplace_back(std::move(parent.key), std::move(value));
    }
    return true;
  }
  bool Open(Value&& value) {
    if (open_.size() == max_depth_) {
      fault_ = "nested deeper than " + std::to_string(max_depth_);
      return false;
    }
    open_.push_back({std::move(value), {}});
    return true;
  }
  bool Close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }

  const Stream& stream_;
  const std::size_t max_depth_;
  std::vector<Container> open_;
  Value root_;
  std::string fault_;
};

std::string MessageFor(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
      return "expected a value";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "expected nothing after the value";
    case rapidjson::kParseErrorObjectMissName:
      return "expected a key in double quotes";
    case rapidjson::kParseErrorObjectMissColon:
      return "expected ':' after the key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "expected ',' or '}'";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "expected ',' or ']'";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "\\u needs four hexadecimal digits";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "the string has an unpaired surrogate";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "expected an escape that JSON knows";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "expected '\"' at the end of the string";
    case rapidjson::kParseErrorStringInvalidEncoding:
      return "expected UTF-8 in the string";
    default:
      return "expected a value";
  }
}

// What stands at the offset, for a message.
std::string FoundAt(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return "the end of the text";
  const core::Utf8Part part = core::DecodeUtf8(text.substr(offset));
  const bool shows = part.status == core::Utf8Status::kValid && part.code_point >= 0x20 && part.code_point != 0x7F;
  if (shows) return "'" + std::string(text.substr(offset, part.length)) + "'";
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(text[offset]);
  return std::string("byte 0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

Position PositionOf(std::string_view text, std::size_t offset) {
  Position position{.offset = offset, .line = 1, .column = 1};
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++position.line;
      line_start = i + 1;
    }
  }
  for (std::size_t i = line_start; i < offset; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++position.column;  // not a continuation byte
  }
  return position;
}

std::unexpected<Error> Invalid(std::string_view text, Fault fault) {
  if (fault.offset > text.size()) fault.offset = text.size();
  const Position at = PositionOf(text, fault.offset);
  std::string message =
      "JSON, line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + fault.message;
  if (fault.message.starts_with("expected")) message += ", found " + FoundAt(text, fault.offset);
  return Fail(ErrorCode::kInvalidJson, std::move(message), {.at = at});
}

Fault FaultOf(std::string_view text, const rapidjson::ParseResult& parsed) {
  const std::size_t offset = parsed.Offset();
  if (parsed.Code() == rapidjson::kParseErrorStringEscapeInvalid) {  // said of raw control characters too
    if (offset < text.size() && text[offset] != '\\')
      return {offset, "a control character in a string must be escaped"};
    return {offset + 1, MessageFor(parsed.Code())};
  }
  return {offset, MessageFor(parsed.Code())};
}

}  // namespace

Result<Value> Read(std::string_view text, ReadOptions options) {
  Stream stream(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  Builder builder(stream, options.max_depth);
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, builder);
  if (parsed.IsError()) {
    if (stream.fault().has_value()) return Invalid(text, *stream.fault());
    if (!builder.fault().empty()) return Invalid(text, {parsed.Offset(), builder.fault()});
    return Invalid(text, FaultOf(text, parsed));
  }
  // RapidJSON takes a NUL for the end.
  if (stream.Tell() != text.size()) return Invalid(text, {stream.Tell(), "expected nothing after the value"});
  return builder.Take();
}

}  // namespace decant::json
