// What was asked of a schema's rules so far, so that a step of a text follows a pointer instead of asking again.
#ifndef DECANT_GRAMMAR_JSON_KNOWN_RULES_H_
#define DECANT_GRAMMAR_JSON_KNOWN_RULES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "grammar/expr_pool.h"
#include "grammar/json/rules.h"
#include "grammar/written_numbers.h"

namespace decant::grammar {

struct ResidualRules;

// Of a value that is not begun. Fields without "may" are found at once, the others when they are first asked for.
struct DemandRules {
  Demand demand;
  std::uint8_t kinds = 0;  // BitOf
  bool is_watched = false;
  std::optional<Expr> strings = {};
  const WrittenNumbers* numbers = nullptr;
  const ResidualRules* array = nullptr;
  const ResidualRules* object = nullptr;
};

// Of an open array or object.
struct ResidualRules {
  Residual residual;
  ValueKind kind;
  bool can_close = false;
  bool wants_values = false;
  bool items_are_alike = false;                 // arrays, with wants_values: AreNextItemsAlike
  std::optional<std::uint8_t> free_kinds = {};  // FreeItemKinds
  bool is_watched = false;
  bool knows_item = false;
  const DemandRules* item = nullptr;          // with knows_item; null = there can be no further one
  const ResidualRules* after_item = nullptr;  // of one without truths and canonical text
  const KeyChoice* keys = nullptr;
  struct Member {
    const DemandRules* value = nullptr;
    const ResidualRules* after = nullptr;  // without truths
  };
  std::unordered_map<std::uint32_t, Member> members = {};  // by KeyClass
};

// One owner, as the rules. What the pointers lead to lives as long as this.
class KnownRules {
 public:
  explicit KnownRules(std::unique_ptr<JsonRules> rules);

  JsonRules& rules() { return *rules_; }
  ExprPool& exprs() { return rules_->exprs(); }
  const DemandRules& root() const { return *root_; }

  Expr StringsOf(const DemandRules& value);
  const WrittenNumbers& NumbersOf(const DemandRules& value);
  // REQUIRES: an array or object can meet the demand.
  const ResidualRules& Open(const DemandRules& value, ValueKind kind);

  const DemandRules* NextItem(const ResidualRules& array);  // null: there can be no further one
  std::uint8_t FreeKindsOf(const ResidualRules& array);     // 0 without items_are_alike
  const KeyChoice& KeysOf(const ResidualRules& object);
  const DemandRules& ValueOf(const ResidualRules& object, KeyClass key_class);
  // Null: nothing can complete the container then.
  const ResidualRules* AfterItem(const ResidualRules& array, const Truths& truths, std::string_view canonical);
  const ResidualRules* AfterMember(const ResidualRules& object, KeyClass key_class, const Truths& truths);

 private:
  DemandRules& Of(Demand demand);
  ResidualRules& Of(Residual residual, ValueKind kind);
  ResidualRules::Member& MemberOf(const ResidualRules& object, KeyClass key_class);
  // What is known grows behind the constant pointers that places hold.
  template <class T>
  static T& Growing(const T& known) {
    return const_cast<T&>(known);
  }

  std::unique_ptr<JsonRules> rules_;
  std::unordered_map<std::uint64_t, std::unique_ptr<DemandRules>> demands_;
  std::unordered_map<std::uint64_t, std::unique_ptr<ResidualRules>> arrays_, objects_;
  const DemandRules* root_;  // of demands_
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_KNOWN_RULES_H_
