// The config.json of a model's folder, as Hugging Face's transformers writes it, to the shape of a Llama decoder.
#ifndef DECANT_WEIGHTS_FOLDER_CONFIG_H_
#define DECANT_WEIGHTS_FOLDER_CONFIG_H_

#include <string_view>

#include "decant/error.h"
#include "weights/llama_source.h"

namespace decant::weights {

enum class TiedHead : std::uint8_t { kNo, kYes };

struct FolderConfig {
  LlamaShape shape = {};
  TiedHead tied = TiedHead::kNo;  // whether the head is the embedding
};

// model_type "llama", or "mistral" where its window is off or as long as the context. What would change the numbers and
// is not computed is kUnsupportedFile, by name; missing and wrongly typed keys are kCorruptFile. Keys without an
// influence on the numbers (torch_dtype, use_cache, …) are not read. Ranges are not checked.
//
// Rope type "llama3" becomes rope_factors: with f the angle of a pair at position 1 and w = 2*pi/f its wavelength, in
// f64, the divisor is 1 for w < L/high, `factor` for w > L/low, and between them 1/((1-s)/factor + s) with
// s = (L/w - low)/(high - low); L is original_max_position_embeddings. It is rounded to f32 once.
Result<FolderConfig> ParseFolderConfig(std::string_view text);

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_FOLDER_CONFIG_H_
