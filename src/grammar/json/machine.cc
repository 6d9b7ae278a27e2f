// One byte at a time; every way into a place asks whether the place has a way on.
#include "grammar/json/machine.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "grammar/json/canonical_pieces.h"
#include "grammar/json/facets.h"
#include "grammar/json/formula.h"
#include "grammar/json/key_choice.h"
#include "grammar/json/literals.h"
#include "grammar/json/remembered_items.h"

namespace decant::grammar {
namespace {

constexpr SearchBudget kKeySearch{};
constexpr std::size_t kRememberedLanguages = 4096;
constexpr std::uint64_t kLongKey = 4096;  // bytes that are not worth a comparison with names

bool IsWhite(std::uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

template <class T>
std::uint64_t Packed(const T& asked) {
  return static_cast<std::uint64_t>(asked.need) << 32 | static_cast<std::uint64_t>(asked.watched);
}
PlaceKeys Add(PlaceKeys keys, std::uint64_t value) {
  return {.narrow = Add(keys.narrow, value), .wide = Add(keys.wide, value)};
}
PlaceKeys Add(PlaceKeys keys, Fingerprint value) {
  return {.narrow = Add(keys.narrow, value), .wide = Add(keys.wide, value)};
}

}  // namespace

Machine::Machine(std::unique_ptr<JsonRules> rules, const MachineOptions& options)
    : known_(std::move(rules)), options_(options) {
  static std::atomic<std::uint64_t> made{0};
  serial_ = grammar::Add(Fingerprint{}, ++made);
}

bool Machine::Step(Place& place, std::string_view bytes, Arena& arena) {
  return std::ranges::all_of(bytes, [&](char c) { return Step(place, static_cast<std::uint8_t>(c), arena); });
}

bool Machine::Step(Place& place, std::uint8_t byte, Arena& arena) {
  switch (place.where) {
    case Where::kInString:
    case Where::kInKey:
      return StepInString(place, byte, arena);
    case Where::kInLiteral:
      return StepInLiteral(place, byte, arena);
    case Where::kInNumber:
      if (IsNumberByte(byte)) return StepInNumber(place, byte, arena);
      return EndNumber(place, arena) && StepBetween(place, byte, arena);
    default:
      return StepBetween(place, byte, arena);
  }
}

bool Machine::MayEnd(const Place& place) {
  if (place.where == Where::kDone) return true;
  if (place.frame != nullptr || place.where != Where::kInNumber) return false;
  Place after = place;
  Arena arena;
  return EndNumber(after, arena);
}

bool Machine::IsProven(const Place& place) {
  if (place.value != nullptr && !rules().IsProven(place.value->demand.need)) return false;
  for (const Frame* frame = place.frame; frame != nullptr; frame = frame->parent) {
    if (!rules().IsProven(frame->rules->residual.need)) return false;
  }
  return true;
}

// White space.

bool Machine::NeedsSpace(const Place& place) const {
  return options_.whitespace == JsonWhitespace::kSpaced && place.white == 0 && place.frame != nullptr &&
         (place.where == Where::kValue || place.where == Where::kKey);
}

bool Machine::TakesWhite(const Place& place) const {
  if (options_.whitespace != JsonWhitespace::kAny) return NeedsSpace(place);
  return place.frame != nullptr && place.white < options_.max_whitespace;
}

bool Machine::TakeWhite(Place& place, std::uint8_t byte) const {
  if (!TakesWhite(place) || (options_.whitespace == JsonWhitespace::kSpaced && byte != ' ')) return false;
  ++place.white;
  return true;
}

// Between the scalars.

bool Machine::StepBetween(Place& place, std::uint8_t byte, Arena& arena) {
  if (IsWhite(byte)) return TakeWhite(place, byte);
  if (NeedsSpace(place)) return false;
  place.white = 0;
  const Frame* frame = place.frame;
  switch (place.where) {
    case Where::kFirstItem: {
      if (byte == ']') return frame->rules->can_close && EndContainer(place, arena);
      place.value = known_.NextItem(*frame->rules);
      return place.value != nullptr && BeginValue(place, byte, arena);
    }
    case Where::kValue:
      return BeginValue(place, byte, arena);
    case Where::kFirstKey:
      if (byte == '}') return frame->rules->can_close && EndContainer(place, arena);
      return byte == '"' && HasKey(*frame) && BeginKey(place);
    case Where::kKey:
      return byte == '"' && BeginKey(place);
    case Where::kAfterKey:
      if (byte != ':') return false;
      place.value = &known_.ValueOf(*frame->rules, place.key_class);
      place.where = Where::kValue;
      return true;
    case Where::kAfterValue:
      if (static_cast<char>(byte) == (frame->kind() == ValueKind::kArray ? ']' : '}')) {
        return frame->rules->can_close && EndContainer(place, arena);
      }
      if (byte != ',') return false;
      if (frame->kind() == ValueKind::kObject) {
        place.where = Where::kKey;
        return HasKey(*frame);
      }
      place.where = Where::kValue;
      place.value = known_.NextItem(*frame->rules);
      return place.value != nullptr;
    default:
      return false;
  }
}

bool Machine::BeginValue(Place& place, std::uint8_t byte, Arena& arena) {
  const std::optional<ValueKind> kind = KindBegunBy(byte);
  if (!kind.has_value() || (place.value->kinds & BitOf(*kind)) == 0) return false;
  switch (*kind) {
    case ValueKind::kArray:
    case ValueKind::kObject:
      return OpenContainer(place, *kind, arena);
    case ValueKind::kString:
      place.where = Where::kInString;
      place.string = {.content = known_.StringsOf(*place.value)};
      place.text = nullptr;
      place.characters = 0;
      return !IsDead(place.string);
    case ValueKind::kNumber:
      return BeginNumber(place, byte, arena);
    default:
      place.where = Where::kInLiteral;
      place.literal = *kind;
      place.literal_bytes = 1;
      return true;
  }
}

bool Machine::OpenContainer(Place& place, ValueKind kind, Arena& arena) {
  const Frame* parent = place.frame;
  Frame* frame = arena.Make<Frame>();
  frame->parent = parent;
  frame->rules = &known_.Open(*place.value, kind);
  if (frame->rules->residual.need == kNever) return false;
  frame->records_self = parent != nullptr && parent->records_items;
  frame->records_items = frame->records_self || frame->rules->wants_values;
  frame->parent_class = place.key_class;
  frame->parent_key = place.key;
  Seal(*frame);
  place = {.frame = frame, .where = kind == ValueKind::kArray ? Where::kFirstItem : Where::kFirstKey};
  return true;
}

bool Machine::EndContainer(Place& place, Arena& arena) {
  const Frame& frame = *place.frame;
  Truths truths;
  if (frame.rules->is_watched) truths = rules().TruthsAtEnd(frame.rules->residual);
  std::string canonical;
  if (frame.records_self) canonical = CanonicalContainer(frame.kind(), frame.pieces);
  place = {.frame = frame.parent, .key_class = frame.parent_class, .key = frame.parent_key};
  if (!Remembers(place.frame, frame.kind())) return EndValue(place, truths, canonical, arena);
  return EndItem(place, truths, canonical, KeyOfContainer(canonical), arena);
}

bool Machine::EndValue(Place& place, const Truths& truths, std::string_view canonical, Arena& arena,
                       const SeenKey* remembered) {
  const Frame* before = place.frame;
  if (before == nullptr) {
    place = {.where = Where::kDone};
    return true;
  }
  const bool is_object = before->kind() == ValueKind::kObject;
  const ResidualRules* rules = is_object
                                   ? known_.AfterMember(*before->rules, place.key_class, truths)
                                   : known_.AfterItem(*before->rules, truths, remembered != nullptr ? "" : canonical);
  if (rules == nullptr) return false;
  Frame* after = arena.Make<Frame>(*before);
  after->rules = rules;
  after->members = before->members + 1;
  after->records_items = before->records_self || rules->wants_values;
  if (before->records_self) {
    const std::string_view key = is_object ? place.key->text : std::string_view{};
    CanonicalPiece* piece = arena.Make<CanonicalPiece>();
    piece->before = before->pieces;
    piece->key = key;
    piece->text = arena.Keep(canonical);
    const Fingerprint content = before->pieces == nullptr ? Fingerprint{} : before->pieces->content;
    piece->content = grammar::Add(grammar::Add(content, key), canonical);
    after->pieces = piece;
  }
  if (remembered != nullptr) {
    after->others = before->others.With({.hash = remembered->hash, .text = arena.Keep(remembered->text)}, arena);
    const ValueKind kind = KindOfCanonical(canonical);
    if (kind == ValueKind::kArray || kind == ValueKind::kObject) {
      after->others = WithInnerStrings(after->others, canonical, arena);
    }
  }
  if (is_object) {
    const KeyChoice& choice = known_.KeysOf(*before->rules);
    after->names_with_rules = std::max(before->names_with_rules, NamesOf(choice));
    if (const KeyChoice::Name* name = FindName(choice, place.key->text); name != nullptr) {
      after->names = before->names.With(*place.key, arena);
      after->last_place = std::max(before->last_place, PlaceInOrder(*name, options_.key_order));
    } else {
      after->others = before->others.With(*place.key, arena);
      after->last_place = kPastNames;
    }
  }
  after->key_language.reset();
  Seal(*after);
  place = {.frame = after, .where = Where::kAfterValue};
  return true;
}

bool Machine::Remembers(const Frame* frame, ValueKind kind) {
  return frame != nullptr && (known_.FreeKindsOf(*frame->rules) & BitOf(kind)) != 0;
}

bool Machine::EndItem(Place& place, const Truths& truths, std::string_view canonical, std::string_view key,
                      Arena& arena) {
  const SeenKey item = {.hash = HashOfKey(key), .text = key};
  if (place.frame->others.size() != 0) {
    ++probes_;
    if (place.frame->others.Has(item)) return false;
  }
  return EndValue(place, truths, canonical, arena, &item);
}

KeySet Machine::WithInnerStrings(KeySet items, std::string_view canonical, Arena& arena) {
  for (std::size_t at = canonical.find('"'); at != canonical.npos; at = canonical.find('"', at)) {
    std::size_t end = at + 1;
    while (canonical[end] != '"') end += canonical[end] == '\\' ? 2u : 1u;
    const std::string key = KeyOfInnerString(TextOfCanonicalString(canonical.substr(at, end + 1 - at)));
    const SeenKey inner = {.hash = HashOfKey(key), .text = key};
    if (!items.Has(inner)) items = items.With({.hash = inner.hash, .text = arena.Keep(key)}, arena);
    at = end + 1;
  }
  return items;
}

void Machine::Seal(Frame& frame) const {
  PlaceKeys keys = frame.parent == nullptr ? PlaceKeys{.narrow = serial_, .wide = serial_} : frame.parent->keys;
  keys = Add(keys, static_cast<std::uint64_t>(frame.kind()) << 32 | static_cast<std::uint64_t>(frame.parent_class));
  keys = Add(keys, Packed(frame.rules->residual));
  if (frame.pieces != nullptr) keys = Add(keys, frame.pieces->content);
  if (frame.kind() == ValueKind::kObject) {
    keys = Add(keys, frame.names.content());
    if (options_.key_order != KeyOrder::kAny) keys = Add(keys, frame.last_place);
  }
  keys = Add(keys, frame.others.size() == 0 ? 0 : 1);
  keys.wide = grammar::Add(keys.wide, frame.others.content());
  if (frame.parent_key != nullptr) {
    keys.wide = grammar::Add(keys.wide, frame.parent_key->hash);
    if (frame.parent->records_self) keys.narrow = grammar::Add(keys.narrow, frame.parent_key->hash);
  }
  frame.keys = keys;
}

// Keys.

void Machine::FindKeyLanguage(const Frame& frame) {
  const KeyChoice& choice = known_.KeysOf(*frame.rules);
  const bool in_order = options_.key_order != KeyOrder::kAny;
  if (choice.others_free && !in_order) {
    frame.key_language = exprs().AnyText();
    frame.has_key = frame.has_free_keys = true;
    return;
  }
  const AllowedKeys allowed = FindAllowedKeys(choice, frame, options_.key_order, in_order && frame.rules->can_close);
  if (choice.others_free && allowed.others) {
    frame.key_language = exprs().AnyText();
    frame.has_key = frame.has_free_keys = true;
    return;
  }
  Fingerprint question = grammar::Add(Fingerprint{}, Packed(frame.rules->residual));
  question = grammar::Add(grammar::Add(question, frame.names.content()), frame.others.content());
  if (in_order) question = grammar::Add(question, frame.last_place);
  auto found = key_languages_.find(question);
  if (found == key_languages_.end()) {
    if (key_languages_.size() >= kRememberedLanguages) key_languages_.clear();
    found = key_languages_.emplace(question, MakeKeyLanguage(choice, allowed, frame)).first;
  }
  frame.key_language = found->second;
  frame.has_key = found->second != kNothing && exprs().HasText(found->second, kKeySearch).value_or(true);
}

Expr Machine::MakeKeyLanguage(const KeyChoice& choice, const AllowedKeys& allowed, const Frame& frame) {
  std::vector<std::string> names;
  names.reserve(allowed.names.size());
  for (const KeyChoice::Name* name : allowed.names) names.push_back(name->text);
  const Expr language = exprs().Literals(std::move(names));
  if (!allowed.others) return language;
  Expr others = choice.others_language;
  std::vector<std::string> seen;
  frame.others.ForEach([&seen](const SeenKey& key) { seen.emplace_back(key.text); });
  if (MayHaveLostNames(choice, frame)) {
    frame.names.ForEach([&](const SeenKey& key) {
      if (FindName(choice, key.text) == nullptr && !IsBarred(choice, key.text)) seen.emplace_back(key.text);
    });
  }
  if (!seen.empty()) {
    others = exprs().Intersect(others, exprs().Complement(exprs().Literals(std::move(seen))));
  }
  return exprs().Union(language, others);
}

// A language of keys that is not free leaves out the keys that there are.
void Machine::CountProbe(const Frame& frame) {
  if (frame.others.size() != 0 && !known_.KeysOf(*frame.rules).others_free) ++probes_;
}

Expr Machine::KeyLanguage(const Frame& frame) {
  CountProbe(frame);
  if (!frame.key_language.has_value()) FindKeyLanguage(frame);
  return *frame.key_language;
}

bool Machine::HasKey(const Frame& frame) {
  CountProbe(frame);
  if (!frame.key_language.has_value()) FindKeyLanguage(frame);
  return frame.has_key;
}

bool Machine::IsKeyOpen(const Frame& frame, const SeenKey& key) {
  const KeyChoice& choice = known_.KeysOf(*frame.rules);
  if (const KeyChoice::Name* name = FindName(choice, key.text); name != nullptr) {
    const bool is_late =
        options_.key_order != KeyOrder::kAny && PlaceInOrder(*name, options_.key_order) <= frame.last_place;
    return !is_late && !frame.names.Has(key);
  }
  if (IsBarred(choice, key.text)) return false;
  const bool has_lost = MayHaveLostNames(choice, frame);
  if (frame.others.size() == 0 && !has_lost) return true;
  ++probes_;
  return !frame.others.Has(key) && !(has_lost && frame.names.Has(key));
}

bool Machine::BeginKey(Place& place) {
  place.where = Where::kInKey;
  place.string = {.content = KeyLanguage(*place.frame)};
  place.text = nullptr;
  place.characters = 0;
  return !IsDead(place.string);
}

bool Machine::EndKey(Place& place, Arena& arena) {
  const Frame& frame = *place.frame;
  const std::string decoded = ToString(place.text);
  const SeenKey key = {.hash = HashOfKey(decoded), .text = decoded};
  KeyLanguage(frame);
  if (frame.has_free_keys && !IsKeyOpen(frame, key)) return false;
  place.key_class = ClassOf(known_.KeysOf(*frame.rules), decoded);
  place.key = arena.Make<SeenKey>(key.hash, arena.Keep(decoded));
  place.where = Where::kAfterKey;
  place.string = kDeadString;
  place.text = nullptr;
  return true;
}

KeyClass Machine::ClassOf(const KeyChoice& choice, std::string_view key) {
  if (const KeyChoice::Name* name = FindName(choice, key); name != nullptr) return name->key_class;
  if (choice.others.size() == 1) return choice.others.front().key_class;
  const auto others = std::ranges::find_if(choice.others, [&](const KeyChoice::Others& candidate) {
    return exprs().IsNullable(exprs().Next(candidate.language, key));
  });
  DECANT_CHECK(others != choice.others.end());
  return others->key_class;
}

// Scalars.

bool Machine::StepInString(Place& place, std::uint8_t byte, Arena& arena) {
  if (byte == '"' && place.string.escape == kNoEscape) {
    if (!grammar::CanClose(exprs(), place.string)) return false;
    return place.where == Where::kInKey ? EndKey(place, arena) : EndString(place, arena);
  }
  const EscapeState escape = place.string.escape;
  place.string = grammar::Step(exprs(), place.string, byte);
  if (IsDead(place.string)) return false;
  if (place.string.escape == kNoEscape && (byte & 0xC0u) != 0x80u) ++place.characters;
  if (place.where == Where::kInKey || IsAskedFor(place)) {
    place.text = Append(place.text, Decode(escape, byte)->view(), arena);
  }
  return true;
}

bool Machine::EndString(Place& place, Arena& arena) {
  if (!IsAskedFor(place)) return EndValue(place, {}, {}, arena);
  const std::string decoded = ToString(place.text);
  Truths truths;
  if (place.value->is_watched) truths = rules().TruthsOfString(place.value->demand.watched, decoded);
  const Frame* const frame = place.frame;
  std::string canonical;
  if (frame != nullptr && frame->records_items) canonical = CanonicalString(decoded);
  if (!Remembers(frame, ValueKind::kString)) return EndValue(place, truths, canonical, arena);
  return EndItem(place, truths, canonical, decoded, arena);
}

bool Machine::BeginNumber(Place& place, std::uint8_t byte, Arena& arena) {
  place.where = Where::kInNumber;
  place.number = arena.Make<NumberPrefix>();
  return StepInNumber(place, byte, arena);
}

bool Machine::StepInNumber(Place& place, std::uint8_t byte, Arena& arena) {
  NumberPrefix* next = arena.Make<NumberPrefix>(*place.number);
  if (!next->Step(byte) || !known_.NumbersOf(*place.value).Admits(*next) || !IsNumberOpen(place, *next)) return false;
  place.number = next;
  return true;
}

bool Machine::RemembersNumbers(const Place& place) {
  const bool is_item = place.where == Where::kValue || place.where == Where::kInNumber;  // another one has come
  return is_item && place.frame != nullptr && place.frame->others.size() != 0 &&
         Remembers(place.frame, ValueKind::kNumber);
}

bool Machine::IsNumberOpen(const Place& place, const NumberPrefix& number) {
  if (!RemembersNumbers(place)) return true;
  const bool has_negatives = known_.NumbersOf(*place.value).Has(Decimal::Of("1", 0).Negated(), true);
  const std::optional<std::string> keys = KeysOfRest(number, has_negatives);
  if (!keys.has_value()) return true;
  ++probes_;
  std::vector<std::string> items;
  place.frame->others.ForEachFrom(*keys, [&](const SeenKey& key) { items.push_back(*CanonicalOfKey(key.text)); });
  if (items.empty()) return true;
  const std::optional<Demand> item = rules().NextItem(rules().WithItems(place.frame->rules->residual, items));
  return item.has_value() && (rules().KindsOf(*item) & BitOf(ValueKind::kNumber)) != 0 &&
         rules().NumbersOf(*item).Admits(number);
}

bool Machine::EndNumber(Place& place, Arena& arena) {
  if (!known_.NumbersOf(*place.value).Accepts(*place.number)) return false;
  if (!IsAskedFor(place)) return EndValue(place, {}, {}, arena);
  const std::optional<Decimal> value = place.number->Value();
  DECANT_CHECK(value.has_value());  // finite numbers have no exponents out of reach
  Truths truths;
  if (place.value->is_watched) {
    truths = rules().TruthsOfNumber(place.value->demand.watched, *value, place.number->is_plain());
  }
  std::string canonical;
  if (place.frame != nullptr && place.frame->records_items) canonical = value->ToText();
  if (!Remembers(place.frame, ValueKind::kNumber)) return EndValue(place, truths, canonical, arena);
  return EndItem(place, truths, canonical, KeyOfNumber(*value), arena);
}

bool Machine::StepInLiteral(Place& place, std::uint8_t byte, Arena& arena) {
  const std::string_view text = CanonicalLiteral(place.literal);
  if (byte != static_cast<std::uint8_t>(text[place.literal_bytes])) return false;
  if (++place.literal_bytes < text.size()) return true;
  Truths truths;
  if (place.value->is_watched) truths = rules().TruthsOfLiteral(place.value->demand.watched, place.literal);
  const bool recorded = place.frame != nullptr && place.frame->records_items;
  return EndValue(place, truths, recorded ? text : std::string_view{}, arena);
}

// Keys of places.

PlaceKeys Machine::KeysOf(const Place& place) {
  PlaceKeys keys = place.frame == nullptr ? PlaceKeys{.narrow = serial_, .wide = serial_} : place.frame->keys;
  std::uint64_t white = place.white;
  if (options_.whitespace == JsonWhitespace::kAny) {
    white = std::min<std::uint64_t>(options_.max_whitespace - white, options_.horizon + 1);
  }
  keys = Add(keys, static_cast<std::uint64_t>(place.where) << 32 | white);
  if (place.key != nullptr) {
    keys = Add(keys, static_cast<std::uint64_t>(place.key_class));
    keys.wide = grammar::Add(keys.wide, place.key->hash);
    // A name's class says which name it is, but for the canonical text of its object.
    if (place.frame->records_self) keys.narrow = grammar::Add(keys.narrow, place.key->hash);
  }
  switch (place.where) {
    case Where::kValue:
      return Add(keys, Packed(place.value->demand));
    case Where::kInKey: {
      keys = Add(keys, static_cast<std::uint64_t>(place.string.content) << 32 | place.string.escape);
      keys.wide = grammar::Add(keys.wide, ContentOf(place.text));
      const KeyChoice& choice = known_.KeysOf(*place.frame->rules);
      if (choice.others.size() > 1 || place.frame->records_self || SizeOf(place.text) > kLongKey ||
          BeginsName(choice, ToString(place.text))) {
        keys.narrow = grammar::Add(keys.narrow, ContentOf(place.text));
      }
      return keys;
    }
    case Where::kInString:
      keys = Add(keys, static_cast<std::uint64_t>(place.string.content) << 32 | place.string.escape);
      keys = Add(keys, static_cast<std::uint64_t>(place.value->demand.watched));
      return IsAskedFor(place) ? Add(keys, ContentOf(place.text)) : keys;
    case Where::kInNumber:
      keys = Add(keys, known_.NumbersOf(*place.value).KeyOf(*place.number, options_.numbers));
      if (!IsAskedFor(place)) return keys;
      keys = Add(keys, static_cast<std::uint64_t>(place.value->demand.watched));
      return Add(keys, grammar::Add(Fingerprint{}, place.number->text()));
    case Where::kInLiteral:
      keys = Add(keys, static_cast<std::uint64_t>(place.value->demand.watched));
      return Add(keys, static_cast<std::uint64_t>(place.literal) << 8 | place.literal_bytes);
    default:
      return keys;
  }
}

}  // namespace decant::grammar
