// Simplification as formulas are made: flat, sorted, without what decides nothing.
#include "grammar/json/formula.h"

#include <algorithm>

#include "grammar/part_room.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kAllKinds = 127;

std::uint32_t HashOf(Op op, std::uint64_t x, std::uint64_t y, std::span<const Formula> children) {
  std::uint64_t hash = MixBits(x + static_cast<std::uint64_t>(op) * 0x9e3779b97f4a7c15u) ^ y;
  for (const Formula child : children) hash = hash * 0xd6e8feb86659fd93u + static_cast<std::uint64_t>(child) + 1;
  return static_cast<std::uint32_t>(MixBits(hash) >> 32);
}

}  // namespace

FormulaPool::FormulaPool() : slots_(256, 0) {
  Intern(Op::kFalse, 0, 0, {});
  Intern(Op::kTrue, 0, 0, {});
  List({});
}

std::span<const Formula> FormulaPool::Keep(std::span<const Formula> formulas) {
  if (formulas.empty()) return {};
  if (store_.empty() || store_.back().capacity() - store_.back().size() < formulas.size()) {
    store_.emplace_back().reserve(std::max(kBlock, formulas.size()));
  }
  std::vector<Formula>& block = store_.back();
  const std::size_t from = block.size();
  block.insert(block.end(), formulas.begin(), formulas.end());
  return std::span<const Formula>(block).subspan(from);
}

Formula FormulaPool::Intern(Op op, std::uint64_t x, std::uint64_t y, std::span<const Formula> children) {
  if (2 * nodes_.size() >= slots_.size()) Grow();
  const std::uint32_t hash = HashOf(op, x, y, children);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const std::uint32_t id = slots_[at] - 1;
    if (hashes_[id] != hash) continue;
    const FormulaNode& node = nodes_[id];
    if (node.op == op && node.x == x && node.y == y && std::ranges::equal(node.children, children)) return Formula{id};
  }
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.op = op, .x = x, .y = y, .children = Keep(children)});
  hashes_.push_back(hash);
  slots_[at] = id + 1;
  return Formula{id};
}

void FormulaPool::Grow() {
  slots_.assign(4 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    std::size_t at = hashes_[id] & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(id + 1);
  }
}

FormulaList FormulaPool::List(std::span<const Formula> formulas) {
  Fingerprint key;
  for (const Formula f : formulas) key = Add(key, static_cast<std::uint64_t>(f));
  const auto [it, is_new] = list_ids_.try_emplace(key, FormulaList{static_cast<std::uint32_t>(lists_.size())});
  if (is_new) lists_.push_back(Keep(formulas));
  return it->second;
}

Formula FormulaPool::Not(Formula f) {
  if (f == kNever) return kAlways;
  if (f == kAlways) return kNever;
  const FormulaNode& node = (*this)[f];
  if (node.op == Op::kNot) return node.children[0];
  if (node.op == Op::kKinds) return Facet(Op::kKinds, kAllKinds & ~node.x);
  return Intern(Op::kNot, 0, 0, std::span(&f, 1));
}

// The parts of nested And or Or in one sorted list; false where a part or a part beside its negation decides.
bool FormulaPool::Flatten(Op op, std::span<const Formula> parts, Parts& out) const {
  const Formula zero = op == Op::kAnd ? kNever : kAlways;
  const Formula unit = op == Op::kAnd ? kAlways : kNever;
  for (const Formula part : parts) {
    if (part == zero) return false;
    if (part == unit) continue;
    const FormulaNode& node = (*this)[part];
    if (node.op == op) {
      out.insert(out.end(), node.children.begin(), node.children.end());
    } else {
      out.push_back(part);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return std::ranges::none_of(out, [&](Formula f) {
    const FormulaNode& node = (*this)[f];
    return node.op == Op::kNot && std::ranges::binary_search(out, node.children[0]);
  });
}

Formula FormulaPool::And(std::span<const Formula> parts) {
  PartRoom room;
  Parts all(&room.memory);
  if (!Flatten(Op::kAnd, parts, all)) return kNever;
  // Bounds of one sort become the tightest, kinds their intersection.
  std::uint64_t kinds = kAllKinds;
  std::uint64_t most[2] = {kUnbounded, kUnbounded}, least[2] = {0, 0};
  const auto is_merged = [&](Formula f) {
    const FormulaNode& node = (*this)[f];
    switch (node.op) {
      case Op::kKinds:
        kinds &= node.x;
        return true;
      case Op::kMinMembers:
        least[0] = std::max(least[0], node.x);
        return true;
      case Op::kMinItems:
        least[1] = std::max(least[1], node.x);
        return true;
      case Op::kMaxMembers:
        most[0] = std::min(most[0], node.x);
        return true;
      case Op::kMaxItems:
        most[1] = std::min(most[1], node.x);
        return true;
      default:
        return false;
    }
  };
  const std::size_t before = all.size();
  std::erase_if(all, is_merged);
  if (all.size() < before) {
    if (kinds == 0) return kNever;
    if (kinds != kAllKinds) all.push_back(Facet(Op::kKinds, kinds));
    if (least[0] > 0) all.push_back(Facet(Op::kMinMembers, least[0]));
    if (least[1] > 0) all.push_back(Facet(Op::kMinItems, least[1]));
    if (most[0] != kUnbounded) all.push_back(Facet(Op::kMaxMembers, most[0]));
    if (most[1] != kUnbounded) all.push_back(Facet(Op::kMaxItems, most[1]));
    std::ranges::sort(all);
  }
  if (all.empty()) return kAlways;
  return all.size() == 1 ? all[0] : Intern(Op::kAnd, 0, 0, all);
}

Formula FormulaPool::Or(std::span<const Formula> parts) {
  PartRoom room;
  Parts all(&room.memory);
  if (!Flatten(Op::kOr, parts, all)) return kAlways;
  std::uint64_t kinds = 0;
  const std::size_t before = all.size();
  std::erase_if(all, [&](Formula f) {
    const FormulaNode& node = (*this)[f];
    if (node.op == Op::kKinds) kinds |= node.x;
    return node.op == Op::kKinds;
  });
  if (kinds == kAllKinds) return kAlways;
  if (all.size() < before) {
    all.push_back(Facet(Op::kKinds, kinds));
    std::ranges::sort(all);
  }
  if (all.empty()) return kNever;
  return all.size() == 1 ? all[0] : Intern(Op::kOr, 0, 0, all);
}

Formula FormulaPool::One(std::span<const Formula> parts) {
  std::vector<Formula> open;
  std::size_t held = 0;
  for (const Formula part : parts) {
    if (part == kAlways) ++held;
    if (part != kAlways && part != kNever) open.push_back(part);
  }
  if (held > 1) return kNever;
  std::ranges::sort(open);
  // What stands twice can hold only twice.
  std::vector<Formula> once, twice;
  for (std::size_t i = 0; i < open.size();) {
    std::size_t j = i;
    while (j < open.size() && open[j] == open[i]) ++j;
    (j - i == 1 ? once : twice).push_back(open[i]);
    i = j;
  }
  if (held == 1 || !twice.empty()) {
    std::vector<Formula> none = held == 1 ? once : std::vector<Formula>{};
    none.insert(none.end(), twice.begin(), twice.end());
    const Formula nothing_else = Not(Or(none));
    return held == 1 ? nothing_else : And(nothing_else, One(once));
  }
  if (once.empty()) return kNever;
  return once.size() == 1 ? once[0] : Intern(Op::kOne, 0, 0, once);
}

std::size_t FormulaPool::memory_bytes() const {
  std::size_t bytes = nodes_.capacity() * (sizeof(FormulaNode) + sizeof(std::uint32_t)) +
                      slots_.capacity() * sizeof(std::uint32_t) + lists_.capacity() * 64;
  for (const std::vector<Formula>& block : store_) bytes += block.capacity() * sizeof(Formula);
  return bytes;
}

bool IsLiteral(const FormulaPool& pool, Formula f) {
  const FormulaNode& node = pool[f];
  return node.op > Op::kOne || (node.op == Op::kNot && pool[node.children[0]].op > Op::kOne);
}

Formula Opened(FormulaPool& pool, Formula f) {
  const FormulaNode node = pool[f];
  std::vector<Formula> parts;
  if (node.op == Op::kOne) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      std::vector<Formula> branch;
      for (std::size_t j = 0; j < node.children.size(); ++j) {
        branch.push_back(i == j ? node.children[j] : pool.Not(node.children[j]));
      }
      parts.push_back(pool.And(branch));
    }
    return pool.Or(parts);
  }
  const FormulaNode inner = pool[node.children[0]];  // of a kNot
  for (const Formula part : inner.children) parts.push_back(pool.Not(part));
  if (inner.op == Op::kAnd) return pool.Or(parts);
  if (inner.op == Op::kOr) return pool.And(parts);
  std::vector<Formula> cases = {pool.And(parts)};  // none of them, or two
  for (std::size_t i = 0; i < inner.children.size(); ++i) {
    for (std::size_t j = i + 1; j < inner.children.size(); ++j) {
      cases.push_back(pool.And(inner.children[i], inner.children[j]));
    }
  }
  return pool.Or(cases);
}

}  // namespace decant::grammar
