// Repetitions: counts stay counters, and those that stand in one another are one where that is exact.
#include <array>
#include <optional>
#include <unordered_set>
#include <vector>

#include "grammar/expr_store.h"

namespace decant::grammar {
namespace {

std::uint32_t Times(std::uint32_t length, std::uint64_t count, std::uint32_t top) {
  if (length == 0 || count == 0) return 0;
  return count >= top || std::uint64_t{length} * count >= top ? top : static_cast<std::uint32_t>(length * count);
}

}  // namespace

// What a star, or a plus, repeats, without what repeating makes no difference to: (x*y?|z{1,3})* is (x|y|z)*. Without
// this, stars nested d deep, each of which may be skipped, cost d * d a step.
Expr ExprStore::StarBody(Expr a) {
  std::vector<Expr> stack = {a}, parts;
  std::unordered_set<std::uint32_t> seen;
  while (!stack.empty()) {
    const Expr e = stack.back();
    stack.pop_back();
    if (!seen.insert(Id(e)).second) continue;
    const ExprNode& n = node(e);
    if (n.kind == ExprKind::kUnion) {
      stack.insert(stack.end(), operands(n).begin(), operands(n).end());
    } else if (n.kind == ExprKind::kConcat && n.nullable) {
      stack.insert(stack.end(), {Expr{n.a}, Expr{n.b}});
    } else if (n.kind == ExprKind::kRepeat && counts(n).least <= 1) {
      stack.push_back(Expr{n.a});
    } else if (e != kEmptyText) {
      parts.push_back(e);
    }
  }
  return Union(parts);
}

// (a{i,j}){m,n} is a{mi,nj} where the intervals [ki, kj] of the counts k between leave no gap.
std::optional<Expr> ExprStore::Flattened(const ExprNode& inner, const Counts& outer) {
  const auto [i, j] = counts(inner);
  const auto [m, n] = outer;
  constexpr std::uint64_t kSafe = std::uint64_t{1} << 31;  // products of such counts do not overflow
  const bool endless = j == kUnbounded || n == kUnbounded;
  if (m >= kSafe || i >= kSafe || (!endless && (n >= kSafe || j >= kSafe))) return std::nullopt;
  // With the count m + 1 after m the gaps only close.
  const bool closed = m == n || (m == 0 ? i <= 1 : j == kUnbounded || (j < kSafe && (m + 1) * i <= m * j + 1));
  if (!closed) return std::nullopt;
  return Repeat(Expr{inner.a}, m * i, endless ? kUnbounded : n * j);
}

Expr ExprStore::Repeat(Expr a, std::uint64_t least, std::uint64_t most) {
  if (most == 0 || a == kEmptyText) return kEmptyText;
  if (node(a).has_text == Existence::kNo) return least == 0 ? kEmptyText : kNothing;
  if (least == 1 && most == 1) return a;
  if (node(a).nullable) {
    least = 0;
    if (most == 1) return a;
    if (node(a).kind == ExprKind::kUnion) {
      std::vector<Expr> rest(operands(node(a)).begin(), operands(node(a)).end());
      if (std::erase(rest, kEmptyText) > 0) a = Union(rest);
    }
  }
  if (least == 0 && most == 1) {
    const std::array<Expr, 2> either = {kEmptyText, a};
    return Union(either);
  }
  if (a == kEveryText) return a;
  if (least <= 1 && most == kUnbounded) a = StarBody(a);
  const ExprNode& of = node(a);
  if (of.kind == ExprKind::kRepeat) {
    if (const auto flat = Flattened(of, {.least = least, .most = most})) return *flat;
  }
  if (of.kind == ExprKind::kBytes && set(of).words == std::array<std::uint64_t, 4>{~0ull, ~0ull, ~0ull, ~0ull} &&
      least == 0 && most == kUnbounded) {
    return kEveryText;
  }
  const Counts counts{.least = least, .most = most};
  ExprNode n{.kind = ExprKind::kRepeat, .nullable = least == 0, .plain = of.plain, .a = Id(a)};
  n.has_text = of.has_text;
  n.within = of.within & 1;
  n.least = Times(of.least, least, kEndless - 1);
  n.most = Times(of.most, most, kEndless);
  n.grows = n.plain && most == kUnbounded && of.least > 0 && of.least < kEndless - 1;
  n.stretches = n.grows && of.least == 1 && (of.within & 1) != 0;
  n.lead = LeadOf(a);
  n.hash = HashNode(n.kind, n.a, least * 0x9e3779b97f4a7c15u ^ MixBits(most));
  return Intern(
      n, [&](const ExprNode& other) { return other.a == n.a && this->counts(other) == counts; },
      [&](ExprNode& kept) {
        kept.b = static_cast<std::uint32_t>(counts_.size());
        counts_.push_back(counts);
      });
}

}  // namespace decant::grammar
