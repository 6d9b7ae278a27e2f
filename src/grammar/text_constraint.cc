// Constraints of regular languages. Threads share an automaton under its lock; masks come from the vocabulary's cache.
#include "grammar/text_constraint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/utf8.h"
#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"
#include "grammar/forced_text.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"
#include "grammar/persistent_stack.h"
#include "grammar/regex/regex.h"
#include "grammar/token_walk.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {
namespace {

constexpr SearchBudget kFreeBudget{.states = 1000};
constexpr SearchBudget kEmptinessBudget{.states = 200000};
constexpr SearchBudget kShortestBudget{.states = 20000};

class TextMask final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 2;
  explicit TextMask(TokenSet set) : set_(std::move(set)) {}
  const TokenSet& set() const { return set_; }
  std::size_t memory_bytes() const override { return sizeof(*this) + set_.memory_bytes(); }

 private:
  TokenSet set_;
};

struct PoolAutomaton {
  ExprPool* pool;
  std::uint64_t Step(std::uint64_t key, std::uint8_t byte) {
    return static_cast<std::uint64_t>(pool->Next(static_cast<Expr>(key), byte));
  }
  std::uint64_t LeadOf(std::uint64_t key) {
    const Expr lead = pool->LeadOf(static_cast<Expr>(key));
    return lead == kUnknownExpr ? kDeadKey : static_cast<std::uint64_t>(lead);
  }
  ByteSet FirstBytes(std::uint64_t key) { return pool->FirstBytes(static_cast<Expr>(key)); }
};

// The automaton of a language, as far as it is known. Its members ask for the lock.
class TextAutomaton {
 public:
  explicit TextAutomaton(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)), walk_(PoolAutomaton{&pool_}), row_(vocabulary_->words()) {}

  std::mutex& mutex() { return mutex_; }
  ExprPool& pool() { return pool_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  Expr start() const { return start_; }
  void SetStart(Expr start) {
    start_ = start;
    first_bytes_ = pool_.memory_bytes();
  }
  // What the pool took since the start was set.
  std::size_t grown_bytes() const { return pool_.memory_bytes() - first_bytes_; }

  // The state after a text token; kNothing when the token is none or leads nowhere.
  Expr After(Expr state, TokenId token) {
    return vocabulary_->IsText(token) ? pool_.Next(state, vocabulary_->bytes(token)) : kNothing;
  }
  std::shared_ptr<const TextMask> MaskOf(Expr state);
  bool CanGoOn(Expr state);

 private:
  struct Facts {
    std::optional<Fingerprint> key = {};
    std::optional<bool> can_go_on = {};
  };
  void FindTokens(Expr state);

  std::mutex mutex_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  ExprPool pool_;
  Expr start_ = kNothing;
  std::size_t first_bytes_ = 0;
  TokenWalk<PoolAutomaton> walk_;
  std::unordered_map<Expr, Facts> facts_;
  std::vector<std::uint32_t> row_;  // scratch
};

// Whether a byte may follow.
bool TextAutomaton::CanGoOn(Expr state) {
  std::optional<bool>& known = facts_[state].can_go_on;
  if (known.has_value()) return *known;
  bool found = false;
  for (unsigned byte = 0; byte < 256 && !found; ++byte) {
    found = pool_.Next(state, static_cast<std::uint8_t>(byte)) != kNothing;
  }
  known = found;
  return found;
}

void TextAutomaton::FindTokens(Expr state) {
  const auto walk = [this, state](const TokenTrie& trie) {
    walk_.Run(trie, static_cast<std::uint64_t>(state), row_, [](std::uint32_t) {});
  };
  const PlainTokens& plain = vocabulary_->text_plain();
  const std::uint64_t free = pool_.FreeLength(state, vocabulary_->longest_token(), kFreeBudget);
  if (free > 0 && pool_.LongestText(state) <= free) {
    plain.AddUpTo(free, row_);
    return walk(plain.rest());
  }
  if (free == 0 || !plain.Covers(free)) {
    const bool has_plain = walk_.FillPlain(*vocabulary_, plain, static_cast<std::uint64_t>(state), row_);
    return walk(has_plain ? plain.rest() : vocabulary_->trie());
  }
  Unite(plain.UpTo(free), row_);
  walk(plain.rest());
  if (plain.NeedsBeyond(free)) walk(plain.beyond());
}

std::shared_ptr<const TextMask> TextAutomaton::MaskOf(Expr state) {
  std::optional<Fingerprint>& known = facts_[state].key;
  if (!known.has_value()) known = pool_.ContentWithin(state, vocabulary_->longest_token());
  const Fingerprint key = *known;
  if (auto mask = vocabulary_->cache().Find<TextMask>(key)) return mask;
  std::fill(row_.begin(), row_.end(), 0u);
  walk_.Trim();
  FindTokens(state);
  if (pool_.IsNullable(state)) {
    for (const TokenId token : vocabulary_->end_tokens()) AddToken(row_, token);
  }
  return vocabulary_->cache().Insert(key, std::make_shared<const TextMask>(TokenSet::Of(row_)));
}

class TextGrammar final : public Grammar, public std::enable_shared_from_this<TextGrammar> {
 public:
  TextGrammar(std::shared_ptr<const Vocabulary> vocabulary, TextLanguage language)
      : vocabulary_(std::move(vocabulary)), language_(std::move(language)) {}

  Result<void> Prepare();

  std::unique_ptr<Constraint> Start() const override;
  std::size_t row_length() const override { return vocabulary_->row_length(); }
  std::span<const std::string> unenforced() const override { return {}; }

  const std::string& description() const { return language_.description; }
  std::size_t pool_bytes() const { return language_.pool_bytes; }
  std::shared_ptr<TextAutomaton> current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  // An automaton to use instead of one that grew too large: the current one if that is another, else a new one.
  Result<std::shared_ptr<TextAutomaton>> Replace(const TextAutomaton* grown) const;

 private:
  Result<std::shared_ptr<TextAutomaton>> Build() const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  TextLanguage language_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<TextAutomaton> current_;
};

class TextConstraint final : public Constraint {
 public:
  explicit TextConstraint(std::shared_ptr<const TextGrammar> grammar)
      : grammar_(std::move(grammar)), automaton_(grammar_->current()) {}
  TextConstraint(const TextConstraint&) = default;

  void FillMask(std::span<std::uint32_t> mask) const override;
  void FillStructural(std::span<std::uint32_t> structural) const override {
    std::fill(structural.begin(), structural.end(), 0u);
  }
  Result<void> Accept(TokenId token) override;
  std::size_t Validate(std::span<const TokenId> tokens) const override;
  void RollBack(std::size_t n) override;
  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<TextConstraint>(*this); }
  ConstraintState state() const override;
  std::vector<TokenId> ForcedTokens() const override;
  std::string ForcedBytes() const override;
  bool IsProven() const override;
  std::optional<std::string> ShortestEnd() const override;
  std::string Expected() const override;

 private:
  struct Step {
    Expr state;
    TokenId token;
    bool is_end;
  };
  bool HasEnded() const { return steps_.size() > 0 && steps_.top().is_end; }
  Expr State() const { return steps_.size() > 0 ? steps_.top().state : automaton_->start(); }
  std::optional<Step> After(Expr state, bool has_ended, TokenId token) const;
  std::string TextTail(std::size_t bytes) const;
  ForcedText Forced() const;
  Result<void> MoveToFreshAutomaton();
  Error Refusal(TokenId token) const;

  std::shared_ptr<const TextGrammar> grammar_;
  std::shared_ptr<TextAutomaton> automaton_;
  PersistentStack<Step> steps_;
};

Result<std::shared_ptr<TextAutomaton>> TextGrammar::Build() const {
  auto automaton = std::make_shared<TextAutomaton>(vocabulary_);
  DECANT_TRY(const Expr start, language_.build(automaton->pool()));
  automaton->SetStart(start);
  return automaton;
}

Result<void> TextGrammar::Prepare() {
  DECANT_TRY(current_, Build());
  const std::optional<bool> has_text = current_->pool().HasText(current_->start(), kEmptinessBudget);
  if (!has_text.has_value()) {
    return Fail(ErrorCode::kTooComplex, "whether there is " + description() + " was not decided within " +
                                            std::to_string(kEmptinessBudget.states) + " states");
  }
  if (!*has_text) return Fail(ErrorCode::kUnsatisfiable, "there is no such thing as " + description());
  return {};
}

Result<std::shared_ptr<TextAutomaton>> TextGrammar::Replace(const TextAutomaton* grown) const {
  const std::lock_guard lock(mutex_);
  if (current_.get() == grown) {
    DECANT_TRY(current_, Build());
  }
  return current_;
}

std::unique_ptr<Constraint> TextGrammar::Start() const { return std::make_unique<TextConstraint>(shared_from_this()); }

void TextConstraint::FillMask(std::span<std::uint32_t> mask) const {
  DECANT_DCHECK(mask.size() >= automaton_->vocabulary().words());
  if (HasEnded()) return std::fill(mask.begin(), mask.end(), 0u);
  std::shared_ptr<const TextMask> found;
  {
    const std::lock_guard lock(automaton_->mutex());
    found = automaton_->MaskOf(State());
  }
  found->set().CopyTo(mask);
}

// Where a token leads, under the automaton's lock; nothing when the mask does not have it.
std::optional<TextConstraint::Step> TextConstraint::After(Expr state, bool has_ended, TokenId token) const {
  if (has_ended) return std::nullopt;
  if (automaton_->vocabulary().IsEnd(token)) {
    if (!automaton_->pool().IsNullable(state)) return std::nullopt;
    return Step{.state = state, .token = token, .is_end = true};
  }
  const Expr next = automaton_->After(state, token);
  if (next == kNothing) return std::nullopt;
  return Step{.state = next, .token = token, .is_end = false};
}

Result<void> TextConstraint::Accept(TokenId token) {
  std::optional<Step> step;
  bool is_full = false;
  {
    const std::lock_guard lock(automaton_->mutex());
    step = After(State(), HasEnded(), token);
    is_full = automaton_->grown_bytes() > grammar_->pool_bytes();
  }
  if (!step.has_value()) return std::unexpected(Refusal(token));
  steps_.Push(*step);
  if (!is_full) return {};
  Result<void> moved = MoveToFreshAutomaton();
  if (!moved.has_value()) steps_.Pop();
  return moved;
}

// Follows the text from its start through an automaton that has room. When that fails nothing has moved.
Result<void> TextConstraint::MoveToFreshAutomaton() {
  DECANT_TRY(std::shared_ptr<TextAutomaton> fresh, grammar_->Replace(automaton_.get()));
  std::vector<Step> steps;
  steps.reserve(steps_.size());
  steps_.VisitDown([&steps](const Step& step) {
    steps.push_back(step);
    return true;
  });
  PersistentStack<Step> moved;
  const std::lock_guard lock(fresh->mutex());
  const std::size_t before = fresh->grown_bytes();
  Expr state = fresh->start();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!step->is_end) state = fresh->After(state, step->token);
    moved.Push({.state = state, .token = step->token, .is_end = step->is_end});
  }
  if (fresh->grown_bytes() - before > grammar_->pool_bytes() / 2) {  // it would soon be full again
    return Fail(ErrorCode::kTooComplex,
                "the states of this text take more than " + std::to_string(grammar_->pool_bytes() / 2) + " bytes");
  }
  automaton_ = std::move(fresh);
  steps_ = std::move(moved);
  return {};
}

Error TextConstraint::Refusal(TokenId token) const {
  const Vocabulary& vocabulary = automaton_->vocabulary();
  std::string message = "token " + std::to_string(token);
  if (vocabulary.IsText(token)) message += " (" + core::Quoted(vocabulary.bytes(token)) + ")";
  message += " is not allowed here";
  const std::string expected = Expected();
  return Fail(ErrorCode::kConstraintViolated, message + "; expected " + expected, {.allowed = expected}).error();
}

std::size_t TextConstraint::Validate(std::span<const TokenId> tokens) const {
  const std::lock_guard lock(automaton_->mutex());
  std::optional<Step> step = Step{.state = State(), .token = 0, .is_end = HasEnded()};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    step = After(step->state, step->is_end, tokens[i]);
    if (!step.has_value()) return i;
  }
  return tokens.size();
}

void TextConstraint::RollBack(std::size_t n) {
  DECANT_DCHECK(n <= steps_.size());
  for (; n > 0; --n) steps_.Pop();
}

ConstraintState TextConstraint::state() const {
  if (HasEnded()) return ConstraintState::kMustEnd;
  const std::lock_guard lock(automaton_->mutex());
  const Expr state = State();
  if (state == kNothing) return ConstraintState::kDead;
  if (!automaton_->pool().IsNullable(state)) return ConstraintState::kOpen;
  return automaton_->CanGoOn(state) ? ConstraintState::kMayEnd : ConstraintState::kMustEnd;
}

// The last bytes of the text so far.
std::string TextConstraint::TextTail(std::size_t bytes) const {
  std::string tail;
  steps_.VisitDown([this, bytes, &tail](const Step& step) {
    if (!step.is_end) tail.insert(0, automaton_->vocabulary().bytes(step.token));
    return tail.size() < bytes;
  });
  return tail.size() > bytes ? tail.substr(tail.size() - bytes) : tail;
}

ForcedText TextConstraint::Forced() const {
  if (HasEnded()) return {};
  const std::lock_guard lock(automaton_->mutex());
  return FindForcedText(automaton_->pool(), State());
}

std::string TextConstraint::ForcedBytes() const { return WholeCharacters(TextTail(3), Forced().bytes); }

std::vector<TokenId> TextConstraint::ForcedTokens() const {
  if (HasEnded()) return {};
  const ForcedText forced = Forced();
  return SplitForced(automaton_->vocabulary(), forced);
}

bool TextConstraint::IsProven() const {
  const std::lock_guard lock(automaton_->mutex());
  return automaton_->pool().undecided() == 0;
}

std::optional<std::string> TextConstraint::ShortestEnd() const {
  if (HasEnded()) return std::string();
  const std::lock_guard lock(automaton_->mutex());
  return automaton_->pool().ShortestText(State(), kShortestBudget);
}

std::string TextConstraint::Expected() const {
  if (HasEnded()) return "nothing: the text has ended";
  if (state() == ConstraintState::kMustEnd) return "the end of the text";
  if (const std::string forced = ForcedBytes(); !forced.empty()) return core::Quoted(forced);
  std::string expected = grammar_->description();
  if (steps_.size() > 0) expected = "more of " + expected + ", after " + core::Quoted(TextTail(20));
  if (state() == ConstraintState::kMayEnd) expected += ", or its end";
  return expected;
}

}  // namespace

Result<std::shared_ptr<const Grammar>> MakeTextGrammar(std::shared_ptr<const Vocabulary> vocabulary,
                                                       TextLanguage language) {
  auto grammar = std::make_shared<TextGrammar>(std::move(vocabulary), std::move(language));
  DECANT_CHECKED(grammar->Prepare());
  return grammar;
}

}  // namespace decant::grammar

namespace decant {

void FillMasks(std::span<const Constraint* const> constraints, std::span<std::uint32_t> masks, std::size_t stride) {
  DECANT_DCHECK(masks.size() >= constraints.size() * stride);
  for (std::size_t i = 0; i < constraints.size(); ++i) constraints[i]->FillMask(masks.subspan(i * stride, stride));
}

Result<std::shared_ptr<const Grammar>> CompileRegex(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                    std::string_view regex, RegexSyntax syntax) {
  const auto flavour = syntax == RegexSyntax::kEcma ? grammar::RegexFlavour::kEcma : grammar::RegexFlavour::kPython;
  const auto build = [pattern = std::string(regex), flavour](grammar::ExprPool& pool) {
    return grammar::ParseRegex(pattern, flavour, grammar::RegexMatch::kWhole, pool);
  };
  return grammar::MakeTextGrammar(
      grammar::VocabularyOf(std::move(vocabulary)),
      {.build = build, .description = "a text that matches the regular expression " + core::Quoted(regex)});
}

Result<std::shared_ptr<const Grammar>> CompileChoice(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                     std::span<const std::string> choices) {
  if (choices.empty()) {
    return Fail(ErrorCode::kOutOfRange, "a choice has 0 texts; expected 1 or more",
                {.subject = "choices", .allowed = "1 or more texts"});
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (core::IsValidUtf8(choices[i])) continue;
    return Fail(ErrorCode::kInvalidUtf8,
                "text " + std::to_string(i) + " of a choice, " + core::Quoted(choices[i]) + ", is not valid UTF-8",
                {.subject = "choices[" + std::to_string(i) + "]"});
  }
  const auto build = [texts = std::vector<std::string>(choices.begin(), choices.end())](
                         grammar::ExprPool& pool) -> Result<grammar::Expr> { return pool.Literals(texts); };
  std::string description = "one of " + std::to_string(choices.size()) + " texts";
  if (choices.size() == 1) description = core::Quoted(choices.front());
  return grammar::MakeTextGrammar(grammar::VocabularyOf(std::move(vocabulary)),
                                  {.build = build, .description = std::move(description)});
}

}  // namespace decant
