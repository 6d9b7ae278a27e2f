// The samples of `decant samples`: fixed prompts, each continued greedily and by sampling.
#ifndef DECANT_CLI_SAMPLES_H_
#define DECANT_CLI_SAMPLES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decant/generate.h"
#include "decant/measure.h"
#include "decant/model.h"
#include "decant/parameters.h"
#include "decant/trace.h"

namespace decant::cli {

enum class CacheCheck : std::uint8_t { kSkip, kCheck };

struct SamplesPlan {
  std::vector<std::string> prompts;
  std::size_t tokens = 200;  // of each continuation; the end token is passed over
  Preset preset = Preset::kNative;
  std::uint64_t seed = 0;
  CacheCheck cache_check = CacheCheck::kSkip;
};

// "greedy" and "sampled".
struct Setting {
  std::string_view name;
  ParameterSet parameters;
};
std::vector<Setting> SettingsOf(const SamplesPlan& plan);

struct Sample {
  std::size_t index = 0;  // 0-based place in the file
  std::size_t prompt = 0, setting = 0;
  std::vector<TokenId> prompt_ids = {};
  Generation generation = {};
  // With a cache check: whether the tokens were the same without the cache, and how long that took.
  std::optional<bool> same_without_cache = {};
  std::chrono::nanoseconds uncached_time = {};
};

struct SampleEvents {
  // A sample has so many tokens now; `cached` is false while it is computed again without the KV cache.
  std::function<void(const Sample& sample, std::size_t tokens, bool cached)> on_token = {};
  std::function<Result<void>(const Sample& sample)> on_sample = {};
  std::stop_token cancel = {};
};

// All samples in the order of the file: each prompt greedily, then sampled, with a new random stream each time. When
// cancelled, the finished ones. Errors name the prompt, and come before the first sample where they can.
Result<std::vector<Sample>> MakeSamples(const Model& model, const SamplesPlan& plan, const SampleEvents& events);

// The line of samples.jsonl, schema decant.samples/1: no times, so that equal runs give equal bytes.
std::string SampleLine(const Sample& sample, const SamplesPlan& plan, std::string_view model_file,
                       std::string_view model_sha256);

// The samples of one setting, measured.
struct SettingReport {
  CorpusMeasures corpus = {};
  std::vector<std::size_t> prompts = {};        // of each text, 0-based
  std::vector<std::optional<Loop>> loops = {};  // over tokens
  std::size_t token_loops() const;
};
SettingReport ReportOf(std::span<const Sample> samples, std::size_t setting);

struct CacheReport {
  std::size_t samples = 0, same = 0;
  double cached_s = 0, uncached_s = 0;
};
CacheReport CacheReportOf(std::span<const Sample> samples);

}  // namespace decant::cli

#endif  // DECANT_CLI_SAMPLES_H_
