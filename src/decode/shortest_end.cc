// The constraint has the last word on whether tokens write its end.
#include "decode/shortest_end.h"

#include <string>

namespace decant::decode {
namespace {

std::optional<std::vector<TokenId>> SingleBytes(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto token = tokenizer.Find(text.substr(i, 1));
    if (!token.has_value()) return std::nullopt;
    tokens.push_back(*token);
  }
  return tokens;
}

}  // namespace

std::optional<std::vector<TokenId>> ShortestEndTokens(const Constraint& constraint, const Tokenizer& tokenizer) {
  const std::optional<std::string> end = constraint.ShortestEnd();
  if (!end.has_value()) return std::nullopt;
  std::vector<TokenId> tokens = tokenizer.Encode(*end, SpecialText::kAsText);
  if (constraint.Validate(tokens) == tokens.size() && tokens.empty() == end->empty()) return tokens;
  auto bytes = SingleBytes(tokenizer, *end);
  if (bytes.has_value() && constraint.Validate(*bytes) == bytes->size()) return bytes;
  return std::nullopt;
}

}  // namespace decant::decode
