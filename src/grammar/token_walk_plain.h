// TokenWalk::FillPlain: which plain tokens an automaton takes, by rows of the tokens that have a character.
#ifndef DECANT_GRAMMAR_TOKEN_WALK_PLAIN_H_
#define DECANT_GRAMMAR_TOKEN_WALK_PLAIN_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grammar/token_walk.h"

namespace decant::grammar {

template <class Automaton>
CharacterSet TokenWalk<Automaton>::AliveAt(Local state) {
  if (state <= kLeave) return {};
  if (!states_[state].has_ascii_runs) FindAsciiRuns(state);
  if (!states_[state].has_runs) FindRuns(state);
  return states_[state].alive;
}

// The characters that lead on from one of the states on the way of so many characters of the run.
template <class Automaton>
CharacterSet TokenWalk<Automaton>::AliveAlong(Local state, std::uint32_t steps) {
  CharacterSet alive;
  Local at = state;
  for (std::uint32_t step = 0; step < steps; ++step) {
    alive.Unite(AliveAt(at));
    const Local next = states_[at].run_next;
    if (next == at || next == state) break;
    at = next;
  }
  return alive;
}

template <class Automaton>
bool TokenWalk<Automaton>::Takes(Local state, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size() && state > kLeave; ++i) {
    state = StepOf(state, static_cast<std::uint8_t>(bytes[i]));
  }
  return state > kLeave;
}

template <class Automaton>
bool TokenWalk<Automaton>::FillGroup(const Vocabulary& vocabulary, const PlainTokens& plain, const Group& group,
                                     std::span<const std::uint32_t> tokens, std::span<std::uint32_t> inner) {
  const Local state = group.state;
  if (!states_[state].has_ascii_runs) FindAsciiRuns(state);
  if (!states_[state].has_runs) FindRuns(state);
  if (states_[state].run_next == kDead) return false;
  const PlaceInToken place = group.read == 0 ? PlaceInToken::kAnywhere : PlaceInToken::kAfterFirst;
  const auto too_many_asked = [&] {
    for (std::size_t i = 0; i < tokens.size(); ++i) asked_[i] &= tokens[i];
    return CountTokens(asked_) > kMostAsked * (1 + group.read);  // later it is the better bargain
  };
  // Of tokens within the reach of the run, those of its characters alone stay; and those whose other characters lead on
  // from no state on the way do not. Longer ones have such a character or one that leads on where the reach ends. What
  // is left is read token by token.
  const CharacterSet others = plain.characters().Less(states_[state].run);
  asked_.assign(inner.size(), 0);
  vocabulary.AddTokensWith(others.Both(states_[state].alive), place, asked_);
  if (too_many_asked()) return false;
  ExtendReach(state, kMostReach);
  const std::uint32_t reach = states_[state].reach;
  const CharacterSet past =
      plain.characters().Both(reach == kEndless ? CharacterSet{} : AliveAt(states_[state].reach_end));
  const bool is_narrow = past.Count() <= kFewPast;
  past_.assign(inner.size(), is_narrow ? 0u : ~0u);
  if (is_narrow) vocabulary.AddTokensWith(past, place, past_);
  within_.assign(inner.size(), 0);
  plain.AddUpTo(reach == kEndless ? kEndless : reach + group.read, within_);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    within_[i] &= tokens[i];
    asked_[i] |= tokens[i] & ~within_[i] & past_[i];
  }
  if (const CharacterSet open = others.Both(AliveAlong(state, reach)); !open.IsEmpty()) {
    vocabulary.AddTokensWith(open, place, asked_);
  }
  if (too_many_asked()) return false;
  vocabulary.RemoveTokensWith(others, place, within_);
  Unite(within_, inner);
  AskEach(vocabulary, group.start, asked_, inner);
  return true;
}

// Reads the tokens one by one. Each lies somewhere else in memory, so what is next is fetched ahead.
template <class Automaton>
void TokenWalk<Automaton>::AskEach(const Vocabulary& vocabulary, Local state, std::span<const std::uint32_t> tokens,
                                   std::span<std::uint32_t> inner) {
  constexpr std::size_t kViewAhead = 24, kBytesAhead = 12;  // tokens
  list_.clear();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (std::uint32_t word = tokens[i] & ~inner[i]; word != 0; word &= word - 1) {
      list_.push_back(static_cast<TokenId>(32 * i + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (i + kViewAhead < list_.size()) __builtin_prefetch(&vocabulary.bytes(list_[i + kViewAhead]));
    if (i + kBytesAhead < list_.size()) __builtin_prefetch(vocabulary.bytes(list_[i + kBytesAhead]).data());
    if (Takes(state, vocabulary.bytes(list_[i]))) AddToken(inner, list_[i]);
  }
}

template <class Automaton>
bool TokenWalk<Automaton>::FillByFirst(const Vocabulary& vocabulary, const PlainTokens& plain, Local state,
                                       std::span<std::uint32_t> inner) {
  struct First {
    Local target;
    CharacterSet characters;
  };
  std::vector<First> groups;
  const auto add = [&groups](Local target, std::uint8_t byte) {
    const auto same = std::ranges::find(groups, target, &First::target);
    First& group = same == groups.end() ? groups.emplace_back(First{target, {}}) : *same;
    group.characters.AddFirst(byte);
    return groups.size() <= kMostGroups;
  };
  for (std::uint8_t byte = 0; byte < 0x80; ++byte) {
    const Local next = StepOf(state, byte);
    if (next > kLeave && !add(next, byte)) return false;
  }
  CharacterSet mixed;
  for (std::uint8_t byte = 0xC2; byte <= 0xF4; ++byte) {
    if (StepOf(state, byte) == kDead) continue;
    const Local next = TargetOfFirst(state, byte);
    if (next == kMixed) {
      mixed.AddFirst(byte);
    } else if (next > kLeave && !add(next, byte)) {
      return false;
    }
  }
  // Narrow or short ones are a short walk. (And there is no group inside a character.)
  const auto is_wide = [this](const First& first) {
    if (!states_[first.target].has_ascii_runs) FindAsciiRuns(first.target);
    if (states_[first.target].run.CountAscii() < kWide) return false;
    ExtendReach(first.target, kLongReach);
    return states_[first.target].reach >= kLongReach;
  };
  if (std::ranges::none_of(groups, is_wide)) return false;
  const std::span<const std::uint32_t> all = plain.UpTo(kEndless);
  found_.assign(inner.size(), 0);
  // The plain tokens that begin with one of the characters: by them or by the others, whichever are fewer.
  const auto take_group = [&](const CharacterSet& characters) {
    const CharacterSet others = plain.characters().Less(characters);
    group_.assign(inner.size(), 0);
    if (others.Count() < characters.Count()) {
      std::ranges::copy(all, group_.begin());
      vocabulary.RemoveTokensWith(others, PlaceInToken::kFirst, group_);
    } else {
      vocabulary.AddTokensWith(characters, PlaceInToken::kFirst, group_);
      for (std::size_t i = 0; i < all.size(); ++i) group_[i] &= all[i];
    }
  };
  for (const First& first : groups) {
    take_group(first.characters);
    if (CountTokens(group_) <= kFewAsked) {
      AskEach(vocabulary, state, group_, found_);
      continue;
    }
    const Group group = {.start = state, .state = first.target, .read = 1};
    if (!FillGroup(vocabulary, plain, group, std::span(group_).first(all.size()), found_)) return false;
  }
  take_group(mixed);
  if (CountTokens(group_) > kMostAsked) return false;
  AskEach(vocabulary, state, group_, found_);
  Unite(found_, inner);
  return true;
}

template <class Automaton>
bool TokenWalk<Automaton>::FillPlain(const Vocabulary& vocabulary, const PlainTokens& plain, std::uint64_t key,
                                     std::span<std::uint32_t> inner) {
  const Local state = Intern(key);
  if (state <= kLeave) return false;
  return FillGroup(vocabulary, plain, {.start = state, .state = state, .read = 0}, plain.UpTo(kEndless), inner) ||
         FillByFirst(vocabulary, plain, state, inner);
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_TOKEN_WALK_PLAIN_H_
