// What facets of a formula name: tables of members and items, sets of values and of names. Interned by content.
#ifndef DECANT_GRAMMAR_JSON_FACETS_H_
#define DECANT_GRAMMAR_JSON_FACETS_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/json/formula.h"
#include "json/value.h"

namespace decant::grammar {

using NameId = std::uint32_t;

// `properties`, `patternProperties` and `additionalProperties` of one schema.
struct MemberTable {
  std::vector<std::pair<NameId, Formula>> names;    // in the order of the schema
  std::vector<std::pair<NameId, Formula>> by_name;  // the same, sorted by id
  std::vector<std::pair<Expr, Formula>> patterns;
  std::optional<Formula> additional;

  const Formula* Find(NameId name) const {
    const auto it = std::ranges::lower_bound(by_name, name, {}, &std::pair<NameId, Formula>::first);
    return it != by_name.end() && it->first == name ? &it->second : nullptr;
  }
};
// `prefixItems` and `items`.
struct ItemTable {
  std::vector<Formula> prefix;
  Formula rest = kAlways;
};
struct ContainsRule {
  Formula item;
  std::uint64_t least = 0, most = kUnbounded;  // how many more
  auto operator<=>(const ContainsRule&) const = default;
};
// What `unevaluated*` leaves to a schema: members that no source has evaluated. A source counts where its condition
// holds in the end.
struct OpenSource {
  enum class Reach : std::uint8_t { kAll, kTable, kPrefix, kContains };
  Reach reach = Reach::kAll;
  std::uint64_t what = 0;  // a MemberTable; the prefix's length; the Formula of an item
  Formula condition{1};
  auto operator<=>(const OpenSource&) const = default;
};
struct OpenRule {
  std::vector<OpenSource> sources;
  Formula rest;  // what the others have to meet
  auto operator<=>(const OpenRule&) const = default;
};

// Keys that one object treats alike: a known name, or others by the languages they belong to.
struct KeyShape {
  std::optional<NameId> name;
  std::vector<Expr> of;  // sorted; those of the object's languages that have it
  auto operator<=>(const KeyShape&) const = default;
};

// A thing by its number and back.
template <class T>
class Interner {
 public:
  std::uint32_t Id(T thing) {
    const auto [it, is_new] = ids_.try_emplace(std::move(thing), static_cast<std::uint32_t>(things_.size()));
    if (is_new) things_.push_back(&it->first);
    return it->second;
  }
  const T& operator[](std::uint64_t id) const { return *things_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return things_.size(); }

 private:
  std::map<T, std::uint32_t> ids_;
  std::vector<const T*> things_;
};

// JSON values that an enum, a const or earlier items stand for, each by its canonical text.
struct ValueSet {
  std::vector<std::string> canonical;  // sorted
  auto operator<=>(const ValueSet&) const = default;
};

// JSON without white space, keys sorted by their bytes, strings with the fewest escapes, numbers by their value.
std::string CanonicalText(const json::Value& value);
void AppendCanonicalString(std::string_view text, std::string& out);
ValueKind KindOfCanonical(std::string_view canonical);
std::string TextOfCanonicalString(std::string_view canonical);  // what AppendCanonicalString was given

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_FACETS_H_
