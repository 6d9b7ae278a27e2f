// The lines of a trace: a hash chain over JSON objects (docs/formats/trace.md).
//
// A line is  PAYLOAD,"sha":"HHHHHHHHHHHHHHHH","ms":{...}}  where PAYLOAD is a JSON object without its closing brace and
// HH… the first 16 hex digits of SHA-256(previous 16 digits, or 16 zeros, then PAYLOAD). What differs between equal
// runs (times, machine) lives in "ms", outside the chain.
#ifndef DECANT_TRACE_LINES_H_
#define DECANT_TRACE_LINES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "json/value.h"

namespace decant::trace {

// Seals payloads one after another. Copyable: a copy continues from the same line.
class LineChain {
 public:
  // The whole line, newline included. REQUIRES: object and ms are complete JSON objects ("{…}"), object not empty.
  std::string Seal(std::string_view object, std::string_view ms);
  // The hash that a payload (object without its last brace) gets, moving the chain on.
  std::string Next(std::string_view payload);

 private:
  std::string previous_ = std::string(16, '0');
};

struct Line {
  std::string payload;  // the object without its closing brace
  json::Value value;    // the object
};

// Every line of a file's text, its shape and chain checked: kTraceBroken names the line and what is wrong. The first
// line is the header of schema decant.trace/1, the last the end; there are only steps between.
Result<std::vector<Line>> ReadLines(std::string_view text);

// Where two values differ first: the path of the field, and both sides as JSON text ("nothing" where a side has no such
// field). Nothing when they are equal.
struct Difference {
  std::string path, left, right;
};
std::optional<Difference> FirstDifference(const json::Value& left, const json::Value& right);

// RFC 4648 base64.
std::string Base64(std::string_view bytes);

}  // namespace decant::trace

#endif  // DECANT_TRACE_LINES_H_
