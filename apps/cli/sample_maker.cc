// Generates the samples, writes their lines and measures them; the command around it is samples.cc.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flags.h"
#include "json/spelling.h"
#include "json/writer.h"
#include "measure_report.h"
#include "prompt_list.h"
#include "record_json.h"
#include "samples.h"

namespace decant::cli {
namespace {

std::chrono::nanoseconds TimeOf(const Generation& generation) {
  return generation.prefill_time + generation.decode_time;
}

// One continuation; nothing when it was cancelled.
Result<std::optional<Generation>> Continue(const Model& model, const RunSpec& spec, KvCacheUse cache,
                                           const std::function<void(std::size_t)>& on_token, std::stop_token cancel) {
  DECANT_TRY(PreparedRun run, PrepareRun(model, spec));
  run.options.kv_cache = cache;
  run.options.cancel = std::move(cancel);
  std::size_t pieces = 0;
  GenerateEvents events;
  events.on_text = [&](std::string_view) { on_token(++pieces); };
  DECANT_TRY(Generation generation, Generate(model.language_model(), model.tokenizer(), spec.prompt, *run.sampler,
                                             run.state, run.options, events));
  if (generation.stop == StopReason::kCancelled) return std::nullopt;
  return generation;
}

Result<std::optional<Sample>> MakeSample(const Model& model, const SamplesPlan& plan, const RunSpec& spec,
                                         Sample sample, const SampleEvents& events) {
  const auto count = [&](bool cached) {
    return [&events, &sample, cached](std::size_t tokens) {
      if (events.on_token) events.on_token(sample, tokens, cached);
    };
  };
  DECANT_TRY(auto cached, Continue(model, spec, KvCacheUse::kOn, count(true), events.cancel));
  if (!cached.has_value()) return std::nullopt;
  sample.generation = *std::move(cached);
  if (plan.cache_check == CacheCheck::kSkip) return sample;
  DECANT_TRY(const auto uncached, Continue(model, spec, KvCacheUse::kOff, count(false), events.cancel));
  if (!uncached.has_value()) return std::nullopt;
  sample.same_without_cache = uncached->tokens == sample.generation.tokens;
  sample.uncached_time = TimeOf(*uncached);
  return sample;
}

void WriteSettingValues(json::Writer& writer, const ParameterSet& parameters) {
  writer.BeginObject();
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    writer.Key(entry.spec->name);
    if (const auto* number = std::get_if<double>(&entry.value)) {
      writer.Double(*number);
    } else if (const auto* integer = std::get_if<std::int64_t>(&entry.value)) {
      writer.Int(*integer);
    } else if (const auto* seed = std::get_if<std::uint64_t>(&entry.value)) {
      json::WriteSeed(*seed, writer);
    } else if (const auto* on = std::get_if<bool>(&entry.value)) {
      writer.Bool(*on);
    } else {
      writer.Null();
    }
  }
  writer.EndObject();
}

}  // namespace

std::vector<Setting> SettingsOf(const SamplesPlan& plan) {
  std::vector<Setting> settings = {{.name = "greedy", .parameters = {}}, {.name = "sampled", .parameters = {}}};
  SetBuiltIn(settings[0].parameters, "temperature", 0.0);
  SetBuiltIn(settings[1].parameters, "temperature", 0.8);
  SetBuiltIn(settings[1].parameters, "top_k", std::int64_t{40});
  for (Setting& setting : settings) {
    SetBuiltIn(setting.parameters, "seed", plan.seed);
    SetBuiltIn(setting.parameters, "max_tokens", static_cast<std::int64_t>(plan.tokens));
    SetBuiltIn(setting.parameters, "ignore_eos", true);
  }
  return settings;
}

Result<std::vector<Sample>> MakeSamples(const Model& model, const SamplesPlan& plan, const SampleEvents& events) {
  std::vector<std::vector<TokenId>> prompts;
  for (const std::string& text : plan.prompts) {
    auto prompt = EncodePrompt(model, text, plan.tokens);
    if (!prompt.has_value()) {
      Error error = std::move(prompt).error();
      error.message = fmt::format("prompt {}: {}", prompts.size() + 1, error.message);
      return std::unexpected(std::move(error));
    }
    prompts.push_back(*std::move(prompt));
  }
  const std::vector<Setting> settings = SettingsOf(plan);
  std::vector<Sample> samples;
  for (std::size_t prompt = 0; prompt < prompts.size(); ++prompt) {
    for (std::size_t setting = 0; setting < settings.size(); ++setting) {
      const RunSpec spec{.prompt = prompts[prompt], .parameters = settings[setting].parameters, .preset = plan.preset};
      Sample sample{.index = samples.size(), .prompt = prompt, .setting = setting, .prompt_ids = prompts[prompt]};
      DECANT_TRY(auto made, MakeSample(model, plan, spec, std::move(sample), events));
      if (!made.has_value()) return samples;
      if (events.on_sample) DECANT_CHECKED(events.on_sample(*made));
      samples.push_back(*std::move(made));
    }
  }
  return samples;
}

std::string SampleLine(const Sample& sample, const SamplesPlan& plan, std::string_view model_file,
                       std::string_view model_sha256) {
  const Setting setting = SettingsOf(plan)[sample.setting];
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.samples/1");
  w.Key("index");
  w.Uint(sample.index);
  w.Key("model");
  w.String(model_file);
  w.Key("model_sha256");
  w.String(model_sha256);
  w.Key("prompt");
  w.String(plan.prompts[sample.prompt]);
  w.Key("setting");
  w.String(setting.name);
  w.Key("preset");
  w.String(NameOf(plan.preset));
  w.Key("params");
  WriteSettingValues(w, setting.parameters);
  w.Key("prompt_ids");
  WriteIds(w, sample.prompt_ids);
  w.Key("tokens");
  WriteIds(w, sample.generation.tokens);
  w.Key("text");
  w.String(sample.generation.text);
  w.Key("stop");
  w.String(NameOf(sample.generation.stop));
  const TextMeasures measures = MeasureText(sample.generation.text);
  WriteMeasureFields(w, measures);
  WriteLoop(w, "loop", measures.loop);
  WriteLoop(w, "token_loop", FindLoop(sample.generation.tokens, {}));
  w.EndObject();
  return w.Take();
}

std::size_t SettingReport::token_loops() const {
  return static_cast<std::size_t>(std::ranges::count_if(loops, [](const auto& loop) { return loop.has_value(); }));
}

SettingReport ReportOf(std::span<const Sample> samples, std::size_t setting) {
  SettingReport report;
  std::vector<std::string> texts;
  for (const Sample& sample : samples) {
    if (sample.setting != setting) continue;
    texts.push_back(sample.generation.text);
    report.prompts.push_back(sample.prompt);
    report.loops.push_back(FindLoop(sample.generation.tokens, {}));
  }
  report.corpus = MeasureTexts(texts);
  return report;
}

CacheReport CacheReportOf(std::span<const Sample> samples) {
  CacheReport report;
  for (const Sample& sample : samples) {
    if (!sample.same_without_cache.has_value()) continue;
    ++report.samples;
    if (*sample.same_without_cache) ++report.same;
    report.cached_s += std::chrono::duration<double>(TimeOf(sample.generation)).count();
    report.uncached_s += std::chrono::duration<double>(sample.uncached_time).count();
  }
  return report;
}

}  // namespace decant::cli
