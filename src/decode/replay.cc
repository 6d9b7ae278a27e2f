// Replay: recomputes a trace and compares it line by line, byte for byte.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/mapped_file.h"
#include "decant/trace.h"
#include "decode/trace_content.h"
#include "trace/lines.h"

namespace decant {
namespace {

constexpr std::uint64_t kMostTraceBytes = std::uint64_t{1} << 32;

struct OpenTrace {
  std::vector<trace::Line> lines;
  decode::ReadHeader header;
};

Result<OpenTrace> Open(const std::string& path) {
  DECANT_TRY(const std::string text, core::ReadFile(path, kMostTraceBytes));
  DECANT_TRY(std::vector<trace::Line> lines, trace::ReadLines(text));
  DECANT_TRY(decode::ReadHeader header, decode::ParseHeader(lines.front().value));
  return OpenTrace{.lines = std::move(lines), .header = std::move(header)};
}

std::unexpected<Error> Differs(std::size_t line, const std::string& path, const std::string& traced,
                               const std::string& computed) {
  return Fail(ErrorCode::kTraceDiffers,
              "line " + std::to_string(line + 1) + " of the trace, field " + path + ": the trace says " + traced +
                  ", computed is " + computed,
              {.subject = path, .at = Position{.line = static_cast<std::uint32_t>(line + 1), .column = 1}});
}

// Compares a traced line (by index) with the object computed anew.
Result<void> Compare(const std::vector<trace::Line>& lines, std::size_t index, const std::string& object) {
  if (index >= lines.size()) return Differs(index, "type", "nothing", "another line");
  const std::string_view payload = std::string_view(object).substr(0, object.size() - 1);
  if (lines[index].payload == payload) return {};
  DECANT_TRY(const json::Value computed, json::Read(object, {}));
  if (const auto found = trace::FirstDifference(lines[index].value, computed)) {
    return Differs(index, found->path, found->left, found->right);
  }
  return Differs(index, "(spelling)", "the same values", "spelt otherwise");
}

bool EndedFromOutside(const trace::Line& end) {
  const json::Value* stop = end.value.Find("stop");
  if (stop == nullptr || stop->if_string() == nullptr) return false;
  return *stop->if_string() == NameOf(StopReason::kTime) || *stop->if_string() == NameOf(StopReason::kCancelled);
}

}  // namespace

Result<TracedModel> ModelOfTrace(const std::string& path) {
  DECANT_TRY(OpenTrace trace, Open(path));
  return std::move(trace.header.origin.model);
}

Result<ReplayReport> Replay(const std::string& path, const Model& model, const ReplayOptions& options) {
  DECANT_TRY(const OpenTrace trace, Open(path));
  const RunSpec& spec = trace.header.spec;
  DECANT_TRY(const std::string sha256, model.Sha256());
  if (sha256 != trace.header.origin.model.sha256) {
    return Differs(0, "model.sha256", trace.header.origin.model.sha256, sha256);
  }
  DECANT_TRY(PreparedRun run, PrepareRun(model, spec));
  DECANT_CHECKED(Compare(trace.lines, 0, decode::HeaderObject(trace.header.origin, model, spec, run.sampler->chain())));

  // A run that time or a person ended is computed up to the same number of steps.
  const std::size_t steps = trace.lines.size() - 2;
  const bool outside = EndedFromOutside(trace.lines.back());
  std::stop_source enough;
  const std::stop_callback forward(options.cancel, [&enough] { enough.request_stop(); });
  run.options.max_time.reset();
  run.options.cancel = enough.get_token();
  run.options.prefill_chunk = options.prefill_chunk;
  run.options.kv_cache = options.kv_cache;
  if (outside && steps == 0) enough.request_stop();

  GenerateEvents events;
  events.on_step = [&](const StepEvidence& evidence) -> Result<void> {
    DECANT_TRY(const std::string object, decode::StepObject(evidence, spec.detail));
    DECANT_CHECKED(Compare(trace.lines, evidence.index, object));
    if (options.on_step) options.on_step(evidence.index, steps);
    if (outside && evidence.index == steps) enough.request_stop();
    return {};
  };
  DECANT_TRY(Generation generation, Generate(model.language_model(), model.tokenizer(), spec.prompt, *run.sampler,
                                             run.state, run.options, events));
  if (options.cancel.stop_requested()) {
    return Fail(ErrorCode::kCancelled, "the replay was cancelled after " + std::to_string(generation.tokens.size()) +
                                           " of " + std::to_string(steps) + " steps");
  }
  if (outside && generation.stop == StopReason::kCancelled) {
    const json::Value* stop = trace.lines.back().value.Find("stop");
    if (*stop->if_string() == NameOf(StopReason::kTime)) generation.stop = StopReason::kTime;
  }
  DECANT_CHECKED(Compare(trace.lines, generation.tokens.size() + 1, decode::EndObject(generation)));
  return ReplayReport{.steps = generation.tokens.size(), .text = std::move(generation.text)};
}

}  // namespace decant
