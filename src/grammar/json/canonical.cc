// Values as canonical texts, without recursion.
#include <charconv>

#include "grammar/json/facets.h"
#include "grammar/json/literals.h"
#include "grammar/string_terminal.h"

namespace decant::grammar {
namespace {

// What is left to write of a container: its members from `next` on.
struct OpenValue {
  const json::Value* value;
  std::vector<const json::Member*> members;  // of an object, sorted
  std::size_t next = 0;
};

std::vector<const json::Member*> Sorted(const json::Object& object) {
  std::vector<const json::Member*> members;
  for (const json::Member& member : object) members.push_back(&member);
  std::ranges::sort(members, [](const json::Member* a, const json::Member* b) {
    const int order = a->first.compare(b->first);
    return order != 0 ? order < 0 : a < b;  // equal keys in the order of the text
  });
  // The last of equal keys is the one that counts.
  std::vector<const json::Member*> last;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 1 == members.size() || members[i]->first != members[i + 1]->first) last.push_back(members[i]);
  }
  return last;
}

void AppendScalar(const json::Value& value, std::string& out) {
  if (value.is_null()) out += "null";
  if (const bool* const b = value.if_bool()) out += *b ? "true" : "false";
  if (const std::string* const text = value.if_string()) AppendCanonicalString(*text, out);
  if (const json::Number* const number = value.if_number()) {
    const std::optional<Decimal> decimal = Decimal::Parse(number->text);
    out += decimal.has_value() ? decimal->ToText() : number->text;
  }
}

}  // namespace

void AppendCanonicalString(std::string_view text, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto is_escaped = [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; };
  out += '"';
  if (std::ranges::none_of(text, is_escaped)) {  // mostly
    out.append(text).push_back('"');
    return;
  }
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

ValueKind KindOfCanonical(std::string_view canonical) {
  return KindBegunBy(static_cast<std::uint8_t>(canonical.front())).value();
}

std::string TextOfCanonicalString(std::string_view canonical) {
  const std::string_view inside = canonical.substr(1, canonical.size() - 2);
  return inside.contains('\\') ? DecodeAll(kNoEscape, inside) : std::string(inside);
}

std::string CanonicalText(const json::Value& root) {
  std::string out;
  std::vector<OpenValue> open;
  const auto begin = [&](const json::Value& value) {
    if (value.if_array() != nullptr) {
      out += '[';
      open.push_back({.value = &value, .members = {}});
    } else if (const json::Object* const object = value.if_object()) {
      out += '{';
      open.push_back({.value = &value, .members = Sorted(*object)});
    } else {
      AppendScalar(value, out);
    }
  };
  begin(root);
  while (!open.empty()) {
    OpenValue& top = open.back();
    const json::Array* const array = top.value->if_array();
    const std::size_t size = array != nullptr ? array->size() : top.members.size();
    if (top.next == size) {
      out += array != nullptr ? ']' : '}';
      open.pop_back();
      continue;
    }
    if (top.next > 0) out += ',';
    const std::size_t i = top.next++;
    if (array != nullptr) {
      begin((*array)[i]);
    } else {
      AppendCanonicalString(top.members[i]->first, out);
      out += ':';
      begin(top.members[i]->second);
    }
  }
  return out;
}

}  // namespace decant::grammar
