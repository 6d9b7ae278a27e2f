// What each token does inside a JSON string: stays in it, or closes it and goes on with a tail that whatever stands
// after the string must take. Found once for a state, and shared by all grammars over the vocabulary.
#ifndef DECANT_GRAMMAR_TERMINAL_ENTRY_H_
#define DECANT_GRAMMAR_TERMINAL_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"
#include "grammar/string_terminal.h"
#include "grammar/token_walk.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// How far tokens that close the string are told apart.
enum class ExitDetail : std::uint8_t {
  kTail,     // by what follows the quote
  kContent,  // also by the decoded text that they add before it
};
// Which tokens that close the string are worth keeping.
enum class ExitTails : std::uint8_t {
  kAny,
  kKey,  // after the quote: nothing, white space or ":"
};

class TerminalEntry final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 1;
  struct Exit {
    std::uint32_t tail = 0;     // an index into Vocabulary::tails()
    std::uint32_t content = 0;  // an index into contents(); 0 with kTail
    std::uint32_t first = 0;    // of its tokens
    std::uint32_t end = 0;
  };

  const TokenSet& inner() const { return inner_; }  // tokens that stay in the string, with some end of it left
  // Ascending by (content, tail), at least one token each.
  std::span<const Exit> exits() const { return exits_; }
  std::span<const TokenId> TokensOf(const Exit& exit) const {
    return std::span(tokens_).subspan(exit.first, exit.end - exit.first);
  }
  // Decoded text before the quote, different ones in the order they were met; {""} with kTail.
  std::span<const std::string> contents() const { return contents_; }
  std::size_t memory_bytes() const override;

 private:
  friend class TerminalEntries;
  TokenSet inner_;
  std::vector<Exit> exits_;
  std::vector<TokenId> tokens_;
  std::vector<std::string> contents_;
};

// Makes the entries of one pool's states. One owner, as the pool. The vocabulary and the pool outlive it.
class TerminalEntries {
 public:
  TerminalEntries(const Vocabulary& vocabulary, ExprPool& pool);

  // REQUIRES: a living state. Cost: a look-up of the vocabulary's cache when any grammar met such a state before.
  std::shared_ptr<const TerminalEntry> Of(StringState state, ExitDetail detail, ExitTails tails);

 private:
  // A string as an automaton: the closing quote leaves it where the content may end.
  struct Inside {
    ExprPool* pool;
    std::uint64_t Step(std::uint64_t key, std::uint8_t byte);
    ByteSet FirstBytes(std::uint64_t key);
    std::uint64_t LeadOf(std::uint64_t key);
  };
  struct Exits;
  std::shared_ptr<const TerminalEntry> Make(StringState state, ExitDetail detail, ExitTails tails);
  bool FindTokensBeside(const ExprPool::CharacterBound& bound, StringState state, std::span<std::uint32_t> inner,
                        Exits& exits);
  void FindTokens(StringState state, std::span<std::uint32_t> inner, Exits& exits);
  void WalkTexts(Expr content, std::span<const std::string_view> texts, std::span<std::uint32_t> inner, Exits& exits);
  void WalkTree(const TokenTrie& trie, StringState state, std::span<std::uint32_t> inner, Exits& exits);
  static std::uint64_t KeyOf(StringState state) {
    return static_cast<std::uint64_t>(state.content) << 32 | state.escape;
  }

  const Vocabulary& vocabulary_;
  ExprPool& pool_;
  TokenWalk<Inside> walk_;
  std::unordered_map<std::uint64_t, Fingerprint> fingerprints_;  // by KeyOf
  std::vector<std::uint32_t> row_;                               // scratch
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_TERMINAL_ENTRY_H_
