// The trace of a run: JSON Lines that let anyone recompute every step and prove that nothing was changed
// (docs/formats/trace.md).
#ifndef DECANT_TRACE_H_
#define DECANT_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/generate.h"
#include "decant/model.h"
#include "decant/parameters.h"
#include "decant/sampler.h"

namespace decant {

struct TraceDetail {
  enum class Level : std::uint8_t { kSummary, kTop, kFull };
  Level level = Level::kTop;  // summary: counts and masses; top: the best rows too; full: the raw logits, base64
  std::size_t top = 8;        // rows for kTop and kFull
  bool operator==(const TraceDetail&) const = default;
};
// "summary", "top:N", "full".
Result<TraceDetail> ParseTraceDetail(std::string_view text);
std::string ToText(const TraceDetail& detail);

// All that a run depends on.
struct RunSpec {
  std::vector<TokenId> prompt = {};
  ParameterSet parameters = {};  // the sampling and stopping parameters, seed included
  Preset preset = Preset::kNative;
  std::uint32_t sequence = 0;
  // Bytes of the prompt's end that were taken back and that the answer must begin with (HealPrompt); empty = none.
  std::string healed = {};
  TraceDetail detail = {};
  // For a program with a chain of its own, custom stages included; absent = what the parameters come to. A trace of it
  // is complete, but Replay knows parameters only: it refuses custom stages by name, and differs on another chain.
  std::optional<Chain> chain = {};
  // The grammar that the output has to keep to, over MakeConstraintVocabulary's tokens; null = the one that the
  // parameters come to, compiled anew by each PrepareRun. Replay knows parameters only.
  std::shared_ptr<const Grammar> grammar = {};
};

// What masks need of the model's vocabulary. Its own end token ends a text, and those of stop_token_ids that are
// control tokens. kUnsupportedTokenizer.
Result<std::shared_ptr<const ConstraintVocabulary>> MakeConstraintVocabulary(const Model& model,
                                                                             const ParameterSet& parameters);

// The sampler, state and options that a spec comes to for a model.
struct PreparedRun {
  std::shared_ptr<const Sampler> sampler;
  SamplerState state;
  GenerateOptions options;
  std::shared_ptr<const Grammar> grammar = {};  // null = none
  std::unique_ptr<Constraint> constraint = {};  // what options.constraint points to
};
Result<PreparedRun> PrepareRun(const Model& model, const RunSpec& spec);

// Writes a trace, line by line; each line is complete on disk when its call returns. Not thread-safe.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  virtual Result<void> Step(const StepEvidence& evidence) = 0;
  virtual Result<void> End(const Generation& generation) = 0;
};
// Creates the file ("-" is refused; an existing file is replaced) and writes the header. kCannotWrite.
Result<std::unique_ptr<TraceWriter>> WriteTrace(const std::string& path, const Model& model, const RunSpec& spec);

struct ReplayReport {
  std::size_t steps = 0;
  std::string text = {};
};
struct ReplayOptions {
  std::size_t prefill_chunk = 512;
  KvCacheUse kv_cache = KvCacheUse::kOn;
  std::function<void(std::size_t step, std::size_t total)> on_step = {};
  std::stop_token cancel = {};
};
// What the header says of the model: to find it by name and SHA-256, and to load it with the same context.
struct TracedModel {
  std::string name = {}, path = {}, sha256 = {};
  std::uint64_t context = 0;  // tokens; 0 = not said
};
Result<TracedModel> ModelOfTrace(const std::string& path);
// Checks shape and hash chain (kTraceBroken), then recomputes every line and compares it byte for byte
// (kTraceDiffers names the first field that differs, what it says and what was computed).
Result<ReplayReport> Replay(const std::string& path, const Model& model, const ReplayOptions& options);

}  // namespace decant

#endif  // DECANT_TRACE_H_
