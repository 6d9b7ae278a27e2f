// Fingerprints of what expressions say about short texts; equal in every pool and process.
#ifndef DECANT_GRAMMAR_EXPR_CONTENT_H_
#define DECANT_GRAMMAR_EXPR_CONTENT_H_

#include <cstddef>
#include <cstdint>
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
  std::size_t memory_bytes() const { return known_.size() * 56 + tempers_.size() * 40; }

 private:
  static constexpr std::uint32_t kWhole = ~std::uint32_t{0};  // "within": whatever the length

  // How an expression without intersection and complement behaves after any of its beginnings.
  struct Temper {
    std::uint32_t rest = kEndless;  // so many characters always suffice to complete it; kEndless = not known
    bool stretches = false;         // whatever completes it, there is also a completion of one character more
  };
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
  Temper TemperOf(Expr e);
  Temper TemperByParts(const ExprNode& n) const;

  const ExprStore& store_;
  std::unordered_map<std::uint64_t, Fingerprint> known_;
  std::unordered_map<std::uint32_t, Temper> tempers_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_CONTENT_H_
