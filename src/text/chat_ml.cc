// The ChatML template, encoded part by part so that no message can write a marker.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/tokenizer.h"

namespace decant {
namespace {

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::string_view kEnd = "<|im_end|>";

Result<TokenId> FindMarker(const Tokenizer& tokenizer, std::string_view marker) {
  const std::optional<TokenId> id = tokenizer.Find(marker);
  if (!id || (tokenizer.kind(*id) != TokenKind::kControl && tokenizer.kind(*id) != TokenKind::kUserDefined)) {
    return Fail(ErrorCode::kUnsupportedTokenizer,
                "the vocabulary has no special token \"" + std::string(marker) + "\", which ChatML needs",
                {.subject = std::string(marker)});
  }
  return *id;
}

}  // namespace

Result<std::vector<TokenId>> EncodeChatMl(const Tokenizer& tokenizer, std::span<const ChatMessage> messages,
                                          std::string_view default_system) {
  DECANT_TRY(const TokenId start, FindMarker(tokenizer, kStart));
  DECANT_TRY(const TokenId end, FindMarker(tokenizer, kEnd));
  std::vector<TokenId> tokens;
  const auto append = [&](std::string_view text) {
    const std::vector<TokenId> encoded = tokenizer.Encode(text, SpecialText::kAsText);
    tokens.insert(tokens.end(), encoded.begin(), encoded.end());
  };
  const auto append_message = [&](const ChatMessage& message) {
    tokens.push_back(start);
    append(std::string(message.role).append("\n").append(message.tokens.empty() ? message.content : ""));
    tokens.insert(tokens.end(), message.tokens.begin(), message.tokens.end());
    tokens.push_back(end);
    append("\n");
  };
  if (!messages.empty() && messages.front().role != "system" && !default_system.empty()) {
    append_message({.role = "system", .content = std::string(default_system)});
  }
  for (const ChatMessage& message : messages) append_message(message);
  tokens.push_back(start);
  append("assistant\n");
  return tokens;
}

}  // namespace decant
