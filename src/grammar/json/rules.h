// What a schema still asks of a JSON text, at each place of it.
//
// A schema is a boolean formula over facets of one value ("if a number, at least 3"; "if an object, then a is among its
// keys"). A value that is not begun has a Demand; an open array or object has a Residual: the derivative of its formula
// by the members so far (after Brzozowski). anyOf, oneOf, not and if stay what they are, formulas: nothing is
// multiplied out. Where a container's formula depends on what a member turns out to be, the member is watched: its
// truths are reported when it is complete. Formulas are hash-consed, so that equal places have equal ids and everything
// found for one is remembered.
//
// Every Demand and Residual given out can be met (IsProven tells where a budget ran out before that was certain), so a
// text that this lets grow has a completion.
#ifndef DECANT_GRAMMAR_JSON_RULES_H_
#define DECANT_GRAMMAR_JSON_RULES_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "grammar/decimal.h"
#include "grammar/expr_pool.h"
#include "grammar/schema/schema.h"
#include "grammar/written_numbers.h"

namespace decant::grammar {

enum class ValueKind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };
constexpr std::uint8_t BitOf(ValueKind kind) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind)); }

enum class Formula : std::uint32_t {};      // of one JsonRules
enum class FormulaList : std::uint32_t {};  // likewise; 0 = the empty list

// What a value has to meet, before its first character. The parent asks for the truths of `watched` at its end.
struct Demand {
  Formula need{1};
  FormulaList watched{0};
  auto operator<=>(const Demand&) const = default;
};
// What an open array or object still has to meet.
struct Residual {
  Formula need{1};
  FormulaList watched{0};
  auto operator<=>(const Residual&) const = default;
};
// Of each watched formula, whether it holds; as long as the list. Mostly empty.
using Truths = std::vector<std::uint8_t>;

enum class KeyClass : std::uint32_t {};  // keys to which the same rules apply, in one object

// The keys that an object may have next, but for those it already has.
struct KeyChoice {
  struct Name {
    std::string text;
    KeyClass key_class;
    std::uint64_t hash = 0;  // HashOfKey(text)
    std::uint32_t rank = 0;  // place in the order of the schema
    bool required = false;   // every completion has it
  };
  struct Others {
    Expr language;  // of decoded keys
    KeyClass key_class;
  };
  std::vector<Name> names;          // with rules of their own, sorted by text
  std::vector<std::string> barred;  // names with rules of their own that no member may have, sorted
  std::vector<Others> others;       // pairwise disjoint, none has one of the names (allowed or not)
  Expr others_language = kNothing;  // their union
  // Whether others_language is every key but the names and the barred ones. From any beginning of a key there are
  // infinitely many then, so that keys which may not come need no thought before their closing quote.
  bool others_free = false;
};

struct RulesOptions {
  std::size_t budget = 50000;  // derivatives a question of satisfiability may take
};

// Formulas of one grammar, made as they are needed. Not thread-safe: the grammar guards it.
class JsonRules {
 public:
  // kUnsatisfiable: no value meets the schema.
  static Result<std::unique_ptr<JsonRules>> Make(SchemaDocument document, std::unique_ptr<ExprPool> exprs,
                                                 const RulesOptions& options);
  ~JsonRules();

  ExprPool& exprs();
  Demand root() const;
  bool IsProven(Formula need) const;  // false: a budget ran out; there may be no completion

  // Values not begun. Kinds that can meet the demand, as BitOf bits.
  std::uint8_t KindsOf(Demand demand);
  Expr StringsOf(Demand demand);  // decoded texts
  const WrittenNumbers& NumbersOf(Demand demand);
  Truths TruthsOfString(FormulaList watched, std::string_view text);
  std::vector<Expr> StringsWatched(FormulaList watched);  // the texts that each formula is true of
  // is_plain: written without fraction and exponent.
  Truths TruthsOfNumber(FormulaList watched, const Decimal& value, bool is_plain);
  Truths TruthsOfLiteral(FormulaList watched, ValueKind kind);
  std::size_t CountOf(FormulaList watched) const;
  // The demand, and also that the i-th watched formula is so; nothing where no value is both.
  std::optional<Demand> Narrowed(Demand demand, std::size_t i, bool is_so);

  // Containers. REQUIRES: the kind is one that can meet the demand.
  Residual Open(Demand demand, ValueKind kind);
  bool CanClose(Residual residual);
  Truths TruthsAtEnd(Residual residual);
  // Whether an item's or member's canonical text is asked for (uniqueItems): JSON without white space, keys sorted by
  // their bytes, strings with the fewest escapes, numbers as Decimal::ToText.
  bool WantsValues(Residual residual) const;
  // Arrays: whether all further items meet the same and only have to differ, so that whatever the next one is, the
  // residuals after it differ only in which value is taken.
  bool AreNextItemsAlike(Residual residual) const;
  // The kinds, as BitOf bits, of which from any beginning of an item there are infinitely many, whichever have come.
  // Those which may not come again need no thought then before they end (of numbers: see KeysOfRest), so that whoever
  // asks may remember them, and AfterItem without a canonical text notes nothing. REQUIRES: AreNextItemsAlike.
  std::uint8_t FreeItemKinds(Residual residual);
  // The residual once such items have come, as canonical texts.
  Residual WithItems(Residual residual, std::span<const std::string> items);
  // The canonical texts that the next item has to differ from. REQUIRES: AreNextItemsAlike.
  const std::vector<std::string>& ItemsSoFar(Residual residual) const;

  // Arrays: the next item's demand; nothing when there can be no further one.
  std::optional<Demand> NextItem(Residual residual);
  Residual AfterItem(Residual residual, const Truths& truths, std::string_view canonical);

  // Objects. The reference lives as long as the rules.
  const KeyChoice& KeysOf(Residual residual);
  Demand ValueOf(Residual residual, KeyClass key_class);
  Residual AfterMember(Residual residual, KeyClass key_class, const Truths& truths);

  // A short JSON text that meets the demand; what completes an open container (its closing bracket included; `first`:
  // no member yet), keys of `seen` left out. Nothing when the search's budget ran out.
  std::optional<std::string> ShortValue(Demand demand);
  struct OpenContainer {
    ValueKind kind = ValueKind::kObject;
    bool first = true;
    const std::vector<std::string>* seen = nullptr;
  };
  std::optional<std::string> ShortRest(Residual residual, const OpenContainer& open);

  std::size_t memory_bytes() const;

 private:
  JsonRules();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_RULES_H_
