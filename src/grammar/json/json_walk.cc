// The walk over the tree of tokens, from place to place; strings and numbers by their entries.
#include "grammar/json/json_walk.h"

#include <algorithm>
#include <array>
#include <string>

#include "grammar/json/asked_ends.h"
#include "grammar/json/key_choice.h"
#include "grammar/json/literals.h"
#include "grammar/json/remembered_items.h"
#include "grammar/mask_words.h"
#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

constexpr std::string_view kBetweenBytes = "{}[]:,\"-0123456789tfn";
constexpr ByteClasses kAllClasses = ~ByteClasses{0};
constexpr ByteClasses kNumberClasses =
    Only(ByteClass::kMinus) | Only(ByteClass::kDigit) | Only(ByteClass::kNumberRest) | Only(ByteClass::kE);
constexpr ByteClasses kNumberStart = Only(ByteClass::kMinus) | Only(ByteClass::kDigit);
constexpr std::size_t kMostTailRows = 512;
constexpr std::size_t kTailsForWalk = 24;  // fewer are stepped through one by one

ByteClasses ClassesOf(std::uint8_t kinds) {
  ByteClasses classes = 0;
  const auto add = [&](ValueKind kind, ByteClasses bits) {
    if ((kinds & BitOf(kind)) != 0) classes |= bits;
  };
  add(ValueKind::kNull, Only(ByteClass::kN));
  add(ValueKind::kFalse, Only(ByteClass::kF));
  add(ValueKind::kTrue, Only(ByteClass::kT));
  add(ValueKind::kNumber, kNumberStart);
  add(ValueKind::kString, Only(ByteClass::kQuote));
  add(ValueKind::kArray, Only(ByteClass::kOpenBracket));
  add(ValueKind::kObject, Only(ByteClass::kOpenBrace));
  return classes;
}

// Of a tail after a string: whether it opens another one and goes on.
bool WritesInString(std::string_view tail) {
  const std::size_t quote = tail.find('"');
  return quote != std::string_view::npos && quote + 1 < tail.size();
}

bool IsInside(const Place& place) { return place.where == Where::kInString || place.where == Where::kInKey; }

}  // namespace

JsonWalk::JsonWalk(Machine& machine, const Vocabulary& vocabulary)
    : machine_(machine),
      vocabulary_(vocabulary),
      between_(BetweenTokens::Of(vocabulary)),
      key_tails_(KeyTails::Of(vocabulary, machine)),
      terminals_(vocabulary, machine.exprs()),
      openings_(vocabulary, machine.exprs()),
      numbers_(vocabulary, between_->numbers()),
      places_(vocabulary.trie().height() + 1),
      classes_(vocabulary.trie().height() + 1),
      tail_places_(vocabulary.tail_trie().height() + 1),
      tail_classes_(vocabulary.tail_trie().height() + 1),
      tail_row_(WordsFor(vocabulary.tails().size())) {}

MaskParts& JsonWalk::Fill(const Place& place) {
  if (tails_after_.size() >= kMostTailRows) tails_after_.clear();
  parts_.Clear();
  switch (place.where) {
    case Where::kInString:
      FillInString(place);
      break;
    case Where::kInKey:
      FillInKey(place);
      break;
    case Where::kInNumber:
      FillInNumber(place);
      break;
    default:
      FillBetween(place);
      break;
  }
  opened_.reset();
  arena_.Clear();
  return parts_;
}

// The classes of bytes that may come: a few too many, but none too few.
ByteClasses JsonWalk::ClassesAt(const Place& place) const {
  if (IsInside(place)) return kAllClasses;
  if (place.where == Where::kInLiteral) return Only(ByteClass::kLetter) | Only(ByteClass::kE);
  if (machine_.NeedsSpace(place)) return Only(ByteClass::kWhite);
  ByteClasses classes = machine_.TakesWhite(place) ? Only(ByteClass::kWhite) : 0;
  const Frame* frame = place.frame;
  switch (place.where) {
    case Where::kValue:
      return classes | ClassesOf(place.value->kinds);
    case Where::kFirstItem:
      if (frame->rules->can_close) classes |= Only(ByteClass::kCloseBracket);
      if (const DemandRules* item = machine_.known().NextItem(*frame->rules)) classes |= ClassesOf(item->kinds);
      return classes;
    case Where::kFirstKey:
      if (frame->rules->can_close) classes |= Only(ByteClass::kCloseBrace);
      return classes | Only(ByteClass::kQuote);
    case Where::kKey:
      return classes | Only(ByteClass::kQuote);
    case Where::kAfterKey:
      return classes | Only(ByteClass::kColon);
    case Where::kInNumber:
      classes |= kNumberClasses;
      if (frame == nullptr) return classes;
      return classes | Only(ByteClass::kComma) | Only(ByteClass::kCloseBrace) | Only(ByteClass::kCloseBracket) |
             Only(ByteClass::kWhite);
    case Where::kAfterValue:
      classes |= Only(ByteClass::kComma);
      if (!frame->rules->can_close) return classes;
      return classes | Only(frame->kind() == ValueKind::kArray ? ByteClass::kCloseBracket : ByteClass::kCloseBrace);
    default:
      return 0;
  }
}

// Between the scalars.

void JsonWalk::FillBetween(const Place& place) {
  ByteClasses classes = ClassesAt(place);
  if ((classes & Only(ByteClass::kWhite)) != 0) {
    if (machine_.options().whitespace == JsonWhitespace::kAny) {
      FillAfterWhite(place, classes);
    } else {
      FillFromByte(place, ' ');
    }
  }
  if ((classes & kNumberStart) != 0) {
    Place start = place;
    if (place.where == Where::kFirstItem) start.value = machine_.known().NextItem(*place.frame->rules);
    const std::shared_ptr<const NumberEntry> entry = NumberAt(start);
    AddNumberInner(entry, start);
    FillExits(*entry, place);
    classes &= ~kNumberStart;
  }
  for (const char c : kBetweenBytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if ((classes & ClassBitOf(byte)) != 0) FillFromByte(place, byte);
  }
  if (place.where == Where::kInLiteral) {
    for (const char c : std::string_view("aelrsu")) FillFromByte(place, static_cast<std::uint8_t>(c));
  }
}

void JsonWalk::FillFromByte(const Place& place, std::uint8_t byte) {
  const std::uint32_t node = between_->FirstNode(byte);
  if (node == BetweenTokens::kNoNode) return;
  Place after = place;
  if (machine_.Step(after, byte, arena_)) Descend(node, after);
}

void JsonWalk::FillAfterWhite(const Place& place, ByteClasses classes) {
  const std::uint32_t white = machine_.options().max_whitespace - place.white;
  parts_.Add(between_->WhiteUpTo(white));
  for (const char c : kBetweenBytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if ((classes & ClassBitOf(byte)) == 0) continue;
    const std::span<const BetweenTokens::AfterWhite> nodes = between_->AfterWhiteOf(byte);
    if (nodes.empty() || nodes.front().white > white) continue;
    Place after = place;
    if (!machine_.Step(after, byte, arena_)) continue;
    for (const BetweenTokens::AfterWhite& node : nodes) {
      if (node.white > white) break;
      Descend(node.node, after);
    }
  }
}

void JsonWalk::Descend(std::uint32_t node, const Place& place) {
  const TokenTrie& trie = vocabulary_.trie();
  if (IsInside(place)) return AddOpening(node, place);
  parts_.Add(trie.TokensAt(node));
  const std::uint32_t end = trie.node(node).end;
  if (node + 1 == end) return;
  const std::size_t base = trie.node(node).depth;
  places_[0] = place;
  classes_[0] = ClassesAt(place);
  for (std::uint32_t i = node + 1; i < end;) {
    const TokenTrie::Node& at = trie.node(i);
    const std::size_t depth = at.depth - base;
    if ((classes_[depth - 1] & ClassBitOf(at.byte)) == 0) {
      i = at.end;
      continue;
    }
    Place& after = places_[depth];
    after = places_[depth - 1];
    if (!machine_.Step(after, at.byte, arena_)) {
      i = at.end;
      continue;
    }
    if (IsInside(after)) {
      AddOpening(i, after);
      i = at.end;
      continue;
    }
    parts_.Add(trie.TokensAt(i));
    if (i + 1 < at.end) classes_[depth] = ClassesAt(after);
    ++i;
  }
}

// Tokens that open a string: their first quote is the node's byte.
void JsonWalk::AddOpening(std::uint32_t quote_node, const Place& place) {
  const std::vector<std::uint32_t>& tails = OpeningAt(place);
  for (const BetweenTokens::Opening& opening : between_->OpeningsOf(quote_node)) {
    if (HasToken(tails, opening.tail)) parts_.Add(opening.token);
  }
}

const std::vector<std::uint32_t>& JsonWalk::OpeningAt(const Place& place) {
  if (opened_.has_value() && opened_->frame == place.frame && opened_->where == place.where &&
      opened_->string == place.string && opened_->value == place.value) {
    return opening_;
  }
  const std::shared_ptr<const OpeningEntry> entry = openings_.Of(place.string.content);
  opening_.assign(entry->inner().begin(), entry->inner().end());
  const auto add = [this](const OpeningEntry::Exit& exit) { AddToken(opening_, exit.opener); };
  if (place.where == Where::kInKey) {
    AddKeyExits(place, *entry, add);
  } else {
    AddStringExits(place, *entry, add);
  }
  opened_ = place;
  return opening_;
}

bool JsonWalk::TakesTail(Place place, std::string_view tail) { return machine_.Step(place, tail, arena_); }

// Numbers.

std::shared_ptr<const NumberEntry> JsonWalk::NumberAt(const Place& place) {
  static const NumberPrefix kStart;
  const NumberPrefix& prefix = place.where == Where::kInNumber ? *place.number : kStart;
  return numbers_.Of(machine_.known().NumbersOf(*place.value), prefix);
}

// Without tokens after which only numbers follow that the array has.
void JsonWalk::AddNumberInner(const std::shared_ptr<const NumberEntry>& entry, const Place& place) {
  if (!machine_.RemembersNumbers(place)) return parts_.AddInner(entry);
  std::vector<TokenId> tokens;
  entry->inner().AppendTo(tokens);
  const std::size_t all = tokens.size();
  const bool are_all_asked = place.where == Where::kInNumber && MayEndInFew(*place.number, vocabulary_.longest_token());
  std::erase_if(tokens, [&](TokenId token) {
    if (!are_all_asked && vocabulary_.bytes(token).find_first_of("eE-") == std::string_view::npos) return false;
    Place after = place;
    return !machine_.Step(after, vocabulary_.bytes(token), arena_);
  });
  if (tokens.size() == all) {
    parts_.AddInner(entry);
  } else {
    parts_.Add(tokens);
  }
}

void JsonWalk::FillInNumber(const Place& place) {
  const std::shared_ptr<const NumberEntry> entry = NumberAt(place);
  AddNumberInner(entry, place);
  FillExits(*entry, place);
  Place after = place;
  if (machine_.EndNumber(after, arena_)) FillBetween(after);
}

void JsonWalk::FillExits(const NumberEntry& entry, const Place& place) {
  const TokenTrie& trie = vocabulary_.trie();
  for (const std::uint32_t node : entry.exits()) {
    const TokenId token = trie.TokensOf(node).front();
    Place number = place;
    if (!machine_.Step(number, vocabulary_.bytes(token).substr(0, trie.node(node).depth), arena_)) continue;
    const ByteClasses classes = ClassesAt(number) & ~kNumberClasses;
    for (std::uint32_t i = node + 1; i < trie.node(node).end; i = trie.node(i).end) {
      if ((classes & ClassBitOf(trie.node(i).byte)) == 0) continue;
      Place after = number;
      if (machine_.Step(after, trie.node(i).byte, arena_)) Descend(i, after);
    }
  }
}

// Strings.

void JsonWalk::FillInString(const Place& place) {
  const std::shared_ptr<const TerminalEntry> entry = terminals_.Of(
      place.string, Machine::IsAskedFor(place) ? ExitDetail::kContent : ExitDetail::kTail, ExitTails::kAny);
  parts_.AddInner(entry);
  AddStringExits(place, *entry, [&](const TerminalEntry::Exit& exit) { parts_.Add(entry->TokensOf(exit)); });
}

template <class Entry, class Add>
void JsonWalk::AddStringExits(const Place& in_string, const Entry& entry, Add add) {
  if (entry.exits().empty()) return;
  if (Machine::IsAskedFor(in_string)) return AddAskedExits(in_string, entry, add);
  const TailRow& after = TailsAfterValue(in_string);
  for (const auto& exit : entry.exits()) {
    if (HasToken(after.tails, exit.tail)) add(exit);
  }
}

// Of a string that is asked for at its end: by the groups of ends that leave the same behind, but for tails that write
// in the next string.
template <class Entry, class Add>
void JsonWalk::AddAskedExits(const Place& in_string, const Entry& entry, Add add) {
  AskedEnds ends(machine_, in_string);
  std::vector<std::vector<std::uint32_t>> rows;  // of tails, by group
  const auto exits = entry.exits();
  for (std::size_t i = 0, end = 0; i < exits.size(); i = end) {
    while (end < exits.size() && exits[end].content == exits[i].content) ++end;
    const std::string& content = entry.contents()[exits[i].content];
    std::optional<Place> closed;
    bool may_close = true;
    const auto close = [&] {
      if (closed.has_value() || !may_close) return;
      closed = in_string;
      closed->text = Append(in_string.text, content, arena_);
      may_close = machine_.EndString(*closed, arena_);
    };
    const std::optional<std::size_t> group = ends.GroupOf(content);
    const bool is_known = group.has_value() && *group < rows.size();
    const bool has_row = group.has_value() || end - i >= kTailsForWalk;
    if (has_row && !is_known) {
      std::ranges::fill(tail_row_, 0);
      close();
      if (may_close) DescendTails(*closed, tail_row_);
      if (group.has_value()) rows.push_back(tail_row_);
    }
    const std::vector<std::uint32_t>& row = group.has_value() ? rows[*group] : tail_row_;
    for (std::size_t at = i; at < end; ++at) {
      const std::string_view tail = vocabulary_.tails()[exits[at].tail];
      const bool is_in_row = has_row && !(group.has_value() && WritesInString(tail));
      if (!is_in_row) close();
      if (is_in_row ? HasToken(row, exits[at].tail) : may_close && TakesTail(*closed, tail)) add(exits[at]);
    }
  }
}

// A member's future is that of its narrow key, unless a probe shows that it is not.
template <class Close>
const JsonWalk::TailRow& JsonWalk::TailsAfter(const Place& member, Where where, Close close) {
  const PlaceKeys keys =
      machine_.KeysOf({.frame = member.frame, .where = where, .key_class = member.key_class, .key = member.key});
  const auto [narrow, is_new] = tails_after_.try_emplace(keys.narrow);
  if (narrow->second.was_probed) machine_.CountProbe();
  TailRow& row = narrow->second.was_probed ? tails_after_[keys.wide] : narrow->second;
  if (!row.tails.empty()) return row;
  const std::uint64_t before = machine_.probes();
  row.tails.assign(tail_row_.size(), 0);
  Place closed = member;
  if (close(closed)) DescendTails(closed, row.tails);
  if (is_new && machine_.probes() != before) {
    narrow->second.was_probed = true;
    tails_after_[keys.wide].tails = row.tails;
  }
  return row;
}

const JsonWalk::TailRow& JsonWalk::TailsAfterValue(const Place& in_string) {
  return TailsAfter(in_string, Where::kAfterValue, [this](Place& place) { return machine_.EndString(place, arena_); });
}

const JsonWalk::TailRow& JsonWalk::TailsAfterKey(const Place& after_key) {
  return TailsAfter(after_key, Where::kAfterKey, [](Place&) { return true; });
}

void JsonWalk::DescendTails(const Place& place, Row tails) {
  const TokenTrie& trie = vocabulary_.tail_trie();
  if (!vocabulary_.tails().empty() && vocabulary_.tails().front().empty()) AddToken(tails, 0);
  tail_places_[0] = place;
  tail_classes_[0] = ClassesAt(place);
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    if ((tail_classes_[node.depth - 1u] & ClassBitOf(node.byte)) == 0) {
      i = node.end;
      continue;
    }
    Place& after = tail_places_[node.depth];
    after = tail_places_[node.depth - 1u];
    if (!machine_.Step(after, node.byte, arena_)) {
      i = node.end;
      continue;
    }
    for (const TokenId tail : trie.TokensAt(i)) AddToken(tails, tail);
    if (i + 1 < node.end) tail_classes_[node.depth] = ClassesAt(after);
    ++i;
  }
}

// Keys.

void JsonWalk::FillInKey(const Place& place) {
  const std::shared_ptr<const TerminalEntry> entry = terminals_.Of(place.string, ExitDetail::kContent, ExitTails::kKey);
  parts_.AddInner(entry);
  if (entry->exits().empty()) return;
  AddKeyExits(place, *entry, [this, &entry](const TerminalEntry::Exit& exit) { parts_.Add(entry->TokensOf(exit)); });
}

// Where any text is a key, most are no names of the schema, and what follows one follows them all.
template <class Entry, class Add>
void JsonWalk::AddKeyExits(const Place& in_key, const Entry& entry, Add add) {
  const Frame& frame = *in_key.frame;
  machine_.KeyLanguage(frame);
  const KeyChoice& choice = machine_.known().KeysOf(*frame.rules);
  const std::string text = ToString(in_key.text);
  RefusedKeys refused;
  if (frame.has_free_keys) {
    refused = FindRefusedKeys(choice, frame, text);
    if (frame.others.size() != 0 || MayHaveLostNames(choice, frame)) machine_.CountProbe();
  }
  const bool others_are_alike = frame.has_free_keys && choice.others.size() == 1 && !frame.records_self;
  const TailRow* after_others = nullptr;
  const TailRow* after = nullptr;
  std::optional<std::uint32_t> content;
  bool may_close = false, is_other = false;
  for (const auto& exit : entry.exits()) {
    const bool reaches_value = key_tails_->ReachValue(exit.tail);
    if (!reaches_value && !key_tails_->MayFollow(exit.tail)) continue;
    const std::string& added = entry.contents()[exit.content];
    if (content != exit.content) {
      content = exit.content;
      const bool is_met = added.empty() ? refused.has_text : refused.next.Has(static_cast<std::uint8_t>(added.front()));
      may_close = true;
      if (is_met) {
        const std::string key = text + added;
        may_close = machine_.IsKeyOpen(frame, {.hash = HashOfKey(key), .text = key});
      }
      is_other = others_are_alike && !is_met;
      after = is_other ? after_others : nullptr;
    }
    if (!may_close) continue;
    if (reaches_value && after == nullptr) {
      Place closed = in_key;
      closed.text = Append(in_key.text, added, arena_);
      may_close = machine_.EndKey(closed, arena_);
      if (!may_close) continue;
      const std::uint64_t before = machine_.probes();
      after = &TailsAfterKey(closed);
      if (is_other && machine_.probes() == before) after_others = after;
    }
    if (!reaches_value || HasToken(after->tails, exit.tail)) add(exit);
  }
}

// Structural tokens.

bool JsonWalk::IsStructural(const Place& place, std::uint8_t byte) {
  switch (place.where) {
    case Where::kInString:
      return byte == '"' && place.string.escape == kNoEscape;
    case Where::kInKey:
      return (byte == '"' && place.string.escape == kNoEscape) ||
             machine_.known().KeysOf(*place.frame->rules).others.empty();
    case Where::kInLiteral:
      return false;
    case Where::kInNumber:
      return !IsNumberByte(byte);
    default: {
      const std::optional<ValueKind> kind = KindBegunBy(byte);
      return !kind.has_value() || *kind == ValueKind::kString || *kind == ValueKind::kArray ||
             *kind == ValueKind::kObject;
    }
  }
}

void JsonWalk::FillStructural(const Place& place, Row row) {
  const TokenTrie& trie = vocabulary_.trie();
  places_[0] = place;
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    const Place& before = places_[node.depth - 1u];
    Place& after = places_[node.depth];
    if ((ClassesAt(before) & ClassBitOf(node.byte)) != 0 && IsStructural(before, node.byte)) {
      after = before;
      if (machine_.Step(after, node.byte, arena_)) {
        for (const TokenId token : trie.TokensAt(i)) AddToken(row, token);
        ++i;
        continue;
      }
    }
    i = node.end;
  }
  arena_.Clear();
}

}  // namespace decant::grammar
