// A tiny checkpoint goes through the weights, the kernels and the cache of every other model.
#include "decode/tiny_model.h"

#include <utility>

#include "decant/runtime.h"
#include "model/llama_model.h"
#include "model/llama_weights.h"
#include "model/tiny_llama.h"

namespace decant::decode {

Result<std::shared_ptr<const LanguageModel>> LoadTinyModel(const model::TinyCheckpoint& checkpoint) {
  DECANT_TRY(const model::F32Llama llama, model::ToF32Llama(checkpoint));
  DECANT_TRY(model::LlamaWeights weights, model::MakeLlamaWeights(llama));
  DECANT_TRY(std::shared_ptr<Runtime> runtime, Runtime::Make({.threads = 1}));
  DECANT_TRY(std::unique_ptr<LanguageModel> loaded, model::MakeLlama(std::move(weights), std::move(runtime), {}));
  return std::shared_ptr<const LanguageModel>(std::move(loaded));
}

}  // namespace decant::decode
