// A GGUF file of architecture llama as a LlamaSource: keys and tensor names as llama.cpp gave them.
#ifndef DECANT_WEIGHTS_GGUF_LLAMA_H_
#define DECANT_WEIGHTS_GGUF_LLAMA_H_

#include "weights/gguf.h"
#include "weights/llama_source.h"

namespace decant::weights {

class GgufLlama final : public LlamaSource {
 public:
  // REQUIRES: the file outlives the source.
  explicit GgufLlama(const GgufFile& file) : file_(file) {}

  // Reads the tensor rope_freqs.weight too.
  Result<LlamaShape> Shape() const override;
  std::string NameOf(LlamaTensor tensor, std::uint32_t layer) const override;
  RopePairs rope_pairs() const override { return RopePairs::kAdjacent; }
  std::span<const TensorView> tensors() const override { return file_.tensors(); }
  const TensorView* Find(std::string_view name) const override { return file_.FindTensor(name); }
  std::uint64_t size() const override { return file_.size(); }

 private:
  const GgufFile& file_;
};

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_GGUF_LLAMA_H_
