// Making and finding nodes: the hash table, and what each kind says of itself.
#include "grammar/expr_store.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "grammar/fingerprint.h"

namespace decant::grammar {
namespace {

std::uint32_t AddLengths(std::uint32_t a, std::uint32_t b, std::uint32_t top) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{a} + b, top));
}
std::uint32_t AddLeast(std::uint32_t a, std::uint32_t b) { return AddLengths(a, b, kEndless - 1); }
std::uint32_t AddMost(std::uint32_t a, std::uint32_t b) { return AddLengths(a, b, kEndless); }

// Characters that a byte of the range begins: 0 for 0x80..0xBF.
std::uint32_t LeastBegun(std::uint8_t first, std::uint8_t last) { return first < 0xC0 && last >= 0x80 ? 0 : 1; }
std::uint32_t MostBegun(std::uint8_t first, std::uint8_t last) { return first >= 0x80 && last < 0xC0 ? 0 : 1; }

std::uint32_t CountBegun(std::string_view bytes) {
  return static_cast<std::uint32_t>(std::ranges::count_if(bytes, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::uint64_t Word(const char* bytes, std::size_t n) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, n);
  return word;
}

// Of the length and the bytes at both ends: a literal's tails, all of which may be asked for, must not cost its length.
std::uint32_t HashLiteral(std::string_view bytes) {
  const std::size_t n = bytes.size(), head = std::min<std::size_t>(n, 8), middle = std::min<std::size_t>(n - head, 8);
  const std::uint64_t ends = Word(bytes.data(), head) ^ MixBits(Word(bytes.data() + head, middle) + 1) ^
                             MixBits(Word(bytes.data() + (n - head), head) + 2);
  return HashNode(ExprKind::kLiteral, ends, n);
}

std::uint8_t WithinAfter(std::uint8_t within, std::uint8_t byte) {
  std::uint8_t after = 0;
  for (int s = 0; s < kUtf8States; ++s) {
    const int to = ((within >> s) & 1) != 0 ? Utf8Step(s, byte) : -1;
    if (to >= 0) after = static_cast<std::uint8_t>(after | 1 << to);
  }
  return after;
}

// Where the bytes that UTF-8 tells apart begin.
constexpr std::array<int, 15> kUtf8Borders = {0x00, 0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1,
                                              0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5, 0x100};

// The decoder's state after the bytes; -1 for wrong ones.
int StepOver(int state, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size() && state >= 0; ++i) {
    state = Utf8Step(state, static_cast<std::uint8_t>(bytes[i]));
  }
  return state;
}

// Of two, either of which may take the next byte.
Expr OnlyLead(Expr a, Expr b) {
  if (a == kNothing) return b;
  return b == kNothing || a == b ? a : kUnknownExpr;
}

std::uint8_t WithinOf(std::string_view bytes) {
  std::uint8_t within = 0;
  for (int s = 0; s < kUtf8States; ++s) {
    if (StepOver(s, bytes) == 0) within = static_cast<std::uint8_t>(within | 1 << s);
  }
  return within;
}

}  // namespace

int Utf8Step(int state, std::uint8_t byte) {
  const auto in = [byte](int first, int last, int to) { return byte >= first && byte <= last ? to : -1; };
  switch (state) {
    case 0:
      if (byte < 0x80) return 0;
      if (byte < 0xC2 || byte > 0xF4) return -1;
      if (byte < 0xE0) return 1;
      if (byte < 0xF0) return byte == 0xE0 ? 4 : byte == 0xED ? 5 : 2;
      return byte == 0xF0 ? 6 : byte == 0xF4 ? 7 : 3;
    case 1:
    case 2:
    case 3:
      return in(0x80, 0xBF, state - 1);
    case 4:
      return in(0xA0, 0xBF, 1);
    case 5:
      return in(0x80, 0x9F, 1);
    case 6:
      return in(0x90, 0xBF, 2);
    default:
      return in(0x80, 0x8F, 2);
  }
}

ExprStore::ExprStore() : slots_(64, 0) {
  nodes_.push_back({.kind = ExprKind::kNone, .has_text = Existence::kNo, .within = 0xFF, .lead = kNothing});
  nodes_.push_back(
      {.kind = ExprKind::kEmpty, .nullable = true, .has_text = Existence::kYes, .within = 1, .lead = kNothing});
  nodes_.push_back({.kind = ExprKind::kComplement,
                    .nullable = true,
                    .plain = false,
                    .has_text = Existence::kYes,
                    .most = kEndless,
                    .hash = HashNode(ExprKind::kComplement, 0, 0)});
  ByteSet continuing;
  continuing.words[2] = ~std::uint64_t{0};
  any_tails_[1] = Bytes(continuing);
  any_tails_[2] = Switch(std::array<Arc, 1>{{{0x80, 0xBF, any_tails_[1]}}});
  any_tails_[3] = Switch(std::array<Arc, 1>{{{0x80, 0xBF, any_tails_[2]}}});
  std::array<Expr, kUtf8States> tails = {kEmptyText, any_tails_[1], any_tails_[2], any_tails_[3]};
  for (std::size_t s = 4; s < tails.size(); ++s) {
    constexpr std::array<std::pair<int, int>, 4> kSecond = {{{0xA0, 0xBF}, {0x80, 0x9F}, {0x90, 0xBF}, {0x80, 0x8F}}};
    const auto [first, last] = kSecond[s - 4];
    tails[s] = Switch(std::array<Arc, 1>{
        {{static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last), any_tails_[s < 6 ? 1 : 2]}}});
  }
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i + 1 < kUtf8Borders.size(); ++i) {
    const auto first = static_cast<std::uint8_t>(kUtf8Borders[i]);
    const int to = Utf8Step(0, first);
    if (to >= 0) {
      arcs.push_back({first, static_cast<std::uint8_t>(kUtf8Borders[i + 1] - 1), tails[static_cast<std::size_t>(to)]});
    }
  }
  any_code_point_ = Switch(arcs);
  border_[0] = Repeat(any_code_point_, 0, kUnbounded);
  for (std::size_t s = 1; s < tails.size(); ++s) border_[s] = Concat(tails[s], border_[0]);
}

void ExprStore::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = Id(kEveryText) + 1; i < nodes_.size(); ++i) {
    std::size_t at = nodes_[i].hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(i);
  }
}

Expr ExprStore::Bytes(const ByteSet& set) {
  if (set == ByteSet{}) return kNothing;
  ExprNode n{.kind = ExprKind::kBytes, .has_text = Existence::kYes};
  const std::uint64_t continuing = set.words[2];
  const bool begins = (set.words[0] | set.words[1] | set.words[3]) != 0;
  n.least = continuing != 0 ? 0 : 1;
  n.most = begins ? 1 : 0;
  if ((set.words[2] | set.words[3]) == 0) n.within = 1 << 0;
  if (!begins) n.within = 1 << 1;
  n.hash = HashNode(n.kind, set.words[0] ^ MixBits(set.words[1]), set.words[2] ^ MixBits(set.words[3] + 1));
  return Intern(
      n, [&](const ExprNode& other) { return sets_[other.a] == set; },
      [&](ExprNode& kept) {
        kept.a = static_cast<std::uint32_t>(sets_.size());
        sets_.push_back(set);
      });
}

Expr ExprStore::Byte(std::uint8_t byte) {
  ByteSet set;
  set.Add(byte);
  return Bytes(set);
}

Expr ExprStore::Switch(std::span<const Arc> arcs) {
  std::vector<Arc> kept;
  ByteSet ending;
  bool only_ends = true;
  for (const Arc& arc : arcs) {
    if (arc.next == kNothing) continue;
    only_ends = only_ends && arc.next == kEmptyText;
    for (int byte = arc.first; byte <= arc.last; ++byte) ending.Add(static_cast<std::uint8_t>(byte));
    if (!kept.empty() && kept.back().next == arc.next && kept.back().last + 1 == arc.first) {
      kept.back().last = arc.last;
    } else {
      kept.push_back(arc);
    }
  }
  if (only_ends) return Bytes(ending);
  ExprNode n{.kind = ExprKind::kSwitch, .within = 0xFF, .b = static_cast<std::uint32_t>(kept.size())};
  n.least = kEndless - 1;
  std::uint64_t hash = 0;
  for (const Arc& arc : kept) {
    const ExprNode& next = node(arc.next);
    n.plain = n.plain && next.plain;
    if (next.has_text == Existence::kYes) n.has_text = Existence::kYes;
    n.least = std::min(n.least, AddLeast(LeastBegun(arc.first, arc.last), next.least));
    n.most = std::max(n.most, AddMost(MostBegun(arc.first, arc.last), next.most));
    hash = MixBits(hash * 31 + (std::uint64_t{arc.first} << 40 | std::uint64_t{arc.last} << 32 | Id(arc.next)));
    for (std::size_t i = 0; i + 1 < kUtf8Borders.size(); ++i) {
      if (kUtf8Borders[i] > arc.last || kUtf8Borders[i + 1] <= arc.first) continue;
      for (int state = 0; state < kUtf8States; ++state) {
        const int to = Utf8Step(state, static_cast<std::uint8_t>(kUtf8Borders[i]));
        if (to < 0 || ((next.within >> to) & 1) == 0) n.within = static_cast<std::uint8_t>(n.within & ~(1 << state));
      }
    }
  }
  n.hash = HashNode(n.kind, hash, kept.size());
  return Intern(
      n, [&](const ExprNode& other) { return std::ranges::equal(this->arcs(other), kept); },
      [&](ExprNode& made) {
        made.a = static_cast<std::uint32_t>(arcs_.size());
        arcs_.insert(arcs_.end(), kept.begin(), kept.end());
      });
}

Expr ExprStore::InternLiteral(std::string_view bytes, std::optional<std::uint32_t> at) {
  if (bytes.empty()) return kEmptyText;
  if (bytes.size() == 1) return Byte(static_cast<std::uint8_t>(bytes[0]));
  ExprNode n{.kind = ExprKind::kLiteral, .has_text = Existence::kYes, .b = static_cast<std::uint32_t>(bytes.size())};
  n.hash = HashLiteral(bytes);
  return Intern(
      n, [&](const ExprNode& other) { return literal(other) == bytes; },
      [&](ExprNode& kept) {
        kept.within = WithinOf(bytes);
        kept.least = kept.most = CountBegun(bytes);
        kept.a = at.value_or(static_cast<std::uint32_t>(literal_bytes_.size()));
        if (!at) literal_bytes_ += bytes;
      });
}

Expr ExprStore::Literal(std::string_view bytes) { return InternLiteral(bytes, std::nullopt); }

Expr ExprStore::LiteralTail(const ExprNode& literal) {
  const std::string_view bytes = this->literal(literal).substr(1);
  if (bytes.size() == 1) return Byte(static_cast<std::uint8_t>(bytes[0]));
  const auto first = static_cast<std::uint8_t>(literal_bytes_[literal.a]);
  ExprNode n{.kind = ExprKind::kLiteral, .has_text = Existence::kYes, .a = literal.a + 1, .b = literal.b - 1};
  n.hash = HashLiteral(bytes);
  n.within = WithinAfter(literal.within, first);
  n.least = n.most = literal.least - LeastBegun(first, first);
  return Intern(n, [&](const ExprNode& other) { return this->literal(other) == bytes; }, [](ExprNode&) {});
}

Expr ExprStore::Literals(std::vector<std::string> texts) {
  if (!std::ranges::is_sorted(texts)) std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
  if (texts.empty()) return kNothing;
  if (texts.size() == 1) return Literal(texts[0]);
  Table table{.is_utf8 = true};
  for (const std::string& text : texts) {
    table.texts.emplace_back(static_cast<std::uint32_t>(literal_bytes_.size()),
                             static_cast<std::uint32_t>(text.size()));
    table.characters.push_back(CountBegun(text));
    table.is_utf8 = table.is_utf8 && StepOver(0, text) == 0;
    literal_bytes_ += text;
  }
  return AddTable(std::move(table));
}

Expr ExprStore::AddTable(Table table) {
  const auto count = static_cast<std::uint32_t>(table.texts.size());
  tables_.push_back(std::move(table));
  return Range({.table = static_cast<std::uint32_t>(tables_.size() - 1), .low = 0, .high = count, .depth = 0});
}

Expr ExprStore::SomeOf(Expr table, std::span<const std::string_view> texts) {
  const ExprNode& n = node(table);
  if (texts.empty()) return kNothing;
  if (n.kind == ExprKind::kLiteral || texts.size() == range(n).high - range(n).low) return table;
  const auto offset = [this](std::string_view text) {
    return static_cast<std::uint32_t>(text.data() - literal_bytes_.data());
  };
  if (texts.size() == 1) return InternLiteral(texts[0], offset(texts[0]));
  Table some{.is_utf8 = (n.within & 1) != 0};  // its texts begin on a border then, and are UTF-8
  some.texts.reserve(texts.size());
  some.characters.reserve(texts.size());
  for (const std::string_view text : texts) {
    some.texts.emplace_back(offset(text), static_cast<std::uint32_t>(text.size()));
    some.characters.push_back(CountBegun(text));
  }
  return AddTable(std::move(some));
}

std::string_view ExprStore::text(std::uint32_t table, std::uint32_t i) const {
  const auto [offset, length] = tables_[table].texts[i];
  return {literal_bytes_.data() + offset, length};
}

void ExprStore::MeasureTable(const TableRange& range, ExprNode& n) const {
  const Table& table = tables_[range.table];
  const std::string_view shared = text(range.table, range.low).substr(0, range.depth);
  const std::uint32_t begun = CountBegun(shared);
  n.least = kEndless;
  for (std::uint32_t i = range.low; i < range.high; ++i) {
    n.least = std::min(n.least, table.characters[i] - begun);
    n.most = std::max(n.most, table.characters[i] - begun);
  }
  const int state = StepOver(0, shared);
  if (table.is_utf8 && state >= 0) n.within = static_cast<std::uint8_t>(1 << state);
}

Expr ExprStore::Range(const TableRange& range) {
  if (range.low == range.high) return kNothing;
  const std::string_view first = text(range.table, range.low);
  if (range.high - range.low == 1) {
    return InternLiteral(first.substr(range.depth), tables_[range.table].texts[range.low].first + range.depth);
  }
  ExprNode n{.kind = ExprKind::kLiterals, .has_text = Existence::kYes};
  n.nullable = first.size() == range.depth;
  n.hash =
      HashNode(n.kind, std::uint64_t{range.table} << 32 | range.depth, std::uint64_t{range.low} << 32 | range.high);
  return Intern(
      n, [&](const ExprNode& other) { return this->range(other) == range; },
      [&](ExprNode& kept) {
        MeasureTable(range, kept);
        kept.a = static_cast<std::uint32_t>(ranges_.size());
        ranges_.push_back(range);
      });
}

std::pair<std::uint32_t, std::uint32_t> ExprStore::Narrow(const TableRange& range, std::uint8_t byte) const {
  std::uint32_t low = range.low;
  if (text(range.table, low).size() == range.depth) ++low;
  const auto first_from = [&](std::uint32_t from, int least) {
    std::uint32_t count = range.high - from;
    while (count > 0) {
      const std::uint32_t half = count / 2;
      if (static_cast<std::uint8_t>(text(range.table, from + half)[range.depth]) < least) {
        from += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return from;
  };
  const std::uint32_t from = first_from(low, byte);
  return {from, first_from(from, byte + 1)};
}

Expr ExprStore::InternConcat(Expr first, Expr second) {
  const ExprNode &a = node(first), &b = node(second);
  ExprNode n{.kind = ExprKind::kConcat, .a = Id(first), .b = Id(second)};
  n.nullable = a.nullable && b.nullable;
  n.plain = a.plain && b.plain;
  if (a.has_text == Existence::kYes && b.has_text == Existence::kYes) n.has_text = Existence::kYes;
  n.within = (b.within & 1) != 0 ? a.within : 0;
  n.least = AddLeast(a.least, b.least);
  n.most = AddMost(a.most, b.most);
  n.grows = n.plain && (a.grows || b.grows);
  n.stretches = n.plain && b.stretches;
  n.lead = a.nullable ? OnlyLead(LeadOf(first), LeadOf(second)) : LeadOf(first);
  n.hash = HashNode(n.kind, n.a, n.b);
  return Intern(n, [&](const ExprNode& other) { return other.a == n.a && other.b == n.b; }, [](ExprNode&) {});
}

Expr ExprStore::InternOperands(ExprKind kind, std::span<const Expr> parts) {
  const bool any = kind == ExprKind::kUnion;
  ExprNode n{.kind = kind, .nullable = !any, .plain = any, .b = static_cast<std::uint32_t>(parts.size())};
  n.within = any ? 0xFF : 0;
  n.least = any ? kEndless : 0;
  n.most = any ? 0 : kEndless;
  n.stretches = any;
  n.lead = kNothing;
  std::uint64_t hash = 0;
  for (const Expr part : parts) {
    const ExprNode& p = node(part);
    n.stretches = n.stretches && p.stretches;
    n.lead = OnlyLead(n.lead, LeadOf(part));
    hash = hash * 0x9e3779b97f4a7c15u + Id(part);
    n.nullable = any ? n.nullable || p.nullable : n.nullable && p.nullable;
    n.plain = n.plain && p.plain;
    if (any && p.has_text == Existence::kYes) n.has_text = Existence::kYes;
    n.within = static_cast<std::uint8_t>(any ? n.within & p.within : n.within | p.within);
    n.least = any ? std::min(n.least, p.least) : std::max(n.least, p.least);
    n.most = any ? std::max(n.most, p.most) : std::min(n.most, p.most);
  }
  if (n.least > n.most) return kNothing;
  if (!any && MeetsSurely(parts)) n.has_text = Existence::kYes;
  n.hash = HashNode(kind, hash, parts.size());
  return Intern(
      n, [&](const ExprNode& other) { return std::ranges::equal(operands(other), parts); },
      [&](ExprNode& kept) {
        kept.a = static_cast<std::uint32_t>(operands_.size());
        operands_.insert(operands_.end(), parts.begin(), parts.end());
      });
}

Expr ExprStore::Complement(Expr a) {
  const ExprNode& of = node(a);
  if (of.kind == ExprKind::kComplement) return Expr{of.a};
  if (of.has_text == Existence::kNo) return kEveryText;
  ExprNode n{.kind = ExprKind::kComplement, .nullable = !of.nullable, .plain = false, .a = Id(a), .most = kEndless};
  n.hash = HashNode(n.kind, n.a, 0);
  return Intern(n, [&](const ExprNode& other) { return other.a == n.a; }, [](ExprNode&) {});
}

std::size_t ExprStore::memory_bytes() const {
  std::size_t bytes = nodes_.capacity() * sizeof(ExprNode) + slots_.capacity() * sizeof(std::uint32_t) +
                      sets_.capacity() * sizeof(ByteSet) + arcs_.capacity() * sizeof(Arc) + literal_bytes_.capacity() +
                      operands_.capacity() * sizeof(Expr) + counts_.capacity() * sizeof(Counts) +
                      ranges_.capacity() * sizeof(TableRange);
  for (const Table& table : tables_) {
    bytes += table.texts.capacity() * sizeof(table.texts[0]) + table.characters.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace decant::grammar
