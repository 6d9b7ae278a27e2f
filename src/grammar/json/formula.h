// Boolean formulas over facets of one JSON value, hash-consed: equal formulas have equal ids.
//
// A facet says something of values of one kind and holds for all others ("if a string, of this language"), but for
// kKinds and kHas, which are plain facts. Facets of containers are residual: kRequired lists the names still missing.
#ifndef DECANT_GRAMMAR_JSON_FORMULA_H_
#define DECANT_GRAMMAR_JSON_FORMULA_H_

#include <cstdint>
#include <initializer_list>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/fingerprint.h"
#include "grammar/json/rules.h"

namespace decant::grammar {

inline constexpr Formula kNever{0};
inline constexpr Formula kAlways{1};

enum class Op : std::uint8_t {
  kFalse,
  kTrue,
  kNot,  // children[0]
  kAnd,
  kOr,
  kOne,  // exactly one of the children holds
  // Of a value. `x` is what it names.
  kSchema,   // a subschema, not expanded yet: SchemaId
  kKinds,    // the kind is one of the BitOf bits
  kNumbers,  // index of a set of WrittenNumbers
  kStrings,  // Expr
  kAmong,    // equal to one of a set of values: index of a ValueSet
  kDiffers,  // from all of a set, but for large containers: those are compared when they are complete
  // Of an object.
  kMembers,      // values by key: index of a MemberTable
  kRequired,     // names still to come: index of a name list, never empty
  kHas,          // whether it has the name: name; a fact, which becomes true
  kMinMembers,   // at least x more
  kMaxMembers,   // at most x more
  kNames,        // every further key meets a formula of strings: Formula
  kOpenMembers,  // unevaluatedProperties: index of an OpenRule
  kUsed,         // names that may not come again: index of a name list
  // Of an array.
  kItems,      // values by place: index of an ItemTable; y = items so far, at most the prefix's length
  kMinItems,   // at least x more
  kMaxItems,   // at most x more
  kContains,   // index of a ContainsRule
  kUnique,     // no item equals another one or one of a set: index of a ValueSet
  kOpenItems,  // unevaluatedItems: index of an OpenRule; y = items so far, at most the longest prefix's length
  // Of a member that is not complete.
  kChild,    // it meets a formula: Formula
  kPending,  // kUnique once the member's value is in the set: index of a ValueSet
};

struct FormulaNode {
  Op op;
  std::uint64_t x = 0, y = 0;
  std::span<const Formula> children = {};
};

class FormulaPool {
 public:
  FormulaPool();
  FormulaPool(const FormulaPool&) = delete;
  FormulaPool& operator=(const FormulaPool&) = delete;

  const FormulaNode& operator[](Formula f) const { return nodes_[static_cast<std::uint32_t>(f)]; }
  Formula Facet(Op op, std::uint64_t x, std::uint64_t y = 0) { return Intern(op, x, y, {}); }
  Formula Not(Formula f);
  Formula And(std::span<const Formula> parts);
  Formula And(Formula a, Formula b) { return And(std::initializer_list<Formula>{a, b}); }
  Formula And(std::initializer_list<Formula> parts) { return And(std::span(parts.begin(), parts.size())); }
  Formula Or(std::span<const Formula> parts);
  Formula Or(Formula a, Formula b) { return Or(std::initializer_list<Formula>{a, b}); }
  Formula Or(std::initializer_list<Formula> parts) { return Or(std::span(parts.begin(), parts.size())); }
  Formula One(std::span<const Formula> parts);

  FormulaList List(std::span<const Formula> formulas);
  std::span<const Formula> operator[](FormulaList list) const { return lists_[static_cast<std::uint32_t>(list)]; }

  std::size_t size() const { return nodes_.size(); }
  std::size_t memory_bytes() const;

 private:
  Formula Intern(Op op, std::uint64_t x, std::uint64_t y, std::span<const Formula> children);
  using Parts = std::pmr::vector<Formula>;  // on the stack, mostly
  bool Flatten(Op op, std::span<const Formula> parts, Parts& out) const;
  void Grow();
  std::span<const Formula> Keep(std::span<const Formula> formulas);

  std::vector<FormulaNode> nodes_;
  std::vector<std::uint32_t> hashes_;  // of nodes_
  std::vector<std::uint32_t> slots_;   // open addressing by hash: 1 + a node, 0 = free
  std::vector<std::span<const Formula>> lists_;
  std::unordered_map<Fingerprint, FormulaList, FingerprintHash> list_ids_;
  std::vector<std::vector<Formula>> store_;  // children, in blocks that stay where they are
};

// Whether it is a facet or the negation of one.
bool IsLiteral(const FormulaPool& pool, Formula f);
// What a negation or an exactly-one says, as Or and And of smaller formulas.
Formula Opened(FormulaPool& pool, Formula f);

// The parts of a conjunction; a formula that is none is its only part. Of `f` itself where that is one.
inline std::span<const Formula> ConjunctsOf(const FormulaPool& pool, const Formula& f) {
  const FormulaNode& node = pool[f];
  return node.op == Op::kAnd ? node.children : std::span<const Formula>(&f, 1);
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_FORMULA_H_
