// Values as text, and the set of values that front ends fill; the registry's rows are in parameter_table.cc.
#include "decant/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "core/number_text.h"
#include "core/split.h"
#include "core/stage_table.h"
#include "decode/stages.h"
#include "decode/token_texts.h"

namespace decant {
namespace {

std::size_t IndexOf(const ParameterSpec* spec) { return static_cast<std::size_t>(spec - Parameters().data()); }

bool SameName(std::string_view given, std::string_view name) {
  return std::ranges::equal(given, name, [](char a, char b) { return a == b || (a == '-' && b == '_'); });
}

std::unexpected<Error> OutOfRange(const ParameterSpec& spec, const std::string& value, const std::string& allowed,
                                  const std::string& hint = "") {
  return Fail(ErrorCode::kOutOfRange, std::string(spec.name) + " is " + value + "; expected " + allowed,
              {.subject = std::string(spec.name), .allowed = allowed, .hint = hint});
}

std::unexpected<Error> WrongType(const ParameterSpec& spec, std::string_view text) {
  const std::string type(NameOf(spec.type));
  return Fail(ErrorCode::kWrongType, std::string(spec.name) + " is \"" + std::string(text) + "\"; expected " + type,
              {.subject = std::string(spec.name), .allowed = type});
}

std::optional<double> ParseNumber(std::string_view text) {
  if (text == "-Infinity" || text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "Infinity" || text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "NaN" || text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return core::ParseDouble(text);
}

Result<ParameterValue> ParseSeed(const ParameterSpec& spec, std::string_view text) {
  if (const auto value = core::ParseUint64(text)) return *value;
  const auto negative = core::ParseInt64(text);
  if (!negative) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    const bool integer = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (integer) return OutOfRange(spec, std::string(text), "an integer in -2^63..2^64-1, and not -1");
    return WrongType(spec, text);
  }
  if (*negative == -1) {
    return OutOfRange(spec, "-1", "an integer in -2^63..2^64-1 but -1",
                      "leave the seed out: run draws one and prints it, the other commands use 0");
  }
  return static_cast<std::uint64_t>(*negative);
}

Result<ParameterValue> ParseBiases(const ParameterSpec& spec, std::string_view text) {
  std::vector<TokenBias> biases;
  if (text.empty()) return WrongType(spec, text);
  for (const std::string_view part : core::Split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return WrongType(spec, text);
    const auto token = core::ParseUint64(part.substr(0, equals));
    const auto bias = ParseNumber(part.substr(equals + 1));
    if (!token || *token > UINT32_MAX || !bias) return WrongType(spec, text);
    biases.push_back({static_cast<TokenId>(*token), *bias});
  }
  return biases;
}

Result<ParameterValue> ParseTokens(const ParameterSpec& spec, std::string_view text) {
  std::vector<TokenId> tokens;
  if (text.empty()) return WrongType(spec, text);
  for (const std::string_view part : core::Split(text, ',')) {
    const auto token = core::ParseUint64(part);
    if (!token || *token > UINT32_MAX) return WrongType(spec, text);
    tokens.push_back(static_cast<TokenId>(*token));
  }
  return tokens;
}

Result<ParameterValue> ParseSequences(const ParameterSpec& spec, std::string_view text) {
  std::vector<TokenSequence> sequences;
  if (text.empty()) return WrongType(spec, text);
  for (const std::string_view part : core::Split(text, ';')) {
    DECANT_TRY(ParameterValue tokens, ParseTokens(spec, part));
    sequences.push_back(std::get<std::vector<TokenId>>(std::move(tokens)));
  }
  return sequences;
}

Result<ParameterValue> ParseStages(const ParameterSpec& spec, std::string_view text) {
  std::vector<StageId> stages;
  for (const std::string_view part : core::Split(text, ',')) {
    std::string name(part);
    std::ranges::replace(name, '-', '_');
    const auto stage = FindStage(name);
    if (!stage) {
      std::vector<std::string_view> names;
      for (const core::StageRow& info : core::Stages()) names.push_back(info.name);
      const auto close = core::Closest(name, names);
      return OutOfRange(spec, "\"" + std::string(part) + "\"", "stage names",
                        close ? "did you mean \"" + *close + "\"?" : "");
    }
    stages.push_back(*stage);
  }
  return stages;
}

Result<void> CheckChoice(const ParameterSpec& spec, const std::string& word) {
  if (std::ranges::find(spec.choices, word) != spec.choices.end()) return {};
  std::string allowed;
  for (const std::string_view choice : spec.choices) allowed += (allowed.empty() ? "" : ", ") + std::string(choice);
  const auto close = core::Closest(word, std::vector(spec.choices.begin(), spec.choices.end()));
  return OutOfRange(spec, "\"" + word + "\"", allowed, close ? "did you mean \"" + *close + "\"?" : "");
}

// The word as the registry spells it: '-' and '_' are alike, as in names.
std::string WordOf(const ParameterSpec& spec, std::string_view text) {
  const auto word =
      std::ranges::find_if(spec.choices, [text](std::string_view choice) { return SameName(text, choice); });
  return std::string(word == spec.choices.end() ? text : *word);
}

// The range of a value that no stage owns; stages' values are checked when a chain is built.
Result<void> CheckRange(const ParameterSpec& spec, const ParameterValue& value) {
  if (spec.name == "max_tokens" && std::get<std::int64_t>(value) < 0) {
    return OutOfRange(spec, std::to_string(std::get<std::int64_t>(value)), "0..",
                      "leave it out to go on until the model stops");
  }
  if (spec.name == "max_time" && !(std::get<double>(value) > 0 && std::get<double>(value) <= 1e9)) {
    return OutOfRange(spec, core::NumberText(std::get<double>(value)), "seconds in (0, 1e9]");
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    if (std::ranges::any_of(*texts, &std::string::empty)) return OutOfRange(spec, "an empty text", "texts, none empty");
  }
  if (spec.name == "max_whitespace") {
    const std::int64_t most = std::get<std::int64_t>(value);
    if (most < 1 || most > 65535) return OutOfRange(spec, std::to_string(most), "1..65535");
  }
  if (spec.type == ParameterType::kChoice) return CheckChoice(spec, std::get<std::string>(value));
  if (spec.name == "constrain_after" && std::get<std::string>(value).empty()) {
    return OutOfRange(spec, "an empty text", "a text of at least one byte");
  }
  if (const auto* sequences = std::get_if<std::vector<TokenSequence>>(&value)) {
    if (std::ranges::any_of(*sequences, &TokenSequence::empty)) {
      return OutOfRange(spec, "a list without tokens", "at least one token each");
    }
  }
  if (const auto* stages = std::get_if<std::vector<StageId>>(&value)) {
    std::vector<StageId> sorted = *stages;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) {
      return OutOfRange(spec, "a list with " + std::string(NameOf(*twice)) + " twice", "each stage at most once");
    }
  }
  return {};
}

bool IsList(const ParameterValue& value) {
  return std::holds_alternative<std::vector<std::string>>(value) ||
         std::holds_alternative<std::vector<TokenId>>(value) || std::holds_alternative<std::vector<TokenBias>>(value) ||
         std::holds_alternative<std::vector<TokenSequence>>(value);
}

struct Join {
  ParameterValue& into;
  template <class T>
  void operator()(const T&) const {}
  template <class T>
  void operator()(const std::vector<T>& more) const {
    auto& list = std::get<std::vector<T>>(into);
    list.insert(list.end(), more.begin(), more.end());
  }
};

template <class T>
T Given(const ParameterSet& parameters, std::string_view name, T fallback) {
  return parameters.Get<T>(name).value_or(std::move(fallback));
}

CountPenaltyParams CountPenaltyOf(std::string_view name, const ParameterSet& parameters) {
  const CountPenaltyParams off;
  const bool window = Given<std::string>(parameters, "penalty_scope", "output") == "window";
  return {.penalty = Given(parameters, name, off.penalty),
          .scope = window ? PenaltyScope::kWindow : PenaltyScope::kOutput,
          .window = Given(parameters, "penalty_window", off.window)};
}

// Texts become tokens where there is a tokenizer; without one, ids alone count.
DryParams DryOf(const ParameterSet& parameters, const Tokenizer* tokenizer) {
  const DryParams off;
  DryParams dry{.multiplier = Given(parameters, "dry_multiplier", off.multiplier),
                .base = Given(parameters, "dry_base", off.base),
                .allowed_length = Given(parameters, "dry_allowed_length", off.allowed_length),
                .window = Given(parameters, "dry_penalty_last_n", off.window),
                .breakers = Given<std::vector<TokenSequence>>(parameters, "dry_sequence_breaker_ids", {})};
  if (tokenizer == nullptr || dry.multiplier == 0) return dry;
  const auto texts = Given<std::vector<std::string>>(
      parameters, "dry_sequence_breakers", {std::begin(decode::kDefaultBreakers), std::end(decode::kDefaultBreakers)});
  for (TokenSequence& breaker : decode::BreakerSequences(*tokenizer, texts)) dry.breakers.push_back(std::move(breaker));
  return dry;
}

BadWordsParams BadWordsOf(const ParameterSet& parameters, const Tokenizer* tokenizer) {
  BadWordsParams bad{.words = Given<std::vector<TokenSequence>>(parameters, "bad_words_ids", {})};
  if (tokenizer == nullptr) return bad;
  const auto texts = Given<std::vector<std::string>>(parameters, "bad_words", {});
  for (TokenSequence& word : decode::WordSequences(*tokenizer, texts)) bad.words.push_back(std::move(word));
  return bad;
}

MinTokensParams MinTokensOf(const ParameterSet& parameters, std::span<const TokenId> end_tokens) {
  MinTokensParams least{.count = Given<std::int64_t>(parameters, "min_tokens", 0),
                        .tokens = Given<std::vector<TokenId>>(parameters, "stop_token_ids", {})};
  least.tokens.insert(least.tokens.end(), end_tokens.begin(), end_tokens.end());
  return least;
}

StageParams ParamsOf(StageId id, const ParameterSet& parameters, const ChainContext& context) {
  switch (id) {
    case StageId::kLogitBias:
      return LogitBiasParams{.biases = Given<std::vector<TokenBias>>(parameters, "logit_bias", {})};
    case StageId::kRepetitionPenalty:
      return RepetitionPenaltyParams{
          .penalty = Given(parameters, "repetition_penalty", RepetitionPenaltyParams{}.penalty),
          .window = Given(parameters, "repetition_window", RepetitionPenaltyParams{}.window)};
    case StageId::kFrequencyPenalty:
    case StageId::kPresencePenalty:
      return CountPenaltyOf(NameOf(id), parameters);
    case StageId::kDry:
      return DryOf(parameters, context.tokenizer);
    case StageId::kNoRepeatNgram:
      return NoRepeatNgramParams{.size = Given<std::int64_t>(parameters, "no_repeat_ngram_size", 0)};
    case StageId::kBadWords:
      return BadWordsOf(parameters, context.tokenizer);
    case StageId::kAllowedTokens:
    case StageId::kBannedTokens:
    case StageId::kBeginSuppress:
    case StageId::kForcedTokens:
      return TokenListParams{.tokens = Given<std::vector<TokenId>>(parameters, NameOf(id), {})};
    case StageId::kMinTokens:
      return MinTokensOf(parameters, context.end_tokens);
    case StageId::kTemperature:
      return TemperatureParams{.temperature = Given(parameters, "temperature", TemperatureParams{}.temperature)};
    case StageId::kTopK:
      return TopKParams{.k = Given(parameters, "top_k", TopKParams{}.k)};
    case StageId::kTopP:
      return TopPParams{.p = Given(parameters, "top_p", TopPParams{}.p)};
    case StageId::kMinP:
      return MinPParams{.p = Given(parameters, "min_p", MinPParams{}.p)};
    case StageId::kGreedy:
    case StageId::kCategorical:
    case StageId::kCustomProcessor:  // no parameter makes one
    case StageId::kCustomFilter:
      return std::monostate{};
  }
  return std::monostate{};
}

// A text for a stage needs a tokenizer to become tokens.
Result<void> CheckTexts(const ParameterSet& parameters, const ChainContext& context) {
  if (context.tokenizer != nullptr) return {};
  for (const std::string_view name : {"bad_words", "dry_sequence_breakers"}) {
    if (parameters.Find(name) == nullptr) continue;
    const std::string ids = name == "bad_words" ? "bad_words_ids" : "dry_sequence_breaker_ids";
    return Fail(ErrorCode::kUnsupportedTokenizer, std::string(name) + " needs a tokenizer; there is none here",
                {.subject = std::string(name), .hint = "give token ids: " + ids});
  }
  return {};
}

bool BelongsToOneOf(const ParameterSpec& spec, std::span<const StageId> stages) {
  return std::ranges::any_of(spec.stages,
                             [stages](StageId id) { return std::ranges::find(stages, id) != stages.end(); });
}

// The stages of `samplers`, after a check that a drawer comes last and no given value is left out.
Result<std::vector<StageId>> NamedOrder(const ParameterSet& parameters) {
  auto order = *parameters.Get<std::vector<StageId>>("samplers");
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (KindOf(order[i]) != StageKind::kDrawer) continue;
    const std::string name(NameOf(order[i]));
    return Fail(ErrorCode::kConflict, "samplers names the drawer " + name + " before other stages; it must be the last",
                {.subject = "samplers"});
  }
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (entry.spec->stages.empty() || BelongsToOneOf(*entry.spec, order)) continue;
    if (entry.source == ParameterSource::kBuiltIn) continue;
    const std::string stage(NameOf(entry.spec->stages.front()));
    return Fail(ErrorCode::kConflict, std::string(entry.spec->name) + " has a value, but samplers leaves the stage out",
                {.subject = std::string(entry.spec->name), .hint = "add " + stage + " to samplers, or drop the value"});
  }
  return order;
}

Result<Chain> ChainOf(const ParameterSet& parameters, const ChainContext& context) {
  std::vector<StageId> order;
  if (parameters.Find("samplers") != nullptr) {
    DECANT_TRY(order, NamedOrder(parameters));
  } else {
    for (const core::StageRow& stage : core::Stages()) {
      const bool is_given = std::ranges::any_of(parameters.entries(), [&stage](const ParameterSet::Entry& entry) {
        return BelongsToOneOf(*entry.spec, {&stage.id, 1});
      });
      if (is_given) order.push_back(stage.id);
    }
  }
  Chain chain;
  for (const StageId id : order) {
    chain.push_back({id, ParamsOf(id, parameters, context)});
    // Ids are checked against the vocabulary when it is known; another preset has its own ranges.
    if (context.preset == Preset::kNative) DECANT_CHECKED(decode::Validate(chain.back(), SIZE_MAX));
  }
  return chain;
}

std::unexpected<Error> GivenTwice(const ParameterSpec& spec) {
  return Fail(ErrorCode::kConflict, std::string(spec.name) + " is given twice, with different values",
              {.subject = std::string(spec.name), .allowed = "one value"});
}

}  // namespace

std::string_view NameOf(ParameterType type) {
  switch (type) {
    case ParameterType::kBoolean:
      return "true or false";
    case ParameterType::kInteger:
      return "an integer";
    case ParameterType::kSeed:
      return "an integer in 0..2^64-1";
    case ParameterType::kNumber:
      return "a number";
    case ParameterType::kStrings:
      return "a list of texts";
    case ParameterType::kTokens:
      return "a list of token ids";
    case ParameterType::kTokenBiases:
      return "a number for each token id (ID=BIAS)";
    case ParameterType::kStages:
      return "a list of stage names";
    case ParameterType::kChoice:
      return "one of a few words";
    case ParameterType::kTokenSequences:
      return "a list of lists of token ids";
    case ParameterType::kText:
      return "a text";
  }
  return "";
}

std::string_view NameOf(ParameterSource source) {
  constexpr std::string_view kNames[] = {"built-in",    "model", "user file", "project file",
                                         "environment", "flag",  "request"};
  return kNames[static_cast<std::size_t>(source)];
}

Result<const ParameterSpec*> FindParameter(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : Parameters()) {
    names.push_back(spec.name);
    names.insert(names.end(), spec.aliases.begin(), spec.aliases.end());
    if (SameName(name, spec.name)) return &spec;
    for (const std::string_view alias : spec.aliases) {
      if (SameName(name, alias)) return &spec;
    }
  }
  const auto close = core::Closest(name, names);
  return Fail(ErrorCode::kUnknownParameter, "there is no parameter \"" + std::string(name) + "\"",
              {.subject = std::string(name),
               .allowed = "a name from `decant params`",
               .hint = close ? "did you mean \"" + *close + "\"?" : ""});
}

Result<ParameterValue> ParseParameter(const ParameterSpec& spec, std::string_view text) {
  switch (spec.type) {
    case ParameterType::kBoolean:
      if (text == "true" || text == "1") return true;
      if (text == "false" || text == "0") return false;
      return WrongType(spec, text);
    case ParameterType::kInteger:
      if (const auto value = core::ParseInt64(text)) return *value;
      if (const auto value = core::ParseDouble(text); value && std::abs(*value) < 0x1p53) {
        // "3.0" and "3e0" are three.
        if (const auto integer = static_cast<std::int64_t>(*value); static_cast<double>(integer) == *value)
          return integer;
      }
      return WrongType(spec, text);
    case ParameterType::kSeed:
      return ParseSeed(spec, text);
    case ParameterType::kNumber:
      if (const auto value = ParseNumber(text)) return *value;
      return WrongType(spec, text);
    case ParameterType::kStrings:
      return std::vector<std::string>{std::string(text)};
    case ParameterType::kTokens:
      return ParseTokens(spec, text);
    case ParameterType::kTokenBiases:
      return ParseBiases(spec, text);
    case ParameterType::kStages:
      return ParseStages(spec, text);
    case ParameterType::kChoice:
      return WordOf(spec, text);
    case ParameterType::kText:
      return std::string(text);
    case ParameterType::kTokenSequences:
      return ParseSequences(spec, text);
  }
  return WrongType(spec, text);
}

Result<void> ParameterSet::Set(const ParameterSpec& spec, ParameterValue value, ParameterSource source) {
  DECANT_CHECKED(CheckRange(spec, value));
  const auto place =
      std::ranges::find_if(entries_, [&spec](const Entry& entry) { return IndexOf(entry.spec) >= IndexOf(&spec); });
  if (place == entries_.end() || place->spec != &spec) {
    entries_.insert(place, {&spec, std::move(value), source});
    return {};
  }
  if (source < place->source) return {};
  if (source == place->source && IsList(value)) {
    std::visit(Join{place->value}, value);
    return {};
  }
  if (source == place->source && place->value != value) return GivenTwice(spec);
  *place = {&spec, std::move(value), source};
  return {};
}

Result<void> ParameterSet::SetOnce(const ParameterSpec& spec, ParameterValue value, ParameterSource source) {
  const Entry* const said = Find(spec.name);
  if (said == nullptr || said->source != source) return Set(spec, std::move(value), source);
  if (said->value != value) return GivenTwice(spec);
  return {};
}

bool AffectsStep(const ParameterSpec& spec) {
  return !spec.stages.empty() || spec.name == "samplers" || spec.name == "stop_token_ids";
}

const ParameterSet::Entry* ParameterSet::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.spec->name == name) return &entry;
  }
  return nullptr;
}

Result<Chain> BuildChain(const ParameterSet& parameters, const ChainContext& context) {
  DECANT_TRY(Chain chain, ChainOf(parameters, context));
  DECANT_CHECKED(CheckTexts(parameters, context));
  return chain;
}

Result<void> CheckChain(const ParameterSet& parameters, Preset preset) {
  DECANT_TRY([[maybe_unused]] const Chain chain, ChainOf(parameters, {.preset = preset}));
  return {};
}

}  // namespace decant
