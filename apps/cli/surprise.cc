// Three continuations of one beginning, scored by the same model in the same way.
#include "surprise.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/math.h"
#include "decant/generate.h"
#include "decant/trace.h"
#include "flags.h"
#include "prompt_list.h"
#include "table.h"

namespace decant::cli {
namespace {

// Scores of the tokens behind the beginning.
Result<Continuation> Scored(const Model& model, std::string name, const std::vector<TokenId>& beginning,
                            std::span<const TokenId> tokens, const SurpriseEvents& events) {
  std::vector<TokenId> all = beginning;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const ScoreOptions options{
      .on_progress =
          [&](std::size_t done, std::size_t total) {
            if (events.on_progress) {
              events.on_progress(fmt::format("scoring the {} text {}/{} tokens", name, done, total));
            }
          },
      .cancel = events.cancel};
  DECANT_TRY(std::vector<TokenScore> scores, ScoreTokens(model.language_model(), all, options));
  scores.erase(scores.begin(), scores.end() - static_cast<std::ptrdiff_t>(tokens.size()));
  std::vector<double> log_probabilities;
  for (const TokenScore& score : scores) log_probabilities.push_back(score.log_probability);
  DECANT_TRY(std::string text, model.tokenizer()->Decode(tokens));
  return Continuation{.name = std::move(name),
                      .text = std::move(text),
                      .scores = std::move(scores),
                      .summary = SummarizeSurprise(log_probabilities)};
}

Result<std::vector<TokenId>> Continue(const Model& model, const RunSpec& spec, std::string_view name,
                                      const SurpriseEvents& events) {
  DECANT_TRY(PreparedRun run, PrepareRun(model, spec));
  run.options.cancel = events.cancel;
  std::size_t pieces = 0;
  GenerateEvents generation_events;
  generation_events.on_text = [&](std::string_view) {
    if (events.on_progress) events.on_progress(fmt::format("generating the {} text, {} pieces", name, ++pieces));
  };
  DECANT_TRY(Generation generation, Generate(model.language_model(), model.tokenizer(), spec.prompt, *run.sampler,
                                             run.state, run.options, generation_events));
  if (generation.stop == StopReason::kCancelled) return Fail(ErrorCode::kCancelled, "interrupted");
  return std::move(generation.tokens);
}

double TopShare(const Continuation& continuation) {
  const auto top = std::ranges::count_if(continuation.scores, [](const TokenScore& score) { return score.rank == 1; });
  return continuation.scores.empty() ? 0 : static_cast<double>(top) / static_cast<double>(continuation.scores.size());
}

double MeanEntropy(const Continuation& continuation) {
  double sum = 0;
  for (const TokenScore& score : continuation.scores) sum += score.entropy_bits;
  return continuation.scores.empty() ? 0 : sum / static_cast<double>(continuation.scores.size());
}

void SetLimits(ParameterSet& parameters, std::size_t tokens) {
  SetBuiltIn(parameters, "max_tokens", static_cast<std::int64_t>(tokens));
  SetBuiltIn(parameters, "ignore_eos", true);
}

}  // namespace

Result<SurpriseReport> CompareSurprise(const Model& model, std::string_view text, const SurprisePlan& plan,
                                       const SurpriseEvents& events) {
  DECANT_TRY(std::vector<TokenId> beginning, EncodePrompt(model, text, 0));
  if (beginning.size() <= plan.given) {
    return Fail(ErrorCode::kEmptyPrompt,
                fmt::format("the text has {} tokens, {} of them are its beginning: nothing is left to compare",
                            beginning.size(), plan.given),
                {.subject = "text", .hint = "use a longer text or a smaller --given"});
  }
  std::vector<TokenId> human(beginning.begin() + static_cast<std::ptrdiff_t>(plan.given), beginning.end());
  human.resize(std::min(human.size(), plan.tokens));
  beginning.resize(plan.given);

  ParameterSet greedy;
  SetBuiltIn(greedy, "temperature", 0.0);
  SetLimits(greedy, human.size());
  ParameterSet sampled = plan.sampling;
  SetLimits(sampled, human.size());
  SurpriseReport report{.given = plan.given, .continuations = {}};
  DECANT_TRY(Continuation of_human, Scored(model, "human", beginning, human, events));
  report.continuations.push_back(std::move(of_human));
  const std::pair<std::string, RunSpec> generated[] = {
      {"greedy", {.prompt = beginning, .parameters = std::move(greedy), .preset = plan.preset}},
      {"sampled", {.prompt = beginning, .parameters = std::move(sampled), .preset = plan.preset}}};
  for (const auto& [name, spec] : generated) {
    DECANT_TRY(const std::vector<TokenId> tokens, Continue(model, spec, name, events));
    DECANT_TRY(Continuation scored, Scored(model, name, beginning, tokens, events));
    report.continuations.push_back(std::move(scored));
  }
  return report;
}

std::vector<Series> SeriesOf(const SurpriseReport& report) {
  std::vector<Series> series;
  for (const Continuation& continuation : report.continuations) {
    Series one{.name = continuation.name, .values = {}};
    for (const TokenScore& score : continuation.scores) one.values.push_back(core::Exp(score.log_probability));
    series.push_back(std::move(one));
  }
  return series;
}

std::string SurpriseTable(const SurpriseReport& report) {
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
               Align::kRight});
  table.Add(
      {"text", "tokens", "mean p", "variance of p", "bits/token", "p < 0.1", "model's first choice", "entropy (bits)"});
  for (const Continuation& continuation : report.continuations) {
    const SurpriseSummary& s = continuation.summary;
    table.Add({continuation.name, std::to_string(s.tokens), fmt::format("{:.3f}", s.mean_probability),
               fmt::format("{:.3f}", s.probability_variance), fmt::format("{:.2f}", s.mean_surprise_bits),
               fmt::format("{:.0f} %", 100 * s.unlikely_share), fmt::format("{:.0f} %", 100 * TopShare(continuation)),
               fmt::format("{:.2f}", MeanEntropy(continuation))});
  }
  return table.Text(" ");
}

SvgText SvgTextOf(const SurpriseReport& report, std::string_view model_file, std::string_view text_file) {
  std::string description = fmt::format(
      "Line charts of the probability that {} gives to each token of three continuations of the first {} tokens "
      "of {}.",
      model_file, report.given, text_file);
  for (const Continuation& continuation : report.continuations) {
    description += fmt::format(" {}: mean probability {:.3f}, {:.0f} % of {} tokens below 0.1.", continuation.name,
                               continuation.summary.mean_probability, 100 * continuation.summary.unlikely_share,
                               continuation.summary.tokens);
  }
  return {.title = "How probable each next token is to the model",
          .description = std::move(description),
          .x_label = "token of the continuation",
          .y_label = "probability, 0 to 1"};
}

void WriteSurpriseFields(json::Writer& writer, const SurpriseReport& report) {
  writer.Key("given");
  writer.Uint(report.given);
  writer.Key("continuations");
  writer.BeginArray();
  for (const Continuation& continuation : report.continuations) {
    const SurpriseSummary& s = continuation.summary;
    writer.BeginObject();
    writer.Key("name");
    writer.String(continuation.name);
    writer.Key("text");
    writer.String(continuation.text);
    const std::pair<std::string_view, double> numbers[] = {
        {"mean_probability", s.mean_probability},       {"probability_variance", s.probability_variance},
        {"mean_surprise_bits", s.mean_surprise_bits},   {"unlikely_share", s.unlikely_share},
        {"first_choice_share", TopShare(continuation)}, {"mean_entropy_bits", MeanEntropy(continuation)}};
    for (const auto& [key, number] : numbers) {
      writer.Key(key);
      writer.Double(number);
    }
    writer.Key("tokens");
    writer.BeginArray();
    for (const TokenScore& score : continuation.scores) {
      writer.BeginObject();
      writer.Key("id");
      writer.Uint(score.token);
      writer.Key("log_probability");
      writer.Double(score.log_probability);
      writer.Key("rank");
      writer.Uint(score.rank);
      writer.Key("entropy_bits");
      writer.Double(score.entropy_bits);
      writer.EndObject();
    }
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace decant::cli
