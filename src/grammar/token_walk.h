// Which tokens an automaton takes, by a walk of their tree. The automaton's states and transitions are noted as the
// walk meets them, so that a byte costs a table look-up; a state that goes on alike over a set of ASCII bytes takes
// whole subtrees of such bytes at once.
#ifndef DECANT_GRAMMAR_TOKEN_WALK_H_
#define DECANT_GRAMMAR_TOKEN_WALK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decant/token.h"
#include "grammar/fingerprint.h"
#include "grammar/mask_words.h"
#include "grammar/token_trie.h"

namespace decant::grammar {

// What an automaton's Step gives instead of a state.
inline constexpr std::uint64_t kDeadKey = 0;                   // no text goes on so
inline constexpr std::uint64_t kLeaveKey = ~std::uint64_t{0};  // the byte ends the terminal; what follows is not its

// Automaton: std::uint64_t Step(std::uint64_t key, std::uint8_t byte), with a key for each of its states. One owner.
template <class Automaton>
class TokenWalk {
 public:
  explicit TokenWalk(Automaton automaton) : automaton_(std::move(automaton)) { Clear(); }

  // Adds to `inner` the tokens whose bytes stay in the automaton, from the state `key` on. For each node whose byte
  // ends the terminal: leave(node), and its subtree is not walked. REQUIRES: `inner` has room for the tree's tokens.
  template <class Leave>
  void Run(const TokenTrie& trie, std::uint64_t key, std::span<std::uint32_t> inner, Leave leave);

  std::size_t states() const { return states_.size(); }
  // Forgets what was noted once it takes much room. Not during a run.
  void Trim() {
    if (states_.size() > kMostStates || rows_.size() > kMostRows * 256) Clear();
  }
  Automaton& automaton() { return automaton_; }

 private:
  using Local = std::uint32_t;  // an index into states_, 0 = dead, 1 = leave
  static constexpr Local kDead = 0, kLeave = 1, kUnknown = 0xFFFFFFFF;
  static constexpr std::uint32_t kStepsBeforeRow = 8;      // a state met once in a narrow place needs no row
  static constexpr std::uint32_t kSubtreesBeforeRuns = 2;  // nor what it does over sets of bytes
  static constexpr std::uint32_t kLeastSubtree = 6;        // nodes that are worth the question
  static constexpr std::size_t kMostStates = 1 << 16, kMostRows = 1 << 13;

  struct Noted {
    std::uint64_t key = 0;
    std::uint32_t row = 0;  // 1 + its start in rows_ / 256; 0 = none
    std::uint32_t steps = 0;
    std::uint32_t subtrees = 0;
    bool has_runs = false;
    Local run_next = kDead;  // where the bytes of `run` lead, all of them
    AsciiSet run = {};
    AsciiSet alive = {};  // bytes that lead on; kOther always among them
  };

  void Clear();
  Local Intern(std::uint64_t key);
  void Grow();
  Local Ask(Local state, std::uint8_t byte) { return Intern(automaton_.Step(states_[state].key, byte)); }
  Local StepOf(Local state, std::uint8_t byte);
  void AddRow(Local state);
  void FindRuns(Local state);
  bool TakesAll(Local state, const AsciiSet& bytes, std::uint32_t height);

  Automaton automaton_;
  std::vector<Noted> states_;
  std::vector<Local> rows_;
  std::vector<Local> table_;  // open addressing by key; 0 = free
  std::vector<Local> path_;   // states by depth
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
void TokenWalk<Automaton>::AddRow(Local state) {
  rows_.resize(rows_.size() + 256, kUnknown);
  states_[state].row = static_cast<std::uint32_t>(rows_.size() / 256);
}

template <class Automaton>
auto TokenWalk<Automaton>::StepOf(Local state, std::uint8_t byte) -> Local {
  Noted& noted = states_[state];
  if (noted.row == 0) {
    if (++noted.steps < kStepsBeforeRow) return Ask(state, byte);
    AddRow(state);
  }
  const std::size_t at = std::size_t{states_[state].row - 1} * 256 + byte;
  if (rows_[at] == kUnknown) {
    const Local next = Ask(state, byte);
    rows_[at] = next;
  }
  return rows_[at];
}

// Finds the largest set of ASCII bytes that lead to one state.
template <class Automaton>
void TokenWalk<Automaton>::FindRuns(Local state) {
  if (states_[state].row == 0) AddRow(state);
  struct Target {
    Local state;
    std::size_t bytes;
    AsciiSet set;
  };
  std::array<Target, 8> targets{};  // the first few are enough: a wide set shows early
  std::size_t found = 0;
  AsciiSet alive;
  alive.Add(AsciiSet::kOther);
  for (std::uint8_t byte = 0; byte < AsciiSet::kOther; ++byte) {
    const Local next = StepOf(state, byte);
    if (next == kDead) continue;
    alive.Add(byte);
    if (next == kLeave) continue;
    std::size_t i = 0;
    while (i < found && targets[i].state != next) ++i;
    if (i == targets.size()) continue;
    if (i == found) targets[found++].state = next;
    ++targets[i].bytes;
    targets[i].set.Add(byte);
  }
  const auto widest = std::max_element(targets.begin(), targets.end(),
                                       [](const Target& a, const Target& b) { return a.bytes < b.bytes; });
  Noted& noted = states_[state];
  noted.has_runs = true;
  noted.alive = alive;
  noted.run = widest->set;
  noted.run_next = widest->state;
}

// Whether every text of at most `height` of the bytes is known to stay in the automaton. The state has runs.
template <class Automaton>
bool TokenWalk<Automaton>::TakesAll(Local state, const AsciiSet& bytes, std::uint32_t height) {
  for (std::uint32_t depth = 0; depth < height; ++depth) {
    if (!states_[state].has_runs) FindRuns(state);
    const Noted& noted = states_[state];
    if (!bytes.IsWithin(noted.run)) return false;
    if (noted.run_next == state) return true;
    state = noted.run_next;
  }
  return height < 255;
}

template <class Automaton>
template <class Leave>
void TokenWalk<Automaton>::Run(const TokenTrie& trie, std::uint64_t key, std::span<std::uint32_t> inner, Leave leave) {
  if (path_.size() <= trie.height()) path_.resize(trie.height() + 1);
  path_[0] = Intern(key);
  const std::uint32_t size = trie.size();
  for (std::uint32_t i = 0; i < size;) {
    const TokenTrie::Node& node = trie.node(i);
    const Local next = StepOf(path_[node.depth - 1u], node.byte);
    if (next <= kLeave) {
      if (next == kLeave) leave(i);
      i = node.end;
      continue;
    }
    if (node.end - i >= kLeastSubtree) {
      if (!states_[next].has_runs && ++states_[next].subtrees >= kSubtreesBeforeRuns) FindRuns(next);
      if (states_[next].has_runs) {
        if (TakesAll(next, trie.below(i), node.height)) {
          for (const TokenId token : trie.TokensOf(i)) AddToken(inner, token);
          i = node.end;
          continue;
        }
        if (!trie.below(i).Meets(states_[next].alive)) {
          for (const TokenId token : trie.TokensAt(i)) AddToken(inner, token);
          i = node.end;
          continue;
        }
      }
    }
    for (const TokenId token : trie.TokensAt(i)) AddToken(inner, token);
    path_[node.depth] = next;
    ++i;
  }
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_TOKEN_WALK_H_
