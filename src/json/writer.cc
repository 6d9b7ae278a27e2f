// The writer: text grows by appending; a stack of brackets knows where commas go.
#include "json/writer.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/number_text.h"
#include "core/utf8.h"

namespace decant::json {
namespace {

void AppendQuoted(std::string_view text, std::string& out) {
  std::string cured;
  if (!core::IsValidUtf8(text)) {
    cured = core::ToValidUtf8(text);
    text = cured;
  }
  out += '"';
  std::size_t plain = 0;  // start of what needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out += text.substr(plain, i - plain);
    plain = i + 1;
    out += '\\';
    switch (byte) {
      case '\b':
        out += 'b';
        break;
      case '\f':
        out += 'f';
        break;
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      case '"':
      case '\\':
        out += static_cast<char>(byte);
        break;
      default:
        out += "u00";
        out += "01"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
  }
  out += text.substr(plain);
  out += '"';
}

}  // namespace

void Writer::Separate() {
  DECANT_DCHECK(after_key_ || stack_.empty() || stack_.back() == '[');
  DECANT_DCHECK(!stack_.empty() || text_.empty());
  if (needs_comma_ && !after_key_) text_ += ',';
  after_key_ = false;
  needs_comma_ = true;
}

void Writer::BeginObject() {
  Separate();
  text_ += '{';
  stack_ += '{';
  needs_comma_ = false;
}

void Writer::EndObject() {
  DECANT_DCHECK(stack_.ends_with('{') && !after_key_);
  text_ += '}';
  stack_.pop_back();
  needs_comma_ = true;
}

void Writer::BeginArray() {
  Separate();
  text_ += '[';
  stack_ += '[';
  needs_comma_ = false;
}

void Writer::EndArray() {
  DECANT_DCHECK(stack_.ends_with('['));
  text_ += ']';
  stack_.pop_back();
  needs_comma_ = true;
}

void Writer::Key(std::string_view key) {
  DECANT_DCHECK(stack_.ends_with('{') && !after_key_);
  if (needs_comma_) text_ += ',';
  AppendQuoted(key, text_);
  text_ += ':';
  after_key_ = true;
}

void Writer::Null() { Raw("null"); }
void Writer::Bool(bool value) { Raw(value ? "true" : "false"); }
void Writer::Int(std::int64_t value) { Raw(std::to_string(value)); }
void Writer::Uint(std::uint64_t value) { Raw(std::to_string(value)); }

void Writer::Double(double value) {
  if (!std::isfinite(value)) return Null();
  Raw(core::ShortestText(value));
}

void Writer::String(std::string_view text) {
  Separate();
  AppendQuoted(text, text_);
}

void Writer::Raw(std::string_view json) {
  Separate();
  text_ += json;
}

void Writer::Write(const Value& value) {
  // An open container and its next child; the stack is ours, so depth costs no other.
  struct Open {
    const Value* value;
    std::size_t next;
  };
  std::vector<Open> open;
  const auto begin = [&](const Value& v) {
    if (const bool* const boolean = v.if_bool()) return Bool(*boolean);
    if (const Number* const number = v.if_number()) return Raw(number->text);
    if (const std::string* const string = v.if_string()) return String(*string);
    if (v.is_null()) return Null();
    if (v.if_array() != nullptr) {
      BeginArray();
    } else {
      BeginObject();
    }
    open.push_back({&v, 0});
  };
  begin(value);
  while (!open.empty()) {
    Open& top = open.back();
    if (const Array* const array = top.value->if_array()) {
      if (top.next < array->size()) {
        begin((*array)[top.next++]);
      } else {
        EndArray();
        open.pop_back();
      }
    } else {
      const Object& object = *top.value->if_object();
      if (top.next < object.size()) {
        const Member& member = object[top.next++];
        Key(member.first);
        begin(member.second);
      } else {
        EndObject();
        open.pop_back();
      }
    }
  }
}

}  // namespace decant::json
