// Fingerprints of what expressions say about short texts; equal in every pool and process.
#ifndef DECANT_GRAMMAR_EXPR_CONTENT_H_
#define DECANT_GRAMMAR_EXPR_CONTENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/expr_store.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {

class ExprContent {
 public:
  explicit ExprContent(const ExprStore& store) : store_(store) {}

  Fingerprint Within(Expr e, std::size_t bytes);
  // So many characters suffice to complete any beginning of a plain e; kEndless = not known.
  std::uint32_t RestOf(Expr e);
  // Of an intersection of two, one of which bounds the number of characters, and how many suffice to complete any
  // beginning of the other; nothing for others.
  struct Bounded {
    ExprStore::AnyCharacters run;
    Expr other = kNothing;
    std::uint64_t rest = 0;
    // No text of up to so many bytes comes near the bound.
    bool IsOutOfReach(std::uint64_t bytes) const { return run.counts.most > rest + bytes; }
  };
  std::optional<Bounded> BoundOf(const ExprNode& n);
  std::size_t memory_bytes() const { return known_.size() * 56 + rests_.size() * 40; }

 private:
  static constexpr std::uint32_t kWhole = ~std::uint32_t{0};  // "within": whatever the length

  struct Item {
    Expr e;
    std::uint32_t bytes;
  };

  const Fingerprint* Find(const Item& item) const;
  void PushParts(const ExprNode& n, std::uint32_t bytes, std::vector<Item>& stack) const;
  Fingerprint Make(const Item& item);
  Fingerprint OfOperands(const ExprNode& n, std::uint32_t bytes) const;
  Fingerprint OfLiterals(const ExprNode& n, std::uint32_t bytes) const;
  Fingerprint OfRepeat(const ExprNode& n, std::uint32_t bytes) const;
  Fingerprint OfIntersection(const ExprNode& n, std::uint32_t bytes);
  std::uint32_t RestByParts(const ExprNode& n) const;

  const ExprStore& store_;
  std::unordered_map<std::uint64_t, Fingerprint> known_;
  std::unordered_map<std::uint32_t, std::uint32_t> rests_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_CONTENT_H_
