// Runs the two sides and watches for the first difference; the command around it is compare.cc.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compare.h"
#include "core/math.h"
#include "core/split.h"
#include "decant/trace.h"
#include "flags.h"

namespace decant::cli {
namespace {

constexpr std::int64_t kDefaultTokens = 200;

Result<StepFacts> FactsOf(const StepEvidence& evidence) {
  DECANT_TRY(const RawDistribution raw, RawDistributionOf(evidence.logits));
  const TokenId token = evidence.record->choice.token;
  return StepFacts{.token = token,
                   .draw = evidence.record->draw,
                   .entropy_bits = raw.entropy_bits,
                   .surprise_bits = -RawLogProbability(raw, evidence.logits[token]) * core::kLog2E};
}

// Draws with side A's sampler at every step of side B, as long as A would have been at the same place.
class Shadow {
 public:
  Shadow(PreparedRun run, const std::vector<TokenId>& tokens, Comparison& out)
      : run_(std::move(run)), tokens_(tokens), out_(out) {}

  Result<void> Step(const StepEvidence& evidence) {
    const std::size_t step = evidence.index - 1;
    if (parted_ || out_.distribution_difference.has_value() || step >= tokens_.size()) return {};
    StepRecord record;
    DECANT_TRY([[maybe_unused]] const Choice choice,
               run_.sampler->Sample(RowView::F32(evidence.logits), run_.state, &record));
    const double distance = TotalVariation(record, *evidence.record);
    if (distance > 0) {
      out_.distribution_difference = step;
      out_.total_variation = distance;
    }
    run_.state.Accept(tokens_[step]);
    parted_ = tokens_[step] != evidence.record->choice.token;
    return {};
  }

 private:
  PreparedRun run_;
  const std::vector<TokenId>& tokens_;  // of side A
  Comparison& out_;
  bool parted_ = false;
};

Result<SideRun> RunSide(const Model& model, const RunSpec& spec, char name, Shadow* shadow,
                        const CompareEvents& events) {
  DECANT_TRY(PreparedRun run, PrepareRun(model, spec));
  run.options.cancel = events.cancel;
  SideRun out;
  GenerateEvents generation_events;
  generation_events.on_step = [&](const StepEvidence& evidence) -> Result<void> {
    if (shadow != nullptr) DECANT_CHECKED(shadow->Step(evidence));
    DECANT_TRY(const StepFacts facts, FactsOf(evidence));
    out.steps.push_back(facts);
    if (events.on_token) events.on_token(name, out.steps.size());
    return {};
  };
  DECANT_TRY(out.generation, Generate(model.language_model(), model.tokenizer(), spec.prompt, *run.sampler, run.state,
                                      run.options, generation_events));
  if (out.generation.stop == StopReason::kCancelled) return Fail(ErrorCode::kCancelled, "interrupted");
  return out;
}

// The settings between commas; a part that begins no setting belongs to the one before it.
Result<std::vector<std::pair<std::string, std::string>>> SplitSettings(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string_view part : core::Split(text, ',')) {
    const std::size_t equals = part.find('=');
    const bool begins = equals != std::string_view::npos && equals > 0 && (part[0] < '0' || part[0] > '9');
    if (begins) {
      std::string_view name = part.substr(0, equals);
      while (name.starts_with(' ')) name.remove_prefix(1);
      while (name.ends_with(' ')) name.remove_suffix(1);
      settings.emplace_back(name, part.substr(equals + 1));
    } else if (!settings.empty()) {
      settings.back().second += "," + std::string(part);
    } else {
      return Fail(ErrorCode::kWrongType, "\"" + std::string(part) + "\" is no setting; expected NAME=VALUE",
                  {.subject = std::string(part), .allowed = "NAME=VALUE,NAME=VALUE"});
    }
  }
  return settings;
}

}  // namespace

Result<SideSettings> ParseSettings(std::string_view text) {
  DECANT_TRY(const auto parts, SplitSettings(text));
  SideSettings settings;
  for (const auto& [name, value_text] : parts) {
    if (name == "preset") {
      DECANT_TRY(settings.preset, FindPreset(value_text));
      continue;
    }
    DECANT_TRY(const ParameterSpec* const spec, FindParameter(name));
    DECANT_TRY(ParameterValue value, ParseParameter(*spec, value_text));
    const auto twice = std::ranges::find(settings.values, spec,
                                         &std::pair<const ParameterSpec*, std::optional<ParameterValue>>::first);
    if (twice != settings.values.end()) {
      return Fail(ErrorCode::kConflict, std::string(spec->name) + " is given twice",
                  {.subject = std::string(spec->name)});
    }
    settings.values.emplace_back(spec, std::move(value));
  }
  return settings;
}

SideSettings Overlay(SideSettings under, const SideSettings& over) {
  for (const auto& [spec, value] : over.values) {
    std::erase_if(under.values, [&](const auto& entry) { return entry.first == spec; });
    under.values.emplace_back(spec, value);
  }
  if (over.preset.has_value()) under.preset = over.preset;
  return under;
}

Result<Side> MakeSide(const ParameterSet& common, std::optional<Preset> common_preset, const SideSettings& own) {
  Side side;
  const auto own_entry = [&](const ParameterSpec* spec) {
    return std::ranges::any_of(own.values, [&](const auto& entry) { return entry.first == spec; });
  };
  for (const ParameterSet::Entry& entry : common.entries()) {
    if (!own_entry(entry.spec)) DECANT_CHECKED(side.parameters.Set(*entry.spec, entry.value, entry.source));
  }
  bool unlimited = false;
  for (const auto& [spec, value] : own.values) {
    if (value.has_value()) {
      DECANT_CHECKED(side.parameters.Set(*spec, *value, ParameterSource::kRequest));
    } else {
      unlimited = true;
    }
  }
  const std::optional<Preset> preset = own.preset.has_value() ? own.preset : common_preset;
  side.preset = preset.value_or(Preset::kNative);
  if (!preset.has_value()) {
    SetBuiltIns(side.parameters, "compare");
  }
  SetBuiltIn(side.parameters, "seed", std::uint64_t{0});
  if (!unlimited) SetBuiltIn(side.parameters, "max_tokens", kDefaultTokens);
  DECANT_CHECKED(CheckChain(side.parameters, side.preset));
  return side;
}

bool Comparison::equal() const {
  return !token_difference.has_value() && a.generation.text == b.generation.text &&
         a.generation.stop == b.generation.stop;
}

double TotalVariation(const StepRecord& p, const StepRecord& q) {
  double sum = 0;
  std::size_t i = 0, j = 0;
  while (i < p.support.size() || j < q.support.size()) {
    const bool in_p = i < p.support.size() && (j >= q.support.size() || p.support[i] <= q.support[j]);
    const bool in_q = j < q.support.size() && (i >= p.support.size() || q.support[j] <= p.support[i]);
    const double difference = (in_p ? p.probabilities[i] : 0.0) - (in_q ? q.probabilities[j] : 0.0);
    sum += difference < 0 ? -difference : difference;
    i += in_p ? 1 : 0;
    j += in_q ? 1 : 0;
  }
  return sum / 2;
}

Result<Comparison> CompareSides(const Model& model, const std::vector<TokenId>& prompt, const Side& a, const Side& b,
                                const CompareEvents& events) {
  Comparison out;
  const RunSpec spec_a{.prompt = prompt, .parameters = a.parameters, .preset = a.preset};
  const RunSpec spec_b{.prompt = prompt, .parameters = b.parameters, .preset = b.preset};
  DECANT_TRY(out.a, RunSide(model, spec_a, 'A', nullptr, events));
  DECANT_TRY(PreparedRun shadow_run, PrepareRun(model, spec_a));
  Shadow shadow(std::move(shadow_run), out.a.generation.tokens, out);
  DECANT_TRY(out.b, RunSide(model, spec_b, 'B', &shadow, events));
  const std::vector<TokenId>&tokens_a = out.a.generation.tokens, &tokens_b = out.b.generation.tokens;
  const auto first = std::ranges::mismatch(tokens_a, tokens_b);
  if (first.in1 != tokens_a.end() || first.in2 != tokens_b.end()) {
    out.token_difference = static_cast<std::size_t>(first.in1 - tokens_a.begin());
  }
  return out;
}

std::optional<double> SideTotals::ArticleShare() const {
  if (words == 0) return std::nullopt;
  return static_cast<double>(articles) / static_cast<double>(words);
}

SideTotals TotalsOf(std::span<const SideRun* const> runs) {
  SideTotals totals;
  std::size_t quarters = 0;
  for (const SideRun* const run : runs) {
    const std::size_t steps = run->steps.size(),
                      quarter = std::max<std::size_t>(steps / 4, std::min<std::size_t>(steps, 1));
    totals.tokens += steps;
    quarters += quarter;
    for (std::size_t i = 0; i < steps; ++i) {
      totals.surprise_bits += run->steps[i].surprise_bits;
      if (i < quarter) totals.first_entropy += run->steps[i].entropy_bits;
      if (i + quarter >= steps) totals.last_entropy += run->steps[i].entropy_bits;
    }
    WordNumbers numbers;
    totals.four_word_runs += CountRepeats(numbers.OfText(run->generation.text), 4);
    const std::vector<std::string_view> words = WordsOf(run->generation.text);
    totals.words += words.size();
    totals.articles += CountArticles(words);
  }
  if (totals.tokens == 0) return totals;
  totals.surprise_bits /= static_cast<double>(totals.tokens);
  totals.first_entropy /= static_cast<double>(quarters);
  totals.last_entropy /= static_cast<double>(quarters);
  return totals;
}

}  // namespace decant::cli
