// What the tokens' tails do as the beginning of a JSON string, after its opening quote: stay in it, or close it. A tail
// is what stands after a quote in some token, so that all tokens that open a string are known with the few tails.
#ifndef DECANT_GRAMMAR_JSON_OPENING_ENTRY_H_
#define DECANT_GRAMMAR_JSON_OPENING_ENTRY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/expr_pool.h"
#include "grammar/mask_cache.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

class OpeningEntry final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 0x4a534f4e03;
  struct Exit {
    std::uint32_t opener = 0;   // the whole tail, an index into Vocabulary::tails()
    std::uint32_t content = 0;  // an index into contents()
    std::uint32_t tail = 0;     // what follows the closing quote, an index into Vocabulary::tails()
  };
  std::span<const std::uint32_t> inner() const { return inner_; }      // a row of tails that stay in the string
  std::span<const Exit> exits() const { return exits_; }               // those that close it, ascending by content
  std::span<const std::string> contents() const { return contents_; }  // decoded texts of the string
  std::size_t memory_bytes() const override;

 private:
  friend class OpeningEntries;
  std::vector<std::uint32_t> inner_;
  std::vector<Exit> exits_;
  std::vector<std::string> contents_;
};

// Makes the entries of one pool's languages. One owner, as the pool; the vocabulary and the pool outlive it.
class OpeningEntries {
 public:
  OpeningEntries(const Vocabulary& vocabulary, ExprPool& pool) : vocabulary_(vocabulary), pool_(pool) {}
  // REQUIRES: a language with a text.
  std::shared_ptr<const OpeningEntry> Of(Expr content);

 private:
  std::shared_ptr<const OpeningEntry> Make(Expr content);
  void AddExits(std::uint32_t node, OpeningEntry& entry) const;

  const Vocabulary& vocabulary_;
  ExprPool& pool_;
  std::unordered_map<Expr, std::shared_ptr<const OpeningEntry>> found_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_OPENING_ENTRY_H_
