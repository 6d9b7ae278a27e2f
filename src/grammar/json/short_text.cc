// Short texts that meet a demand, for examples and for ending early: the first way that leads to an end, not a search
// for the least of all.
#include <algorithm>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kDeepest = 200;        // containers in containers
constexpr std::size_t kMostMembers = 5000;   // of one container
constexpr std::size_t kMostValues = 200000;  // tried

class ShortWriter {
 public:
  explicit ShortWriter(JsonRules& rules) : rules_(rules) {}

  bool Value(Demand demand, Truths* truths, std::string* canonical) {
    if (++work_ > kMostValues || depth_ == kDeepest) return false;
    ++depth_;
    const std::uint8_t kinds = rules_.KindsOf(demand);
    const std::size_t start = text_.size();
    bool done = false;
    for (const ValueKind kind : {ValueKind::kNumber, ValueKind::kTrue, ValueKind::kNull, ValueKind::kFalse,
                                 ValueKind::kString, ValueKind::kArray, ValueKind::kObject}) {
      if ((kinds & BitOf(kind)) == 0) continue;
      if (Of(kind, demand, truths)) {
        done = true;
        break;
      }
      text_.resize(start);
    }
    --depth_;
    if (done && canonical != nullptr) *canonical = Canonical(start);
    return done;
  }

  bool Rest(Residual residual, const JsonRules::OpenContainer& open, Truths* truths) {
    std::vector<std::string> seen = open.seen != nullptr ? *open.seen : std::vector<std::string>();
    bool first = open.first;
    for (std::size_t n = 0; !rules_.CanClose(residual); ++n) {
      if (n == kMostMembers) return false;
      if (!first) text_ += ',';
      first = false;
      const bool went = open.kind == ValueKind::kArray ? Item(residual, n) : Member(residual, seen);
      if (!went) return false;
    }
    text_ += open.kind == ValueKind::kArray ? ']' : '}';
    if (truths != nullptr) *truths = rules_.TruthsAtEnd(residual);
    return true;
  }

  std::string text_;

 private:
  std::string Canonical(std::size_t start) const {
    const Result<json::Value> value = json::Read(std::string_view(text_).substr(start), {.max_depth = 100000});
    return value.has_value() ? CanonicalText(*value) : std::string();
  }

  bool Of(ValueKind kind, Demand demand, Truths* truths) {
    switch (kind) {
      case ValueKind::kNumber: {
        const std::optional<std::string> number = rules_.NumbersOf(demand).Example();
        if (!number.has_value()) return false;
        text_ += *number;
        const std::optional<Decimal> value = Decimal::Parse(*number);
        const bool is_plain = number->find_first_of(".e") == std::string::npos;
        if (truths != nullptr && value.has_value()) *truths = rules_.TruthsOfNumber(demand.watched, *value, is_plain);
        return value.has_value();
      }
      case ValueKind::kString: {
        const std::optional<std::string> text = rules_.exprs().ShortestText(rules_.StringsOf(demand), {});
        if (!text.has_value()) return false;
        AppendCanonicalString(*text, text_);
        if (truths != nullptr) *truths = rules_.TruthsOfString(demand.watched, *text);
        return true;
      }
      case ValueKind::kArray:
      case ValueKind::kObject:
        text_ += kind == ValueKind::kArray ? '[' : '{';
        return Rest(rules_.Open(demand, kind), {.kind = kind}, truths);
      default:
        text_ += kind == ValueKind::kNull ? "null" : kind == ValueKind::kTrue ? "true" : "false";
        if (truths != nullptr) *truths = rules_.TruthsOfLiteral(demand.watched, kind);
        return true;
    }
  }

  bool Item(Residual& residual, std::size_t turn) {
    const std::optional<Demand> demand = rules_.NextItem(residual);
    if (!demand.has_value()) return false;
    const auto after = [&](const Truths& truths, const std::string& canonical) {
      return rules_.AfterItem(residual, truths, canonical);
    };
    return Helpful(*demand, residual, turn, after);
  }

  // Writes a value and moves the residual on to what `after` says of it. Best is one after which the container may end;
  // else one after which something else is asked than before. Tried are the value that comes to mind, and one for each
  // truth of what is watched; those take turns in coming first, so that whatever has to come does come.
  template <class After>
  bool Helpful(Demand demand, Residual& residual, std::size_t turn, const After& after) {
    const std::size_t start = text_.size();
    const std::size_t ways = 1 + 2 * rules_.CountOf(demand.watched);
    const bool wants = rules_.WantsValues(residual);
    for (const bool must_close : {true, false}) {
      for (std::size_t n = 0; n < ways; ++n) {
        const std::size_t way = must_close ? n : (turn + n) % ways;
        const std::optional<Demand> narrowed =
            way == 0 ? std::optional(demand) : rules_.Narrowed(demand, (way - 1) / 2, way % 2 == 1);
        Truths truths;
        std::string canonical;
        if (narrowed.has_value() && Value(*narrowed, &truths, wants ? &canonical : nullptr)) {
          const Residual next = after(truths, canonical);
          if (next.need != kNever && (must_close ? rules_.CanClose(next) : next.need != residual.need)) {
            residual = next;
            return true;
          }
        }
        text_.resize(start);
      }
    }
    return false;
  }

  // Required names first; of others, one after which something else is asked than before.
  bool Member(Residual& residual, std::vector<std::string>& seen) {
    const KeyChoice choice = rules_.KeysOf(residual);
    for (const bool required : {true, false}) {
      for (const KeyChoice::Name& name : choice.names) {
        if (name.required != required || std::ranges::find(seen, name.text) != seen.end()) continue;
        if (Take(residual, name.text, name.key_class, seen)) return true;
      }
    }
    ExprPool& exprs = rules_.exprs();
    for (const KeyChoice::Others& others : choice.others) {
      Expr fresh = others.language;
      if (!seen.empty()) fresh = exprs.Intersect(fresh, exprs.Complement(exprs.Literals(seen)));
      const std::optional<std::string> key = exprs.ShortestText(fresh, {});
      if (key.has_value() && Take(residual, *key, others.key_class, seen)) return true;
    }
    return false;
  }

  bool Take(Residual& residual, const std::string& key, KeyClass key_class, std::vector<std::string>& seen) {
    const std::size_t start = text_.size();
    AppendCanonicalString(key, text_);
    text_ += ':';
    const auto after = [&](const Truths& truths, const std::string&) {
      return rules_.AfterMember(residual, key_class, truths);
    };
    if (Helpful(rules_.ValueOf(residual, key_class), residual, seen.size(), after)) {
      seen.push_back(key);
      return true;
    }
    text_.resize(start);
    return false;
  }

  JsonRules& rules_;
  std::size_t depth_ = 0, work_ = 0;
};

}  // namespace

std::optional<std::string> JsonRules::ShortValue(Demand demand) {
  ShortWriter writer(*this);
  if (!writer.Value(demand, nullptr, nullptr)) return std::nullopt;
  return std::move(writer.text_);
}

std::optional<std::string> JsonRules::ShortRest(Residual residual, const OpenContainer& open) {
  ShortWriter writer(*this);
  if (!writer.Rest(residual, open, nullptr)) return std::nullopt;
  return std::move(writer.text_);
}

}  // namespace decant::grammar
