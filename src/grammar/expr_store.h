// The nodes of a pool's expressions: hash-consed, 24 bytes each, simplified as they are made. What an expression says
// of itself (nullable, lengths, UTF-8 well-formedness) is worked out once, from its parts, when it is made.
#ifndef DECANT_GRAMMAR_EXPR_STORE_H_
#define DECANT_GRAMMAR_EXPR_STORE_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {

inline constexpr Expr kEveryText{2};  // every byte string: the complement of kNothing
inline constexpr std::uint32_t kEndless = ~std::uint32_t{0};

inline constexpr std::uint32_t Id(Expr e) { return static_cast<std::uint32_t>(e); }

enum class ExprKind : std::uint8_t {
  kNone,
  kEmpty,
  kBytes,         // a: the set
  kSwitch,        // a, b: arcs, by first byte, each to what follows it
  kLiteral,       // a, b: where its bytes are, 2 or more
  kLiterals,      // a: a range of a sorted table, 2 texts or more, less the first bytes that they share
  kConcat,        // a, b: the two; a itself is mostly no concatenation
  kUnion,         // a, b: operands, sorted, none a union
  kIntersection,  // a, b: operands, sorted, none an intersection
  kComplement,    // a
  kRepeat,        // a: what; b: how often
};

// Whether an expression has a text, as far as known.
enum class Existence : std::uint8_t { kUnknown, kYes, kNo, kUndecided };

struct ExprNode {
  ExprKind kind = ExprKind::kNone;
  bool nullable : 1 = false;
  bool plain : 1 = true;  // neither intersection nor complement in it
  // Of a plain one: has a text of n + k * p characters for each k, where n is that of a shortest text; see GrowthOf.
  bool grows : 1 = false;
  // Of a plain one: after any beginning, what can be completed can be by one character more, too.
  bool stretches : 1 = false;
  Existence has_text = Existence::kUnknown;
  // Bit s: each text of it leads a UTF-8 decoder from state s to a character's border; see Utf8Step.
  std::uint8_t within = 0;
  std::uint32_t a = 0, b = 0;
  // Bounds on the lengths of its texts, in characters begun (bytes that are not 0x80..0xBF); kEndless = any.
  std::uint32_t least = 0, most = 0;
  std::uint32_t hash = 0;
  // Of all but byte sets and switches: the only one of those that the next byte can be taken by; kNothing where none
  // is, kUnknownExpr where there are several, or none is known.
  Expr lead = kUnknownExpr;
};

inline std::uint32_t HashNode(ExprKind kind, std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(
      MixBits(a * 0x9e3779b97f4a7c15u + MixBits(b + static_cast<std::uint64_t>(kind) * 0xd6e8feb86659fd93u)));
}

// A decoder of UTF-8: states 0 (at a border), 1, 2, 3 (so many continuation bytes to come), 4..7 (after E0, ED, F0,
// F4). The next state; -1 for a byte that is wrong there.
int Utf8Step(int state, std::uint8_t byte);
inline constexpr int kUtf8States = 8;

class ExprStore {
 public:
  struct Arc {
    std::uint8_t first = 0, last = 0;
    Expr next = kNothing;
    auto operator<=>(const Arc&) const = default;
  };
  struct Counts {
    std::uint64_t least = 0, most = 0;
    auto operator<=>(const Counts&) const = default;
  };
  struct Table {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> texts =
        {};                                      // offset and length in literal_bytes_, sorted by text
    std::vector<std::uint32_t> characters = {};  // of each text
    bool is_utf8 = false;
  };
  struct TableRange {
    std::uint32_t table = 0, low = 0, high = 0, depth = 0;
    auto operator<=>(const TableRange&) const = default;
  };

  ExprStore();

  Expr Bytes(const ByteSet& set);
  Expr Byte(std::uint8_t byte);
  Expr Switch(std::span<const Arc> arcs);  // sorted, disjoint
  Expr CodePoints(std::span<const CodePointRange> ranges);
  Expr Literal(std::string_view bytes);
  Expr Literals(std::vector<std::string> texts);
  Expr Range(const TableRange& range);  // of a table
  Expr Concat(Expr first, Expr second);
  Expr Union(std::span<const Expr> parts);
  Expr Intersect(std::span<const Expr> parts);
  // Where tables of texts or complements of such meet a table: what is left of it, as a table again. Nothing otherwise.
  std::optional<Expr> IntersectTexts(Expr a, Expr b);
  Expr Complement(Expr a);
  Expr Repeat(Expr a, std::uint64_t least, std::uint64_t most);

  const ExprNode& node(Expr e) const { return nodes_[Id(e)]; }
  Expr LeadOf(Expr e) const {
    const ExprNode& n = node(e);
    return n.kind == ExprKind::kBytes || n.kind == ExprKind::kSwitch ? e : n.lead;
  }
  void SetExistence(Expr e, Existence has_text) { nodes_[Id(e)].has_text = has_text; }
  std::size_t size() const { return nodes_.size(); }
  std::size_t memory_bytes() const;

  // What a node's a and b stand for.
  const ByteSet& set(const ExprNode& n) const { return sets_[n.a]; }
  std::span<const Arc> arcs(const ExprNode& n) const { return {arcs_.data() + n.a, n.b}; }
  std::string_view literal(const ExprNode& n) const { return {literal_bytes_.data() + n.a, n.b}; }
  std::span<const Expr> operands(const ExprNode& n) const { return {operands_.data() + n.a, n.b}; }
  const Counts& counts(const ExprNode& n) const { return counts_[n.b]; }
  const TableRange& range(const ExprNode& n) const { return ranges_[n.a]; }
  std::string_view text(std::uint32_t table, std::uint32_t i) const;

  // Of a table or a literal of two bytes or more, sorted, where they are stored; nothing for others.
  std::optional<std::vector<std::string_view>> TextsOf(Expr e) const;
  // The texts of the range whose next byte this is, low == high for none.
  std::pair<std::uint32_t, std::uint32_t> Narrow(const TableRange& range, std::uint8_t byte) const;
  Expr LiteralTail(const ExprNode& literal);  // less its first byte

  // A number of characters, whichever: counts of them, after what state `state` of a decoder still waits for.
  struct AnyCharacters {
    int state = 0;
    Counts counts = {};
  };
  std::optional<AnyCharacters> AnyCharactersOf(Expr e) const;
  // Two operands of an intersection, when one only bounds the number of characters, and the other, a plain language of
  // UTF-8, can be completed to any greater number of them after any beginning, or need not be.
  struct Bounded {
    AnyCharacters run;
    Expr other = kNothing;
  };
  std::optional<Bounded> BoundedOf(const std::array<Expr, 2>& parts) const;

  Expr any_code_point() const { return any_code_point_; }
  Expr any_text() const { return border_[0]; }

 private:
  using PartList = std::pmr::vector<Expr>;  // on the stack, mostly
  struct CountedPart {
    Expr before = kEmptyText, body = kEmptyText, tail = kEmptyText;
    Counts counts = {.least = 1, .most = 1};
    Expr part = kNothing;
  };
  struct CharacterRun {
    Expr pending = kEmptyText, body = kNothing;
    Counts counts = {};
  };
  // The node there is for which is_same(node) holds; otherwise this one, after keep(node) put aside what it stands for.
  Expr Intern(ExprNode node, auto&& is_same, auto&& keep);
  Expr InternLiteral(std::string_view bytes, std::optional<std::uint32_t> at);
  Expr InternOperands(ExprKind kind, std::span<const Expr> parts);
  Expr InternConcat(Expr first, Expr second);
  Expr StarBody(Expr a);
  std::optional<Expr> Flattened(const ExprNode& inner, const Counts& outer);
  Expr Join(Expr first, Expr second);
  Expr SomeOf(Expr table, std::span<const std::string_view> texts);  // some of its TextsOf
  Expr AddTable(Table table);
  std::optional<Expr> JoinLiterals(Expr first, Expr second);
  std::optional<Expr> JoinCounts(Expr first, Expr second);
  void MeasureTable(const TableRange& range, ExprNode& n) const;
  Expr ContinuationBytes(std::span<const CodePointRange> ranges, int count);
  // Switches and byte sets among the parts made one.
  void MergeSwitches(PartList& parts, ExprKind kind);
  Expr Merged(std::span<const Expr> switches, ExprKind kind);
  std::optional<CountedPart> CountedAt(Expr part, int place) const;
  void MergeCountsAt(PartList& parts, int place);
  bool IsCounted(Expr part) const;
  std::optional<CharacterRun> CharacterRunOf(Expr part) const;
  void MergeCharacterRuns(PartList& parts);
  void DropCovered(PartList& parts, ExprKind kind) const;
  bool HasOpposites(std::span<const Expr> parts) const;
  // By a rule at hand, without a search; false says nothing.
  bool MeetsSurely(std::span<const Expr> parts) const;
  bool MeetsRun(const Counts& counts, Expr e) const;
  std::uint64_t GrowthOf(Expr e) const;
  void Grow();

  std::vector<ExprNode> nodes_;
  std::vector<std::uint32_t> slots_;  // open addressing, 0 = free
  std::vector<ByteSet> sets_;
  std::vector<Arc> arcs_;
  std::string literal_bytes_;
  std::vector<Expr> operands_;
  std::vector<Counts> counts_;
  std::vector<Table> tables_;
  std::vector<TableRange> ranges_;
  std::array<Expr, kUtf8States> border_ = {};  // any UTF-8 from each state of the decoder on
  std::array<Expr, 4> any_tails_ = {};         // that many continuation bytes
  Expr any_code_point_ = kNothing;
};

Expr ExprStore::Intern(ExprNode node, auto&& is_same, auto&& keep) {
  std::size_t mask = slots_.size() - 1;
  std::size_t at = node.hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const ExprNode& other = nodes_[slots_[at]];
    if (other.hash == node.hash && other.kind == node.kind && is_same(other)) return Expr{slots_[at]};
  }
  if (2 * nodes_.size() >= slots_.size()) {
    Grow();
    mask = slots_.size() - 1;
    for (at = node.hash & mask; slots_[at] != 0;) at = (at + 1) & mask;
  }
  keep(node);
  if (node.nullable) node.has_text = Existence::kYes;
  nodes_.push_back(node);
  slots_[at] = static_cast<std::uint32_t>(nodes_.size() - 1);
  return Expr{slots_[at]};
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_STORE_H_
