// Fields of tokenizer.ggml.*, by the names that llama.cpp gave them.
#include "decode/gguf_vocabulary.h"

#include <optional>
#include <string_view>
#include <utility>

#include "text/pretokenizer.h"

namespace decant::decode {
namespace {

Result<std::optional<TokenId>> OptionalToken(const weights::GgufFile& file, std::string_view key) {
  if (!file.Has(key)) return std::nullopt;
  DECANT_TRY(const std::uint64_t id, file.Unsigned(key));
  if (id > UINT32_MAX) {
    return Fail(ErrorCode::kCorruptFile, std::string(key) + " is " + std::to_string(id) + "; expected a token id",
                {.subject = std::string(key)});
  }
  return static_cast<TokenId>(id);
}

// llama.cpp's token types (tokenizer.ggml.token_type).
Result<TokenKind> KindOf(std::int64_t type) {
  switch (type) {
    case 1:
      return TokenKind::kNormal;
    case 2:
      return TokenKind::kUnknown;
    case 3:
      return TokenKind::kControl;
    case 4:
      return TokenKind::kUserDefined;
    case 5:
      return TokenKind::kUnused;
    case 6:
      return TokenKind::kByte;
    default:
      return Fail(ErrorCode::kCorruptFile,
                  "tokenizer.ggml.token_type holds " + std::to_string(type) + "; expected 1..6",
                  {.subject = "tokenizer.ggml.token_type", .allowed = "1..6"});
  }
}

}  // namespace

Result<text::VocabularySource> ReadVocabulary(const weights::GgufFile& file) {
  text::VocabularySource source;
  DECANT_TRY(const std::string_view model, file.String("tokenizer.ggml.model"));
  DECANT_TRY(const std::string_view pre, file.StringOr("tokenizer.ggml.pre", "default"));
  source.model = model;
  source.pre = pre;
  DECANT_TRY(const auto tokens, file.Strings("tokenizer.ggml.tokens"));
  source.tokens.assign(tokens.begin(), tokens.end());
  if (file.Has("tokenizer.ggml.token_type")) {
    DECANT_TRY(const auto types, file.Integers("tokenizer.ggml.token_type"));
    for (const std::int64_t type : types) {
      DECANT_TRY(const TokenKind kind, KindOf(type));
      source.kinds.push_back(kind);
    }
  } else {
    source.kinds.assign(source.tokens.size(), TokenKind::kNormal);
  }
  if (file.Has("tokenizer.ggml.merges")) {
    DECANT_TRY(const auto merges, file.Strings("tokenizer.ggml.merges"));
    source.merges.assign(merges.begin(), merges.end());
  }
  DECANT_TRY(source.bos, OptionalToken(file, "tokenizer.ggml.bos_token_id"));
  DECANT_TRY(source.eos, OptionalToken(file, "tokenizer.ggml.eos_token_id"));
  // GGUF has no fields for what else a pre-tokenizer's name implies.
  const std::optional<text::PreTokenizer> known = text::FindPreTokenizer(pre);
  const bool is_llama3 = known == text::PreTokenizer::kLlama3;
  if (is_llama3) source.whole_pieces = text::WholePieces::kAnyToken;
  if (known == text::PreTokenizer::kQwen2) source.normalization = text::Normalization::kNfc;
  DECANT_TRY(source.add_bos, file.BoolOr("tokenizer.ggml.add_bos_token", is_llama3 && source.bos.has_value()));
  return source;
}

Result<ChatTemplate> ReadChatTemplate(const weights::GgufFile& file) {
  DECANT_TRY(const std::string_view source, file.StringOr("tokenizer.chat_template", ""));
  return RecognizeChatTemplate(source);
}

}  // namespace decant::decode
