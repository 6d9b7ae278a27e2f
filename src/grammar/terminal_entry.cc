// Entries of string states: a row of plain tokens where the text is free, and the tokens that close it by the texts
// that they add; a walk along the texts where those are a list; a walk of the tree for the others. Beside a bound on
// the text's length that short tokens cannot reach, all is as without it but for the few long ones.
#include "grammar/terminal_entry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/check.h"
#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"
#include "grammar/mask_words.h"
#include "grammar/string_terminal.h"
#include "grammar/token_trie.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {
namespace {

constexpr SearchBudget kQuickBudget{.states = 100}, kFreeBudget{.states = 1000};
constexpr std::size_t kFewBytes = 25;  // that may come next: a short walk
constexpr std::size_t kMostFingerprints = std::size_t{1} << 17;

StringState StateOf(std::uint64_t key) {
  return {.content = static_cast<Expr>(key >> 32), .escape = static_cast<EscapeState>(key)};
}

// Of the decoded text of a token's bytes, up to its closing quote.
std::uint64_t CharactersInString(std::string_view bytes) {
  std::uint64_t characters = 0;
  EscapeState escape = kNoEscape;
  const auto count = [&characters](char c) { characters += (static_cast<std::uint8_t>(c) & 0xC0u) != 0x80 ? 1 : 0; };
  for (const char c : bytes) {
    if (c == '"' && escape == kNoEscape) break;
    if (c != '\\' && escape == kNoEscape) {
      count(c);
      continue;
    }
    const std::optional<DecodedByte> decoded = Decode(escape, static_cast<std::uint8_t>(c));
    if (!decoded.has_value()) break;
    std::ranges::for_each(decoded->view(), count);
    escape = decoded->escape;
  }
  return characters;
}

bool FollowsKey(std::string_view tail) {
  return tail.empty() || tail.front() == ':' || tail.front() == ' ' || tail.front() == '\t' || tail.front() == '\n' ||
         tail.front() == '\r';
}

}  // namespace

std::size_t TerminalEntry::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + inner_.memory_bytes() + exits_.capacity() * sizeof(Exit) +
                      tokens_.capacity() * sizeof(TokenId) + contents_.capacity() * sizeof(std::string);
  for (const std::string& content : contents_) bytes += content.capacity();
  return bytes;
}

std::uint64_t TerminalEntries::Inside::Step(std::uint64_t key, std::uint8_t byte) {
  const StringState state = StateOf(key);
  if (byte == '"' && state.escape == kNoEscape) return CanClose(*pool, state) ? kLeaveKey : kDeadKey;
  return KeyOf(grammar::Step(*pool, state, byte));
}

ByteSet TerminalEntries::Inside::FirstBytes(std::uint64_t key) { return grammar::FirstBytes(*pool, StateOf(key)); }

std::uint64_t TerminalEntries::Inside::LeadOf(std::uint64_t key) {
  const StringState state = StateOf(key);
  const Expr lead = state.escape == kNoEscape ? pool->LeadOf(state.content) : kUnknownExpr;
  return lead == kUnknownExpr ? kDeadKey : KeyOf({.content = lead});
}

// The tokens that close the string, as they are met.
struct TerminalEntries::Exits {
  struct Met {
    std::uint64_t group;  // content, tail
    TokenId token;
    auto operator<=>(const Met&) const = default;
  };
  ExitDetail detail;
  ExitTails tails;
  EscapeState escape;
  std::vector<Met> met = {};
  std::vector<std::string> contents = {};
  std::unordered_map<std::string, std::uint32_t> content_index = {};

  bool IsWanted(std::string_view tail) const { return tails == ExitTails::kAny || FollowsKey(tail); }

  std::uint32_t IndexOf(std::string content) {
    const auto [found, is_new] = content_index.try_emplace(content, static_cast<std::uint32_t>(contents.size()));
    if (is_new) contents.push_back(std::move(content));
    return found->second;
  }

  // The tokens have their closing quote before the byte `start`.
  void Take(const Vocabulary& vocabulary, std::span<const TokenId> tokens, std::size_t start) {
    std::uint32_t content = 0;
    bool has_content = detail == ExitDetail::kTail;
    for (const TokenId token : tokens) {
      const std::string_view bytes = vocabulary.bytes(token);
      if (!IsWanted(bytes.substr(start))) continue;
      if (!has_content) content = IndexOf(DecodeAll(escape, bytes.substr(0, start - 1)));
      has_content = true;
      met.push_back({.group = std::uint64_t{content} << 32 | TailOf(vocabulary, token, start), .token = token});
    }
  }

  // Those whose text before the quote the content has.
  void TakeClosing(const Vocabulary& vocabulary, ExprPool& pool, Expr content);

  static std::uint32_t TailOf(const Vocabulary& vocabulary, TokenId token, std::size_t start) {
    const std::optional<QuotedTail> quoted = vocabulary.quoted_tail(token);
    if (quoted.has_value() && quoted->start == start) return quoted->tail;
    return vocabulary.IndexOfTail(vocabulary.bytes(token).substr(start));
  }
};

void TerminalEntries::Exits::TakeClosing(const Vocabulary& vocabulary, ExprPool& pool, Expr content) {
  const ClosingTokens& closing = vocabulary.closing_tokens();
  const TokenTrie& tree = closing.tree();
  std::vector<bool> is_text(closing.contents().size());
  if (closing.has_empty()) is_text[0] = pool.IsNullable(content);
  std::vector<Expr> states(tree.height() + 1, content);
  for (std::uint32_t i = 0; i < tree.size();) {
    const TokenTrie::Node& node = tree.node(i);
    const Expr next = pool.Next(states[node.depth - 1u], node.byte);
    states[node.depth] = next;
    if (next == kNothing) {
      i = node.end;
      continue;
    }
    for (const TokenId text : tree.TokensAt(i)) is_text[text] = pool.IsNullable(next);
    ++i;
  }
  if (detail == ExitDetail::kTail) {
    for (const ClosingTokens::Closing& token : closing.by_tail()) {
      if (!is_text[token.content] || !IsWanted(vocabulary.tails()[token.tail])) continue;
      met.push_back({.group = token.tail, .token = token.token});
    }
    return;
  }
  std::uint32_t last = ~std::uint32_t{0}, index = 0;
  for (const ClosingTokens::Closing& token : closing.by_content()) {
    if (!is_text[token.content] || !IsWanted(vocabulary.tails()[token.tail])) continue;
    if (token.content != last) index = IndexOf(closing.contents()[token.content]);
    last = token.content;
    met.push_back({.group = std::uint64_t{index} << 32 | token.tail, .token = token.token});
  }
}

TerminalEntries::TerminalEntries(const Vocabulary& vocabulary, ExprPool& pool)
    : vocabulary_(vocabulary), pool_(pool), walk_(Inside{&pool}), row_(vocabulary.words()) {}

std::shared_ptr<const TerminalEntry> TerminalEntries::Of(StringState state, ExitDetail detail, ExitTails tails) {
  DECANT_DCHECK(!IsDead(state));
  if (fingerprints_.size() > kMostFingerprints) fingerprints_.clear();
  const auto [found, is_new] = fingerprints_.try_emplace(KeyOf(state));
  if (is_new) found->second = FingerprintOf(pool_, state, vocabulary_.longest_token());
  const Fingerprint key =
      Add(found->second, static_cast<std::uint64_t>(detail) * 2 + static_cast<std::uint64_t>(tails));
  if (auto entry = vocabulary_.cache().Find<TerminalEntry>(key)) return entry;
  return vocabulary_.cache().Insert(key, Make(state, detail, tails));
}

void TerminalEntries::WalkTree(const TokenTrie& trie, StringState state, std::span<std::uint32_t> inner, Exits& exits) {
  walk_.Run(trie, KeyOf(state), inner, [this, &trie, &exits](std::uint32_t node) {
    exits.Take(vocabulary_, trie.TokensOf(node), trie.node(node).depth);
  });
}

// Of a list of texts: along each of them, from where it leaves the one before. Escapes are walked as elsewhere.
void TerminalEntries::WalkTexts(Expr content, std::span<const std::string_view> texts, std::span<std::uint32_t> inner,
                                Exits& exits) {
  const TokenTrie& trie = vocabulary_.trie();
  const auto leave = [this, &trie, &exits](std::uint32_t node) {
    exits.Take(vocabulary_, trie.TokensOf(node), trie.node(node).depth);
  };
  struct Escape {
    std::uint32_t node;  // of a backslash
    std::string begun;   // the texts mean nothing once the pool grows
  };
  std::vector<Escape> escapes;
  std::vector<std::uint32_t> path;  // the nodes of the text so far
  const auto enter = [&](std::uint32_t node, std::string_view begun) {
    path.push_back(node);
    const std::uint32_t backslash = trie.FindChild(node, '\\');
    if (backslash != TokenTrie::kNoNode) escapes.push_back({.node = backslash, .begun = std::string(begun)});
  };
  enter(TokenTrie::kRoot, {});
  std::string_view last;
  for (const std::string_view text : texts) {
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(last, text).in1 - last.begin());
    last = text;
    if (path.size() <= shared) continue;  // no token goes on where this text and the one before are still the same
    path.resize(shared + 1);
    for (std::size_t at = shared; at < text.size(); ++at) {
      const auto byte = static_cast<std::uint8_t>(text[at]);
      if (byte < 0x20 || byte == '"' || byte == '\\') break;
      const std::uint32_t child = trie.FindChild(path.back(), byte);
      if (child == TokenTrie::kNoNode) break;
      for (const TokenId token : trie.TokensAt(child)) AddToken(inner, token);
      enter(child, text.substr(0, at + 1));
    }
    if (path.size() <= text.size()) continue;
    const std::uint32_t quote = trie.FindChild(path.back(), '"');
    if (quote != TokenTrie::kNoNode) leave(quote);
  }
  for (const Escape& escape : escapes) {
    const StringState before = {.content = pool_.Next(content, escape.begun)};
    walk_.RunBelow(trie, escape.node, KeyOf(before), inner, leave);
  }
}

void TerminalEntries::FindTokens(StringState state, std::span<std::uint32_t> inner, Exits& exits) {
  const PlainTokens& plain = vocabulary_.string_plain();
  const auto walk_all = [&] { WalkTree(vocabulary_.trie(), state, inner, exits); };
  if (state.escape != kNoEscape) return walk_all();
  if (const auto texts = pool_.ListedTexts(state.content)) return WalkTexts(state.content, *texts, inner, exits);
  if (FirstBytes(pool_, state).Count() <= kFewBytes) return walk_all();

  std::uint64_t free = pool_.FreeLength(state.content, vocabulary_.longest_token(), kQuickBudget);
  if (free > 0 && pool_.LongestText(state.content) <= free) {
    plain.AddUpTo(free, inner);
    plain.AddRestUpTo(free, inner);
    return exits.TakeClosing(vocabulary_, pool_, state.content);
  }
  if (free == 0 || !plain.Covers(free)) {
    if (walk_.FillPlain(vocabulary_, plain, KeyOf(state), inner)) {
      WalkTree(plain.rest(), state, inner, exits);
      return exits.TakeClosing(vocabulary_, pool_, state.content);
    }
    // A language that is free for ever shows that soon; of others it is enough to know that few tokens reach further.
    if (free > 0) free = pool_.FreeLength(state.content, PlainTokens::kCounted, kFreeBudget);
    if (free == 0 || !plain.Covers(free)) return walk_all();
  }
  plain.AddUpTo(free, inner);
  WalkTree(plain.rest(), state, inner, exits);
  if (plain.NeedsBeyond(free)) WalkTree(plain.beyond(), state, inner, exits);
  exits.TakeClosing(vocabulary_, pool_, state.content);
}

// As without the bound, but for the tokens that reach it. False, and nothing done, where those are many.
bool TerminalEntries::FindTokensBeside(const ExprPool::CharacterBound& bound, StringState state,
                                       std::span<std::uint32_t> inner, Exits& exits) {
  if (!bound.IsOutOfReach(Vocabulary::kShort) || state.escape != kNoEscape || exits.detail != ExitDetail::kTail) {
    return false;
  }
  const auto without = Of({.content = bound.without}, exits.detail, exits.tails);
  without->inner_.CopyTo(inner);
  // No text has more characters than bytes.
  for (const TokenId token : vocabulary_.long_tokens()) {
    const std::string_view bytes = vocabulary_.bytes(token);
    if (!HasToken(inner, token) || bound.IsOutOfReach(bytes.size())) continue;
    const std::uint64_t characters = CharactersInString(bytes);
    if (bound.IsOutOfReach(characters)) continue;
    const bool is_past = !bound.is_of_start && characters > bound.most;
    if (is_past || IsDead(Step(pool_, state, bytes))) RemoveToken(inner, token);
  }
  for (const TerminalEntry::Exit& exit : without->exits_) {
    for (const TokenId token : without->TokensOf(exit)) {
      const std::string_view bytes = vocabulary_.bytes(token);
      if (!bound.IsOutOfReach(bytes.size())) {
        const StringState end =
            Step(pool_, state, bytes.substr(0, bytes.size() - vocabulary_.tails()[exit.tail].size() - 1));
        if (IsDead(end) || !CanClose(pool_, end)) continue;
      }
      exits.met.push_back({.group = exit.tail, .token = token});
    }
  }
  return true;
}

std::shared_ptr<const TerminalEntry> TerminalEntries::Make(StringState state, ExitDetail detail, ExitTails tails) {
  const std::optional<ExprPool::CharacterBound> bound = pool_.BoundOf(state.content);
  const bool is_far = bound.has_value() && bound->IsOutOfReach(vocabulary_.longest_token());
  if (is_far) state.content = bound->without;
  Exits exits{.detail = detail, .tails = tails, .escape = state.escape};
  if (detail == ExitDetail::kTail) exits.contents.emplace_back();
  if (is_far || !bound.has_value() || !FindTokensBeside(*bound, state, row_, exits)) {
    std::fill(row_.begin(), row_.end(), 0u);
    walk_.Trim();
    FindTokens(state, row_, exits);
    if (!std::ranges::is_sorted(exits.met)) std::ranges::sort(exits.met);
  }

  const auto entry = std::make_shared<TerminalEntry>();
  entry->inner_ = TokenSet::Of(row_);
  entry->tokens_.reserve(exits.met.size());
  std::uint64_t last = ~std::uint64_t{0};
  for (const Exits::Met& met : exits.met) {
    const auto at = static_cast<std::uint32_t>(entry->tokens_.size());
    if (met.group != last) {
      entry->exits_.push_back({.tail = static_cast<std::uint32_t>(met.group),
                               .content = static_cast<std::uint32_t>(met.group >> 32),
                               .first = at,
                               .end = at});
    }
    last = met.group;
    entry->tokens_.push_back(met.token);
    ++entry->exits_.back().end;
  }
  entry->exits_.shrink_to_fit();
  entry->contents_ = std::move(exits.contents);
  return entry;
}

}  // namespace decant::grammar
