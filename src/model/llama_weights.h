// The weights of a Llama decoder, checked and repacked for the kernels. Immutable once made.
#ifndef DECANT_MODEL_LLAMA_WEIGHTS_H_
#define DECANT_MODEL_LLAMA_WEIGHTS_H_

#include <memory>
#include <vector>

#include "decant/error.h"
#include "decant/runtime.h"
#include "model/llama_config.h"
#include "simd/packed_matrix.h"
#include "weights/gguf.h"
#include "weights/llama_source.h"

namespace decant::model {

struct LlamaLayer {
  std::vector<float> attention_norm, feed_forward_norm;
  simd::PackedMatrix query, key, value, output;  // attention
  simd::PackedMatrix gate, up, down;             // feed-forward
};

struct LlamaWeights {
  LlamaConfig config;
  std::shared_ptr<const simd::PackedMatrix> embedding;
  std::shared_ptr<const simd::PackedMatrix> head;  // the embedding itself when tied
  std::vector<float> output_norm;
  std::vector<LlamaLayer> layers;
};

// From a file or folder: F32, F16, BF16, Q8_0, Q4_1 and Q4_0 tensors in any mixture. Copies what it needs: the source
// may be closed. Rows of Q and K go in the order of adjacent pairs, whatever the source's is: the result is the same,
// bit for bit, as that of a GGUF file of the same weights. kUnsupportedFile, kCorruptFile (a missing tensor, a wrong
// shape, an infinite scale).
Result<LlamaWeights> LoadLlamaWeights(const weights::LlamaSource& source, Runtime& runtime);
Result<LlamaWeights> LoadLlamaWeights(const weights::GgufFile& file, Runtime& runtime);

// The same decoder from numbers in memory. Matrices are outputs x inputs, row by row.
struct F32Llama {
  struct Layer {
    std::vector<float> attention_norm, feed_forward_norm;  // width
    std::vector<float> query;   // query_width x width; Q and K rows in the order of pairs (2i, 2i+1)
    std::vector<float> key;     // kv_width x width
    std::vector<float> value;   // kv_width x width
    std::vector<float> output;  // width x query_width
    std::vector<float> gate;    // feed_forward x width
    std::vector<float> up;      // feed_forward x width
    std::vector<float> down;    // width x feed_forward
  };
  LlamaConfig config;
  std::vector<float> embedding;    // vocabulary x width
  std::vector<float> output_norm;  // width
  std::vector<float> head;         // vocabulary x width; empty = tied to the embedding
  std::vector<Layer> layers;
};
// kCorruptFile when a size does not fit the configuration or a number is not finite.
Result<LlamaWeights> MakeLlamaWeights(const F32Llama& model);

}  // namespace decant::model

#endif  // DECANT_MODEL_LLAMA_WEIGHTS_H_
