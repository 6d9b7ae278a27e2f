// A tiny checkpoint as a LanguageModel: the forward pass of every model, over f32 weights.
#ifndef DECANT_DECODE_TINY_MODEL_H_
#define DECANT_DECODE_TINY_MODEL_H_

#include <memory>

#include "decant/error.h"
#include "decant/language_model.h"
#include "model/tiny_checkpoint.h"

namespace decant::decode {

// Runs on the caller's thread; room for four sequences of the checkpoint's context.
Result<std::shared_ptr<const LanguageModel>> LoadTinyModel(const model::TinyCheckpoint& checkpoint);

}  // namespace decant::decode

#endif  // DECANT_DECODE_TINY_MODEL_H_
