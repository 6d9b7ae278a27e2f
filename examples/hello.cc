// The whole of decant in one page: load a model, generate with evidence for every token.
//
//   hello MODEL.gguf "Once upon a time"
#include <cstdio>
#include <string>

#include "decant/generate.h"
#include "decant/model.h"
#include "decant/sampler.h"

namespace {

decant::Result<void> Hello(const std::string& path, const std::string& prompt) {
  DECANT_TRY(auto runtime, decant::Runtime::Make({.threads = 2}));
  DECANT_TRY(auto model, decant::LoadModel(path, runtime, {}));
  if (model->tokenizer() == nullptr) {
    return decant::Fail(decant::ErrorCode::kUnsupportedTokenizer, "the model has no tokenizer; expected a GGUF file");
  }
  const auto tokens = model->tokenizer()->Encode(prompt, decant::SpecialText::kAsText);

  DECANT_TRY(auto sampler, decant::MakeSampler({{decant::StageId::kTemperature, decant::TemperatureParams{0.8}},
                                                {decant::StageId::kTopK, decant::TopKParams{40}}},
                                               model->language_model().vocabulary_size(), {}));
  decant::SamplerState state({.seed = 7, .position = tokens.size()});

  decant::GenerateEvents events;
  events.on_step = [&](const decant::StepEvidence& step) -> decant::Result<void> {
    std::printf("%3zu  %-12.*s  p %.4f  rank %u  u %.4f in [%.4f, %.4f)\n", step.index,
                static_cast<int>(step.bytes.size()), step.bytes.data(), step.record->choice.probability,
                step.record->choice.rank, step.record->draw.u, step.record->draw.interval[0],
                step.record->draw.interval[1]);
    return {};
  };
  DECANT_TRY(const auto generation, decant::Generate(model->language_model(), model->tokenizer(), tokens, *sampler,
                                                     state, {.max_tokens = 12}, events));
  std::printf("%s%s\n", prompt.c_str(), generation.text.c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: hello MODEL.gguf PROMPT\n");
    return 2;
  }
  const auto done = Hello(argv[1], argv[2]);
  if (done.has_value()) return 0;
  std::fprintf(stderr, "hello: %s\n", done.error().message.c_str());
  return decant::RowOf(done.error().code).exit_code;
}
