// Sealing hashes a line together with the seal before it; reading checks shape first, then the chain.
#include "trace/lines.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/check.h"
#include "core/sha256.h"
#include "json/writer.h"

namespace decant::trace {
namespace {

constexpr std::size_t kHashDigits = 16;
constexpr std::string_view kHashKey = ",\"sha\":\"";
constexpr std::string_view kTimesKey = "\",\"ms\":";

std::unexpected<Error> Broken(std::size_t line, std::string what) {
  return Fail(ErrorCode::kTraceBroken, "line " + std::to_string(line) + " of the trace " + std::move(what),
              {.subject = "trace", .at = Position{.line = static_cast<std::uint32_t>(line), .column = 1}});
}

std::string_view TypeOf(const json::Value& value) {
  const json::Value* type = value.Find("type");
  const std::string* text = type ? type->if_string() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

// Takes one line, without its newline, apart and checks its hash.
Result<Line> ReadLine(std::string_view text, std::size_t number, LineChain& chain) {
  const std::size_t key = text.rfind(kHashKey);
  if (key == std::string_view::npos || key == 0) {
    return Broken(number, number == 1 ? "has no \"sha\": this is no trace" : "has no \"sha\"");
  }
  const std::string_view payload = text.substr(0, key);
  const std::string_view rest = text.substr(key + kHashKey.size());
  if (rest.size() < kHashDigits + kTimesKey.size() + 3 || rest.substr(kHashDigits, kTimesKey.size()) != kTimesKey) {
    return Broken(number, "does not end in \"sha\" and \"ms\"");
  }
  const std::string_view ms =
      rest.substr(kHashDigits + kTimesKey.size(), rest.size() - kHashDigits - kTimesKey.size() - 1);
  const auto times = json::Read(ms, {});
  if (rest.back() != '}' || !times.has_value() || times->if_object() == nullptr) {
    return Broken(number, "does not end in a complete \"ms\" object");
  }
  if (chain.Next(payload) != rest.substr(0, kHashDigits)) {
    return Broken(number, "does not have the hash it says: it, or a line before it, was changed");
  }
  auto value = json::Read(std::string(payload) + "}", {});
  if (!value.has_value()) return Broken(number, "is not JSON: " + value.error().message);
  return Line{.payload = std::string(payload), .value = *std::move(value)};
}

std::string Show(const json::Value* value) {
  if (value == nullptr) return "nothing";
  json::Writer writer;
  writer.Write(*value);
  constexpr std::size_t kLongest = 120;
  std::string text = writer.Take();
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

std::optional<Difference> DifferenceOf(const std::string& path, const json::Value* left, const json::Value* right);

std::optional<Difference> ArrayDifference(const std::string& path, const json::Array& left, const json::Array& right) {
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    auto found = DifferenceOf(path + "[" + std::to_string(i) + "]", i < left.size() ? &left[i] : nullptr,
                              i < right.size() ? &right[i] : nullptr);
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Difference> DifferenceOf(const std::string& path, const json::Value* left, const json::Value* right) {
  if (left == nullptr || right == nullptr) {
    if (left == right) return std::nullopt;
    return Difference{path, Show(left), Show(right)};
  }
  if (left->if_array() && right->if_array()) return ArrayDifference(path, *left->if_array(), *right->if_array());
  if (left->if_object() && right->if_object()) {
    for (const auto& [key, value] : *left->if_object()) {
      if (auto found = DifferenceOf(path.empty() ? key : path + "." + key, &value, right->Find(key))) return found;
    }
    for (const auto& [key, value] : *right->if_object()) {
      if (left->Find(key) == nullptr) return Difference{path.empty() ? key : path + "." + key, "nothing", Show(&value)};
    }
    return std::nullopt;
  }
  if (*left == *right) return std::nullopt;
  return Difference{path, Show(left), Show(right)};
}

}  // namespace

std::string LineChain::Next(std::string_view payload) {
  core::Sha256 hash;
  hash.Update(previous_);
  hash.Update(payload);
  previous_ = hash.Finish().substr(0, kHashDigits);
  return previous_;
}

std::string LineChain::Seal(std::string_view object, std::string_view ms) {
  DECANT_CHECK(object.size() > 2 && object.back() == '}' && ms.size() >= 2);
  const std::string_view payload = object.substr(0, object.size() - 1);
  std::string line(payload);
  line += kHashKey;
  line += Next(payload);
  line += kTimesKey;
  line += ms;
  line += "}\n";
  return line;
}

Result<std::vector<Line>> ReadLines(std::string_view text) {
  std::vector<Line> lines;
  LineChain chain;
  if (text.empty()) return Broken(1, "is missing: the file is empty");
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return Broken(number, "is cut off: it has no line end");
    if (!lines.empty() && TypeOf(lines.back().value) == "end") return Broken(number, "comes after the end line");
    DECANT_TRY(Line line, ReadLine(text.substr(0, end), number, chain));
    const std::string_view type = TypeOf(line.value);
    if (number == 1) {
      const json::Value* schema = line.value.Find("schema");
      if (type != "header" || schema == nullptr || schema->if_string() == nullptr ||
          *schema->if_string() != "decant.trace/1") {
        return Broken(number, "is not the header of a decant.trace/1 file");
      }
    } else if (type != "step" && type != "end") {
      return Broken(number, "is neither a step nor the end");
    }
    lines.push_back(std::move(line));
    text.remove_prefix(end + 1);
  }
  if (TypeOf(lines.back().value) != "end") {
    return Broken(lines.size() + 1, "is missing: the trace has no end line");
  }
  return lines;
}

std::optional<Difference> FirstDifference(const json::Value& left, const json::Value& right) {
  return DifferenceOf("", &left, &right);
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kAlphabet[(group >> (18 - 6 * j)) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace decant::trace
