// Rows of a real model: what it says while it continues a text.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "bench.h"
#include "decant/generate.h"
#include "decant/model.h"
#include "line_file.h"
#include "models.h"
#include "output_file.h"
#include "signals.h"

namespace decant::cli {
namespace {

constexpr std::string_view kPrompt = "The lighthouse keeper wrote one line in his book every evening. Tonight it said:";

void AppendLittleEndian(std::string& bytes, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xff);
}

// The rows, one after the other.
Result<std::string> Record(Session& session, const Model& model, const RecordRequest& request) {
  const std::string& path = model.description().path;
  const Tokenizer* const tokenizer = model.tokenizer();
  if (tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, path + " has no tokenizer", {.subject = path});
  }
  std::vector<TokenId> prompt = tokenizer->Encode(kPrompt, SpecialText::kAsText);
  if (tokenizer->add_bos() && tokenizer->bos().has_value()) prompt.insert(prompt.begin(), *tokenizer->bos());
  const LanguageModel& language_model = model.language_model();
  const Chain chain = {{StageId::kTemperature, TemperatureParams{.temperature = 0.8}},
                       {StageId::kTopK, TopKParams{.k = 40}}};
  DECANT_TRY(const auto sampler, MakeSampler(chain, language_model.vocabulary_size(), {}));
  SamplerState state({.prompt = prompt});
  const InterruptScope interrupt;
  ProgressLine progress(session.progress_style());
  std::string values;
  GenerateOptions options{.max_tokens = request.steps};
  options.at_context_end = ContextEnd::kSlide;
  options.cancel = interrupt.token();
  const GenerateEvents events{.on_step = [&](const StepEvidence& step) -> Result<void> {
    progress.Update(
        fmt::format("recording {} {}/{}", ProgressBar(step.index, request.steps, 16), step.index, request.steps));
    for (const float logit : step.logits) AppendLittleEndian(values, logit);
    return {};
  }};
  DECANT_TRY(const Generation done, Generate(language_model, tokenizer, prompt, *sampler, state, options, events));
  if (done.stop == StopReason::kCancelled) return Fail(ErrorCode::kCancelled, "interrupted; nothing was written");
  return NpyHeader(request.steps, language_model.vocabulary_size()) + values;
}

}  // namespace

Result<int> RecordRows(Session& session, const RecordRequest& request) {
  DECANT_TRY(const std::string path, FindNamedModel(request.model));
  const InputFile model_file{.what = "the model", .path = path};
  DECANT_CHECKED(CheckOutput({.flag = "--record", .path = request.file, .kind = OutputKind::kNpy}, {&model_file, 1}));
  DECANT_TRY(LineFile file, LineFile::Create(request.file));
  DECANT_TRY(const auto runtime, Runtime::Make({.threads = request.threads}));
  DECANT_TRY(const auto model, LoadModel(path, runtime, {}));
  DECANT_TRY(const std::string bytes, Record(session, *model, request));
  DECANT_CHECKED(file.WriteBytes(bytes));
  DECANT_CHECKED(file.Commit());
  session.Note(fmt::format("{} rows of {} logits are in {}", request.steps, model->language_model().vocabulary_size(),
                           request.file));
  return 0;
}

}  // namespace decant::cli
