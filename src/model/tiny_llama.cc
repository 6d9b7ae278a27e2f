// The same numbers under the names of F32Llama.
#include "model/tiny_llama.h"

namespace decant::model {

Result<F32Llama> ToF32Llama(const TinyCheckpoint& checkpoint) {
  const TinyDimensions& dimensions = checkpoint.dimensions;
  DECANT_CHECKED(CheckTinyDimensions(dimensions));
  F32Llama llama;
  llama.config.vocabulary = dimensions.vocabulary;
  llama.config.context = dimensions.context;
  llama.config.layers = dimensions.layers;
  llama.config.width = dimensions.width;
  llama.config.feed_forward = dimensions.feed_forward;
  llama.config.heads = dimensions.heads;
  llama.config.kv_heads = dimensions.kv_heads;
  llama.config.head_width = llama.config.rope_width = dimensions.head_width();
  llama.config.epsilon = dimensions.epsilon;
  llama.config.rope_base = dimensions.rope_base;
  llama.embedding = checkpoint.embedding;
  llama.output_norm = checkpoint.output_norm;
  llama.head = checkpoint.output;
  llama.layers.reserve(checkpoint.layers.size());
  for (const TinyLayer& layer : checkpoint.layers) {
    llama.layers.push_back({.attention_norm = layer.attention_norm,
                            .feed_forward_norm = layer.feed_forward_norm,
                            .query = layer.query,
                            .key = layer.key,
                            .value = layer.value,
                            .output = layer.attention_output,
                            .gate = layer.gate,
                            .up = layer.up,
                            .down = layer.down});
  }
  return llama;
}

}  // namespace decant::model
