// Which tokens an automaton takes, by a walk of their tree. The automaton's states and transitions are noted as the
// walk meets them, so that a byte costs a table look-up; where a state goes on alike over a set of characters, subtrees
// of tokens of such characters are taken whole.
#ifndef DECANT_GRAMMAR_TOKEN_WALK_H_
#define DECANT_GRAMMAR_TOKEN_WALK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "decant/token.h"
#include "grammar/byte_set.h"
#include "grammar/fingerprint.h"
#include "grammar/mask_words.h"
#include "grammar/token_trie.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// What an automaton's Step gives instead of a state.
inline constexpr std::uint64_t kDeadKey = 0;                   // no text goes on so
inline constexpr std::uint64_t kLeaveKey = ~std::uint64_t{0};  // the byte ends the terminal; what follows is not its

// Automaton: has a key for each of its states, and
//   std::uint64_t Step(std::uint64_t key, std::uint8_t byte);
//   ByteSet FirstBytes(std::uint64_t key);  // that Step may take: a few too many, but none too few
//   // Another state, from which bytes that lead to one state do so from `key`, too, and from which all lead on that do
//   // from `key` but for those that leave the terminal; kDeadKey where none is known.
//   std::uint64_t LeadOf(std::uint64_t key);
// One owner.
template <class Automaton>
class TokenWalk {
 public:
  explicit TokenWalk(Automaton automaton) : automaton_(std::move(automaton)) { Clear(); }

  // Adds to `inner` the tokens whose bytes stay in the automaton, from the state `key` on. For each node whose byte
  // ends the terminal: leave(node), and its subtree is not walked. REQUIRES: `inner` has room for the tree's tokens.
  template <class Leave>
  void Run(const TokenTrie& trie, std::uint64_t key, std::span<std::uint32_t> inner, Leave leave);

  // Likewise, the subtree of one node; the key is that of the state before the node's byte.
  template <class Leave>
  void RunBelow(const TokenTrie& trie, std::uint32_t node, std::uint64_t key, std::span<std::uint32_t> inner,
                Leave leave);

  // Adds those of the plain tokens that stay in the automaton, by rows of the tokens that have a character: all at once
  // where one state goes on for long over a set of characters, or else by where their first characters lead. False, and
  // nothing added, where a walk of the tree is better. REQUIRES: the state stands between two characters, or in none.
  bool FillPlain(const Vocabulary& vocabulary, const PlainTokens& plain, std::uint64_t key,
                 std::span<std::uint32_t> inner);

  // Forgets what was noted once it takes much room. Not during a run.
  void Trim() {
    if (states_.size() > kMostStates || rows_.size() > kMostRows) Clear();
  }

 private:
  using Local = std::uint32_t;  // an index into states_
  using Row = std::array<Local, 256>;
  static constexpr Local kDead = 0, kLeave = 1, kMixed = 0xFFFFFFFE, kUnknown = 0xFFFFFFFF;
  static constexpr std::uint32_t kStepsBeforeRow = 6;      // a state met once in a narrow place needs no row
  static constexpr std::uint32_t kSubtreesBeforeRuns = 3;  // nor what it does over sets of characters
  static constexpr std::uint32_t kLeastSubtree = 6;        // nodes that are worth the question
  static constexpr std::size_t kLeastRun = 8;              // bytes that may come next, likewise
  static constexpr std::uint32_t kMostReach = 24;          // characters of a run to look ahead
  static constexpr std::size_t kMostAsked = 4096;          // tokens to read one by one
  static constexpr std::size_t kFewAsked = 512;            // tokens that are best read one by one
  static constexpr int kFewPast = 8;                       // characters that lead on past a run
  static constexpr std::size_t kMostGroups = 6;            // of first characters
  static constexpr int kWide = 50;                         // ASCII characters of a run that takes many tokens
  static constexpr std::uint32_t kLongReach = 8;           // that takes most tokens of its run
  static constexpr std::uint32_t kEndless = 0xFFFFFFFF;
  static constexpr std::size_t kMostStates = 1 << 16, kMostRows = 1 << 13;

  struct Noted {
    std::uint64_t key = 0;
    std::uint32_t row = 0;  // 1 + its index in rows_; 0 = none
    std::uint16_t steps = 0;
    std::uint16_t subtrees = 0;
    bool has_ascii_runs = false;
    bool has_runs = false;  // of other characters too
    bool has_first = false;
    bool is_cut = false;      // `reach` grows no more
    Local run_next = kDead;   // where every character of `run` leads; kDead: `run` is empty
    Local reach_end = kDead;  // where `reach` characters of `run` lead
    std::uint32_t reach = 0;  // so many characters of `run` are known to stay in the automaton
    CharacterSet run = {};    // those past ASCII once has_runs
    CharacterSet alive = {};  // characters whose first byte leads on; kBroken, and before has_runs all past ASCII, too
    std::array<Local, 2> even = {kUnknown, kUnknown};  // EvenTarget of one, two bytes
    ByteSet first = {};                                // FirstBytes of the key
  };

  struct OnPath {
    std::uint32_t node = 0;
    Local state = kDead;  // after the node's byte
    ByteSet first = {};   // FirstOf the state
  };

  void Clear();
  Local Intern(std::uint64_t key);
  void Grow();
  Local StepOf(Local state, std::uint8_t byte);
  Local StepInRow(Local state, std::uint8_t byte);
  void AddRow(Local state);
  const ByteSet& FirstOf(Local state);
  const ByteSet& Start(const TokenTrie& trie, OnPath at, std::size_t depth);
  template <class Leave>
  void RunNodes(const TokenTrie& trie, std::uint32_t i, std::uint32_t end, std::span<std::uint32_t> inner, Leave leave);
  void FindAsciiRuns(Local state);
  void FindRuns(Local state);
  Local LeadOf(Local state);  // kDead: none is known
  void TakeAsciiRuns(Local lead, Local state);
  void TakeRuns(Local lead, Local state);
  Local EvenTarget(Local state, std::size_t bytes, std::uint8_t low, std::uint8_t high);
  Local TargetOfFirst(Local state, std::uint8_t first);
  void ExtendReach(Local state, std::uint32_t height);
  CharacterSet AliveAt(Local state);
  CharacterSet AliveAlong(Local state, std::uint32_t steps);
  // Tokens whose first characters have been read, `read` of them.
  struct Group {
    Local start;  // where the tokens begin
    Local state;  // where they have led to
    std::uint32_t read;
  };
  bool FillGroup(const Vocabulary& vocabulary, const PlainTokens& plain, const Group& group,
                 std::span<const std::uint32_t> tokens, std::span<std::uint32_t> inner);
  bool FillByFirst(const Vocabulary& vocabulary, const PlainTokens& plain, Local state, std::span<std::uint32_t> inner);
  void AskEach(const Vocabulary& vocabulary, Local state, std::span<const std::uint32_t> tokens,
               std::span<std::uint32_t> inner);
  bool Takes(Local state, std::string_view bytes);
  bool TakesAll(Local state, const CharacterSet& characters, std::uint32_t height);

  Automaton automaton_;
  std::vector<Noted> states_;
  std::vector<Row> rows_;
  std::vector<Local> table_;                                          // open addressing by key; 0 = free
  std::vector<OnPath> path_;                                          // by depth
  std::vector<std::uint32_t> asked_, within_, past_, group_, found_;  // scratch
  std::vector<TokenId> list_;                                         // likewise
};

template <class Automaton>
void TokenWalk<Automaton>::Clear() {
  states_.assign(2, {});
  states_[kLeave].key = kLeaveKey;
  rows_.clear();
  table_.assign(256, 0);
}

template <class Automaton>
void TokenWalk<Automaton>::Grow() {
  table_.assign(2 * table_.size(), 0);
  const std::size_t mask = table_.size() - 1;
  for (Local state = 2; state < states_.size(); ++state) {
    std::size_t slot = MixBits(states_[state].key) & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = state;
  }
}

template <class Automaton>
auto TokenWalk<Automaton>::Intern(std::uint64_t key) -> Local {
  if (key == kDeadKey) return kDead;
  if (key == kLeaveKey) return kLeave;
  if (2 * states_.size() > table_.size()) Grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = MixBits(key) & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    if (states_[table_[slot]].key == key) return table_[slot];
  }
  table_[slot] = static_cast<Local>(states_.size());
  states_.push_back({.key = key});
  return table_[slot];
}

template <class Automaton>
inline auto TokenWalk<Automaton>::StepInRow(Local state, std::uint8_t byte) -> Local {
  const std::uint32_t row = states_[state].row - 1;
  if (rows_[row][byte] == kUnknown) [[unlikely]] {
    const Local next = Intern(automaton_.Step(states_[state].key, byte));
    rows_[row][byte] = next;
  }
  return rows_[row][byte];
}

template <class Automaton>
inline auto TokenWalk<Automaton>::StepOf(Local state, std::uint8_t byte) -> Local {
  Noted& noted = states_[state];
  if (noted.row == 0) [[unlikely]] {
    if (++noted.steps < kStepsBeforeRow) return Intern(automaton_.Step(noted.key, byte));
    AddRow(state);
  }
  return StepInRow(state, byte);
}

template <class Automaton>
void TokenWalk<Automaton>::AddRow(Local state) {
  rows_.emplace_back().fill(kUnknown);
  states_[state].row = static_cast<std::uint32_t>(rows_.size());
}

template <class Automaton>
const ByteSet& TokenWalk<Automaton>::FirstOf(Local state) {
  Noted& noted = states_[state];
  if (!noted.has_first) {
    noted.first = automaton_.FirstBytes(noted.key);
    noted.has_first = true;
  }
  return noted.first;
}

// Finds the largest set of ASCII characters that lead to one state; a small letter, which most tokens are made of,
// counts as several.
template <class Automaton>
void TokenWalk<Automaton>::FindAsciiRuns(Local state) {
  struct Target {
    Local state;
    std::size_t weight;
    CharacterSet set;
  };
  if (const Local lead = LeadOf(state); lead != kDead) return TakeAsciiRuns(lead, state);
  constexpr std::size_t kWeightOfLetter = 4;
  std::array<Target, 8> targets{};  // the first few are enough: a wide set shows early
  std::size_t found = 0;
  CharacterSet alive;
  alive.words[2] = ~std::uint64_t{0};
  if (states_[state].row == 0) AddRow(state);
  for (std::uint8_t byte = 0; byte < 0x80; ++byte) {
    const Local next = StepInRow(state, byte);
    if (next == kDead) continue;
    alive.AddFirst(byte);
    if (next == kLeave) continue;
    std::size_t i = 0;
    while (i < found && targets[i].state != next) ++i;
    if (i == targets.size()) continue;
    if (i == found) targets[found++].state = next;
    targets[i].weight += byte >= 'a' && byte <= 'z' ? kWeightOfLetter : 1;
    targets[i].set.AddFirst(byte);
  }
  const auto widest = std::max_element(targets.begin(), targets.end(),
                                       [](const Target& a, const Target& b) { return a.weight < b.weight; });
  Noted& noted = states_[state];
  noted.has_ascii_runs = true;
  noted.alive = alive;
  noted.run = widest->set;
  noted.run_next = noted.reach_end = widest->state;
  noted.reach = widest->state == kDead ? 0 : 1;
}

template <class Automaton>
auto TokenWalk<Automaton>::LeadOf(Local state) -> Local {
  const std::uint64_t key = states_[state].key, lead = automaton_.LeadOf(key);
  return lead == key ? kDead : Intern(lead);
}

// From a lead of the state: bytes that are alike there are here.
template <class Automaton>
void TokenWalk<Automaton>::TakeAsciiRuns(Local lead, Local state) {
  if (!states_[lead].has_ascii_runs) FindAsciiRuns(lead);
  CharacterSet run = states_[lead].run, alive = states_[lead].alive;
  run.words[2] = 0;
  alive.words[2] = ~std::uint64_t{0};
  const ByteSet& first = FirstOf(state);
  for (std::size_t i = 0; i < 2; ++i) alive.words[i] |= first.words[i] & ~FirstOf(lead).words[i];
  const Local next = run.IsEmpty() ? kDead : StepOf(state, run.FirstByte());
  Noted& noted = states_[state];
  noted.has_ascii_runs = true;
  noted.alive = alive;
  if (next > kLeave) noted.run = run;
  noted.run_next = noted.reach_end = next > kLeave ? next : kDead;
  noted.reach = next > kLeave ? 1 : 0;
}

template <class Automaton>
void TokenWalk<Automaton>::TakeRuns(Local lead, Local state) {
  if (!states_[lead].has_ascii_runs) FindAsciiRuns(lead);
  if (!states_[lead].has_runs) FindRuns(lead);
  const CharacterSet run = states_[lead].run, alive = states_[lead].alive;
  Local next = states_[state].run_next;
  if (next == kDead && run.CountAscii() == 0 && !run.IsEmpty()) next = TargetOfFirst(state, run.FirstByte());
  Noted& noted = states_[state];
  noted.has_runs = true;
  noted.alive.words[2] = alive.words[2];
  if (next <= kLeave || next == kMixed) return;
  noted.run = run;
  noted.run_next = noted.reach_end = next;
  noted.reach = 1;
  noted.is_cut = false;
}

// Where all texts of so many continuation bytes lead, the first of them in low..high; kMixed when to several places.
template <class Automaton>
auto TokenWalk<Automaton>::EvenTarget(Local state, std::size_t bytes, std::uint8_t low, std::uint8_t high) -> Local {
  if (state == kLeave) return kMixed;
  if (bytes == 0 || state == kDead) return state;
  const bool whole = low == 0x80 && high == 0xBF && bytes <= states_[state].even.size();
  if (whole && states_[state].even[bytes - 1] != kUnknown) return states_[state].even[bytes - 1];
  Local target = kUnknown, last = kUnknown;
  for (unsigned byte = low; byte <= high && target != kMixed; ++byte) {
    const Local next = StepOf(state, static_cast<std::uint8_t>(byte));
    if (next == last) continue;
    last = next;
    const Local end = EvenTarget(next, bytes - 1, 0x80, 0xBF);  // at most three deep
    target = target == kUnknown || end == target ? end : kMixed;
  }
  if (whole) states_[state].even[bytes - 1] = target;
  return target;
}

template <class Automaton>
auto TokenWalk<Automaton>::TargetOfFirst(Local state, std::uint8_t first) -> Local {
  const Local next = StepOf(state, first);
  if (first < 0xE0) return EvenTarget(next, 1, 0x80, 0xBF);
  if (first < 0xF0) return EvenTarget(next, 2, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
  return EvenTarget(next, 3, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
}

// Adds the characters past ASCII.
template <class Automaton>
void TokenWalk<Automaton>::FindRuns(Local state) {
  if (const Local lead = LeadOf(state); lead != kDead) return TakeRuns(lead, state);
  CharacterSet run, alive;
  Local wanted = states_[state].run_next, last = kUnknown, target = kUnknown;
  for (std::uint8_t first = 0xC2; first <= 0xF4; ++first) {
    const Local next = StepOf(state, first);
    if (next != kDead) alive.AddFirst(first);
    // After these first bytes the second one has a range of its own.
    const bool is_cut = first == 0xE0 || first == 0xED || first == 0xF0 || first == 0xF4;
    if (is_cut || next != last) target = TargetOfFirst(state, first);
    last = is_cut ? kUnknown : next;
    if (target <= kLeave || target == kMixed) continue;
    if (wanted == kDead) wanted = target;
    if (target == wanted) run.AddFirst(first);
  }
  Noted& noted = states_[state];
  noted.has_runs = true;
  noted.run.Unite(run);
  noted.run_next = noted.reach_end = wanted;
  noted.reach = wanted == kDead ? 0 : 1;
  noted.is_cut = false;
  noted.alive.words[2] = alive.words[2] | CharacterSet::kBroken;
}

// Follows the run of a state, one character after the other, until its reach is the height or ends.
template <class Automaton>
void TokenWalk<Automaton>::ExtendReach(Local state, std::uint32_t height) {
  while (states_[state].reach < height && !states_[state].is_cut) {
    const Local end = states_[state].reach_end;
    if (end == kDead) return;
    if (!states_[end].has_ascii_runs) FindAsciiRuns(end);
    if (!states_[state].run.IsAscii() && !states_[end].has_runs) FindRuns(end);
    Noted& noted = states_[state];
    if (!noted.run.IsWithin(states_[end].run)) {
      noted.is_cut = true;
      return;
    }
    const Local next = states_[end].run_next;
    noted.reach = next == end || next == state ? kEndless : noted.reach + 1;
    noted.reach_end = next;
  }
}

// Whether every text of at most `height` of the characters is known to stay in the automaton. The state has ASCII runs.
template <class Automaton>
bool TokenWalk<Automaton>::TakesAll(Local state, const CharacterSet& characters, std::uint32_t height) {
  if (characters.IsBroken() || height == 255) return false;
  if (!characters.IsAscii() && !states_[state].has_runs) FindRuns(state);
  if (!characters.IsWithin(states_[state].run)) return false;
  if (states_[state].reach < height) ExtendReach(state, height);
  return states_[state].reach >= height;
}

template <class Automaton>
template <class Leave>
void TokenWalk<Automaton>::Run(const TokenTrie& trie, std::uint64_t key, std::span<std::uint32_t> inner, Leave leave) {
  const ByteSet& first = Start(trie, {.node = TokenTrie::kRoot, .state = Intern(key)}, 0);
  RunNodes(trie, trie.FirstChild(TokenTrie::kRoot, first, 0), trie.size(), inner, leave);
}

template <class Automaton>
template <class Leave>
void TokenWalk<Automaton>::RunBelow(const TokenTrie& trie, std::uint32_t node, std::uint64_t key,
                                    std::span<std::uint32_t> inner, Leave leave) {
  const TokenTrie::Node& at = trie.node(node);
  const ByteSet& first = Start(trie, {.node = TokenTrie::kRoot, .state = Intern(key)}, at.depth - 1u);
  if (first.Has(at.byte)) RunNodes(trie, node, at.end, inner, leave);
}

template <class Automaton>
const ByteSet& TokenWalk<Automaton>::Start(const TokenTrie& trie, OnPath at, std::size_t depth) {
  if (path_.size() <= trie.height()) path_.resize(trie.height() + 1);
  at.first = FirstOf(at.state);
  path_[depth] = at;
  return path_[depth].first;
}

// From the node `i` to the end of its subtree or, of the root's children, to the end of the tree.
template <class Automaton>
template <class Leave>
void TokenWalk<Automaton>::RunNodes(const TokenTrie& trie, std::uint32_t i, std::uint32_t end,
                                    std::span<std::uint32_t> inner, Leave leave) {
  while (i < end) {
    const TokenTrie::Node& node = trie.node(i);
    const OnPath& before = path_[node.depth - 1u];
    if (!before.first.Has(node.byte)) {
      i = trie.HasManyChildren(before.node) ? trie.FirstChild(before.node, before.first, node.byte + 1u) : node.end;
      continue;
    }
    const Local next = StepOf(before.state, node.byte);
    if (next <= kLeave) {
      if (next == kLeave) leave(i);
      i = node.end;
      continue;
    }
    if (node.end - i >= kLeastSubtree) {
      if (!states_[next].has_ascii_runs && ++states_[next].subtrees >= kSubtreesBeforeRuns &&
          FirstOf(next).Count() >= kLeastRun) {
        FindAsciiRuns(next);
      }
      if (states_[next].has_ascii_runs) {
        const CharacterSet& below = trie.below(i);
        if (TakesAll(next, below, node.height)) {
          for (const TokenId token : trie.TokensOf(i)) AddToken(inner, token);
          i = node.end;
          continue;
        }
        if (!below.Meets(states_[next].alive)) {
          for (const TokenId token : trie.TokensAt(i)) AddToken(inner, token);
          i = node.end;
          continue;
        }
      }
    }
    for (const TokenId token : trie.TokensAt(i)) AddToken(inner, token);
    if (i + 1 < node.end) path_[node.depth] = {.node = i, .state = next, .first = FirstOf(next)};
    ++i;
  }
}

}  // namespace decant::grammar

#include "grammar/token_walk_plain.h"  // FillPlain

#endif  // DECANT_GRAMMAR_TOKEN_WALK_H_
