// A vocabulary prepared for masks.
#include "grammar/vocabulary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/utf8.h"
#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/token.h"
#include "decant/tokenizer.h"
#include "grammar/json/between_tokens.h"
#include "grammar/mask_words.h"
#include "grammar/string_terminal.h"
#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostTokens = std::size_t{1} << 28;  // ids, nodes and words stay far inside 32 bits

// How a token can stand in a text, from a border between two characters on.
struct Standing {
  enum class Kind : std::uint8_t {
    kPlain,   // as whole characters
    kPartly,  // as something else
    kCloses,  // as its end: see ClosingTokens
    kNever,
  };
  Kind kind = Kind::kPlain;
  std::size_t characters = 0;  // of a plain one or a part
};

Standing StandInText(std::string_view bytes) {
  Standing standing;
  for (; !bytes.empty(); ++standing.characters) {
    if (static_cast<unsigned char>(bytes.front()) < 0x80) {
      bytes.remove_prefix(1);
      continue;
    }
    const core::Utf8Part part = core::DecodeUtf8(bytes);
    if (part.status == core::Utf8Status::kInvalid) return {.kind = Standing::Kind::kNever};
    if (part.status == core::Utf8Status::kIncomplete) {
      return {.kind = Standing::Kind::kPartly, .characters = standing.characters + 1};
    }
    bytes.remove_prefix(part.length);
  }
  return standing;
}

// Inside a JSON string; it may end there.
Standing StandInString(std::string_view bytes) {
  Standing standing;
  EscapeState escape = kNoEscape;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == '"' && escape == kNoEscape) return {.kind = Standing::Kind::kCloses};
    const std::optional<DecodedByte> decoded = Decode(escape, static_cast<std::uint8_t>(bytes[at]));
    if (!decoded.has_value()) return {.kind = Standing::Kind::kNever};
    escape = decoded->escape;
    if (escape != kNoEscape) standing.kind = Standing::Kind::kPartly;
    for (const char c : decoded->view()) standing.characters += (static_cast<unsigned char>(c) & 0xC0u) != 0x80 ? 1 : 0;
  }
  if (escape != kNoEscape) {
    if (!CanSpell(escape)) return {.kind = Standing::Kind::kNever};
    ++standing.characters;
  }
  // Escapes are ASCII: the raw bytes are whole characters where the text is.
  const Standing::Kind as_text = StandInText(bytes).kind;
  if (as_text != Standing::Kind::kPlain) standing.kind = as_text;
  return standing;
}

// REQUIRES: whole characters.
CharacterSet CharactersOf(std::string_view bytes) {
  CharacterSet characters;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if ((byte & 0xC0u) != 0x80) characters.AddFirst(byte);
  }
  return characters;
}

Result<void> CheckIds(std::span<const TokenId> ids, std::size_t size, std::string_view what) {
  for (const TokenId id : ids) {
    if (id < size) continue;
    return Fail(ErrorCode::kTokenOutOfRange,
                std::string(what) + " token " + std::to_string(id) + " is not in the vocabulary of " +
                    std::to_string(size) + " tokens",
                {.subject = std::string(what), .allowed = "0.." + std::to_string(size - 1)});
  }
  return {};
}

Result<void> CheckSizes(const ConstraintVocabulary::Tokens& tokens) {
  const std::size_t size = tokens.bytes.size();
  if (size == 0 || size > kMostTokens) {
    return Fail(ErrorCode::kOutOfRange,
                "a constraint's vocabulary has " + std::to_string(size) + " tokens; expected 1 to " +
                    std::to_string(kMostTokens),
                {.subject = "bytes", .allowed = "1.." + std::to_string(kMostTokens)});
  }
  if (tokens.row_length != 0 && (tokens.row_length < size || tokens.row_length > kMostTokens)) {
    return Fail(
        ErrorCode::kOutOfRange,
        "row_length is " + std::to_string(tokens.row_length) + "; expected at least the vocabulary's " +
            std::to_string(size) + " tokens, at most " + std::to_string(kMostTokens),
        {.subject = "row_length", .allowed = "0 or " + std::to_string(size) + ".." + std::to_string(kMostTokens)});
  }
  std::size_t all = 0;
  for (std::size_t id = 0; id < size; ++id) {
    all += tokens.bytes[id].size();
    if (tokens.bytes[id].size() <= TokenTrie::kMaxTokenBytes && all <= kMostTokens) continue;
    return Fail(ErrorCode::kOutOfRange,
                "token " + std::to_string(id) + " has " + std::to_string(tokens.bytes[id].size()) +
                    " bytes; expected at most " + std::to_string(TokenTrie::kMaxTokenBytes) + ", and " +
                    std::to_string(kMostTokens) + " of all tokens",
                {.subject = "bytes", .allowed = "0.." + std::to_string(TokenTrie::kMaxTokenBytes)});
  }
  return {};
}

}  // namespace

std::span<const std::uint32_t> PlainTokens::UpTo(std::uint64_t characters) const {
  if (characters == 0) return {};
  std::size_t row = static_cast<std::size_t>(std::min<std::uint64_t>(characters, kCounted)) - 1;
  if (characters >= longest_) row = kCounted;
  return std::span(rows_).subspan(row * words_, words_);
}

void PlainTokens::AddUpTo(std::uint64_t characters, std::span<std::uint32_t> row) const {
  Unite(UpTo(characters), row);
  for (std::size_t i = 0; i < beyond_lengths_.size(); ++i) {
    if (beyond_lengths_[i] <= characters) AddToken(row, beyond_.tokens()[i]);
  }
}

void PlainTokens::AddRestUpTo(std::uint64_t characters, std::span<std::uint32_t> row) const {
  for (std::size_t i = 0; i < rest_lengths_.size(); ++i) {
    if (rest_lengths_[i] <= characters) AddToken(row, rest_.tokens()[i]);
  }
}

std::size_t PlainTokens::memory_bytes() const {
  return rows_.capacity() * sizeof(std::uint32_t) +
         (beyond_lengths_.capacity() + rest_lengths_.capacity()) * sizeof(std::size_t) + beyond_.memory_bytes() +
         rest_.memory_bytes();
}

void Vocabulary::TakeBytes(const Tokens& tokens) {
  const auto add = [](std::size_t sum, std::string_view token) { return sum + token.size(); };
  pool_.reserve(std::accumulate(tokens.bytes.begin(), tokens.bytes.end(), std::size_t{0}, add));
  bytes_.reserve(tokens.bytes.size());
  for (const std::string_view token : tokens.bytes) {
    const std::size_t start = pool_.size();
    pool_.append(token);  // never moves: the room is reserved
    bytes_.push_back(std::string_view(pool_).substr(start));
  }
  row_length_ = tokens.row_length == 0 ? size() : tokens.row_length;
  words_ = WordsFor(row_length_);
  end_.assign(tokens.end.begin(), tokens.end.end());
  std::sort(end_.begin(), end_.end());
  end_.erase(std::unique(end_.begin(), end_.end()), end_.end());
}

void Vocabulary::SortTexts(const Tokens& tokens) {
  text_.assign(words_, 0);
  for (TokenId id = 0; id < size(); ++id) {
    if (!bytes_[id].empty()) AddToken(text_, id);
  }
  for (const TokenId id : tokens.special) RemoveToken(text_, id);
  for (const TokenId id : end_) RemoveToken(text_, id);
  std::vector<TokenId> texts;
  texts.reserve(size());
  for (TokenId id = 0; id < size(); ++id) {
    if (HasToken(text_, id)) texts.push_back(id);
  }
  trie_ = TokenTrie(bytes_, SortedByBytes(bytes_, texts));
  std::ranges::copy_if(texts, std::back_inserter(long_tokens_),
                       [this](TokenId id) { return bytes_[id].size() > kShort; });
}

template <class Stand>
void Vocabulary::Classify(PlainTokens& plain, Stand stand) const {
  std::vector<TokenId> beyond, rest;
  plain.words_ = words_;
  plain.rows_.assign((PlainTokens::kCounted + 1) * words_, 0);
  const auto row = [&plain](std::size_t i) { return std::span(plain.rows_).subspan(i * plain.words_, plain.words_); };
  for (const TokenId id : trie_.tokens()) {
    const Standing standing = stand(bytes_[id]);
    if (standing.kind == Standing::Kind::kPartly) {
      rest.push_back(id);
      plain.rest_lengths_.push_back(standing.characters);
    }
    if (standing.kind != Standing::Kind::kPlain) continue;
    plain.longest_ = std::max(plain.longest_, standing.characters);
    plain.characters_.Unite(CharactersOf(bytes_[id]));
    AddToken(row(std::min(standing.characters - 1, PlainTokens::kCounted)), id);
    if (standing.characters <= PlainTokens::kCounted) continue;
    beyond.push_back(id);
    plain.beyond_lengths_.push_back(standing.characters);
  }
  for (std::size_t i = 1; i <= PlainTokens::kCounted; ++i) Unite(row(i - 1), row(i));
  plain.beyond_ = TokenTrie(bytes_, std::move(beyond));
  plain.rest_ = TokenTrie(bytes_, std::move(rest));
}

void Vocabulary::FindCharacters() {
  constexpr std::size_t kBits = 64 * std::size(CharacterSet{}.words);
  const std::span<const std::uint32_t> plain = text_plain_.UpTo(~std::uint64_t{0});
  std::vector<std::uint32_t> rows;
  for (const PlaceInToken place : {PlaceInToken::kAnywhere, PlaceInToken::kFirst, PlaceInToken::kAfterFirst}) {
    rows.assign((kBits + 1) * words_, 0);
    const auto row = [&rows, this](std::size_t i) { return std::span(rows).subspan(i * words_, words_); };
    for (const TokenId id : trie_.tokens()) {
      if (!HasToken(plain, id)) continue;
      std::string_view token = bytes_[id];
      if (place == PlaceInToken::kFirst) token = token.substr(0, 1);
      if (place == PlaceInToken::kAfterFirst) token = token.substr(1);
      const CharacterSet characters = CharactersOf(token);  // by their first bytes
      characters.VisitBits([&row, id](std::size_t bit) { AddToken(row(bit), id); });
      if (!characters.IsAscii()) AddToken(row(kBits), id);
    }
    TokensByCharacter& found = by_character_[static_cast<std::size_t>(place)];
    found.with.reserve(kBits);
    for (std::size_t bit = 0; bit < kBits; ++bit) found.with.push_back(TokenSet::Of(row(bit)));
    found.past_ascii = TokenSet::Of(row(kBits));
    for (std::size_t first = 0; first < 128; first += 8) {
      std::vector<std::uint32_t> any(words_);
      for (std::size_t bit = first; bit < first + 8; ++bit) {
        if (bit != '"' && bit != '\\') Unite(row(bit), any);
      }
      found.eights.push_back(TokenSet::Of(any));
    }
  }
}

// visit(set) for sets that together are the tokens with one of the characters.
template <class Visit>
void Vocabulary::VisitSets(CharacterSet characters, PlaceInToken place, Visit visit) const {
  CharacterSet special;
  special.AddFirst('"');
  special.AddFirst('\\');
  for (std::size_t i = 0; i < At(place).eights.size(); ++i) {
    const std::uint64_t eight = std::uint64_t{0xFF} << (8 * i % 64);
    std::uint64_t& word = characters.words[8 * i / 64];
    const std::uint64_t needed = eight & ~special.words[8 * i / 64];
    if ((word & needed) != needed) continue;
    visit(At(place).eights[i]);
    word &= ~needed;
  }
  characters.VisitBits([&](std::size_t bit) { visit(At(place).with[bit]); });
}

void Vocabulary::AddTokensWith(const CharacterSet& characters, PlaceInToken place, std::span<std::uint32_t> row) const {
  VisitSets(characters, place, [row](const TokenSet& set) { set.UniteInto(row); });
}

void Vocabulary::RemoveTokensWith(const CharacterSet& characters, PlaceInToken place,
                                  std::span<std::uint32_t> row) const {
  CharacterSet others = characters;
  if (text_plain_.characters().words[2] == (characters.words[2] & ~CharacterSet::kBroken)) {
    At(place).past_ascii.RemoveFrom(row);
    others.words[2] = 0;
  }
  VisitSets(others, place, [row](const TokenSet& set) { set.RemoveFrom(row); });
}

void Vocabulary::FindTails() {
  for (const TokenId id : trie_.tokens()) {
    const std::string_view token = bytes_[id];
    for (std::size_t quote = token.find('"'); quote != token.npos; quote = token.find('"', quote + 1)) {
      tails_.push_back(token.substr(quote + 1));
    }
  }
  std::sort(tails_.begin(), tails_.end());
  tails_.erase(std::unique(tails_.begin(), tails_.end()), tails_.end());
  tails_.shrink_to_fit();
  std::vector<TokenId> ids(tails_.size());
  std::iota(ids.begin(), ids.end(), TokenId{0});
  if (!tails_.empty() && tails_.front().empty()) ids.erase(ids.begin());
  tail_trie_ = TokenTrie(tails_, std::move(ids));

  quoted_index_.assign(size(), 0);
  for (const TokenId id : trie_.tokens()) {
    const std::string_view token = bytes_[id];
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] == '\\') {
        ++i;
      } else if (token[i] == '"') {
        quoted_.push_back({.start = static_cast<std::uint32_t>(i + 1), .tail = IndexOfTail(token.substr(i + 1))});
        quoted_index_[id] = static_cast<std::uint32_t>(quoted_.size());
        break;
      }
    }
  }
}

std::optional<std::uint32_t> Vocabulary::FindTail(std::string_view tail) const {
  const auto found = std::lower_bound(tails_.begin(), tails_.end(), tail);
  if (found == tails_.end() || *found != tail) return std::nullopt;
  return static_cast<std::uint32_t>(found - tails_.begin());
}

std::uint32_t Vocabulary::IndexOfTail(std::string_view tail) const {
  const std::optional<std::uint32_t> index = FindTail(tail);
  DECANT_CHECK(index.has_value());
  return *index;
}

std::optional<QuotedTail> Vocabulary::quoted_tail(TokenId token) const {
  const std::uint32_t index = quoted_index_[token];
  if (index == 0) return std::nullopt;
  return quoted_[index - 1];
}

bool Vocabulary::IsEnd(TokenId token) const { return std::binary_search(end_.begin(), end_.end(), token); }

Result<std::shared_ptr<const Vocabulary>> Vocabulary::Make(const Tokens& tokens) {
  DECANT_CHECKED(CheckSizes(tokens));
  DECANT_CHECKED(CheckIds(tokens.special, tokens.bytes.size(), "special"));
  DECANT_CHECKED(CheckIds(tokens.end, tokens.bytes.size(), "end"));
  std::shared_ptr<Vocabulary> vocabulary(new Vocabulary(tokens.cache_bytes));  // private to make_shared
  vocabulary->TakeBytes(tokens);
  vocabulary->SortTexts(tokens);
  vocabulary->Classify(vocabulary->string_plain_, StandInString);
  vocabulary->Classify(vocabulary->text_plain_, StandInText);
  vocabulary->FindCharacters();
  vocabulary->FindTails();
  vocabulary->closing_ = ClosingTokens(*vocabulary);
  return vocabulary;
}

std::size_t Vocabulary::memory_bytes() const {
  std::size_t characters = 0;
  for (const TokensByCharacter& at : by_character_) {
    characters += at.past_ascii.memory_bytes();
    for (const TokenSet& set : at.with) characters += set.memory_bytes();
    for (const TokenSet& set : at.eights) characters += set.memory_bytes();
  }
  return characters + sizeof(*this) + pool_.capacity() +
         (bytes_.capacity() + tails_.capacity()) * sizeof(std::string_view) +
         (text_.capacity() + quoted_index_.capacity()) * sizeof(std::uint32_t) + end_.capacity() * sizeof(TokenId) +
         trie_.memory_bytes() + long_tokens_.capacity() * sizeof(TokenId) + string_plain_.memory_bytes() +
         text_plain_.memory_bytes() + tail_trie_.memory_bytes() + quoted_.capacity() * sizeof(QuotedTail) +
         closing_.memory_bytes();
}

std::shared_ptr<const Vocabulary> VocabularyOf(std::shared_ptr<const ConstraintVocabulary> vocabulary) {
  DECANT_DCHECK(vocabulary != nullptr);
  return std::static_pointer_cast<const Vocabulary>(std::move(vocabulary));
}

}  // namespace decant::grammar

namespace decant {

Result<std::shared_ptr<const ConstraintVocabulary>> ConstraintVocabulary::Of(const Tokens& tokens) {
  DECANT_TRY(std::shared_ptr<const grammar::Vocabulary> made, grammar::Vocabulary::Make(tokens));
  // What every JSON constraint needs: found here, not by the first of them.
  grammar::BetweenTokens::Of(*made);
  return made;
}

Result<std::shared_ptr<const ConstraintVocabulary>> ConstraintVocabulary::Of(const Tokenizer& tokenizer,
                                                                             std::span<const TokenId> end,
                                                                             std::size_t row_length) {
  std::vector<std::string_view> bytes;
  std::vector<TokenId> special;
  std::vector<TokenId> ends(end.begin(), end.end());
  bytes.reserve(tokenizer.vocabulary_size());
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    bytes.push_back(tokenizer.Bytes(id));
    const TokenKind kind = tokenizer.kind(id);
    if (kind == TokenKind::kControl || kind == TokenKind::kUnknown || kind == TokenKind::kUnused) special.push_back(id);
  }
  if (const std::optional<TokenId> eos = tokenizer.eos(); eos.has_value()) ends.push_back(*eos);
  return Of(Tokens{.bytes = bytes, .special = special, .end = ends, .row_length = row_length});
}

}  // namespace decant
