// The registry's rows, in the default order of a chain, then what belongs to no stage.
#include <array>

#include "decant/parameters.h"

namespace decant {
namespace {

constexpr std::string_view kTemperatureAliases[] = {"temp"};
constexpr std::string_view kRepetitionAliases[] = {"repeat_penalty", "rep_pen"};
constexpr std::string_view kRepetitionWindowAliases[] = {"repeat_last_n", "rep_pen_range", "repetition_context_size"};
constexpr std::string_view kBannedAliases[] = {"suppress_tokens"};
constexpr std::string_view kMinTokensAliases[] = {"min_new_tokens"};
constexpr std::string_view kMaxTokensAliases[] = {"max_completion_tokens", "n_predict", "num_predict",
                                                  "max_new_tokens"};
constexpr std::string_view kStopAliases[] = {"stop_sequence", "stop_sequences", "until"};
constexpr std::string_view kSeedAliases[] = {"sampler_seed"};
constexpr std::string_view kIgnoreEosAliases[] = {"bypass_eos"};
constexpr std::string_view kSamplersAliases[] = {"sampler_priority"};
constexpr std::string_view kSchemaAliases[] = {"guided_json"};
constexpr std::string_view kRegexAliases[] = {"guided_regex"};
constexpr std::string_view kChoiceAliases[] = {"guided_choice"};
constexpr std::string_view kWhitespaceAliases[] = {"json_whitespace"};
constexpr std::string_view kMaxWhitespaceAliases[] = {"max_whitespace_cnt"};

constexpr std::string_view kScopes[] = {"output", "window"};
constexpr std::string_view kOverflows[] = {"error", "truncate_left", "truncate_middle"};
constexpr std::string_view kContextEnds[] = {"stop", "slide"};
constexpr std::string_view kWhitespaces[] = {"any", "compact", "spaced"};
constexpr std::string_view kKeyOrders[] = {"any", "schema", "required_first"};
constexpr std::string_view kDrafts[] = {"2020-12", "2019-09", "7", "6", "4"};

// The stages that share a parameter.
template <StageId... id>
constexpr StageId kStagesOf[] = {id...};

// What a preset has of a parameter: native alone, or every preset alike.
constexpr std::array<PresetRange, 3> NativeOnly(std::string_view range, std::string_view off) {
  return {{{Preset::kNative, range, off}, {Preset::kReference, "", ""}, {Preset::kOctlm, "", ""}}};
}
constexpr std::array<PresetRange, 3> Everywhere(std::string_view range, std::string_view off) {
  return {{{Preset::kNative, range, off}, {Preset::kReference, range, off}, {Preset::kOctlm, range, off}}};
}

constexpr std::array<PresetRange, 3> kTemperatureRanges = {
    {{Preset::kNative, "0 (greedy) or [2.2250738585072014e-308, 1e6]", "1"},
     {Preset::kReference, "finite, > 0", ""},
     {Preset::kOctlm, "0 (greedy) or finite, > 0", "1"}}};
constexpr std::array<PresetRange, 3> kTopKRanges = {{{Preset::kNative, "1.. (above the vocabulary = all)", "0 or -1"},
                                                     {Preset::kReference, "1..vocabulary", ""},
                                                     {Preset::kOctlm, "1.. (above the vocabulary = all)", "0"}}};
constexpr std::array<PresetRange, 3> kTopPRanges = {
    {{Preset::kNative, "(0, 1]", "1"}, {Preset::kReference, "", ""}, {Preset::kOctlm, "> 0", "1 and above"}}};
constexpr auto kMinPRanges = NativeOnly("[0, 1]", "0");
constexpr auto kBiasRanges = NativeOnly("finite or -Infinity (a ban) for each token", "empty");
constexpr auto kRepetitionRanges = NativeOnly("finite, > 0", "1");
constexpr auto kWindowRanges = NativeOnly("1.. or -1 (all)", "0");
constexpr auto kCountPenaltyRanges = NativeOnly("finite; below 0 rewards", "0");
constexpr auto kScopeRanges = NativeOnly("output, window", "");
constexpr auto kDryMultiplierRanges = NativeOnly("[0, 1e6]", "0");
constexpr auto kDryBaseRanges = NativeOnly("[1, 100]", "");
constexpr auto kDryLengthRanges = NativeOnly("1..", "");
constexpr auto kNativeTextRanges = NativeOnly("texts, none empty", "empty");
constexpr auto kSequenceRanges = NativeOnly("lists of token ids, none empty", "empty");
constexpr auto kNgramRanges = NativeOnly("1..", "0");
constexpr auto kNativeTokenRanges = NativeOnly("token ids of the vocabulary", "empty");
constexpr auto kLeastRanges = NativeOnly("1..", "0");
constexpr std::array<PresetRange, 3> kSamplersRanges = {
    {{Preset::kNative, "stage names, each at most once", ""},
     {Preset::kReference, "temperature, top_k, greedy, categorical", ""},
     {Preset::kOctlm, "temperature, top_k, top_p, greedy, categorical", ""}}};
constexpr auto kSeedRanges = Everywhere("0..2^64-1; below -1 two's complement", "");
constexpr auto kCountRanges = Everywhere("0..", "");
constexpr auto kTextRanges = Everywhere("texts, none empty", "empty");
constexpr auto kTokenRanges = Everywhere("token ids of the vocabulary", "empty");
constexpr auto kSwitchRanges = Everywhere("true, false", "false");
constexpr auto kTimeRanges = Everywhere("seconds, > 0", "");
constexpr auto kOverflowRanges = Everywhere("error, truncate_left, truncate_middle", "");
constexpr auto kContextEndRanges = Everywhere("stop, slide", "");
constexpr auto kSchemaRanges = NativeOnly("a JSON Schema", "");
constexpr auto kRegexRanges = NativeOnly("a regular expression", "");
constexpr auto kChoiceRanges = NativeOnly("texts, none empty", "empty");
constexpr auto kWhitespaceRanges = NativeOnly("any, compact, spaced", "");
constexpr auto kMaxWhitespaceRanges = NativeOnly("1..65535", "");
constexpr auto kKeyOrderRanges = NativeOnly("any, schema, required_first", "any");
constexpr auto kDraftRanges = NativeOnly("2020-12, 2019-09, 7, 6, 4", "");
constexpr auto kDocumentRanges = NativeOnly("URI=DOCUMENT, each URI once", "empty");
constexpr auto kConstraintSwitchRanges = NativeOnly("true, false", "false");
constexpr auto kMarkerRanges = NativeOnly("a text, not empty", "");

constexpr ParameterSpec kParameters[] = {
    {.name = "logit_bias",
     .aliases = {},
     .type = ParameterType::kTokenBiases,
     .default_text = "",
     .presets = kBiasRanges,
     .stages = kStagesOf<StageId::kLogitBias>,
     .help = "adds a number to single tokens' scores; -Infinity bans the token"},
    {.name = "repetition_penalty",
     .aliases = kRepetitionAliases,
     .type = ParameterType::kNumber,
     .default_text = "1",
     .presets = kRepetitionRanges,
     .stages = kStagesOf<StageId::kRepetitionPenalty>,
     .help = "divides the scores above 0, and multiplies the others, of tokens that occurred in prompt or output; 1.05 "
             "to 1.15 is plenty, and off is right for code and JSON"},
    {.name = "repetition_window",
     .aliases = kRepetitionWindowAliases,
     .type = ParameterType::kInteger,
     .default_text = "-1",
     .presets = kWindowRanges,
     .stages = kStagesOf<StageId::kRepetitionPenalty>,
     .help = "how many of the last tokens repetition_penalty looks at; -1 = all"},
    {.name = "frequency_penalty",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "0",
     .presets = kCountPenaltyRanges,
     .stages = kStagesOf<StageId::kFrequencyPenalty>,
     .help = "takes this much from a token's score for each time it occurred"},
    {.name = "presence_penalty",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "0",
     .presets = kCountPenaltyRanges,
     .stages = kStagesOf<StageId::kPresencePenalty>,
     .help = "takes this much from the score of every token that occurred, once"},
    {.name = "penalty_scope",
     .aliases = {},
     .type = ParameterType::kChoice,
     .default_text = "output",
     .presets = kScopeRanges,
     .stages = kStagesOf<StageId::kFrequencyPenalty, StageId::kPresencePenalty>,
     .help = "what frequency_penalty and presence_penalty count: the output alone (OpenAI, vLLM) or the prompt too "
             "(llama.cpp)",
     .choices = kScopes},
    {.name = "penalty_window",
     .aliases = {},
     .type = ParameterType::kInteger,
     .default_text = "-1",
     .presets = kWindowRanges,
     .stages = kStagesOf<StageId::kFrequencyPenalty, StageId::kPresencePenalty>,
     .help = "how many of the last tokens frequency_penalty and presence_penalty look at; -1 = all"},
    {.name = "dry_multiplier",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "0",
     .presets = kDryMultiplierRanges,
     .stages = kStagesOf<StageId::kDry>,
     .help = "penalizes what would lengthen a repeat by multiplier * base^(length - allowed_length); 0.8 is usual"},
    {.name = "dry_base",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "1.75",
     .presets = kDryBaseRanges,
     .stages = kStagesOf<StageId::kDry>,
     .help = "how fast the penalty of dry grows with the length of the repeat"},
    {.name = "dry_allowed_length",
     .aliases = {},
     .type = ParameterType::kInteger,
     .default_text = "2",
     .presets = kDryLengthRanges,
     .stages = kStagesOf<StageId::kDry>,
     .help = "repeats shorter than this cost nothing under dry"},
    {.name = "dry_penalty_last_n",
     .aliases = {},
     .type = ParameterType::kInteger,
     .default_text = "-1",
     .presets = kWindowRanges,
     .stages = kStagesOf<StageId::kDry>,
     .help = "how many of the last tokens dry looks at; -1 = all (llama.cpp: 64)"},
    {.name = "dry_sequence_breakers",
     .aliases = {},
     .type = ParameterType::kStrings,
     .default_text = "newline, colon, quotation mark, asterisk",
     .presets = kNativeTextRanges,
     .stages = kStagesOf<StageId::kDry>,
     .help = "texts over which no repeat reaches under dry; an empty list in JSON or decant.toml for none"},
    {.name = "dry_sequence_breaker_ids",
     .aliases = {},
     .type = ParameterType::kTokenSequences,
     .default_text = "",
     .presets = kSequenceRanges,
     .stages = kStagesOf<StageId::kDry>,
     .help = "the same as token ids"},
    {.name = "no_repeat_ngram_size",
     .aliases = {},
     .type = ParameterType::kInteger,
     .default_text = "0",
     .presets = kNgramRanges,
     .stages = kStagesOf<StageId::kNoRepeatNgram>,
     .help = "bans what would repeat a run of so many tokens of prompt and output"},
    {.name = "bad_words",
     .aliases = {},
     .type = ParameterType::kStrings,
     .default_text = "",
     .presets = kNativeTextRanges,
     .stages = kStagesOf<StageId::kBadWords>,
     .help = "bans these texts: the last of their tokens where the others stand, with and without a space before"},
    {.name = "bad_words_ids",
     .aliases = {},
     .type = ParameterType::kTokenSequences,
     .default_text = "",
     .presets = kSequenceRanges,
     .stages = kStagesOf<StageId::kBadWords>,
     .help = "bans these token sequences"},
    {.name = "allowed_token_ids",
     .aliases = {},
     .type = ParameterType::kTokens,
     .default_text = "",
     .presets = kNativeTokenRanges,
     .stages = kStagesOf<StageId::kAllowedTokens>,
     .help = "only these tokens may come"},
    {.name = "banned_token_ids",
     .aliases = kBannedAliases,
     .type = ParameterType::kTokens,
     .default_text = "",
     .presets = kNativeTokenRanges,
     .stages = kStagesOf<StageId::kBannedTokens>,
     .help = "these tokens never come"},
    {.name = "begin_suppress_tokens",
     .aliases = {},
     .type = ParameterType::kTokens,
     .default_text = "",
     .presets = kNativeTokenRanges,
     .stages = kStagesOf<StageId::kBeginSuppress>,
     .help = "these tokens do not come first"},
    {.name = "forced_token_ids",
     .aliases = {},
     .type = ParameterType::kTokens,
     .default_text = "",
     .presets = kNativeTokenRanges,
     .stages = kStagesOf<StageId::kForcedTokens>,
     .help = "the output starts with these tokens"},
    {.name = "min_tokens",
     .aliases = kMinTokensAliases,
     .type = ParameterType::kInteger,
     .default_text = "0",
     .presets = kLeastRanges,
     .stages = kStagesOf<StageId::kMinTokens>,
     .help = "neither eos, stop tokens nor stop texts end the output before it has so many tokens"},
    {.name = "temperature",
     .aliases = kTemperatureAliases,
     .type = ParameterType::kNumber,
     .default_text = "1",
     .presets = kTemperatureRanges,
     .stages = kStagesOf<StageId::kTemperature>,
     .help = "divides the gaps between scores: below 1 sharper, above 1 flatter, 0 always the best token (run uses "
             "0.8 where no preset is named)"},
    {.name = "top_k",
     .aliases = {},
     .type = ParameterType::kInteger,
     .default_text = "0",
     .presets = kTopKRanges,
     .stages = kStagesOf<StageId::kTopK>,
     .help = "keeps the k best tokens; of equal scores the lower ids (run uses 40 where no preset is named)"},
    {.name = "top_p",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "1",
     .presets = kTopPRanges,
     .stages = kStagesOf<StageId::kTopP>,
     .help = "keeps the best tokens up to and with the one whose mass reaches p"},
    {.name = "min_p",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "0",
     .presets = kMinPRanges,
     .stages = kStagesOf<StageId::kMinP>,
     .help = "keeps tokens at least p times as likely as the best"},
    {.name = "samplers",
     .aliases = kSamplersAliases,
     .type = ParameterType::kStages,
     .default_text = "",
     .presets = kSamplersRanges,
     .stages = {},
     .help = "the stages to run, in this order; absent = all that have a value, in the default order"},
    {.name = "seed",
     .aliases = kSeedAliases,
     .type = ParameterType::kSeed,
     .default_text = "",
     .presets = kSeedRanges,
     .stages = {},
     .help = "names the randomness; absent = 0 for sample, step and draws, drawn and printed for run"},
    {.name = "max_tokens",
     .aliases = kMaxTokensAliases,
     .type = ParameterType::kInteger,
     .default_text = "",
     .presets = kCountRanges,
     .stages = {},
     .help = "stops after this many tokens; absent = no limit"},
    {.name = "stop",
     .aliases = kStopAliases,
     .type = ParameterType::kStrings,
     .default_text = "",
     .presets = kTextRanges,
     .stages = {},
     .help = "stops at these texts, wherever token borders fall; the text is cut before them"},
    {.name = "stop_token_ids",
     .aliases = {},
     .type = ParameterType::kTokens,
     .default_text = "",
     .presets = kTokenRanges,
     .stages = {},
     .help = "stops after these tokens, which are left out of the text"},
    {.name = "ignore_eos",
     .aliases = kIgnoreEosAliases,
     .type = ParameterType::kBoolean,
     .default_text = "false",
     .presets = kSwitchRanges,
     .stages = {},
     .help = "goes on after the model's end token"},
    {.name = "max_time",
     .aliases = {},
     .type = ParameterType::kNumber,
     .default_text = "",
     .presets = kTimeRanges,
     .stages = {},
     .help = "stops after this many seconds; absent = no limit"},
    {.name = "ctx_overflow",
     .aliases = {},
     .type = ParameterType::kChoice,
     .default_text = "error",
     .presets = kOverflowRanges,
     .stages = {},
     .help = "what to do with a prompt that does not fit the context: refuse it, or drop tokens at its start or in its "
             "middle",
     .choices = kOverflows},
    {.name = "at_context_end",
     .aliases = {},
     .type = ParameterType::kChoice,
     .default_text = "stop",
     .presets = kContextEndRanges,
     .stages = {},
     .help = "when the context is full: stop, or go on with the last tokens that fit, all computed anew for every "
             "token (slow)",
     .choices = kContextEnds},
    {.name = "json_schema",
     .aliases = kSchemaAliases,
     .type = ParameterType::kText,
     .default_text = "",
     .presets = kSchemaRanges,
     .stages = {},
     .help = "the output is a JSON value that this JSON Schema accepts"},
    {.name = "regex",
     .aliases = kRegexAliases,
     .type = ParameterType::kText,
     .default_text = "",
     .presets = kRegexRanges,
     .stages = {},
     .help = "the whole output matches this regular expression, in Python's syntax with \\p{...}"},
    {.name = "choice",
     .aliases = kChoiceAliases,
     .type = ParameterType::kStrings,
     .default_text = "",
     .presets = kChoiceRanges,
     .stages = {},
     .help = "the output is one of these texts"},
    {.name = "whitespace",
     .aliases = kWhitespaceAliases,
     .type = ParameterType::kChoice,
     .default_text = "any",
     .presets = kWhitespaceRanges,
     .stages = {},
     .help = "white space between the tokens of JSON: any of it, none, or one space after each comma and colon",
     .choices = kWhitespaces},
    {.name = "max_whitespace",
     .aliases = kMaxWhitespaceAliases,
     .type = ParameterType::kInteger,
     .default_text = "128",
     .presets = kMaxWhitespaceRanges,
     .stages = {},
     .help = "characters of white space in a row, at most; where whitespace is any"},
    {.name = "key_order",
     .aliases = {},
     .type = ParameterType::kChoice,
     .default_text = "any",
     .presets = kKeyOrderRanges,
     .stages = {},
     .help = "the order of an object's members: any, that of the schema, or the required ones first",
     .choices = kKeyOrders},
    {.name = "schema_draft",
     .aliases = {},
     .type = ParameterType::kChoice,
     .default_text = "2020-12",
     .presets = kDraftRanges,
     .stages = {},
     .help = "the draft of a JSON Schema that does not name one by $schema",
     .choices = kDrafts},
    {.name = "schema_document",
     .aliases = {},
     .type = ParameterType::kStrings,
     .default_text = "",
     .presets = kDocumentRanges,
     .stages = {},
     .help = "a document that a $ref of the schema leads to: its URI, without fragment, and what it holds"},
    {.name = "format_annotations",
     .aliases = {},
     .type = ParameterType::kBoolean,
     .default_text = "false",
     .presets = kConstraintSwitchRanges,
     .stages = {},
     .help = "the keyword format says nothing of the text; otherwise the formats that decant knows are enforced"},
    {.name = "allow_unenforced",
     .aliases = {},
     .type = ParameterType::kBoolean,
     .default_text = "false",
     .presets = kConstraintSwitchRanges,
     .stages = {},
     .help = "leaves out what cannot be enforced of a JSON Schema, and says so; otherwise that is an error"},
    {.name = "constrain_after",
     .aliases = {},
     .type = ParameterType::kText,
     .default_text = "",
     .presets = kMarkerRanges,
     .stages = {},
     .help = "the output is free up to and with the first occurrence of this text, and constrained after it"},
    {.name = "close_on_budget",
     .aliases = {},
     .type = ParameterType::kBoolean,
     .default_text = "false",
     .presets = kConstraintSwitchRanges,
     .stages = {},
     .help = "when the token limit comes near, takes the shortest way to a whole text instead of the model's"},
};

}  // namespace

std::span<const ParameterSpec> Parameters() { return kParameters; }

}  // namespace decant
