// A tiny checkpoint as the weights of a Llama decoder.
#ifndef DECANT_MODEL_TINY_LLAMA_H_
#define DECANT_MODEL_TINY_LLAMA_H_

#include "decant/error.h"
#include "model/llama_weights.h"
#include "model/tiny_checkpoint.h"

namespace decant::model {

// The same numbers under the names that MakeLlamaWeights reads; it checks their counts. kOutOfRange for dimensions that
// CheckTinyDimensions refuses.
Result<F32Llama> ToF32Llama(const TinyCheckpoint& checkpoint);

}  // namespace decant::model

#endif  // DECANT_MODEL_TINY_LLAMA_H_
