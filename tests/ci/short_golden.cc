// Prints the SHA-256 of the logits of a short prompt, for machines that are too slow for the whole golden (emulators).
//
//   short_golden MODEL.gguf
//
// The bytes hashed are those of docs/determinism.md, "The golden": f32, little endian, by position, then id.
#include <cstdio>
#include <span>
#include <vector>

#include "core/sha256.h"
#include "decant/model.h"

namespace {

constexpr const char* kPrompt = "Water is wet";

decant::Result<std::string> HashLogits(const char* path) {
  DECANT_TRY(auto runtime, decant::Runtime::Make({.threads = 1}));
  DECANT_TRY(auto model, decant::LoadModel(path, runtime, {.context = 64, .sequences = 1}));
  const decant::LanguageModel& language_model = model->language_model();
  const std::vector<decant::TokenId> tokens = model->tokenizer()->Encode(kPrompt, decant::SpecialText::kAsText);
  decant::KvSequence sequence = language_model.Start();
  std::vector<decant::Row> rows;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    rows.push_back({.sequence = &sequence, .token = tokens[i], .position = i, .wants_logits = true});
  }
  std::vector<float> logits(rows.size() * language_model.vocabulary_size());
  DECANT_TRY(auto failed, language_model.Forward(rows, logits));
  if (!failed.empty()) return std::unexpected(failed.front().error);
  decant::core::Sha256 hash;
  hash.Update(std::as_bytes(std::span<const float>(logits)));
  return hash.Finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: short_golden MODEL.gguf\n", stderr);
    return 2;
  }
  const auto hash = HashLogits(argv[1]);
  if (!hash.has_value()) {
    std::fprintf(stderr, "%s\n", hash.error().message.c_str());
    return 1;
  }
  std::puts(hash->c_str());
  return 0;
}
