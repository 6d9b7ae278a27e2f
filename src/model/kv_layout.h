// Where the keys and values of a layer and head lie in a KV block of 32 tokens; see simd/attention.h.
#ifndef DECANT_MODEL_KV_LAYOUT_H_
#define DECANT_MODEL_KV_LAYOUT_H_

#include <cstddef>

#include "decant/language_model.h"
#include "model/llama_config.h"
#include "simd/attention.h"

namespace decant::model {

static_assert(simd::kAttentionBlock == kKvBlockTokens);

struct KvLayout {
  std::size_t layers, kv_heads, head_width;

  explicit KvLayout(const LlamaConfig& config)
      : layers(config.layers), kv_heads(config.kv_heads), head_width(config.head_width) {}

  std::size_t head_bytes() const { return simd::KeyBytes(head_width) + simd::ValueBytes(head_width); }
  std::size_t block_bytes() const { return layers * kv_heads * head_bytes(); }
  std::size_t key_offset(std::size_t layer, std::size_t head) const { return (layer * kv_heads + head) * head_bytes(); }
  std::size_t value_offset(std::size_t layer, std::size_t head) const {
    return key_offset(layer, head) + simd::KeyBytes(head_width);
  }
};

}  // namespace decant::model

#endif  // DECANT_MODEL_KV_LAYOUT_H_
