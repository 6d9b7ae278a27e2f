// Bytes as tokens make every border of a text a border of tokens: what a constraint allows can be followed, shown and
// drawn without a tokenizer.
#include "constraint_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/philox.h"
#include "core/utf8.h"
#include "table.h"

namespace decant::cli {
namespace {

// Bytes of a kind are drawn alike; how often a kind comes does not depend on how many bytes it has here, so that one
// "@" has a chance beside all letters.
enum class ByteKind : std::uint8_t {
  kLower,
  kUpper,
  kDigit,
  kQuote,
  kCloser,
  kSeparator,
  kSpace,
  kMark,
  kBackslash,
  kOther,
};
constexpr std::size_t kByteKinds = 10;

ByteKind KindOf(TokenId byte) {
  if (byte >= 'a' && byte <= 'z') return ByteKind::kLower;
  if (byte >= 'A' && byte <= 'Z') return ByteKind::kUpper;
  if (byte >= '0' && byte <= '9') return ByteKind::kDigit;
  switch (byte) {
    case '"':
      return ByteKind::kQuote;
    case '}':
    case ']':
      return ByteKind::kCloser;
    case ',':
    case ':':
      return ByteKind::kSeparator;
    case ' ':
      return ByteKind::kSpace;
    case '\\':
      return ByteKind::kBackslash;
    default:
      return byte > ' ' && byte < 0x7F ? ByteKind::kMark : ByteKind::kOther;
  }
}

// Of the bytes that may come, by kind.
using BytesByKind = std::array<std::vector<TokenId>, kByteKinds>;

// What people write comes often, and so does what closes things. Inside a string brackets and commas close nothing. In
// a number, an exponent or a fraction is rare, unless the number has to go on.
std::uint32_t WeightOf(ByteKind kind, const BytesByKind& bytes) {
  constexpr std::uint32_t kWeights[kByteKinds] = {120, 15, 60, 40, 40, 25, 12, 20, 2, 3};
  constexpr std::uint32_t kInText[kByteKinds] = {120, 8, 12, 30, 1, 3, 20, 6, 1, 1};
  const auto count = [&bytes](ByteKind which) { return bytes[static_cast<std::size_t>(which)].size(); };
  const auto index = static_cast<std::size_t>(kind);
  if (count(ByteKind::kLower) == 26 && count(ByteKind::kMark) > 10) return kInText[index];
  const bool in_number = count(ByteKind::kDigit) > 0 && count(ByteKind::kLower) < 2;
  const bool spells_numbers = kind == ByteKind::kLower || kind == ByteKind::kUpper || kind == ByteKind::kMark;
  if (!in_number || !spells_numbers) return kWeights[index];
  return count(ByteKind::kCloser) + count(ByteKind::kSeparator) > 0 ? 1 : 8;
}

// One text; nothing where the way led to a dead end, or far past the length.
class TextWalk {
 public:
  TextWalk(const Grammar& grammar, const core::RandomAddress& address, std::size_t most_bytes)
      : constraint_(grammar.Start()), row_length_(grammar.row_length()), address_(address), most_bytes_(most_bytes) {}

  std::optional<std::string> Go() {
    constexpr std::size_t kPatience = 50;  // times most_bytes, where no shortest end is known
    while (text_.size() < kPatience * (most_bytes_ + 1)) {
      address_.position = text_.size();
      const auto words = core::RandomWords(address_);
      const ConstraintState state = constraint_->state();
      const bool is_long = text_.size() >= most_bytes_;
      const bool may_end = state == ConstraintState::kMayEnd || state == ConstraintState::kMustEnd;
      if (state == ConstraintState::kMustEnd || (may_end && (is_long || words[3] % 4 == 0))) return text_;
      if (is_long) {
        if (const auto end = constraint_->ShortestEnd(); end.has_value()) return text_ + *end;
      }
      if (!Step(words)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool Step(const std::array<std::uint32_t, 4>& words) {
    BytesByKind bytes;
    for (const TokenId token : AllowedTokens(*constraint_, row_length_)) {
      if (token != kByteEnd) bytes[static_cast<std::size_t>(KindOf(token))].push_back(token);
    }
    std::array<std::uint32_t, kByteKinds> weights{};
    std::uint32_t total = 0;
    for (std::size_t kind = 0; kind < kByteKinds; ++kind) {
      if (!bytes[kind].empty()) weights[kind] = WeightOf(static_cast<ByteKind>(kind), bytes);
      total += weights[kind];
    }
    if (total == 0) return false;
    std::uint32_t left = words[0] % total;
    std::size_t kind = 0;
    while (left >= weights[kind]) left -= weights[kind++];
    const TokenId byte = bytes[kind][words[1] % bytes[kind].size()];
    text_ += static_cast<char>(byte);
    return constraint_->Accept(byte).has_value();
  }

  std::unique_ptr<Constraint> constraint_;
  std::size_t row_length_;
  core::RandomAddress address_;
  std::size_t most_bytes_;
  std::string text_;
};

std::string ByteText(unsigned char byte) {
  if (byte >= 0x80) return fmt::format("\"\\x{:02x}\"", byte);
  const char c = static_cast<char>(byte);
  return VisibleText(std::string_view(&c, 1));
}

}  // namespace

Result<std::shared_ptr<const ConstraintVocabulary>> ByteVocabulary() {
  std::array<char, 256> bytes{};
  std::vector<std::string_view> tokens;
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    bytes[b] = static_cast<char>(b);
    tokens.emplace_back(&bytes[b], 1);
  }
  tokens.emplace_back();
  const TokenId end[] = {kByteEnd};
  return ConstraintVocabulary::Of({.bytes = tokens, .special = end, .end = end});
}

std::size_t Follow(Constraint& constraint, std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && constraint.Accept(static_cast<unsigned char>(text[i])).has_value()) ++i;
  return i;
}

std::vector<TokenId> AllowedTokens(const Constraint& constraint, std::size_t row_length) {
  std::vector<std::uint32_t> mask((row_length + 31) / 32);
  constraint.FillMask(mask);
  std::vector<TokenId> allowed;
  for (std::size_t id = 0; id < row_length; ++id) {
    if ((mask[id / 32] >> (id % 32) & 1U) != 0) allowed.push_back(static_cast<TokenId>(id));
  }
  return allowed;
}

std::string ByteRanges(std::span<const unsigned char> bytes) {
  std::string text;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = begin + 1;
    const bool is_ascii = bytes[begin] < 0x80;
    while (end < bytes.size() && bytes[end] == bytes[end - 1] + 1 && (bytes[end] < 0x80) == is_ascii) ++end;
    if (!text.empty()) text += ", ";
    text += ByteText(bytes[begin]);
    if (end - begin == 2) text += ", " + ByteText(bytes[end - 1]);
    if (end - begin > 2) text += ".." + ByteText(bytes[end - 1]);
    begin = end;
  }
  return text;
}

Position PlaceIn(std::string_view text, std::size_t offset) {
  Position at{.offset = offset, .line = 1, .column = 1};
  for (std::size_t i = 0; i < offset;) {
    const std::size_t length = core::DecodeUtf8(text.substr(i)).length;
    if (i + length > offset) break;  // inside a code point: its own column
    if (text[i] == '\n') {
      ++at.line;
      at.column = 0;
    }
    ++at.column;
    i += length;
  }
  return at;
}

std::string Excerpt(std::string_view text, const Position& at) {
  constexpr std::size_t kBefore = 60, kAfter = 30;
  const std::size_t offset = std::min<std::size_t>(at.offset, text.size());
  const std::size_t line_begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 = 0
  const std::size_t line_end = std::min(text.find('\n', offset), text.size());
  std::size_t begin = offset - line_begin > kBefore ? offset - kBefore : line_begin;
  while (begin < offset && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  const std::string head = (begin > line_begin ? "…" : "") + HarmlessText(text.substr(begin, offset - begin));
  const std::string tail = HarmlessText(text.substr(offset, std::min(line_end - offset, kAfter)));
  const std::string cut = line_end - offset > kAfter ? "…" : "";
  return "  " + head + tail + cut + "\n  " + std::string(DisplayWidth(head), ' ') + "^";
}

Result<std::string> MakeText(const Grammar& grammar, std::uint32_t number, const TextMakerOptions& options) {
  constexpr std::uint32_t kTries = 64;
  for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
    const core::RandomAddress address{
        .seed = options.seed, .sequence = number, .purpose = core::Purpose::kNoise, .block = attempt};
    if (auto text = TextWalk(grammar, address, options.most_bytes).Go(); text.has_value()) return *std::move(text);
  }
  return Fail(ErrorCode::kTooComplex,
              fmt::format("no text of the constraint was found in {} random tries of {} bytes and more", kTries,
                          options.most_bytes),
              {.hint = "the shortest text may be very long: give a larger --max-bytes"});
}

}  // namespace decant::cli
