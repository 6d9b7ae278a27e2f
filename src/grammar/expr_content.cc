// What may be cut: a text of n bytes completes at most n rounds of a repetition whose body takes a byte or more, so
// counts of n + 1 and above say the same. What may not: under an intersection or a complement, whether a beginning has
// any completion depends on all that follows, so those count whole. The one exception is a bound on the number of
// characters (maxLength beside a pattern), where the pattern can always be completed well within the bound.
#include "grammar/expr_content.h"

#include <algorithm>
#include <string_view>

namespace decant::grammar {
namespace {

Fingerprint Start(ExprKind kind) { return Add(Fingerprint{}, static_cast<std::uint64_t>(kind) + 1); }

std::string_view CutText(std::string_view text, std::uint32_t bytes) {
  return text.substr(0, std::min<std::size_t>(text.size(), bytes));
}

// Of a text, cut: what is longer says that it goes on.
Fingerprint AddText(Fingerprint to, std::string_view text, std::uint32_t bytes) {
  return Add(Add(to, CutText(text, bytes)), text.size() > bytes ? 1u : 0u);
}

std::uint32_t AddSaturating(std::uint32_t a, std::uint64_t b) {
  return a == kEndless || b >= kEndless - a ? kEndless : static_cast<std::uint32_t>(a + b);
}

}  // namespace

Fingerprint ExprContent::Within(Expr e, std::size_t bytes) {
  std::vector<Item> stack = {{e, static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kWhole - 1))}};
  while (!stack.empty()) {
    const Item item = stack.back();
    if (Find(item) == nullptr) {
      const std::size_t size = stack.size();
      PushParts(store_.node(item.e), item.bytes, stack);
      if (stack.size() > size) continue;
      known_.emplace(std::uint64_t{Id(item.e)} << 32 | item.bytes, Make(item));
    }
    stack.pop_back();
  }
  return *Find({e, static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kWhole - 1))});
}

const Fingerprint* ExprContent::Find(const Item& item) const {
  const auto at = known_.find(std::uint64_t{Id(item.e)} << 32 | item.bytes);
  return at == known_.end() ? nullptr : &at->second;
}

void ExprContent::PushParts(const ExprNode& n, std::uint32_t bytes, std::vector<Item>& stack) const {
  const auto need = [&](Expr e, std::uint32_t within) {
    if (Find({e, within}) == nullptr) stack.push_back({e, within});
  };
  switch (n.kind) {
    case ExprKind::kSwitch:
      for (const ExprStore::Arc& arc : store_.arcs(n)) need(arc.next, bytes);
      return;
    case ExprKind::kConcat:
      need(Expr{n.b}, bytes);
      need(Expr{n.a}, bytes);
      return;
    case ExprKind::kRepeat:
      return need(Expr{n.a}, bytes);
    case ExprKind::kUnion:
      for (const Expr part : store_.operands(n)) need(part, bytes);
      return;
    case ExprKind::kComplement:
      return need(Expr{n.a}, kWhole);
    case ExprKind::kIntersection:
      for (const Expr part : store_.operands(n)) need(part, kWhole);
      return;
    default:
      return;
  }
}

Fingerprint ExprContent::Make(const Item& item) {
  const ExprNode& n = store_.node(item.e);
  Fingerprint made = Start(n.kind);
  switch (n.kind) {
    case ExprKind::kNone:
    case ExprKind::kEmpty:
      return made;
    case ExprKind::kBytes:
      for (const std::uint64_t word : store_.set(n).words) made = Add(made, word);
      return made;
    case ExprKind::kSwitch:
      for (const ExprStore::Arc& arc : store_.arcs(n)) {
        made = Add(Add(made, std::uint64_t{arc.first} << 8 | arc.last), *Find({arc.next, item.bytes}));
      }
      return made;
    case ExprKind::kLiteral:
      return AddText(made, store_.literal(n), item.bytes);
    case ExprKind::kLiterals:
      return OfLiterals(n, item.bytes);
    case ExprKind::kConcat: {
      made = Add(made, *Find({Expr{n.a}, item.bytes}));
      // No text so short reaches the second; that it has a text is all it says.
      const bool far = store_.node(Expr{n.a}).least > item.bytes && store_.node(Expr{n.b}).has_text == Existence::kYes;
      return far ? Add(made, 1) : Add(made, *Find({Expr{n.b}, item.bytes}));
    }
    case ExprKind::kRepeat:
      return OfRepeat(n, item.bytes);
    case ExprKind::kUnion:
      return OfOperands(n, item.bytes);
    case ExprKind::kComplement:
      return Add(made, *Find({Expr{n.a}, kWhole}));
    case ExprKind::kIntersection:
      return item.bytes == kWhole ? OfOperands(n, kWhole) : OfIntersection(n, item.bytes);
  }
  return made;
}

Fingerprint ExprContent::OfOperands(const ExprNode& n, std::uint32_t bytes) const {
  std::vector<Fingerprint> parts;
  for (const Expr part : store_.operands(n)) parts.push_back(*Find({part, bytes}));
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
  if (parts.size() == 1) return parts[0];
  Fingerprint made = Start(n.kind);
  for (const Fingerprint& part : parts) made = Add(made, part);
  return made;
}

Fingerprint ExprContent::OfLiterals(const ExprNode& n, std::uint32_t bytes) const {
  const ExprStore::TableRange& range = store_.range(n);
  Fingerprint made = Start(n.kind);
  std::string_view before;
  for (std::uint32_t i = range.low; i < range.high; ++i) {
    const std::string_view text = store_.text(range.table, i).substr(range.depth);
    const bool cut = text.size() > bytes;
    // Texts that differ past the cut stand side by side.
    if (cut && i > range.low && before.size() > bytes && CutText(before, bytes) == CutText(text, bytes)) continue;
    made = AddText(made, text, bytes);
    before = text;
  }
  return made;
}

Fingerprint ExprContent::OfRepeat(const ExprNode& n, std::uint32_t bytes) const {
  auto [least, most] = store_.counts(n);
  if (bytes != kWhole) {
    const std::uint64_t top = bytes / std::max<std::uint32_t>(1, store_.node(Expr{n.a}).least) + std::uint64_t{1};
    least = std::min(least, top);
    most = std::min(most, top);
  }
  return Add(Add(Add(Start(n.kind), *Find({Expr{n.a}, bytes})), least), most);
}

std::optional<ExprContent::Bounded> ExprContent::BoundOf(const ExprNode& n) {
  if (n.kind != ExprKind::kIntersection || n.b != 2) return std::nullopt;
  const auto bounded = store_.BoundedOf({store_.operands(n)[0], store_.operands(n)[1]});
  if (!bounded) return std::nullopt;
  const std::uint32_t rest = RestOf(bounded->other);
  if (rest == kEndless) return std::nullopt;
  return Bounded{.run = bounded->run, .other = bounded->other, .rest = rest};
}

Fingerprint ExprContent::OfIntersection(const ExprNode& n, std::uint32_t bytes) {
  const Fingerprint whole = OfOperands(n, kWhole);
  const auto bounded = BoundOf(n);
  if (!bounded || !bounded->IsOutOfReach(bytes)) return whole;
  const auto& [state, counts] = bounded->run;
  const Fingerprint made = Add(Start(ExprKind::kIntersection), static_cast<std::uint64_t>(state));
  return Add(Add(made, std::min<std::uint64_t>(counts.least, std::uint64_t{bytes} + 1)),
             *Find({bounded->other, kWhole}));
}

std::uint32_t ExprContent::RestOf(Expr e) {
  std::vector<Expr> stack = {e};
  while (!stack.empty()) {
    const Expr x = stack.back();
    const ExprNode& n = store_.node(x);
    const std::size_t size = stack.size();
    const auto need = [&](Expr part) {
      if (!rests_.contains(Id(part))) stack.push_back(part);
    };
    if (n.plain) {
      if (n.kind == ExprKind::kConcat || n.kind == ExprKind::kRepeat) need(Expr{n.a});
      if (n.kind == ExprKind::kConcat) need(Expr{n.b});
      if (n.kind == ExprKind::kUnion) std::ranges::for_each(store_.operands(n), need);
    }
    if (stack.size() > size) continue;
    rests_.emplace(Id(x), RestByParts(n));
    stack.pop_back();
  }
  return rests_.at(Id(e));
}

std::uint32_t ExprContent::RestByParts(const ExprNode& n) const {
  if (!n.plain) return kEndless;
  switch (n.kind) {
    case ExprKind::kConcat:
      return std::max(AddSaturating(rests_.at(n.a), store_.node(Expr{n.b}).least), rests_.at(n.b));
    case ExprKind::kUnion: {
      std::uint32_t rest = 0;
      for (const Expr part : store_.operands(n)) rest = std::max(rest, rests_.at(Id(part)));
      return rest;
    }
    case ExprKind::kRepeat: {
      const std::uint64_t body = store_.node(Expr{n.a}).least, least = store_.counts(n).least;
      const std::uint64_t more = least > 1 ? least - 1 : 0;
      const bool is_large = more != 0 && body != 0 && more >= kEndless / body;
      return is_large ? kEndless : AddSaturating(rests_.at(n.a), more * body);
    }
    default:
      return n.most;
  }
}

}  // namespace decant::grammar
