// The pool's parts put together.
#include "grammar/expr_pool.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "grammar/expr_content.h"
#include "grammar/expr_search.h"
#include "grammar/expr_stepper.h"
#include "grammar/expr_store.h"
#include "grammar/expr_text.h"

namespace decant::grammar {

struct ExprPool::Parts {
  ExprStore store;
  ExprStepper stepper{store};
  ExprContent content{store};
  ExprSearch search{store, stepper, content};
};

ExprPool::ExprPool() : parts_(std::make_unique<Parts>()) {}
ExprPool::~ExprPool() = default;

Expr ExprPool::Bytes(const ByteSet& set) { return parts_->store.Bytes(set); }
Expr ExprPool::CodePoints(std::span<const CodePointRange> ranges) { return parts_->store.CodePoints(ranges); }
Expr ExprPool::AnyCodePoint() { return parts_->store.any_code_point(); }
Expr ExprPool::AnyText() { return parts_->store.any_text(); }
Expr ExprPool::Literal(std::string_view bytes) { return parts_->store.Literal(bytes); }
Expr ExprPool::Literals(std::vector<std::string> texts) { return parts_->store.Literals(std::move(texts)); }
Expr ExprPool::Concat(Expr first, Expr second) { return parts_->store.Concat(first, second); }
Expr ExprPool::Union(Expr a, Expr b) { return parts_->store.Union(std::array<Expr, 2>{a, b}); }
Expr ExprPool::Union(std::span<const Expr> parts) {
  constexpr std::ptrdiff_t kMany = 8;
  ExprStore& store = parts_->store;
  const auto is_literal = [&](Expr e) { return store.node(e).kind == ExprKind::kLiteral; };
  if (std::ranges::count_if(parts, is_literal) < kMany) return store.Union(parts);
  std::vector<std::string> texts;
  std::vector<Expr> others;
  for (const Expr part : parts) {
    if (is_literal(part)) {
      texts.emplace_back(store.literal(store.node(part)));
    } else {
      others.push_back(part);
    }
  }
  others.push_back(store.Literals(std::move(texts)));
  return store.Union(others);
}
Expr ExprPool::Intersect(Expr a, Expr b) {
  if (const std::optional<Expr> texts = parts_->store.IntersectTexts(a, b)) return *texts;
  return parts_->store.Intersect(std::array<Expr, 2>{a, b});
}
Expr ExprPool::Complement(Expr a) { return parts_->store.Complement(a); }
Expr ExprPool::Repeat(Expr a, std::uint64_t least, std::uint64_t most) { return parts_->store.Repeat(a, least, most); }

bool ExprPool::IsNullable(Expr e) const { return parts_->store.node(e).nullable; }

Expr ExprPool::NextUnseen(Expr e, std::uint8_t byte) {
  const Expr next = parts_->stepper.Step(e, byte);
  rows_ = parts_->stepper.rows().data();
  row_count_ = parts_->stepper.rows().size();
  return next;
}

Expr ExprPool::Next(Expr e, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size() && e != kNothing; ++i) e = Next(e, static_cast<std::uint8_t>(bytes[i]));
  return e;
}

std::optional<std::vector<std::string_view>> ExprPool::ListedTexts(Expr e) const { return parts_->store.TextsOf(e); }
Expr ExprPool::LeadOf(Expr e) const {
  const Expr lead = parts_->store.LeadOf(e);
  return lead == kNothing ? kUnknownExpr : lead;
}
ByteSet ExprPool::FirstBytes(Expr e) { return parts_->stepper.FirstBytes(e); }
ExprRow ExprPool::RowOf(Expr e) {
  const ExprRow row = parts_->stepper.RowOf(e);
  rows_ = parts_->stepper.rows().data();
  row_count_ = parts_->stepper.rows().size();
  return row;
}

std::uint64_t ExprPool::undecided() const { return parts_->stepper.undecided(); }

std::optional<bool> ExprPool::HasText(Expr e, SearchBudget budget) { return parts_->stepper.HasText(e, budget.states); }

// The walks below fill rows, which may move.
std::optional<std::string> ExprPool::ShortestText(Expr e, SearchBudget budget) {
  auto text = parts_->search.ShortestText(e, budget.states);
  RowOf(kNothing);
  return text;
}

std::optional<std::uint64_t> ExprPool::CountTexts(Expr e, std::uint64_t most, SearchBudget budget) {
  const auto count = parts_->search.CountTexts(e, most, budget.states);
  RowOf(kNothing);
  return count;
}

std::uint64_t ExprPool::FreeLength(Expr e, std::uint64_t most, SearchBudget budget) {
  const std::uint64_t length = parts_->search.FreeLength(e, most, budget.states);
  RowOf(kNothing);
  return length;
}
std::uint64_t ExprPool::LongestText(Expr e) const {
  const std::uint32_t most = parts_->store.node(e).most;
  return most == kEndless ? kUnbounded : most;
}

bool ExprPool::AdmitsAnyText(Expr e, SearchBudget budget) { return FreeLength(e, kUnbounded, budget) == kUnbounded; }

std::optional<ExprPool::CharacterBound> ExprPool::BoundOf(Expr e) {
  ExprStore& store = parts_->store;
  const ExprNode n = store.node(e);
  const bool is_start = n.kind == ExprKind::kConcat;
  const auto bounded = parts_->content.BoundOf(is_start ? store.node(Expr{n.a}) : n);
  if (!bounded || bounded->run.state != 0) return std::nullopt;
  CharacterBound bound = {
      .without = bounded->other, .most = bounded->run.counts.most, .rest = bounded->rest, .is_of_start = is_start};
  if (const std::uint64_t least = bounded->run.counts.least; least != 0) {
    const Expr enough = store.Repeat(store.any_code_point(), least, kUnbounded);
    bound.without = store.Intersect(std::array<Expr, 2>{bounded->other, enough});
  }
  if (is_start) bound.without = store.Concat(bound.without, Expr{n.b});
  return bound;
}
Fingerprint ExprPool::ContentWithin(Expr e, std::size_t bytes) { return parts_->content.Within(e, bytes); }

std::size_t ExprPool::size() const { return parts_->store.size(); }
std::size_t ExprPool::memory_bytes() const {
  return parts_->store.memory_bytes() + parts_->stepper.memory_bytes() + parts_->content.memory_bytes();
}
std::string ExprPool::ToText(Expr e) const { return ExprText(e, parts_->store); }

}  // namespace decant::grammar
