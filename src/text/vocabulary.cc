// Checks a vocabulary and builds the tables of a BPE tokenizer from it.
#include "text/vocabulary.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "text/bpe.h"
#include "text/bpe_tokenizer.h"
#include "text/byte_level.h"
#include "text/pretokenizer.h"
#include "text/special_tokens.h"
#include "text/token_table.h"

namespace decant::text {
namespace {

using core::Quoted;

constexpr std::string_view kModel = "gpt2";
constexpr std::size_t kMostTokens = std::size_t{1} << 31;

bool IsSpecial(TokenKind kind) { return kind == TokenKind::kControl || kind == TokenKind::kUserDefined; }

Result<PreTokenizer> CheckKind(const VocabularySource& source) {
  if (source.model != kModel) {
    return Fail(
        ErrorCode::kUnsupportedTokenizer,
        std::string(source.fields.model) + " is " + Quoted(source.model) + "; decant reads \"gpt2\" (byte-level BPE)",
        {.subject = std::string(source.fields.model), .allowed = std::string(kModel)});
  }
  const std::optional<PreTokenizer> pre = FindPreTokenizer(source.pre);
  if (!pre) {
    return Fail(ErrorCode::kUnsupportedTokenizer,
                std::string(source.fields.pre) + " is " + Quoted(source.pre) + "; decant has the pre-tokenizers " +
                    PreTokenizerNames(),
                {.subject = std::string(source.fields.pre), .allowed = PreTokenizerNames()});
  }
  return *pre;
}

Result<void> CheckSizes(const VocabularySource& source) {
  const std::size_t size = source.tokens.size();
  if (size == 0 || size > kMostTokens) {
    return Fail(ErrorCode::kCorruptFile, "the vocabulary has " + std::to_string(size) + " tokens; expected 1 to 2^31",
                {.subject = std::string(source.fields.tokens)});
  }
  if (source.merges.size() > kMostTokens) {
    return Fail(ErrorCode::kCorruptFile,
                "the vocabulary has " + std::to_string(source.merges.size()) + " merges; expected at most 2^31",
                {.subject = std::string(source.fields.merges)});
  }
  if (source.kinds.size() != size) {
    return Fail(ErrorCode::kCorruptFile,
                "the vocabulary has " + std::to_string(size) + " tokens but " + std::to_string(source.kinds.size()) +
                    " token kinds",
                {.subject = std::string(source.fields.kinds), .allowed = std::to_string(size)});
  }
  for (const auto& [name, id] : {std::pair{source.fields.bos, source.bos}, std::pair{source.fields.eos, source.eos}}) {
    if (id && *id >= size) {
      const std::string field(name);
      return Fail(ErrorCode::kCorruptFile,
                  field + " is " + std::to_string(*id) + "; the vocabulary has " + std::to_string(size) + " tokens",
                  {.subject = field, .allowed = "0 to " + std::to_string(size - 1)});
    }
  }
  for (const TokenId id : source.normalized_specials) {
    if (id >= size || !IsSpecial(source.kinds[id])) {
      return Fail(ErrorCode::kCorruptFile, "token " + std::to_string(id) + " is listed as special but is not",
                  {.subject = std::string(source.fields.kinds)});
    }
  }
  if (source.add_bos && !source.bos) {
    return Fail(ErrorCode::kCorruptFile,
                std::string(source.fields.add_bos) + " is true but the file names no bos token",
                {.subject = std::string(source.fields.bos)});
  }
  return {};
}

// The tokens' texts as the file writes them.
Result<TokenTable> TableOfTexts(const VocabularySource& source) {
  std::size_t bytes = 0;
  for (const std::string& token : source.tokens) bytes += token.size();
  TokenTable table(source.tokens.size(), bytes);
  for (const std::string& token : source.tokens) {
    const std::string id = std::to_string(table.size());
    if (token.empty() && source.kinds[table.size()] == TokenKind::kUnused) {
      table.Add(token);
      continue;
    }
    if (token.empty()) {
      return Fail(ErrorCode::kCorruptFile, "token " + id + " is empty", {.subject = std::string(source.fields.tokens)});
    }
    if (const std::optional<TokenId> earlier = table.Add(token)) {
      return Fail(ErrorCode::kCorruptFile,
                  "tokens " + std::to_string(*earlier) + " and " + id + " are both " + Quoted(token),
                  {.subject = std::string(source.fields.tokens)});
    }
  }
  return table;
}

// The bytes that the tokens stand for. An ordinary token that is not written in the byte alphabet stands for its text.
TokenTable TableOfBytes(const VocabularySource& source) {
  std::vector<std::string> all;
  all.reserve(source.tokens.size());
  std::size_t bytes = 0;
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    std::optional<std::string> decoded;
    if (!IsSpecial(source.kinds[id])) decoded = LettersToBytes(source.tokens[id]);
    all.push_back(decoded ? *std::move(decoded) : source.tokens[id]);
    bytes += all.back().size();
  }
  TokenTable table(all.size(), bytes);
  for (const std::string& text : all) table.Add(text);
  return table;
}

Result<std::array<TokenId, 256>> ByteTokens(const VocabularySource& source, const TokenTable& texts) {
  std::array<TokenId, 256> tokens;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char letter = static_cast<char>(byte);
    const std::optional<TokenId> id = texts.Find(BytesToLetters(std::string_view(&letter, 1)));
    tokens[byte] = id.value_or(Bpe::kNoToken);
    if (id && source.kinds[*id] == TokenKind::kControl) {
      return Fail(ErrorCode::kUnsupportedTokenizer,
                  "control token " + std::to_string(*id) + " is the letter of byte " + std::to_string(byte) +
                      ": ordinary text would become a control token",
                  {.subject = std::string(source.fields.kinds)});
    }
  }
  return tokens;
}

// The token of one piece of a merge, or an error naming the merge.
Result<TokenId> FindPiece(const VocabularySource& source, const TokenTable& texts, std::string_view piece,
                          std::size_t merge) {
  const std::optional<TokenId> id = texts.Find(piece);
  if (!id) {
    return Fail(ErrorCode::kCorruptFile,
                "merge " + std::to_string(merge) + " (" + Quoted(source.merges[merge]) + ") names " + Quoted(piece) +
                    ", which is not a token",
                {.subject = std::string(source.fields.merges)});
  }
  if (source.kinds[*id] == TokenKind::kControl) {
    return Fail(ErrorCode::kUnsupportedTokenizer,
                "merge " + std::to_string(merge) + " (" + Quoted(source.merges[merge]) + ") involves control token " +
                    std::to_string(*id) + ": ordinary text would become a control token",
                {.subject = std::string(source.fields.merges)});
  }
  return *id;
}

Result<void> AddMerges(const VocabularySource& source, const TokenTable& texts, Bpe& bpe) {
  for (std::size_t merge = 0; merge < source.merges.size(); ++merge) {
    const std::string_view pair = source.merges[merge];
    const std::size_t space = pair.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == pair.size() ||
        pair.find(' ', space + 1) != std::string_view::npos) {
      return Fail(ErrorCode::kCorruptFile,
                  "merge " + std::to_string(merge) + " is " + Quoted(pair) + "; expected two tokens and one space",
                  {.subject = std::string(source.fields.merges)});
    }
    const std::string_view left = pair.substr(0, space), right = pair.substr(space + 1);
    DECANT_TRY(const TokenId left_id, FindPiece(source, texts, left, merge));
    DECANT_TRY(const TokenId right_id, FindPiece(source, texts, right, merge));
    DECANT_TRY(const TokenId result_id, FindPiece(source, texts, std::string(left).append(right), merge));
    if (!bpe.AddMerge(left_id, right_id, result_id)) {
      return Fail(ErrorCode::kCorruptFile, "merge " + std::to_string(merge) + " (" + Quoted(pair) + ") is listed twice",
                  {.subject = std::string(source.fields.merges)});
    }
  }
  return {};
}

// The texts of the special tokens that are looked for before normalization, and those that are looked for after it.
struct SpecialTexts {
  std::vector<std::pair<std::string_view, TokenId>> raw, normalized;
  std::vector<std::string> storage;  // of `normalized`
};
Result<SpecialTexts> FindSpecialTexts(const VocabularySource& source) {
  SpecialTexts texts;
  std::vector<bool> is_normalized(source.tokens.size(), false);
  texts.storage.reserve(source.normalized_specials.size());
  for (const TokenId id : source.normalized_specials) {
    is_normalized[id] = true;
    std::string storage;
    const std::string_view text =
        source.normalization == Normalization::kNfc ? ToNfc(source.tokens[id], storage) : source.tokens[id];
    texts.storage.emplace_back(text);
    texts.normalized.emplace_back(texts.storage.back(), id);
  }
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    if (IsSpecial(source.kinds[id]) && !is_normalized[id]) {
      texts.raw.emplace_back(source.tokens[id], static_cast<TokenId>(id));
    }
  }
  std::sort(texts.normalized.begin(), texts.normalized.end());
  const auto same = std::adjacent_find(texts.normalized.begin(), texts.normalized.end(),
                                       [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same != texts.normalized.end()) {
    return Fail(ErrorCode::kCorruptFile,
                "tokens " + std::to_string(same->second) + " and " + std::to_string((same + 1)->second) + " are both " +
                    Quoted(same->first) + " when normalized",
                {.subject = std::string(source.fields.kinds)});
  }
  return texts;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> MakeBpeTokenizer(VocabularySource source) {
  DECANT_TRY(const PreTokenizer pre, CheckKind(source));
  DECANT_CHECKED(CheckSizes(source));
  DECANT_TRY(const TokenTable texts, TableOfTexts(source));
  DECANT_TRY(const auto byte_tokens, ByteTokens(source, texts));
  Bpe bpe(byte_tokens, source.merges.size());
  DECANT_CHECKED(AddMerges(source, texts, bpe));
  DECANT_TRY(SpecialTexts specials, FindSpecialTexts(source));
  return std::make_shared<const BpeTokenizer>(
      BpeTokenizer::Parts{.bytes = TableOfBytes(source),
                          .bpe = std::move(bpe),
                          .specials = SpecialTokens(std::move(specials.raw)),
                          .normalized_specials = SpecialTokens(std::move(specials.normalized)),
                          .pre = pre,
                          .normalization = source.normalization,
                          .whole_pieces = source.whole_pieces,
                          .kinds = std::move(source.kinds),
                          .bos = source.bos,
                          .eos = source.eos,
                          .add_bos = source.add_bos,
                          .name = "bpe/" + std::string(NameOf(pre))});
}

}  // namespace decant::text
