// The registry's rows, and the set of values that front ends fill.
#include "decant/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "core/number_text.h"
#include "decode/stages.h"
#include "presets/names.h"

namespace decant {
namespace {

constexpr std::string_view kTemperatureAliases[] = {"temp"};
constexpr std::string_view kMaxTokensAliases[] = {"max_completion_tokens", "n_predict", "num_predict",
                                                  "max_new_tokens"};
constexpr std::string_view kStopAliases[] = {"stop_sequence", "stop_sequences", "until"};
constexpr std::string_view kSeedAliases[] = {"sampler_seed"};
constexpr std::string_view kIgnoreEosAliases[] = {"bypass_eos"};
constexpr std::string_view kSamplersAliases[] = {"sampler_priority"};

constexpr PresetRange kTemperatureRanges[] = {{Preset::kNative, "0 (greedy) or [2.2250738585072014e-308, 1e6]", "1"},
                                              {Preset::kReference, "finite, > 0", ""}};
constexpr PresetRange kTopKRanges[] = {{Preset::kNative, "1.. (above the vocabulary = all)", "0 or -1"},
                                       {Preset::kReference, "1..vocabulary", ""}};
constexpr PresetRange kTopPRanges[] = {{Preset::kNative, "(0, 1]", "1"}, {Preset::kReference, "", ""}};
constexpr PresetRange kMinPRanges[] = {{Preset::kNative, "[0, 1]", "0"}, {Preset::kReference, "", ""}};
constexpr PresetRange kBiasRanges[] = {{Preset::kNative, "finite or -Infinity (a ban) for each token", "empty"},
                                       {Preset::kReference, "", ""}};
constexpr PresetRange kSamplersRanges[] = {{Preset::kNative, "stage names, each at most once", ""},
                                           {Preset::kReference, "temperature, top_k, greedy, categorical", ""}};
constexpr PresetRange kSeedRanges[] = {{Preset::kNative, "0..2^64-1; below -1 two's complement", ""},
                                       {Preset::kReference, "0..2^64-1; below -1 two's complement", ""}};
constexpr PresetRange kCountRanges[] = {{Preset::kNative, "0..", ""}, {Preset::kReference, "0..", ""}};
constexpr PresetRange kTextRanges[] = {{Preset::kNative, "texts, none empty", "empty"},
                                       {Preset::kReference, "texts, none empty", "empty"}};
constexpr PresetRange kTokenRanges[] = {{Preset::kNative, "token ids of the vocabulary", "empty"},
                                        {Preset::kReference, "token ids of the vocabulary", "empty"}};
constexpr PresetRange kSwitchRanges[] = {{Preset::kNative, "true, false", "false"},
                                         {Preset::kReference, "true, false", "false"}};
constexpr PresetRange kTimeRanges[] = {{Preset::kNative, "seconds, > 0", ""}, {Preset::kReference, "seconds, > 0", ""}};

constexpr ParameterSpec kParameters[] = {
    {.name = "logit_bias",
     .aliases = {},
     .type = ParameterType::kTokenBiases,
     .default_text = "",
     .presets = kBiasRanges,
     .stage = StageId::kLogitBias,
     .help = "adds a number to single tokens' scores; -Infinity bans the token"},
    {.name = "temperature",
     .aliases = kTemperatureAliases,
     .type = ParameterType::kNumber,
     .default_text = "1",
     .presets = kTemperatureRanges,
     .stage = StageId::kTemperature,
     .help = "divides the gaps between scores: below 1 sharper, above 1 flatter, 0 always the best token (run uses "
             "0.8 where no preset is named)"},
    {.name = "top_k",
     .aliases = {},
     .type = ParameterType::kInteger,
     .default_text = "0",
     .presets = kTopKRanges,
     .stage = StageId::kTopK,
     .help = "keeps the k best tokens; of equal scores the lower ids (run uses 40 where no preset is named)"},
    {.name = "top_p",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "1",
     .presets = kTopPRanges,
     .stage = StageId::kTopP,
     .help = "keeps the best tokens up to and with the one whose mass reaches p"},
    {.name = "min_p",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "0",
     .presets = kMinPRanges,
     .stage = StageId::kMinP,
     .help = "keeps tokens at least p times as likely as the best"},
    {.name = "samplers",
     .aliases = kSamplersAliases,
     .type = ParameterType::kStages,
     .default_text = "",
     .presets = kSamplersRanges,
     .stage = std::nullopt,
     .help = "the stages to run, in this order; absent = all that have a value, in the default order"},
    {.name = "seed",
     .aliases = kSeedAliases,
     .type = ParameterType::kSeed,
     .default_text = "",
     .presets = kSeedRanges,
     .stage = std::nullopt,
     .help = "names the randomness; absent = 0 for sample, step and draws, drawn and printed for run"},
    {.name = "max_tokens",
     .aliases = kMaxTokensAliases,
     .type = ParameterType::kInteger,
     .default_text = "",
     .presets = kCountRanges,
     .stage = std::nullopt,
     .help = "stops after this many tokens; absent = no limit"},
    {.name = "stop",
     .aliases = kStopAliases,
     .type = ParameterType::kStrings,
     .default_text = "",
     .presets = kTextRanges,
     .stage = std::nullopt,
     .help = "stops at these texts, wherever token borders fall; the text is cut before them"},
    {.name = "stop_token_ids",
     .aliases = {},
     .type = ParameterType::kTokens,
     .default_text = "",
     .presets = kTokenRanges,
     .stage = std::nullopt,
     .help = "stops after these tokens, which are left out of the text"},
    {.name = "ignore_eos",
     .aliases = kIgnoreEosAliases,
     .type = ParameterType::kBoolean,
     .default_text = "false",
     .presets = kSwitchRanges,
     .stage = std::nullopt,
     .help = "goes on after the model's end token"},
    {.name = "max_time",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "",
     .presets = kTimeRanges,
     .stage = std::nullopt,
     .help = "stops after this many seconds; absent = no limit"},
};

std::size_t IndexOf(const ParameterSpec* spec) { return static_cast<std::size_t>(spec - kParameters); }

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

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
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
  for (const std::string_view part : SplitAtCommas(text)) {
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
  for (const std::string_view part : SplitAtCommas(text)) {
    const auto token = core::ParseUint64(part);
    if (!token || *token > UINT32_MAX) return WrongType(spec, text);
    tokens.push_back(static_cast<TokenId>(*token));
  }
  return tokens;
}

Result<ParameterValue> ParseStages(const ParameterSpec& spec, std::string_view text) {
  std::vector<StageId> stages;
  for (const std::string_view part : SplitAtCommas(text)) {
    std::string name(part);
    std::ranges::replace(name, '-', '_');
    const auto stage = FindStage(name);
    if (!stage) {
      std::vector<std::string_view> names;
      for (const presets::StageRow& info : presets::Stages()) names.push_back(info.name);
      const auto close = core::Closest(name, names);
      return OutOfRange(spec, "\"" + std::string(part) + "\"", "stage names",
                        close ? "did you mean \"" + *close + "\"?" : "");
    }
    stages.push_back(*stage);
  }
  return stages;
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
  if (const auto* stages = std::get_if<std::vector<StageId>>(&value)) {
    std::vector<StageId> sorted = *stages;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) {
      return OutOfRange(spec, "naming " + std::string(NameOf(*twice)) + " twice", "each stage at most once");
    }
  }
  return {};
}

bool IsList(const ParameterValue& value) {
  return std::holds_alternative<std::vector<std::string>>(value) ||
         std::holds_alternative<std::vector<TokenId>>(value) || std::holds_alternative<std::vector<TokenBias>>(value);
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

StageParams ParamsOf(StageId id, const ParameterSet& parameters) {
  switch (id) {
    case StageId::kLogitBias:
      return LogitBiasParams{
          .biases = parameters.Get<std::vector<TokenBias>>("logit_bias").value_or(LogitBiasParams{}.biases)};
    case StageId::kTemperature:
      return TemperatureParams{.temperature =
                                   parameters.Get<double>("temperature").value_or(TemperatureParams{}.temperature)};
    case StageId::kTopK:
      return TopKParams{.k = parameters.Get<std::int64_t>("top_k").value_or(TopKParams{}.k)};
    case StageId::kTopP:
      return TopPParams{.p = parameters.Get<double>("top_p").value_or(TopPParams{}.p)};
    case StageId::kMinP:
      return MinPParams{.p = parameters.Get<double>("min_p").value_or(MinPParams{}.p)};
    case StageId::kGreedy:
    case StageId::kCategorical:
      return std::monostate{};
  }
  return std::monostate{};
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
    if (!entry.spec->stage || std::ranges::find(order, *entry.spec->stage) != order.end()) continue;
    if (entry.source == ParameterSource::kBuiltIn) continue;
    return Fail(ErrorCode::kConflict, std::string(entry.spec->name) + " has a value, but samplers leaves the stage out",
                {.subject = std::string(entry.spec->name),
                 .hint = "add " + std::string(entry.spec->name) + " to samplers, or drop its value"});
  }
  return order;
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
  }
  return "";
}

std::string_view NameOf(ParameterSource source) {
  constexpr std::string_view kNames[] = {"built-in",    "model", "user file", "project file",
                                         "environment", "flag",  "request"};
  return kNames[static_cast<std::size_t>(source)];
}

std::span<const ParameterSpec> Parameters() { return kParameters; }

Result<const ParameterSpec*> FindParameter(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : kParameters) {
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
  if (source == place->source && place->value != value) {
    return Fail(ErrorCode::kConflict, std::string(spec.name) + " is given twice, with different values",
                {.subject = std::string(spec.name), .allowed = "one value"});
  }
  *place = {&spec, std::move(value), source};
  return {};
}

const ParameterSet::Entry* ParameterSet::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.spec->name == name) return &entry;
  }
  return nullptr;
}

Result<Chain> BuildChain(const ParameterSet& parameters, Preset preset) {
  std::vector<StageId> order;
  if (parameters.Find("samplers") != nullptr) {
    DECANT_TRY(order, NamedOrder(parameters));
  } else {
    for (const presets::StageRow& stage : presets::Stages()) {
      if (parameters.Find(stage.name) != nullptr) order.push_back(stage.id);
    }
  }
  Chain chain;
  for (const StageId id : order) {
    chain.push_back({id, ParamsOf(id, parameters)});
    // Ids are checked against the vocabulary when it is known; another preset has its own ranges.
    if (preset == Preset::kNative) DECANT_CHECKED(decode::Validate(chain.back(), SIZE_MAX));
  }
  return chain;
}

}  // namespace decant
