// Tokens that close a JSON string when they are read from inside it, outside of an escape: the text that each adds, and
// what follows its quote. They add few different texts, so that a walk of those tells which tokens may close a string.
#ifndef DECANT_GRAMMAR_CLOSING_TOKENS_H_
#define DECANT_GRAMMAR_CLOSING_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decant/token.h"
#include "grammar/token_trie.h"

namespace decant::grammar {

class Vocabulary;

// Immutable; any thread.
class ClosingTokens {
 public:
  struct Closing {
    std::uint32_t content = 0;  // an index into contents()
    std::uint32_t tail = 0;     // an index into Vocabulary::tails()
    TokenId token = 0;
  };
  ClosingTokens() = default;
  explicit ClosingTokens(const Vocabulary& vocabulary);  // of which trie(), tails() and quoted_tail() are read

  std::span<const Closing> by_tail() const { return by_tail_; }        // ascending by (tail, token)
  std::span<const Closing> by_content() const { return by_content_; }  // ascending by (content, tail, token)
  std::span<const std::string> contents() const { return contents_; }  // decoded, each once, ascending
  const TokenTrie& tree() const { return tree_; }                      // of contents but "", a token is an index
  bool has_empty() const { return !contents_.empty() && contents_[0].empty(); }
  std::size_t memory_bytes() const;

 private:
  std::vector<Closing> by_tail_, by_content_;
  std::vector<std::string> contents_;
  TokenTrie tree_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_CLOSING_TOKENS_H_
