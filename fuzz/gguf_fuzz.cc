// Any bytes as a GGUF file: parsing, every typed lookup, every readable tensor, and the file as a model must end in a
// value or an Error. A file that is a model runs one token.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/check.h"
#include "decant/runtime.h"
#include "model/llama_model.h"
#include "model/llama_weights.h"
#include "weights/dequantize.h"
#include "weights/gguf.h"

namespace {

void LookAt(const decant::weights::GgufFile& file) {
  for (const auto& entry : file.metadata()) {
    (void)file.Unsigned(entry.key);
    (void)file.Signed(entry.key);
    (void)file.Float(entry.key);
    (void)file.Bool(entry.key);
    (void)file.String(entry.key);
    (void)file.Strings(entry.key);
    (void)file.Integers(entry.key);
    (void)file.Floats(entry.key);
  }
  for (const auto& entry : file.tensors()) {
    const auto tensor = file.Tensor(entry.name);
    if (!tensor.has_value()) continue;
    (void)decant::weights::CheckFinite(**tensor);
    std::vector<float> row(static_cast<std::size_t>((*tensor)->columns()));
    decant::weights::DequantizeRow(**tensor, (*tensor)->rows() - 1, std::span(row));
  }
}

void RunAsModel(const decant::weights::GgufFile& file) {
  static const std::shared_ptr<decant::Runtime> runtime = *decant::Runtime::Make({.threads = 1});
  auto weights = decant::model::LoadLlamaWeights(file, *runtime);
  if (!weights.has_value()) return;
  const auto model = decant::model::MakeLlama(*std::move(weights), runtime, {.context = 0, .sequences = 1});
  DECANT_CHECK(model.has_value());
  decant::KvSequence sequence = (*model)->Start();
  const std::vector<decant::Row> rows = {{.sequence = &sequence, .token = 0, .position = 0, .wants_logits = true}};
  std::vector<float> logits((*model)->vocabulary_size());
  const auto failed = (*model)->Forward(rows, logits);
  DECANT_CHECK(failed.has_value() && sequence.size() == 1 - failed->size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = decant::weights::GgufFile::Parse(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  LookAt(*file);
  RunAsModel(*file);
  return 0;
}
