// The parameter registry: every knob's name, aliases, type, range, off value, default, place and help, stated once.
//
// Flags, JSON fields, the environment, `decant params` and the docs all come from it.
#ifndef DECANT_PARAMETERS_H_
#define DECANT_PARAMETERS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "decant/chain.h"
#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/sampler.h"
#include "decant/token.h"
#include "decant/tokenizer.h"

namespace decant {

enum class ParameterType : std::uint8_t {
  kBoolean,         // true, false
  kInteger,         // a signed 64-bit integer
  kSeed,            // an unsigned 64-bit integer; negative ones but -1 are two's complement
  kNumber,          // a double
  kStrings,         // a list of strings
  kTokens,          // a list of token ids
  kTokenBiases,     // {"token id": bias}, or ID=BIAS
  kStages,          // a list of stage names
  kChoice,          // one of a few words
  kTokenSequences,  // a list of lists of token ids
  kText             // a text
};
std::string_view NameOf(ParameterType type);

struct PresetRange {
  Preset preset;
  std::string_view range;  // "" = the preset does not have the parameter
  std::string_view off;    // "" = cannot be switched off
};

struct ParameterSpec {
  std::string_view name;
  std::span<const std::string_view> aliases;
  ParameterType type;
  std::string_view default_text;  // the built-in value; "" = absent
  std::span<const PresetRange> presets;
  std::span<const StageId> stages;  // that it belongs to; empty = none
  std::string_view help;
  std::span<const std::string_view> choices = {};  // of kChoice
};
std::span<const ParameterSpec> Parameters();
// By name or alias; '-' and '_' are alike. kUnknownParameter has a did-you-mean.
Result<const ParameterSpec*> FindParameter(std::string_view name);

using ParameterValue =
    std::variant<bool, std::int64_t, std::uint64_t, double, std::vector<std::string>, std::vector<TokenId>,
                 std::vector<TokenBias>, std::vector<StageId>, std::string, std::vector<TokenSequence>>;

// The value as a flag or an environment variable spells it. Numbers are rounded correctly; a list of strings has one
// element; ids, biases and stages are separated by commas, token sequences by semicolons ("1,2;3"). kWrongType,
// kOutOfRange.
Result<ParameterValue> ParseParameter(const ParameterSpec& spec, std::string_view text);

// The value as JSON spells it: whole numbers in any form ("3", "3.0", "3e0"), biases as an object from token id to
// number, null, "-inf", "-Infinity" or -Infinity, seeds as numbers or decimal strings (docs/sampling.md). kInvalidJson,
// kWrongType, kOutOfRange, kTokenOutOfRange.
Result<ParameterValue> ParameterFromJson(const ParameterSpec& spec, std::string_view json);

// Whether one step depends on the parameter: a stage's, the order of stages, or the end tokens that min_tokens bans.
// The seed is a sequence's.
bool AffectsStep(const ParameterSpec& spec);

// Where a value comes from, lowest precedence first.
enum class ParameterSource : std::uint8_t { kBuiltIn, kModel, kUserFile, kProjectFile, kEnvironment, kFlag, kRequest };
std::string_view NameOf(ParameterSource source);

// Values by parameter. Types are checked when a value is parsed, ranges of stages when the chain is built, all others
// when set; nothing is clamped.
class ParameterSet {
 public:
  struct Entry {
    const ParameterSpec* spec;
    ParameterValue value;
    ParameterSource source;
  };

  // A higher source replaces a lower one; a lower one changes nothing. Two different values from one source (say, by
  // two aliases) are kConflict; lists of strings, tokens and biases from one source are joined.
  Result<void> Set(const ParameterSpec& spec, ParameterValue value, ParameterSource source);
  // The same for a source that says a parameter once: another value, or a list with another, is kConflict.
  Result<void> SetOnce(const ParameterSpec& spec, ParameterValue value, ParameterSource source);
  const Entry* Find(std::string_view name) const;              // canonical name
  std::span<const Entry> entries() const { return entries_; }  // in registry order

  // The value of a parameter, nothing when it is absent. REQUIRES: T is what the parameter's type holds.
  template <class T>
  std::optional<T> Get(std::string_view name) const {
    const Entry* entry = Find(name);
    const T* value = entry == nullptr ? nullptr : std::get_if<T>(&entry->value);
    return value == nullptr ? std::nullopt : std::optional<T>(*value);
  }

 private:
  std::vector<Entry> entries_;
};

// The values that a model's own files recommend, as of source kModel: the general.sampling.* keys of a GGUF file, or
// generation_config.json of a Hugging Face folder, where "do_sample": false means temperature 0. A file without any, or
// a model of another kind, gives none. A recommendation that decant cannot follow is kUnsupportedFile; a bad value is
// an error that names the file.
Result<ParameterSet> ModelDefaults(const std::string& model_path);

// {"top_k":{"value":40,"source":"flag"},…} in registry order.
std::string ParametersToJson(const ParameterSet& parameters);

// What a chain needs besides the parameters.
struct ChainContext {
  Preset preset = Preset::kNative;
  // Turns bad_words and dry_sequence_breakers into tokens; null = they are kUnsupportedTokenizer.
  const Tokenizer* tokenizer = nullptr;
  // Tokens that end a text, which min_tokens bans beside stop_token_ids: the model's eos, unless it is ignored.
  std::span<const TokenId> end_tokens = {};
};

// The chain that the set describes: the default order (processors, temperature, filters), or the order of `samplers`,
// which then names every stage to be used; a stage with a value that `samplers` leaves out is kConflict. Stages at
// their off values are kept (plans drop them). Values outside the native ranges are refused here, other presets' when
// their sampler is made.
Result<Chain> BuildChain(const ParameterSet& parameters, const ChainContext& context);
// The same checks before there is a model: texts are not looked at.
Result<void> CheckChain(const ParameterSet& parameters, Preset preset);

// Whether the parameters ask for a constraint: one of json_schema, regex and choice is there.
bool HasConstraint(const ParameterSet& parameters);
// What json_schema, regex and choice, and the parameters beside them, have to fit together, before anything is
// compiled: kConflict where two of the three are there, or one beside them has nothing to act on.
Result<void> CheckConstraint(const ParameterSet& parameters);
// The texts that the parameters allow; null where they ask for no constraint. Errors as those of CompileJsonSchema,
// CompileRegex and CompileChoice.
Result<std::shared_ptr<const Grammar>> CompileConstraint(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                         const ParameterSet& parameters);

}  // namespace decant

#endif  // DECANT_PARAMETERS_H_
