// The tokens of a JSON text, one after the other: masks from the cache or from a walk.
#include <algorithm>
#include <atomic>
#include <string>

#include "core/check.h"
#include "grammar/json/between_tokens.h"
#include "grammar/json/expectation.h"
#include "grammar/json/forced.h"
#include "grammar/json/json_grammar.h"
#include "grammar/json/row_entry.h"
#include "grammar/json/short_end.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"

namespace decant::grammar {
namespace {

ConstraintState StateOf(Machine& machine, const Place& place) {
  if (place.where == Where::kDone) return ConstraintState::kMustEnd;
  return machine.MayEnd(place) ? ConstraintState::kMayEnd : ConstraintState::kOpen;
}

void Arrive(Machine& machine, Moment& moment) {
  moment.keys = machine.KeysOf(moment.place);
  moment.state = StateOf(machine, moment.place);
}

bool MayEndAt(ConstraintState state) { return state == ConstraintState::kMayEnd || state == ConstraintState::kMustEnd; }

}  // namespace

JsonGrammar::JsonGrammar(std::shared_ptr<const Vocabulary> vocabulary, std::unique_ptr<JsonRules> rules,
                         MachineOptions options, std::vector<std::string> unenforced)
    : vocabulary_(std::move(vocabulary)), unenforced_(std::move(unenforced)) {
  options.horizon = vocabulary_->longest_token();
  options.numbers = BetweenTokens::Of(*vocabulary_)->numbers();
  machine_ = std::make_unique<Machine>(std::move(rules), options);
  walk_ = std::make_unique<JsonWalk>(*machine_, *vocabulary_);
}

std::unique_ptr<Constraint> JsonGrammar::Start() const { return std::make_unique<JsonConstraint>(shared_from_this()); }

JsonConstraint::JsonConstraint(std::shared_ptr<const JsonGrammar> grammar) : grammar_(std::move(grammar)) {
  auto start = std::make_unique<Moment>();
  const std::unique_lock lock = grammar_->Lock();
  start->place = grammar_->machine().Start();
  Arrive(grammar_->machine(), *start);
  now_ = MomentRef(std::move(start));
}

void JsonConstraint::FillRow(Which which, std::span<std::uint32_t> row) const {
  const Vocabulary& vocabulary = grammar_->vocabulary();
  const std::span<std::uint32_t> words = row.first(vocabulary.words());
  if (now_->has_ended) {
    std::ranges::fill(words, 0);
    return;
  }
  const MaskCache& cache = vocabulary.cache();
  const auto key_of = [which](Fingerprint key) { return Add(key, static_cast<std::uint64_t>(which)); };
  Fingerprint key = key_of(now_->keys.narrow);
  auto found = cache.Find<RowEntry>(key);
  const bool is_known_wide = found != nullptr && found->needs_wide_key();
  if (is_known_wide) {
    key = key_of(now_->keys.wide);
    found = cache.Find<RowEntry>(key);
  }
  if (found != nullptr && found->CopyTo(words)) {
    if (found->IsWorthARow()) cache.Replace(key, RowEntry::OfRow(words));
    return;
  }
  bool was_probed = false;
  auto entry = MakeRow(which, words, was_probed);
  if (was_probed && !is_known_wide) {
    cache.Replace(key, RowEntry::NeedingWideKey());
    key = key_of(now_->keys.wide);
  }
  cache.Replace(key, std::move(entry));
}

// was_probed: see Machine::probes.
std::shared_ptr<const RowEntry> JsonConstraint::MakeRow(Which which, std::span<std::uint32_t> words,
                                                        bool& was_probed) const {
  const Vocabulary& vocabulary = grammar_->vocabulary();
  const std::unique_lock lock = grammar_->Lock();
  const std::uint64_t before = grammar_->machine().probes();
  std::shared_ptr<const RowEntry> entry;
  if (which == Which::kAllowed) {
    MaskParts& parts = grammar_->walk().Fill(now_->place);
    if (MayEndAt(now_->state)) parts.Add(vocabulary.end_tokens());
    parts.CopyTo(words);
    entry = RowEntry::OfParts(parts);
    parts.Clear();
  } else {
    std::ranges::fill(words, 0);
    grammar_->walk().FillStructural(now_->place, words);
    entry = RowEntry::OfRow(words);
  }
  was_probed = grammar_->machine().probes() != before;
  return entry;
}

void JsonConstraint::FillMask(std::span<std::uint32_t> mask) const { FillRow(Which::kAllowed, mask); }
void JsonConstraint::FillStructural(std::span<std::uint32_t> structural) const {
  FillRow(Which::kStructural, structural);
}

Result<void> JsonConstraint::Accept(TokenId token) {
  const Vocabulary& vocabulary = grammar_->vocabulary();
  const auto refuse = [&]() -> Result<void> {
    return Fail(ErrorCode::kConstraintViolated, "token " + std::to_string(token) + " cannot come here",
                {.subject = std::to_string(token), .allowed = Expected()});
  };
  if (now_->has_ended) return refuse();
  auto next = std::make_unique<Moment>();
  if (vocabulary.IsEnd(token)) {
    if (!MayEndAt(now_->state)) return refuse();
    next->place = now_->place;
    next->state = ConstraintState::kDead;
    next->has_ended = true;
  } else {
    if (!vocabulary.IsText(token)) return refuse();
    next->place = now_->place;
    std::unique_lock lock = grammar_->Lock();
    if (!grammar_->machine().Step(next->place, vocabulary.bytes(token), next->arena)) {
      lock.unlock();
      return refuse();
    }
    Arrive(grammar_->machine(), *next);
  }
  next->previous = std::move(now_);
  now_ = MomentRef(std::move(next));
  return {};
}

std::size_t JsonConstraint::Validate(std::span<const TokenId> tokens) const {
  if (now_->has_ended) return 0;
  const Vocabulary& vocabulary = grammar_->vocabulary();
  const std::unique_lock lock = grammar_->Lock();
  Machine& machine = grammar_->machine();
  Arena arena;
  Place place = now_->place;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (vocabulary.IsEnd(tokens[i])) return machine.MayEnd(place) ? i + 1 : i;
    if (!vocabulary.IsText(tokens[i]) || !machine.Step(place, vocabulary.bytes(tokens[i]), arena)) return i;
  }
  return tokens.size();
}

void JsonConstraint::RollBack(std::size_t n) {
  for (; n > 0; --n) {
    DECANT_CHECK(static_cast<bool>(now_->previous));
    now_ = MomentRef(now_->previous);
  }
}

std::unique_ptr<Constraint> JsonConstraint::Fork() const {
  return std::unique_ptr<Constraint>(new JsonConstraint(grammar_, now_));
}

std::string JsonConstraint::ForcedBytes() const {
  if (now_->has_ended) return {};
  const std::unique_lock lock = grammar_->Lock();
  return FindForcedBytes(grammar_->machine(), now_->place);
}

std::vector<TokenId> JsonConstraint::ForcedTokens() const {
  const Vocabulary& vocabulary = grammar_->vocabulary();
  if (now_->state == ConstraintState::kMustEnd && vocabulary.end_tokens().size() == 1) {
    return {vocabulary.end_tokens().front()};
  }
  return LongestTokens(vocabulary, ForcedBytes());
}

bool JsonConstraint::IsProven() const {
  const std::unique_lock lock = grammar_->Lock();
  return grammar_->machine().IsProven(now_->place);
}

std::optional<std::string> JsonConstraint::ShortestEnd() const {
  if (now_->has_ended) return std::string();
  const std::unique_lock lock = grammar_->Lock();
  return FindShortEnd(grammar_->machine(), now_->place);
}

std::string JsonConstraint::Expected() const {
  if (now_->has_ended) return "nothing after the end";
  const std::unique_lock lock = grammar_->Lock();
  return DescribeExpected(grammar_->machine(), now_->place);
}

}  // namespace decant::grammar
