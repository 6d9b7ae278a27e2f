// From the innermost open string or number outwards, frame by frame.
#include "grammar/json/short_end.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/json/canonical_pieces.h"
#include "grammar/json/facets.h"
#include "grammar/json/key_choice.h"
#include "grammar/json/remembered_items.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostMembers = 5000;  // of one container
constexpr std::size_t kMostRefused = 50;    // containers that are there already and get another member
constexpr std::size_t kMostKeys = 200;      // tried where keys are taken already
// Beginnings of numbers that are tried: all of the short ones, those after an exponent's mark, those after some zeros.
constexpr std::size_t kMostNumbers = 400, kMostExponents = 1300, kMostAfterZeros = 20;
constexpr std::size_t kMostMoreDigits = 3;  // before an exponent
constexpr std::size_t kMostDigits = 400;
constexpr std::string_view kNumberCharacters = "0123456789.-+e";

class EndWriter {
 public:
  EndWriter(Machine& machine, const Place& place) : machine_(machine), place_(place) {}

  bool Finish();
  std::string text_;

 private:
  struct Mark {
    Place place;
    std::size_t size;
  };
  Mark Here() const { return {.place = place_, .size = text_.size()}; }
  void BackTo(const Mark& mark) {
    place_ = mark.place;
    text_.resize(mark.size);
  }
  bool Put(std::string_view bytes) {
    text_ += bytes;
    return machine_.Step(place_, bytes, arena_);
  }
  bool PutSpaced(std::string_view json);
  bool PutSpaceIfNeeded() { return !machine_.NeedsSpace(place_) || Put(" "); }

  bool FinishEscape();
  bool FinishText();
  bool Remembers(ValueKind kind);
  bool FinishRequiredKey();
  bool EndNumberWith(std::string_view characters, std::size_t most);
  bool EndNumberWithExponent();
  bool EndNumberBesideMany();
  bool FinishNumber();
  bool FinishValue();
  bool FinishContainer();
  bool PutRest();
  bool PutMember();
  bool PutKey(std::string_view key);

  Machine& machine_;
  Arena arena_;
  Place place_;
  std::size_t members_ = 0;
  std::size_t refused_ = 0;  // containers that an outer one has
};

// JSON without white space, spaced as the grammar asks.
bool EndWriter::PutSpaced(std::string_view json) {
  if (machine_.options().whitespace != JsonWhitespace::kSpaced) return Put(json);
  std::string spaced;
  bool in_string = place_.where == Where::kInString || place_.where == Where::kInKey;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    spaced += c;
    if (in_string && c == '\\' && i + 1 < json.size()) spaced += json[++i];
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ',' || c == ':')) spaced += ' ';
  }
  return Put(spaced);
}

// Any byte that lives has an end behind it, and an escape is short.
bool EndWriter::FinishEscape() {
  constexpr std::string_view kBytes = "\"\\/bfnrtu0123456789abcdef";
  while (place_.string.escape != kNoEscape) {
    const auto lives = [this](char c) {
      return !IsDead(Step(machine_.exprs(), place_.string, static_cast<std::uint8_t>(c)));
    };
    const auto byte = std::ranges::find_if(kBytes, lives);
    if (byte == kBytes.end() || !Put({&*byte, 1})) return false;
  }
  return true;
}

// Of a string or a key: texts that are refused at their closing quote are left out.
bool EndWriter::FinishText() {
  if (!FinishEscape()) return false;
  ExprPool& exprs = machine_.exprs();
  Expr rests = place_.string.content;
  const auto leave_out = [&](std::vector<std::string> texts) {
    rests = exprs.Intersect(rests, exprs.Complement(exprs.Literals(std::move(texts))));
  };
  if (place_.where == Where::kInString && Remembers(ValueKind::kString)) {
    const std::string text = ToString(place_.text);
    std::vector<std::string> known;
    place_.frame->others.ForEach([&](const SeenKey& item) {
      if (item.text.starts_with(text)) known.emplace_back(item.text.substr(text.size()));
    });
    if (!known.empty()) leave_out(std::move(known));
  }
  for (std::size_t n = 0; n < kMostKeys; ++n) {
    const std::optional<std::string> rest = exprs.ShortestText(rests, {});
    if (!rest.has_value()) return false;
    const Mark mark = Here();
    std::string quoted;
    AppendCanonicalString(*rest, quoted);
    if (Put(std::string_view(quoted).substr(1))) return true;
    BackTo(mark);
    leave_out({*rest});
  }
  return false;
}

bool EndWriter::Remembers(ValueKind kind) {
  return place_.frame != nullptr && (machine_.known().FreeKindsOf(*place_.frame->rules) & BitOf(kind)) != 0;
}

// The shortest of the next characters after which the number may end, among as many beginnings as `most`.
bool EndWriter::EndNumberWith(std::string_view characters, std::size_t most) {
  std::deque<Mark> open = {Here()};
  std::deque<std::string> texts = {""};
  for (std::size_t n = 0; n < most && !open.empty(); ++n) {
    const Mark mark = open.front();
    const std::string text = std::move(texts.front());
    open.pop_front();
    texts.pop_front();
    Place after = mark.place;
    if (machine_.EndNumber(after, arena_)) {
      text_ += text;
      place_ = after;
      return true;
    }
    for (const char c : characters) {
      Place next = mark.place;
      if (!machine_.Step(next, static_cast<std::uint8_t>(c), arena_)) continue;
      open.push_back({.place = next, .size = 0});
      texts.push_back(text + c);
    }
  }
  return false;
}

// A few digits, then an exponent of up to three: 41.64 becomes a multiple of 7 as 41.643e3. After most digits none may
// follow, so that only few are looked at.
bool EndWriter::EndNumberWithExponent() {
  std::vector<std::string> digits = {""};
  const Mark mark = Here();
  for (std::size_t n = 0; n < digits.size(); ++n) {
    BackTo(mark);
    if (!Put(digits[n])) continue;
    const Mark longer = Here();
    if (Put("e")) {
      if (EndNumberWith("1234567890-", kMostExponents)) return true;
      break;  // it has four digits or more, with other digits before it too
    }
    if (digits[n].size() == kMostMoreDigits) continue;
    for (char c = '0'; c <= '9'; ++c) {
      BackTo(longer);
      if (Put({&c, 1})) digits.push_back(digits[n] + c);
    }
  }
  BackTo(mark);
  return false;
}

// By as many more digits as give more numbers than the array has.
bool EndWriter::EndNumberBesideMany() {
  const std::uint64_t many = place_.frame->others.size() + 1;
  const std::size_t digits = std::to_string(many).size();
  const Mark mark = Here();
  for (std::uint64_t n = 0; n <= many; ++n) {
    std::string more = n == 0 ? "" : std::to_string(n - 1);
    if (n != 0) more.insert(0, digits - more.size(), '0');
    BackTo(mark);
    if (Put(more) && machine_.EndNumber(place_, arena_)) return true;
  }
  BackTo(mark);
  return false;
}

// Some characters further there is a number of the set; how far is not said. Searched are all short ways, then those
// by an exponent, then those that begin with zeros, or other digits where none may follow.
bool EndWriter::FinishNumber() {
  if (Remembers(ValueKind::kNumber) && EndNumberBesideMany()) return true;
  if (EndNumberWith(kNumberCharacters, kMostNumbers) || EndNumberWithExponent()) return true;
  const Mark whole = Here();
  if (Put(".") && EndNumberWithExponent()) return true;  // 0 becomes 0.3e1
  BackTo(whole);
  for (std::size_t digits = 0; digits < kMostDigits; ++digits) {
    const Mark mark = Here();
    const auto takes = [&](char c) {
      BackTo(mark);
      return Put({&c, 1});
    };
    if (std::ranges::none_of(std::string_view("0123456789"), takes)) return false;
    if (EndNumberWith(kNumberCharacters, kMostAfterZeros)) return true;
  }
  return false;
}

bool EndWriter::FinishValue() {
  if (!PutSpaceIfNeeded()) return false;
  if (Remembers(ValueKind::kString)) return Put("\"");
  if (Remembers(ValueKind::kNumber)) return Put("1");
  if (Remembers(ValueKind::kArray)) return Put("[");
  if (Remembers(ValueKind::kObject)) return Put("{");
  const std::optional<std::string> value = machine_.rules().ShortValue(place_.value->demand);
  return value.has_value() && PutSpaced(*value);
}

// A key that has begun may become one that has to come in any case.
bool EndWriter::FinishRequiredKey() {
  const Frame& frame = *place_.frame;
  if (frame.rules->can_close || place_.string.escape != kNoEscape) return false;
  const std::string text = ToString(place_.text);
  const KeyChoice& choice = machine_.known().KeysOf(*frame.rules);
  const AllowedKeys allowed = FindAllowedKeys(choice, frame, machine_.options().key_order, false);
  const Mark mark = Here();
  for (const KeyChoice::Name* name : allowed.names) {
    if (!name->required || !name->text.starts_with(text)) continue;
    std::string quoted;
    AppendCanonicalString(std::string_view(name->text).substr(text.size()), quoted);
    if (Put(std::string_view(quoted).substr(1))) return true;
    BackTo(mark);
  }
  return false;
}

bool EndWriter::PutKey(std::string_view key) {
  if (!PutSpaceIfNeeded()) return false;
  std::string quoted;
  AppendCanonicalString(key, quoted);
  return Put(quoted) && Put(":") && FinishValue();
}

// A member after which something else is asked than before: a required one, another name, another key.
bool EndWriter::PutMember() {
  const Frame& frame = *place_.frame;
  if (frame.members != 0 && !Put(",")) return false;
  const Mark mark = Here();
  const auto helps = [&](std::string_view key) {
    BackTo(mark);
    return PutKey(key) && place_.frame->rules != frame.rules;
  };
  const KeyChoice& choice = machine_.known().KeysOf(*frame.rules);
  const AllowedKeys allowed = FindAllowedKeys(choice, frame, machine_.options().key_order, frame.rules->can_close);
  for (const bool required : {true, false}) {
    for (const KeyChoice::Name* name : allowed.names) {
      if (name->required == required && helps(name->text)) return true;
    }
  }
  BackTo(mark);
  return PutSpaceIfNeeded() && Put("\"") && FinishText();
}

bool EndWriter::PutRest() {
  const Frame& frame = *place_.frame;
  std::vector<std::string> seen;
  const auto add = [&seen](const SeenKey& key) { seen.emplace_back(key.text); };
  frame.names.ForEach(add);
  frame.others.ForEach(add);
  Residual residual = frame.rules->residual;
  if (machine_.known().FreeKindsOf(*frame.rules) != 0) {
    std::vector<std::string> items;
    for (const std::string& key : seen) {
      if (std::optional<std::string> item = CanonicalOfKey(key)) items.push_back(*std::move(item));
    }
    residual = machine_.rules().WithItems(residual, items);
  }
  const std::optional<std::string> rest =
      machine_.rules().ShortRest(residual, {.kind = frame.kind(), .first = frame.members == 0, .seen = &seen});
  return rest.has_value() && PutSpaced(*rest);
}

bool EndWriter::FinishContainer() {
  const Frame& frame = *place_.frame;
  const bool is_array = frame.kind() == ValueKind::kArray;
  const Mark mark = Here();
  if (frame.rules->can_close) {
    if (Put(is_array ? "]" : "}")) return true;
    BackTo(mark);  // an outer array has it already
    if (++refused_ > kMostRefused) return false;
  }
  // Where the rest did not fit, a further member seldom helps: it is asked for again after 1, 3, 7 of them.
  if (std::has_single_bit(members_ + 1) && PutRest()) return true;
  BackTo(mark);
  if (++members_ > kMostMembers) return false;
  if (!is_array) return PutMember();
  if (frame.members != 0) return Put(",");
  const DemandRules* item = machine_.known().NextItem(*frame.rules);
  if (item == nullptr) return false;
  const std::optional<std::string> value = machine_.rules().ShortValue(item->demand);
  return value.has_value() && PutSpaced(*value);
}

bool EndWriter::Finish() {
  while (place_.where != Where::kDone) {
    bool went = false;
    switch (place_.where) {
      case Where::kValue:
        went = FinishValue();
        break;
      case Where::kFirstItem:
      case Where::kFirstKey:
      case Where::kAfterValue:
        went = FinishContainer();
        break;
      case Where::kKey:
        went = PutSpaceIfNeeded() && Put("\"");
        break;
      case Where::kInKey:
        went = FinishRequiredKey() || FinishText();
        break;
      case Where::kAfterKey:
        went = Put(":");
        break;
      case Where::kInString:
        went = FinishText();
        break;
      case Where::kInNumber:
        went = FinishNumber();
        break;
      case Where::kInLiteral:
        went = Put(CanonicalLiteral(place_.literal).substr(place_.literal_bytes));
        break;
      case Where::kDone:
        break;
    }
    if (!went) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> FindShortEnd(Machine& machine, const Place& place) {
  EndWriter writer(machine, place);
  if (!writer.Finish()) return std::nullopt;
  return std::move(writer.text_);
}

}  // namespace decant::grammar
