// The walk over the tree of tokens, from place to place; strings and numbers by their entries.
#include "grammar/json/json_walk.h"

#include <algorithm>
#include <array>
#include <string>

#include "grammar/json/key_choice.h"
#include "grammar/json/literals.h"
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

bool IsInside(const Place& place) { return place.where == Where::kInString || place.where == Where::kInKey; }

}  // namespace

JsonWalk::JsonWalk(Machine& machine, const Vocabulary& vocabulary)
    : machine_(machine),
      vocabulary_(vocabulary),
      between_(BetweenTokens::Of(vocabulary)),
      terminals_(vocabulary, machine.exprs()),
      openings_(vocabulary, machine.exprs()),
      numbers_(vocabulary, between_->has_long_exponents()),
      places_(vocabulary.trie().height() + 1),
      classes_(vocabulary.trie().height() + 1),
      tail_row_(WordsFor(vocabulary.tails().size())) {}

void JsonWalk::Fill(const Place& place, Row row) {
  switch (place.where) {
    case Where::kInString:
      FillInString(place, row);
      break;
    case Where::kInKey:
      FillInKey(place, row);
      break;
    case Where::kInNumber:
      FillInNumber(place, row);
      break;
    default:
      FillBetween(place, row);
      break;
  }
  opened_.reset();
  arena_.Clear();
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

void JsonWalk::FillBetween(const Place& place, Row row) {
  ByteClasses classes = ClassesAt(place);
  if ((classes & Only(ByteClass::kWhite)) != 0) {
    if (machine_.options().whitespace == JsonWhitespace::kAny) {
      FillAfterWhite(place, classes, row);
    } else {
      FillFromByte(place, ' ', row);
    }
  }
  if ((classes & kNumberStart) != 0) {
    Place start = place;
    if (place.where == Where::kFirstItem) start.value = machine_.known().NextItem(*place.frame->rules);
    const std::shared_ptr<const NumberEntry> entry = numbers_.Of(NumberAt(start));
    entry->inner().UniteInto(row);
    FillExits(*entry, place, row);
    classes &= ~kNumberStart;
  }
  for (const char c : kBetweenBytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if ((classes & ClassBitOf(byte)) != 0) FillFromByte(place, byte, row);
  }
  if (place.where == Where::kInLiteral) {
    for (const char c : std::string_view("aelrsu")) FillFromByte(place, static_cast<std::uint8_t>(c), row);
  }
}

void JsonWalk::FillFromByte(const Place& place, std::uint8_t byte, Row row) {
  const std::uint32_t node = between_->FirstNode(byte);
  if (node == BetweenTokens::kNoNode) return;
  Place after = place;
  if (machine_.Step(after, byte, arena_)) Descend(node, after, row);
}

void JsonWalk::FillAfterWhite(const Place& place, ByteClasses classes, Row row) {
  const std::uint32_t white = machine_.options().max_whitespace - place.white;
  for (const TokenId token : between_->WhiteUpTo(white)) AddToken(row, token);
  for (const char c : kBetweenBytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if ((classes & ClassBitOf(byte)) == 0) continue;
    const std::span<const BetweenTokens::AfterWhite> nodes = between_->AfterWhiteOf(byte);
    if (nodes.empty() || nodes.front().white > white) continue;
    Place after = place;
    if (!machine_.Step(after, byte, arena_)) continue;
    for (const BetweenTokens::AfterWhite& node : nodes) {
      if (node.white > white) break;
      Descend(node.node, after, row);
    }
  }
}

void JsonWalk::Descend(std::uint32_t node, const Place& place, Row row) {
  const TokenTrie& trie = vocabulary_.trie();
  if (IsInside(place)) return AddOpening(node, place, row);
  for (const TokenId token : trie.TokensAt(node)) AddToken(row, token);
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
      AddOpening(i, after, row);
      i = at.end;
      continue;
    }
    for (const TokenId token : trie.TokensAt(i)) AddToken(row, token);
    if (i + 1 < at.end) classes_[depth] = ClassesAt(after);
    ++i;
  }
}

// Tokens that open a string: their first quote is the node's byte.
void JsonWalk::AddOpening(std::uint32_t quote_node, const Place& place, Row row) {
  const std::vector<std::uint32_t>& tails = OpeningAt(place);
  for (const TokenId token : vocabulary_.trie().TokensOf(quote_node)) {
    if (HasToken(tails, vocabulary_.quoted_tail(token)->tail)) AddToken(row, token);
  }
}

const std::vector<std::uint32_t>& JsonWalk::OpeningAt(const Place& place) {
  if (opened_.has_value() && opened_->frame == place.frame && opened_->where == place.where &&
      opened_->string == place.string && opened_->value == place.value) {
    return opening_;
  }
  const std::shared_ptr<const OpeningEntry> entry = openings_.Of(place.string.content);
  opening_.assign(entry->inner().begin(), entry->inner().end());
  const ByteClasses follow = place.where == Where::kInKey
                                 ? Only(ByteClass::kColon) | Only(ByteClass::kWhite)
                                 : Only(ByteClass::kComma) | Only(ByteClass::kCloseBrace) |
                                       Only(ByteClass::kCloseBracket) | Only(ByteClass::kWhite);
  for (const OpeningEntry::Exit& exit : entry->exits()) {
    const std::string_view tail = vocabulary_.tails()[exit.tail];
    const std::string_view rest = tail.substr(exit.closed);
    if (!rest.empty() && (follow & ClassBitOf(static_cast<std::uint8_t>(rest.front()))) == 0) continue;
    if (TakesTail(place, tail)) AddToken(opening_, exit.tail);
  }
  opened_ = place;
  return opening_;
}

bool JsonWalk::TakesTail(Place place, std::string_view tail) { return machine_.Step(place, tail, arena_); }

// Numbers.

NumberState JsonWalk::NumberAt(const Place& place) const {
  static const NumberPrefix kStart;
  const bool is_asked_for = Machine::IsAskedFor(place);
  if (place.where == Where::kInNumber && place.number == nullptr) return {.free = place.free_number};
  if (place.where != Where::kInNumber && !is_asked_for && machine_.known().HasAllNumbers(*place.value)) return {};
  return {.set = &machine_.known().NumbersOf(*place.value),
          .prefix = place.where == Where::kInNumber ? place.number : &kStart,
          .needs_value = is_asked_for};
}

void JsonWalk::FillInNumber(const Place& place, Row row) {
  const std::shared_ptr<const NumberEntry> entry = numbers_.Of(NumberAt(place));
  entry->inner().UniteInto(row);
  FillExits(*entry, place, row);
  Place after = place;
  if (machine_.EndNumber(after, arena_)) FillBetween(after, row);
}

void JsonWalk::FillExits(const NumberEntry& entry, const Place& place, Row row) {
  const TokenTrie& trie = vocabulary_.trie();
  for (const std::uint32_t node : entry.exits()) {
    const TokenId token = trie.TokensOf(node).front();
    Place number = place;
    if (!machine_.Step(number, vocabulary_.bytes(token).substr(0, trie.node(node).depth), arena_)) continue;
    const ByteClasses classes = ClassesAt(number) & ~kNumberClasses;
    for (std::uint32_t i = node + 1; i < trie.node(node).end; i = trie.node(i).end) {
      if ((classes & ClassBitOf(trie.node(i).byte)) == 0) continue;
      Place after = number;
      if (machine_.Step(after, trie.node(i).byte, arena_)) Descend(i, after, row);
    }
  }
}

// Strings.

void JsonWalk::FillInString(const Place& place, Row row) {
  const bool is_asked_for = Machine::IsAskedFor(place);
  const std::shared_ptr<const TerminalEntry> entry =
      terminals_.Of(place.string, is_asked_for ? ExitDetail::kContent : ExitDetail::kTail, ExitTails::kAny);
  entry->inner().UniteInto(row);
  const auto add = [&](const TerminalEntry::Exit& exit) {
    for (const TokenId token : entry->TokensOf(exit)) AddToken(row, token);
  };
  const std::span<const TerminalEntry::Exit> exits = entry->exits();
  if (exits.empty()) return;
  if (!is_asked_for) {
    const std::vector<std::uint32_t>& tails = TailsAfterValue(place);
    for (const TerminalEntry::Exit& exit : exits) {
      if (HasToken(tails, exit.tail)) add(exit);
    }
    return;
  }
  for (std::size_t i = 0; i < exits.size();) {
    std::size_t end = i;
    while (end < exits.size() && exits[end].content == exits[i].content) ++end;
    Place closed = place;
    closed.text = Append(place.text, entry->contents()[exits[i].content], arena_);
    if (!machine_.EndString(closed, arena_)) {
      i = end;
      continue;
    }
    if (end - i >= kTailsForWalk) {
      std::ranges::fill(tail_row_, 0);
      DescendTails(closed, tail_row_);
      for (; i < end; ++i) {
        if (HasToken(tail_row_, exits[i].tail)) add(exits[i]);
      }
    }
    for (; i < end; ++i) {
      if (TakesTail(closed, vocabulary_.tails()[exits[i].tail])) add(exits[i]);
    }
  }
}

const std::vector<std::uint32_t>& JsonWalk::TailsAfterValue(const Place& in_string) {
  Fingerprint key;
  if (in_string.frame != nullptr) key = in_string.frame->keys.wide;
  key = Add(key, static_cast<std::uint64_t>(in_string.key_class));
  if (in_string.key != nullptr) key = Add(key, in_string.key->hash);
  if (tails_after_.size() >= kMostTailRows && !tails_after_.contains(key)) tails_after_.clear();
  const auto [found, is_new] = tails_after_.try_emplace(key);
  TailRow& known = found->second;
  if (is_new) {
    const std::uint64_t before = machine_.probes();
    known.tails.assign(tail_row_.size(), 0);
    Place closed = in_string;
    if (machine_.EndString(closed, arena_)) DescendTails(closed, known.tails);
    known.was_probed = machine_.probes() != before;
  } else if (known.was_probed) {
    machine_.CountProbe();
  }
  return known.tails;
}

void JsonWalk::DescendTails(const Place& place, Row tails) {
  const TokenTrie& trie = vocabulary_.tail_trie();
  if (!vocabulary_.tails().empty() && vocabulary_.tails().front().empty()) AddToken(tails, 0);
  if (trie.height() >= places_.size()) return;  // a tail is shorter than its token
  places_[0] = place;
  classes_[0] = ClassesAt(place);
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    if ((classes_[node.depth - 1u] & ClassBitOf(node.byte)) == 0) {
      i = node.end;
      continue;
    }
    Place& after = places_[node.depth];
    after = places_[node.depth - 1u];
    if (!machine_.Step(after, node.byte, arena_)) {
      i = node.end;
      continue;
    }
    for (const TokenId tail : trie.TokensAt(i)) AddToken(tails, tail);
    if (i + 1 < node.end) classes_[node.depth] = ClassesAt(after);
    ++i;
  }
}

// Keys.

void JsonWalk::FillInKey(const Place& place, Row row) {
  const std::shared_ptr<const TerminalEntry> entry = terminals_.Of(place.string, ExitDetail::kContent, ExitTails::kKey);
  entry->inner().UniteInto(row);
  if (!entry->exits().empty()) FillKeyExits(place, *entry, row);
}

void JsonWalk::FillKeyExits(const Place& place, const TerminalEntry& entry, Row row) {
  const Frame& frame = *place.frame;
  const std::string text = ToString(place.text);
  machine_.KeyLanguage(frame);
  RefusedKeys refused;
  if (frame.has_free_keys) {
    refused = FindRefusedKeys(machine_.known().KeysOf(*frame.rules), frame, text);
    if (frame.others.size() != 0) machine_.CountProbe();
  }
  const auto is_open = [&](std::string_view content) {
    const bool is_met = content.empty() ? refused.has_text : refused.next.Has(static_cast<std::uint8_t>(content[0]));
    if (!is_met) return true;
    const std::string key = text + std::string(content);
    return machine_.IsKeyOpen(frame, {.hash = HashOfKey(key), .text = key});
  };
  std::optional<std::uint32_t> content;
  bool may_close = false;
  std::optional<Place> closed;
  for (const TerminalEntry::Exit& exit : entry.exits()) {
    if (content != exit.content) {
      content = exit.content;
      may_close = is_open(entry.contents()[exit.content]);
      closed.reset();
    }
    if (!may_close) continue;
    const std::string_view tail = vocabulary_.tails()[exit.tail];
    std::optional<bool> takes = TakesKeyTail(place, tail);
    if (!takes.has_value()) {
      if (!closed.has_value()) {
        closed = place;
        closed->text = Append(place.text, entry.contents()[exit.content], arena_);
        if (!machine_.EndKey(*closed, arena_)) continue;
      }
      takes = TakesTail(*closed, tail);
    }
    if (!*takes) continue;
    for (const TokenId token : entry.TokensOf(exit)) AddToken(row, token);
  }
}

std::optional<bool> JsonWalk::TakesKeyTail(const Place& in_key, std::string_view tail) const {
  Place place = {.frame = in_key.frame, .where = Where::kAfterKey};
  for (const char c : tail) {
    const ByteClass byte_class = kByteClasses[static_cast<std::uint8_t>(c)];
    if (byte_class == ByteClass::kWhite) {
      if (!machine_.TakesWhite(place)) return false;
      if (machine_.options().whitespace == JsonWhitespace::kSpaced && c != ' ') return false;
      ++place.white;
      continue;
    }
    if (place.where == Where::kValue) {
      if (machine_.NeedsSpace(place)) return false;
      return std::nullopt;
    }
    if (byte_class != ByteClass::kColon) return false;
    place.where = Where::kValue;
    place.white = 0;
  }
  return true;
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
