// Writes JSON text piece by piece: compact, keys in the order given, shortest doubles, -inf as null.
#ifndef DECANT_JSON_WRITER_H_
#define DECANT_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"

namespace decant::json {

// Usage: Writer w; w.BeginObject(); w.Key("token"); w.Int(3); w.EndObject(); w.text().
// Misuse (a value without its key, unbalanced ends) is a broken DECANT_DCHECK.
class Writer {
 public:
  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(std::string_view key);

  void Null();
  void Bool(bool value);
  void Int(std::int64_t value);
  void Uint(std::uint64_t value);
  void Double(double value);           // shortest round trip; not finite = null
  void String(std::string_view text);  // invalid UTF-8 becomes U+FFFD
  void Raw(std::string_view json);     // a ready JSON value
  void Write(const Value& value);      // numbers by their text

  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  void Separate();
  std::string text_;
  std::string stack_;  // '{' or '[' for each open container
  bool needs_comma_ = false;
  bool after_key_ = false;
};

}  // namespace decant::json

#endif  // DECANT_JSON_WRITER_H_
