// Byte languages as extended regular expressions, hash-consed, and determinised one step at a time by Brzozowski's
// derivatives (Brzozowski 1964; Owens, Reppy, Turon 2009): an expression is a state, and its derivative by a byte the
// next one. Intersection and complement cost nothing extra, and a counted repetition stays a counter.
//
// Texts are UTF-8: AnyCodePoint() and CodePoints() stand for well-formed sequences of one scalar value, never for a
// surrogate or an overlong form. Complement() is over all byte strings, so intersect it with AnyText().
#ifndef DECANT_GRAMMAR_EXPR_POOL_H_
#define DECANT_GRAMMAR_EXPR_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/byte_set.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {

enum class Expr : std::uint32_t {};   // an expression of one pool
inline constexpr Expr kNothing{0};    // no text at all
inline constexpr Expr kEmptyText{1};  // the text of no bytes
inline constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

inline constexpr Expr kUnknownExpr{~std::uint32_t{0}};

// The successors of a state that were asked for so far: next[byte_class[byte]], kUnknownExpr for the others. Stays
// where it is as long as the pool lives, and fills as Next() is called.
struct ExprRow {
  const std::uint8_t* byte_class = nullptr;  // 256
  Expr* next = nullptr;
};

struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;  // included
};

// What a search through the states of an expression may cost.
struct SearchBudget {
  std::size_t states = 20000;
};

// One owner; not thread-safe. Expressions are simplified as they are made (unit, zero, idempotence, order), so that
// equal ones mostly have equal ids, and what contains neither intersection nor complement is kNothing exactly when it
// has no text.
class ExprPool {
 public:
  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  Expr Bytes(const ByteSet& set);                           // one byte of the set
  Expr CodePoints(std::span<const CodePointRange> ranges);  // one scalar value; ranges in any order, may overlap
  Expr AnyCodePoint();
  Expr AnyText();  // any number of scalar values
  Expr Literal(std::string_view bytes);
  // One of the texts, held as a sorted table: a derivative costs a binary search, whatever their number.
  Expr Literals(std::vector<std::string> texts);
  Expr Concat(Expr first, Expr second);
  Expr Union(Expr a, Expr b);
  Expr Union(std::span<const Expr> parts);  // many literals among them become a table, as by Literals()
  Expr Intersect(Expr a, Expr b);
  Expr Complement(Expr a);  // every byte string that is not a text of a
  // least to most times; most may be kUnbounded. REQUIRES: least <= most.
  Expr Repeat(Expr a, std::uint64_t least, std::uint64_t most);

  bool IsNullable(Expr e) const;  // has the empty text
  // What may follow the byte: the derivative, and kNothing if that has no text. Remembered per state. When that could
  // not be decided by looking at 20000 states (half as many after each such time, at least 256), it is taken to have a
  // text, and undecided() grows.
  Expr Next(Expr e, std::uint8_t byte) {
    if (static_cast<std::size_t>(e) < row_count_) {
      const ExprRow& row = rows_[static_cast<std::size_t>(e)];
      const Expr next = row.next[row.byte_class[byte]];
      if (next != kUnknownExpr) [[likely]]
        return next;
    }
    return NextUnseen(e, byte);
  }
  Expr Next(Expr e, std::string_view bytes);
  // For loops that take many steps: what Next() looks into. Two loads a step while the state stays the same.
  ExprRow RowOf(Expr e);
  std::uint64_t undecided() const;
  // The texts of a language that is held as a list of them, sorted; nothing for others. Views into the pool: they mean
  // nothing once an expression is made.
  std::optional<std::vector<std::string_view>> ListedTexts(Expr e) const;
  // A simpler language such that bytes that lead from it to one state lead from e to one, too, and none leads on from e
  // only; kUnknownExpr where none is known.
  Expr LeadOf(Expr e) const;
  // The bytes that Next() may take: a few too many where that costs less, none too few.
  ByteSet FirstBytes(Expr e);

  // Whether it has a text; nothing if the budget ran out.
  std::optional<bool> HasText(Expr e, SearchBudget budget);
  // A shortest text (of those the least by bytes); nothing if there is none or the budget ran out.
  std::optional<std::string> ShortestText(Expr e, SearchBudget budget);
  // How many texts it has, counted no further than `most`; nothing if the budget ran out.
  std::optional<std::uint64_t> CountTexts(Expr e, std::uint64_t most, SearchBudget budget);
  // Whether every text of `text` (a language of UTF-8) begins a text of e, i.e. no well-formed continuation dies.
  // False also when the budget ran out: a state with many successors is not worth proving.
  bool AdmitsAnyText(Expr e, SearchBudget budget);
  // The greatest k <= most for which every text of up to k scalar values begins a text of e; kUnbounded (whatever
  // `most`) when AdmitsAnyText. Less when the budget ran out. 0 inside a character.
  std::uint64_t FreeLength(Expr e, std::uint64_t most, SearchBudget budget);
  // No text has more characters than this (bytes that are not 0x80..0xBF); kUnbounded when no bound is known.
  std::uint64_t LongestText(Expr e) const;

  // Of an expression whose texts are those of `without` that have at most `most` characters, or the start of which, the
  // first of two parts, has; nothing for others, and amid a character. `rest` characters complete any beginning of what
  // is bounded, but for what `without` has to be longer.
  struct CharacterBound {
    Expr without = kNothing;
    std::uint64_t most = 0, rest = 0;
    bool is_of_start = false;
    // Of so many characters, both begin with the same byte strings and have the same texts.
    bool IsOutOfReach(std::uint64_t characters) const { return most > rest + characters; }
  };
  std::optional<CharacterBound> BoundOf(Expr e);
  // Stands for what e says about texts of up to `bytes` bytes: equal fingerprints, in whatever pool or process, mean
  // that the same byte strings of that length begin a text of the language, and the same ones are a text of it.
  // Counters are cut at `bytes` + 1.
  Fingerprint ContentWithin(Expr e, std::size_t bytes);

  std::size_t size() const;          // expressions made
  std::size_t memory_bytes() const;  // of everything it holds
  std::string ToText(Expr e) const;  // for people and tests

 private:
  Expr NextUnseen(Expr e, std::uint8_t byte);

  struct Parts;
  std::unique_ptr<Parts> parts_;
  const ExprRow* rows_ = nullptr;  // by expression
  std::size_t row_count_ = 0;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_POOL_H_
