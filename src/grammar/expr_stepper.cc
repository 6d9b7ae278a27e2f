// Derivatives without recursion: a list of tasks "derive e, then `tail` follows" for each place of the expression where
// a byte may be taken (Antimirov's partial derivatives; their union is the derivative), and for the operands of
// intersections and complements a collection of their own.
#include "grammar/expr_stepper.h"

#include <algorithm>

#include "grammar/fingerprint.h"

namespace decant::grammar {
namespace {

constexpr std::uint32_t kFewTexts = 64;  // of a table

constexpr std::uint32_t kNoPartition = 0;
constexpr std::array<std::uint8_t, 256> kOneClass = {};
Expr unknown_successor = kUnknownExpr;  // never written
constexpr ExprRow kUnseenRow{.byte_class = kOneClass.data(), .next = &unknown_successor};

std::uint8_t FirstByte(std::string_view bytes) { return static_cast<std::uint8_t>(bytes[0]); }

}  // namespace

ExprStepper::ExprStepper(ExprStore& store) : store_(store), remembered_(256) {
  partitions_.emplace_back();  // stands for "not known"
}

// ---- Classes of bytes ----

std::uint32_t ExprStepper::InternPartition(const std::array<std::uint16_t, 256>& labels) {
  Partition made;
  std::array<std::uint16_t, 512> seen;  // labels are below that
  seen.fill(0xFFFF);
  std::uint64_t hash = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint16_t& number = seen[labels[byte]];
    if (number == 0xFFFF) {
      number = static_cast<std::uint16_t>(made.first.size());
      made.first.push_back(static_cast<std::uint8_t>(byte));
      made.sizes.push_back(0);
    }
    ++made.sizes[number];
    made.class_of[byte] = static_cast<std::uint8_t>(number);
    hash = (hash ^ number) * 0x100000001b3u;
  }
  if (seen[0] != 0xFFFF) made.dead = seen[0];
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (made.class_of[byte] != made.dead) made.alive.Add(static_cast<std::uint8_t>(byte));
  }
  hash = MixBits(hash + static_cast<std::uint64_t>(made.dead + 1));
  const auto [begin, end] = partitions_by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const Partition& other = partitions_[at->second];
    if (other.dead == made.dead && other.class_of == made.class_of) return at->second;
  }
  const auto index = static_cast<std::uint32_t>(partitions_.size());
  partitions_.push_back(std::move(made));
  partitions_by_hash_.emplace(hash, index);
  return index;
}

std::uint32_t ExprStepper::Meet(std::uint32_t a, std::uint32_t b, ExprKind kind) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = std::uint64_t{a} << 32 | b << 1 | (kind == ExprKind::kIntersection ? 1u : 0u);
  if (const auto at = meets_.find(key); at != meets_.end()) return at->second;
  const Partition &x = partitions_[a], &y = partitions_[b];
  const auto dead = [&](std::size_t of_x, std::size_t of_y) {
    const bool x_dead = static_cast<int>(of_x) == x.dead, y_dead = static_cast<int>(of_y) == y.dead;
    return kind == ExprKind::kIntersection ? x_dead || y_dead : x_dead && y_dead;
  };
  std::vector<std::uint16_t> numbers(x.first.size() * y.first.size(), 0);
  std::array<std::uint16_t, 256> labels;
  std::uint16_t last = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const std::size_t of_x = x.class_of[byte], of_y = y.class_of[byte];
    std::uint16_t& number = numbers[of_x * y.first.size() + of_y];
    if (number == 0 && !dead(of_x, of_y)) number = ++last;
    labels[byte] = number;
  }
  const std::uint32_t met = InternPartition(labels);
  meets_.emplace(key, met);
  return met;
}

std::uint32_t ExprStepper::WithoutDead(std::uint32_t a) {
  if (partitions_[a].dead == kNoClass) return a;
  std::array<std::uint16_t, 256> labels;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    labels[byte] = static_cast<std::uint16_t>(partitions_[a].class_of[byte] + 1);
  }
  return InternPartition(labels);
}

// One byte leads on.
std::uint32_t ExprStepper::PartitionOfByte(std::uint8_t byte) {
  if (of_byte_[byte] == kNoPartition) {
    std::array<std::uint16_t, 256> labels = {};
    labels[byte] = 1;
    of_byte_[byte] = InternPartition(labels);
  }
  return of_byte_[byte];
}

template <class Visit>
void ExprStepper::VisitBranches(const ExprStore::TableRange& range, Visit visit) const {
  for (std::uint32_t i = range.low; i < range.high;) {
    const std::string_view text = store_.text(range.table, i);
    if (text.size() == range.depth) {
      ++i;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(text[range.depth]);
    i = store_.Narrow({.table = range.table, .low = i, .high = range.high, .depth = range.depth}, byte).second;
    visit(byte, i);
  }
}

bool ExprStepper::IsShortTable(const ExprNode& n) const {
  return n.kind == ExprKind::kLiterals && store_.range(n).high - store_.range(n).low <= kFewTexts;
}

std::uint32_t ExprStepper::OwnPartition(const ExprNode& n) {
  std::array<std::uint16_t, 256> labels = {};
  switch (n.kind) {
    case ExprKind::kBytes:
      for (std::size_t byte = 0; byte < 256; ++byte) labels[byte] = store_.set(n).Has(static_cast<std::uint8_t>(byte));
      break;
    case ExprKind::kSwitch: {
      std::vector<Expr> nexts;
      for (const ExprStore::Arc& arc : store_.arcs(n)) {
        auto at = std::ranges::find(nexts, arc.next);
        if (at == nexts.end()) at = nexts.insert(nexts.end(), arc.next);
        std::fill(labels.begin() + arc.first, labels.begin() + arc.last + 1,
                  static_cast<std::uint16_t>(at - nexts.begin() + 1));
      }
      break;
    }
    case ExprKind::kLiteral:
      return PartitionOfByte(FirstByte(store_.literal(n)));
    case ExprKind::kLiterals: {
      const ExprStore::TableRange& range = store_.range(n);
      std::uint16_t label = 0;
      std::optional<std::uint8_t> only;
      VisitBranches(range, [&](std::uint8_t byte, std::uint32_t high) {
        labels[byte] = ++label;
        if (label == 1 && high == range.high) only = byte;
      });
      if (only.has_value()) return PartitionOfByte(*only);
      break;
    }
    default:
      break;
  }
  return InternPartition(labels);
}

std::uint32_t ExprStepper::PartitionByParts(Expr e, std::span<const Expr> below) {
  const ExprNode& n = store_.node(e);
  if (below.empty()) return OwnPartition(n);
  std::uint32_t met = partition_of_[Id(below[0])];
  for (const Expr part : below.subspan(1)) met = Meet(met, partition_of_[Id(part)], n.kind);
  return n.kind == ExprKind::kComplement ? WithoutDead(met) : met;
}

bool ExprStepper::IsDead(Expr e, std::uint8_t byte) const {
  if (Id(e) >= partition_of_.size() || partition_of_[Id(e)] == kNoPartition) return false;
  const Partition& partition = partitions_[partition_of_[Id(e)]];
  return partition.class_of[byte] == partition.dead;
}

std::uint32_t ExprStepper::PartitionOf(Expr e) {
  if (partition_of_.size() < store_.size()) partition_of_.resize(store_.size(), kNoPartition);
  if (partition_of_[Id(e)] != kNoPartition) return partition_of_[Id(e)];
  std::vector<Expr> stack = {e};
  while (!stack.empty()) {
    const Expr x = stack.back();
    const ExprNode& n = store_.node(x);
    std::array<Expr, 2> two = {Expr{n.a}, Expr{n.b}};
    std::span<const Expr> below;
    if (n.kind == ExprKind::kConcat) below = std::span(two).first(store_.node(two[0]).nullable ? 2 : 1);
    if (n.kind == ExprKind::kComplement || n.kind == ExprKind::kRepeat) below = std::span(two).first(1);
    if (n.kind == ExprKind::kUnion || n.kind == ExprKind::kIntersection) below = store_.operands(n);
    const std::size_t size = stack.size();
    for (const Expr part : below) {
      if (partition_of_[Id(part)] == kNoPartition) stack.push_back(part);
    }
    if (stack.size() > size) continue;
    partition_of_[Id(x)] = PartitionByParts(x, below);
    stack.pop_back();
  }
  return partition_of_[Id(e)];
}

std::span<const std::uint8_t> ExprStepper::ClassBytes(Expr e) { return partitions_[PartitionOf(e)].first; }
std::span<const std::uint16_t> ExprStepper::ClassSizes(Expr e) { return partitions_[PartitionOf(e)].sizes; }

ByteSet ExprStepper::FirstBytes(Expr e) {
  const ExprNode& n = store_.node(e);
  ByteSet bytes;
  if (n.kind == ExprKind::kLiteral) {
    bytes.Add(FirstByte(store_.literal(n)));
  } else if (IsShortTable(n)) {
    VisitBranches(store_.range(n), [&bytes](std::uint8_t byte, std::uint32_t) { bytes.Add(byte); });
  } else {
    bytes = partitions_[PartitionOf(e)].alive;
  }
  return bytes;
}

// ---- Derivatives ----

ExprStepper::Remembered& ExprStepper::SlotOf(Expr e, std::uint8_t byte) {
  const std::uint64_t hash = (std::uint64_t{Id(e)} << 8 | byte) * 0x9e3779b97f4a7c15u;
  return remembered_[(hash >> 32) & (remembered_.size() - 1)];
}

Expr ExprStepper::Derive(Expr e, std::uint8_t byte) {
  if (const Remembered& slot = SlotOf(e, byte); slot.e == e && slot.byte == byte) return slot.next;
  tasks_.clear();
  parts_.clear();
  collectors_.assign(1, 0);
  operands_.clear();
  tasks_.push_back({Act::kClose, e, kEmptyText});
  tasks_.push_back({Act::kDerive, e, kEmptyText});
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    Run(task, byte);
  }
  // More states, more room, up to what a second-level cache holds.
  if (remembered_.size() < 65536 && remembered_.size() < store_.size() / 2) {
    remembered_.assign(remembered_.size() * 4, {});
  }
  return operands_[0];
}

void ExprStepper::Run(const Task& task, std::uint8_t byte) {
  if (task.act == Act::kDerive && IsDead(task.e, byte)) return;
  const ExprNode n = store_.node(task.e);
  if (task.act == Act::kOpen) {
    if (const Remembered& slot = SlotOf(task.e, byte); slot.e == task.e && slot.byte == byte) {
      operands_.push_back(slot.next);
      return;
    }
    collectors_.push_back(parts_.size());
    tasks_.push_back({Act::kClose, task.e, kEmptyText});
    tasks_.push_back({Act::kDerive, task.e, kEmptyText});
    return;
  }
  if (task.act == Act::kClose) {
    const std::size_t begin = collectors_.back();
    collectors_.pop_back();
    const std::size_t count = parts_.size() - begin;
    const Expr next = count == 0   ? kNothing
                      : count == 1 ? parts_[begin]
                                   : store_.Union(std::span(parts_).subspan(begin));
    parts_.resize(begin);
    SlotOf(task.e, byte) = {.e = task.e, .byte = byte, .next = next};
    operands_.push_back(next);
    return;
  }
  if (task.act == Act::kCombine) return Combine(n, task.tail);
  const auto take = [&](Expr next) {
    if (next != kNothing) parts_.push_back(store_.Concat(next, task.tail));
  };
  switch (n.kind) {
    case ExprKind::kNone:
    case ExprKind::kEmpty:
      return;
    case ExprKind::kBytes:
      return take(store_.set(n).Has(byte) ? kEmptyText : kNothing);
    case ExprKind::kSwitch: {
      const auto arcs = store_.arcs(n);
      const auto at = std::ranges::lower_bound(arcs, byte, {}, &ExprStore::Arc::last);
      return take(at != arcs.end() && at->first <= byte ? at->next : kNothing);
    }
    case ExprKind::kLiteral:
      return take(FirstByte(store_.literal(n)) == byte ? store_.LiteralTail(n) : kNothing);
    case ExprKind::kLiterals: {
      const ExprStore::TableRange range = store_.range(n);
      const auto [low, high] = store_.Narrow(range, byte);
      return take(store_.Range({.table = range.table, .low = low, .high = high, .depth = range.depth + 1}));
    }
    case ExprKind::kConcat:
      if (store_.node(Expr{n.a}).nullable) tasks_.push_back({Act::kDerive, Expr{n.b}, task.tail});
      if (IsDead(Expr{n.a}, byte)) return;
      tasks_.push_back({Act::kDerive, Expr{n.a}, store_.Concat(Expr{n.b}, task.tail)});
      return;
    case ExprKind::kUnion:
      for (const Expr part : store_.operands(n)) tasks_.push_back({Act::kDerive, part, task.tail});
      return;
    case ExprKind::kRepeat: {
      const ExprStore::Counts counts = store_.counts(n);
      if (counts == ExprStore::Counts{0, kUnbounded}) {
        tasks_.push_back({Act::kDerive, Expr{n.a}, store_.Concat(task.e, task.tail)});
        return;
      }
      const std::uint64_t least = counts.least == 0 ? 0 : counts.least - 1;
      const std::uint64_t most = counts.most == kUnbounded ? kUnbounded : counts.most - 1;
      tasks_.push_back({Act::kDerive, Expr{n.a}, store_.Concat(store_.Repeat(Expr{n.a}, least, most), task.tail)});
      return;
    }
    case ExprKind::kComplement:
      tasks_.push_back({Act::kCombine, task.e, task.tail});
      tasks_.push_back({Act::kOpen, Expr{n.a}, kEmptyText});
      return;
    case ExprKind::kIntersection:
      tasks_.push_back({Act::kCombine, task.e, task.tail});
      for (const Expr part : store_.operands(n)) tasks_.push_back({Act::kOpen, part, kEmptyText});
      return;
  }
}

void ExprStepper::Combine(const ExprNode& n, Expr tail) {
  const std::size_t count = n.kind == ExprKind::kComplement ? 1 : n.b;
  const auto values = std::span(operands_).last(count);
  const Expr value = n.kind == ExprKind::kComplement ? store_.Complement(values[0]) : store_.Intersect(values);
  operands_.resize(operands_.size() - count);
  if (value != kNothing) parts_.push_back(store_.Concat(value, tail));
}

// ---- Rows ----

const ExprRow& ExprStepper::RowOf(Expr e) {
  if (rows_.size() <= Id(e)) rows_.resize(std::max<std::size_t>(store_.size(), Id(e) + 1), kUnseenRow);
  ExprRow& row = rows_[Id(e)];
  if (row.next != &unknown_successor) return row;
  const Partition& partition = partitions_[PartitionOf(e)];
  const std::size_t count = partition.first.size();
  if (chunk_used_ + count > chunk_size_) {
    chunk_size_ = std::max(count, std::clamp<std::size_t>(chunk_size_ * 2, 64, 4096));
    chunk_used_ = 0;
    chunk_bytes_ += chunk_size_ * sizeof(Expr);
    chunks_.push_back(std::make_unique_for_overwrite<Expr[]>(chunk_size_));
  }
  row = {.byte_class = partition.class_of.data(), .next = chunks_.back().get() + chunk_used_};
  chunk_used_ += count;
  std::fill_n(row.next, count, kUnknownExpr);
  if (partition.dead != kNoClass) row.next[partition.dead] = kNothing;
  return row;
}

Expr ExprStepper::Step(Expr e, std::uint8_t byte) {
  const ExprNode& n = store_.node(e);
  const bool has_row = Id(e) < rows_.size() && rows_[Id(e)].next != &unknown_successor;
  // A few texts are narrowed by a byte sooner than a row is made, which few of the many such states would use twice.
  if (!has_row && IsShortTable(n)) return Derive(e, byte);
  const ExprRow row = RowOf(e);
  Expr& next = row.next[row.byte_class[byte]];
  if (next == kUnknownExpr) next = Pruned(Derive(e, byte));
  return next;
}

std::size_t ExprStepper::memory_bytes() const {
  std::size_t bytes = rows_.capacity() * sizeof(ExprRow) + partition_of_.capacity() * sizeof(std::uint32_t) +
                      chunk_bytes_ + remembered_.capacity() * sizeof(Remembered);
  for (const Partition& partition : partitions_) bytes += sizeof(Partition) + 3 * partition.first.size();
  return bytes + (meets_.size() + partitions_by_hash_.size()) * 40;
}

}  // namespace decant::grammar
