// A Llama decoder as a LanguageModel.
#ifndef DECANT_MODEL_LLAMA_MODEL_H_
#define DECANT_MODEL_LLAMA_MODEL_H_

#include <cstdint>
#include <memory>

#include "decant/error.h"
#include "decant/language_model.h"
#include "decant/runtime.h"
#include "model/llama_weights.h"

namespace decant::model {

struct LlamaOptions {
  // Tokens a sequence may hold; 0 = what the weights say. Above that is an error.
  std::uint32_t context = 0;
  // Sequences' worth of KV cache, each of `context` tokens, that may live at once. At least 1.
  std::uint32_t sequences = 4;
};

// kOutOfRange for an option, kUnsupportedMachine for DECANT_SIMD.
Result<std::unique_ptr<LanguageModel>> MakeLlama(LlamaWeights weights, std::shared_ptr<Runtime> runtime,
                                                 LlamaOptions options);

}  // namespace decant::model

#endif  // DECANT_MODEL_LLAMA_MODEL_H_
