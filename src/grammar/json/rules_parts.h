// The inside of JsonRules, shared by the files that implement it: rules.cc (the interface), lowering.cc (schemas to
// formulas), derive.cc (derivatives), satisfy.cc, plain_object.cc and cardinality.cc (what can be met), projection.cc
// and named_values.cc (what is left to a member), scalars.cc (strings, numbers).
#ifndef DECANT_GRAMMAR_JSON_RULES_PARTS_H_
#define DECANT_GRAMMAR_JSON_RULES_PARTS_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/json/facets.h"
#include "grammar/json/formula.h"
#include "grammar/json/rules.h"

namespace decant::grammar {

struct PairHash {
  std::size_t operator()(std::uint64_t pair) const { return static_cast<std::size_t>(MixBits(pair)); }
};
template <class A, class B>
std::uint64_t Paired(A a, B b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(b));
}
template <class T>
using ByPair = std::pmr::unordered_map<std::uint64_t, T, PairHash>;
template <class T>
using ByFormula = std::pmr::unordered_map<Formula, T>;

// What the keys of an object are told apart by.
struct KeyFacets {
  std::vector<NameId> names;    // in the order of the schema
  std::vector<Expr> languages;  // sorted
};
// An object's formula when its parts say something of each name alone, or count.
struct PlainObject {
  std::vector<std::uint32_t> members;  // tables
  std::vector<Formula> names;          // kNames facets
  std::vector<NameId> needed, used;    // sorted
  std::uint64_t least = 0, most = kUnbounded;
};
// How a member's demand follows from the object's residual.
struct MemberStep {
  Formula need_after;                  // the residual's derivatives, with kChild where the member decides
  std::vector<Formula> watched_after;  // likewise
  Demand demand;
  ByFormula<bool> forced;  // truths that the demand decides
  bool is_possible = false;
  bool is_assumed = false;  // a budget ran out
};

// One question deeper, while it is asked.
struct Depth {
  explicit Depth(std::size_t& depth) : depth_(depth) { ++depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  ~Depth() { --depth_; }

 private:
  std::size_t& depth_;
};
inline constexpr std::size_t kNoCircle = ~std::size_t{0};
// What a question meets on its way, circles and budgets that ran out, is its own until it ends, and then its asker's
// too.
class OpenQuestion {
 public:
  OpenQuestion(std::size_t& circle, bool& assumed)
      : circle_(circle),
        assumed_(assumed),
        circle_before_(std::exchange(circle, kNoCircle)),
        assumed_before_(std::exchange(assumed, false)) {}
  OpenQuestion(const OpenQuestion&) = delete;
  OpenQuestion& operator=(const OpenQuestion&) = delete;
  ~OpenQuestion() {
    circle_ = std::min(circle_, circle_before_);
    assumed_ = assumed_ || assumed_before_;
  }

 private:
  std::size_t& circle_;
  bool& assumed_;
  std::size_t circle_before_;
  bool assumed_before_;
};

struct JsonRules::Parts {
  SchemaDocument document;
  std::unique_ptr<ExprPool> exprs;
  RulesOptions options;
  FormulaPool pool;
  Demand root;

  // Facets.
  std::vector<MemberTable> member_tables;
  std::vector<ItemTable> item_tables;
  std::vector<WrittenNumbers> number_sets;
  std::unordered_map<Fingerprint, std::uint32_t, FingerprintHash> number_ids;
  Interner<ContainsRule> contains;
  Interner<OpenRule> open_rules;
  Interner<ValueSet> value_sets;
  Interner<std::vector<NameId>> name_lists;  // sorted
  Interner<KeyShape> shapes;                 // by KeyClass
  std::vector<std::string> names;
  std::unordered_map<std::string, NameId> name_ids;

  // lowering.cc
  NameId Name(std::string_view text);
  Formula Schema(SchemaId id);              // the formula that stands for it
  Formula Expand(SchemaId id);              // one level of it
  Formula Equal(const json::Value& value);  // of a container, once its kind is known
  Formula EqualTo(const std::string& canonical);
  Formula AmongOf(const ValueSet& values, ValueKind kind);
  static bool IsLarge(const ValueSet& values, ValueKind kind);
  bool CanAlwaysDiffer(Formula value);
  Formula Numbers(const WrittenNumbers& set);
  void ObjectFacets(const SchemaNode& node, std::vector<Formula>& parts);
  void ArrayFacets(const SchemaNode& node, std::vector<Formula>& parts);
  void ScalarFacets(const SchemaNode& node, std::vector<Formula>& parts);
  void InPlace(const SchemaNode& node, std::vector<Formula>& parts);
  std::uint32_t TableOf(SchemaId id);
  void ObjectSources(SchemaId id, Formula condition, bool is_self, std::vector<OpenSource>& out);
  void ArraySources(SchemaId id, Formula condition, bool is_self, std::vector<OpenSource>& out);
  Formula Required(const std::vector<std::string>& required);
  Formula Contains(const ContainsRule& rule);
  Formula Open(Op op, OpenRule rule, std::uint64_t place);

  // derive.cc
  Formula Restrict(Formula f, ValueKind kind);
  const KeyFacets& FacetsOf(Formula f);
  bool HasKey(KeyClass key_class, Expr language);
  Formula AfterKey(Formula f, KeyClass key_class);  // with kChild
  Formula OpenAfterKey(const FormulaNode& node, KeyClass key_class);
  Formula ChildFacet(Formula member);
  Formula AfterItem(Formula f);  // with kChild, kPending
  Formula MemberOf(const MemberTable& table, KeyClass key_class);
  bool Evaluates(const OpenSource& source, KeyClass key_class);
  using Leaf = std::function<std::optional<Formula>(const FormulaNode&)>;
  Formula Rebuild(Formula f, const Leaf& leaf, ByFormula<Formula>& memo);
  template <class Map>
  Formula Mapped(const FormulaNode& node, const Map& map);
  bool HoldsAtEnd(Formula f);
  // Calls visit(const FormulaNode&) once for each formula that f is made of, conditions of open rules too.
  template <class Visit>
  void ForEachPart(Formula f, Visit visit) const;
  void ChildrenOf(Formula f, std::vector<Formula>& out) const;  // the Formulas of its kChild facets
  Formula Settle(Formula f, const ByFormula<bool>& truths, std::string_view canonical);

  // satisfy.cc
  bool GivesUp();
  template <class Ask>
  bool Asked(std::uint64_t question, Formula f, ByFormula<bool>& known, const Ask& ask);
  Formula WithoutUsed(Formula residual);
  bool CanMeet(Formula value);  // some value meets it
  bool CanMeetAs(Formula value, ValueKind kind);
  bool CanEnd(Formula residual, ValueKind kind);  // an open container can still be completed
  bool CanEndSome(Formula residual, ValueKind kind);
  struct Split {
    Formula others = kAlways;
    std::vector<Formula> branches;
  };
  std::optional<Split> SplitOf(Formula f);
  Formula BranchThatEnds(Formula residual, ValueKind kind);
  bool CanEndArray(Formula residual);
  bool CanContainDifferent(Formula residual, Formula unique);
  bool CanEndObject(Formula residual);
  std::vector<KeyClass> KeysAskedFor(Formula residual);
  bool CanTake(Formula residual, KeyClass key_class);
  bool CanStepTo(Formula residual, KeyClass key_class);
  bool CanPass(Formula after, ValueKind kind);
  bool CanPassSome(Formula after, ValueKind kind);
  bool MemberBreaks(const std::vector<Formula>& negations, std::vector<Formula>& member);
  std::optional<Formula> MemberPartOf(Formula conjunction);
  Formula SettledUnique(Formula residual);
  Formula WithItem(Formula after, const std::string* canonical);
  Formula WithItemOf(Formula after, const std::string& canonical);
  Formula OneOf(const std::vector<Formula>& branches, ValueKind kind);
  const std::vector<std::pair<Expr, KeyClass>>& OtherKeys(const KeyFacets& facets);
  KeyClass ClassOfName(NameId name);

  // projection.cc
  struct Sides {
    bool is_known = false;
    bool of_child = false, of_pending = false, of_rest = false;
  };
  Sides SidesOf(Formula f);
  Formula OfMember(Formula f);
  Formula Projected(Formula f, ValueKind kind);  // what the member has to meet
  Formula ProjectedOf(Formula f, ValueKind kind);
  Formula ByCases(Formula f, Formula part, ValueKind kind);
  std::optional<bool> TruthOf(Formula other, Formula met);
  std::optional<Formula> ByTruths(Formula f, Formula member, ValueKind kind);
  struct TruthCase {
    Formula literals;  // of the member
    Formula rest;      // of the container, with them decided
  };
  struct TruthCases {
    std::vector<Formula> possible, impossible;  // literals
  };
  void AddCase(const TruthCase& found, ValueKind kind, TruthCases& cases);
  bool AddCasesOf(const TruthCase& whole, std::size_t most, ValueKind kind, TruthCases& cases);
  Formula Decided(Formula f, const ByFormula<Formula>& truths);

  // named_values.cc
  struct NamedValues {
    std::vector<bool> is_naming;            // by formula: only some of the values meet it
    std::vector<std::vector<bool>> groups;  // of values: which of the formulas they meet
    std::size_t count = 0;                  // of values
  };
  NamedValues NamedBy(std::span<const Formula> formulas);
  Formula LiteralsOf(const NamedValues& named, std::size_t group, std::span<const Formula> formulas);
  std::vector<std::string> FewValues(Formula value);
  std::vector<std::string> AllValues(Formula value);
  std::vector<std::string> ValuesNeededLater(Formula after);
  std::optional<bool> IsMetByCanonical(Formula value, std::string_view canonical);

  // plain_object.cc
  const PlainObject* PlainOf(Formula residual);
  Formula MemberOf(const PlainObject& plain, KeyClass key_class);
  bool CanHold(const PlainObject& plain, KeyClass key_class);
  bool CanEndPlain(Formula residual, const PlainObject& plain);
  bool HasKeys(Formula residual, std::span<const NameId> used, std::uint64_t least,
               const std::function<bool(KeyClass)>& may_come);

  // cardinality.cc
  // How many values meet a formula, counted no further than `most`: no more than that, and no fewer.
  std::uint64_t CardinalityAtMost(Formula value, std::uint64_t most);
  std::uint64_t CardinalityAtLeast(Formula value, std::uint64_t most);
  std::uint64_t CountScalars(Formula value, std::uint64_t most, std::uint64_t unknown);
  bool MayHaveMember(Formula object);
  bool HasEndlessItems(Formula f);
  bool IsFree(Formula value, ValueKind kind);  // from any beginning infinitely many of the kind meet it
  bool HasManyObjects(Formula f, std::uint64_t n);
  std::optional<std::uint64_t> MostObjects(Formula f);
  bool HasMoreThan(Formula f, const PlainObject& plain, std::uint64_t n);
  struct Excluding {
    Formula facets;
    const PlainObject* plain;  // of `facets`
    std::uint64_t count;       // no more values than this are left out
  };
  const Excluding* ExcludingOf(Formula f);
  bool OutnumbersExcluded(Formula f);
  bool OutnumbersExcludedWith(const Excluding& at, KeyClass key_class);

  // rules.cc
  Formula Begun(Formula restricted_to_container);  // with what an open container has to remember
  std::uint32_t PlaceOf(Residual residual);        // a number for it
  const MemberStep& StepTo(Residual residual, KeyClass key_class);
  const MemberStep& StepToItem(Residual residual);
  MemberStep MakeStep(Formula need, std::vector<Formula> watched, ValueKind kind);
  Residual Finish(const MemberStep& step, const Truths& truths, std::string_view canonical);
  KeyChoice MakeKeyChoice(Residual residual);
  bool MentionsUnique(Formula f) const;
  Formula Proven(Formula need);  // notes where a budget ran out

  // scalars.cc
  Expr StringsOf(Formula value);                       // of the strings that meet it
  bool IsMetBy(Formula value, std::string_view text);  // of a string
  // How many strings meet it, no further than kManyStrings; 0 if that takes long to say.
  static constexpr std::uint64_t kManyStrings = 1000;
  std::uint64_t CountStrings(Formula value);
  // The strings that are all that meets it, where that is plain to see and they are few; else none.
  std::vector<std::string> FewStrings(Formula value);
  const WrittenNumbers& NumbersOf(Formula value);
  bool MeetsLiteral(Formula value, ValueKind kind);

  // Found before, and never forgotten.
  std::pmr::monotonic_buffer_resource room;
  std::vector<Formula> schema_formulas, expanded;     // by SchemaId; kNone where not yet
  std::vector<std::uint32_t> tables_of;               // by SchemaId
  std::unordered_map<std::string, Formula> equal_to;  // by canonical text
  ByPair<Formula> restricted{&room};
  ByFormula<std::unique_ptr<KeyFacets>> key_facets{&room};
  ByPair<bool> key_in{&room};
  ByPair<Formula> after_key{&room};
  ByFormula<Formula> after_item{&room};
  ByFormula<Expr> strings{&room};
  ByFormula<std::unique_ptr<WrittenNumbers>> numbers{&room};
  ByFormula<bool> can_meet{&room}, can_end{&room}, can_pass{&room};
  ByFormula<std::unique_ptr<PlainObject>> plain_objects{&room};
  ByFormula<std::unique_ptr<Excluding>> excluding{&room};
  struct Counted {
    std::uint64_t count, most;
  };
  ByFormula<Counted> cardinalities{&room};  // at least
  std::vector<KeyClass> class_of_name;
  std::unordered_map<Fingerprint, std::vector<std::pair<Expr, KeyClass>>, FingerprintHash> other_keys;
  ByFormula<Formula> projected{&room};
  std::vector<Sides> sides;                          // by Formula
  Interner<std::pair<Formula, FormulaList>> places;  // of residuals
  ByPair<std::unique_ptr<MemberStep>> member_steps{&room};
  std::unordered_map<std::uint32_t, std::unique_ptr<MemberStep>> item_steps;  // by place
  std::unordered_map<std::uint32_t, std::unique_ptr<KeyChoice>> key_choices;  // by place
  std::unordered_map<Fingerprint, Residual, FingerprintHash> finished;
  ByPair<std::uint8_t> kinds_of{&room};
  std::unordered_map<std::uint64_t, std::size_t> in_progress;  // with their depth
  std::size_t circle = kNoCircle;                              // the least depth of a question in progress that was met
  bool assumed = false;                                        // a budget ran out since the question was asked
  std::size_t work = 0;                                        // of the question asked from outside
  std::unordered_set<Formula> unproven;
  std::size_t depth = 0;
  std::vector<Formula> mapping;  // parts of formulas that are being mapped, one formula after the other

  static constexpr Formula kNone{0xffffffff};
};

template <class Visit>
void JsonRules::Parts::ForEachPart(Formula f, Visit visit) const {
  std::unordered_set<Formula> seen;
  std::vector<Formula> open = {f};
  while (!open.empty()) {
    const Formula at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const FormulaNode node = pool[at];
    visit(node);
    open.insert(open.end(), node.children.begin(), node.children.end());
    if (node.op == Op::kOpenMembers || node.op == Op::kOpenItems) {
      for (const OpenSource& source : open_rules[node.x].sources) open.push_back(source.condition);
    }
  }
}

// A connective of map(part) for each of its parts. REQUIRES: `node` is a copy.
template <class Map>
Formula JsonRules::Parts::Mapped(const FormulaNode& node, const Map& map) {
  if (node.op == Op::kNot) return pool.Not(map(node.children[0]));
  const Formula zero = node.op == Op::kAnd ? kNever : node.op == Op::kOr ? kAlways : kNone;
  const std::size_t first = mapping.size();
  for (const Formula part : node.children) {
    const Formula mapped = map(part);
    if (mapped == zero) {
      mapping.resize(first);
      return zero;
    }
    mapping.push_back(mapped);
  }
  const std::span<const Formula> parts = std::span(mapping).subspan(first);
  const Formula out = node.op == Op::kAnd ? pool.And(parts) : node.op == Op::kOr ? pool.Or(parts) : pool.One(parts);
  mapping.resize(first);
  return out;
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_RULES_PARTS_H_
