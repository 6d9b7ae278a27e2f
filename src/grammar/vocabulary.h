// What masks need of a vocabulary: its tokens as a tree, and classes of tokens that need no walk where a text is free.
//
// Inside a JSON string nearly every token is plain: whole characters, none of them a control character, a quote or a
// backslash. A state that admits any text of k characters takes the plain tokens of at most k characters, which is one
// copy of a row, and only the few others that can stand there at all are walked (2 in 100 of a vocabulary of 128,000).
#ifndef DECANT_GRAMMAR_VOCABULARY_H_
#define DECANT_GRAMMAR_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/token.h"
#include "grammar/closing_tokens.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"
#include "grammar/token_trie.h"

namespace decant::grammar {

// Tokens that are made of whole characters of one kind, and all others. Rows have the vocabulary's words.
class PlainTokens {
 public:
  static constexpr std::size_t kCounted = 32;  // characters with a row of their own

  // Those of at most so many characters; of more than kCounted, those of at most kCounted, or all when none is longer
  // than `characters`. 0: none.
  std::span<const std::uint32_t> UpTo(std::uint64_t characters) const;
  // Adds exactly those of at most so many characters.
  void AddUpTo(std::uint64_t characters, std::span<std::uint32_t> row) const;
  // Whether UpTo has all of at most so many characters, but for those of beyond().
  bool Covers(std::uint64_t characters) const { return characters >= kCounted || characters >= longest_; }
  // Whether UpTo leaves out some of beyond().
  bool NeedsBeyond(std::uint64_t characters) const { return characters < longest_; }
  const TokenTrie& beyond() const { return beyond_; }  // plain tokens of more than kCounted characters
  // Text tokens that are not plain and can stand in a text all the same, from a border between two characters on, and
  // do not close it: with escapes, or with a last character that is not whole.
  const TokenTrie& rest() const { return rest_; }
  // Adds exactly those of rest() of at most so many characters, one that is not whole included.
  void AddRestUpTo(std::uint64_t characters, std::span<std::uint32_t> row) const;
  const CharacterSet& characters() const { return characters_; }  // of all plain tokens
  std::size_t memory_bytes() const;

 private:
  friend class Vocabulary;
  std::size_t words_ = 0;
  std::size_t longest_ = 0;  // characters of a plain token
  CharacterSet characters_;
  std::vector<std::uint32_t> rows_;  // of at most 1, 2, … kCounted, any number of characters
  TokenTrie beyond_, rest_;
  std::vector<std::size_t> beyond_lengths_, rest_lengths_;  // characters of their tokens
};

// A token's closing quote, if the token is read from inside a JSON string: the first '"' that no backslash of the token
// escapes.
struct QuotedTail {
  std::uint32_t start = 0;  // of what follows the quote, in the token
  std::uint32_t tail = 0;   // an index into Vocabulary::tails()
};

// Where in a token a character stands.
enum class PlaceInToken : std::uint8_t { kAnywhere, kFirst, kAfterFirst };

// Immutable but for its cache; any thread.
class Vocabulary final : public ConstraintVocabulary {
 public:
  static Result<std::shared_ptr<const Vocabulary>> Make(const Tokens& tokens);

  std::size_t row_length() const override { return row_length_; }
  std::size_t memory_bytes() const override;
  std::size_t cache_bytes() const override { return cache_.bytes(); }

  std::size_t size() const { return bytes_.size(); }                            // tokens
  std::size_t words() const { return words_; }                                  // of a row
  const std::string_view& bytes(TokenId token) const { return bytes_[token]; }  // REQUIRES: token < size()
  // Whether it can be part of a text: not special, not an end token, not empty.
  bool IsText(TokenId token) const { return token < size() && HasToken(text_, token); }
  bool IsEnd(TokenId token) const;
  std::span<const TokenId> end_tokens() const { return end_; }  // ascending
  std::size_t longest_token() const { return trie_.height(); }  // bytes, of text tokens; 0 = there are none

  const TokenTrie& trie() const { return trie_; }  // of all text tokens
  // Text tokens of more than kShort bytes: few, and the only ones that come near a bound on the text's length early.
  static constexpr std::size_t kShort = 24;
  std::span<const TokenId> long_tokens() const { return long_tokens_; }
  // Plain inside a JSON string: whole characters from U+0020 on, no quote, no backslash.
  const PlainTokens& string_plain() const { return string_plain_; }
  // Plain in a text: whole characters.
  const PlainTokens& text_plain() const { return text_plain_; }
  // Adds or removes the tokens of text_plain() that have one of the characters there.
  void AddTokensWith(const CharacterSet& characters, PlaceInToken place, std::span<std::uint32_t> row) const;
  void RemoveTokensWith(const CharacterSet& characters, PlaceInToken place, std::span<std::uint32_t> row) const;

  // What stands after a quote in some token, each once, ascending; a token of tail_trie() is an index into it. The
  // empty tail, which a token that ends in a quote leaves, is in the list and not in the tree.
  std::span<const std::string_view> tails() const { return tails_; }
  const TokenTrie& tail_trie() const { return tail_trie_; }
  // Of a tail of tails(); nothing for another.
  std::optional<std::uint32_t> FindTail(std::string_view tail) const;
  std::uint32_t IndexOfTail(std::string_view tail) const;      // REQUIRES: it stands after a quote in some token
  std::optional<QuotedTail> quoted_tail(TokenId token) const;  // REQUIRES: token < size()
  const ClosingTokens& closing_tokens() const { return closing_; }

  const MaskCache& cache() const { return cache_; }

 private:
  explicit Vocabulary(std::size_t cache_bytes) : cache_(cache_bytes) {}
  void TakeBytes(const Tokens& tokens);
  void SortTexts(const Tokens& tokens);
  void FindCharacters();
  void FindTails();
  template <class Stand>
  void Classify(PlainTokens& plain, Stand stand) const;

  std::string pool_;
  std::vector<std::string_view> bytes_;  // into pool_
  std::vector<std::uint32_t> text_;      // a row
  std::vector<TokenId> end_;
  std::size_t row_length_ = 0;
  std::size_t words_ = 0;
  TokenTrie trie_;
  std::vector<TokenId> long_tokens_;
  PlainTokens string_plain_, text_plain_;
  struct TokensByCharacter {
    std::vector<TokenSet> with;    // by CharacterSet's bits
    std::vector<TokenSet> eights;  // of ASCII, by eight bits: with one of those, the quote and the backslash aside
    TokenSet past_ascii;           // with a character past ASCII
  };
  const TokensByCharacter& At(PlaceInToken place) const { return by_character_[static_cast<std::size_t>(place)]; }
  template <class Visit>
  void VisitSets(CharacterSet characters, PlaceInToken place, Visit visit) const;
  std::array<TokensByCharacter, 3> by_character_;  // by PlaceInToken
  std::vector<std::string_view> tails_;            // into pool_
  TokenTrie tail_trie_;
  std::vector<std::uint32_t> quoted_index_;  // by token: 0 = none, else 1 + an index into quoted_
  std::vector<QuotedTail> quoted_;
  ClosingTokens closing_;
  MaskCache cache_;
};

// What ConstraintVocabulary::Of made, as what it is.
std::shared_ptr<const Vocabulary> VocabularyOf(std::shared_ptr<const ConstraintVocabulary> vocabulary);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_VOCABULARY_H_
