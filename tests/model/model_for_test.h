// The default model, for tests that need a real one. They skip, saying so, where it is absent.
#ifndef DECANT_TESTS_MODEL_MODEL_FOR_TEST_H_
#define DECANT_TESTS_MODEL_MODEL_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "decant/model.h"

namespace decant {

inline std::string ModelPathForTest() {
  const char* folder = std::getenv("DECANT_MODELS");
  const std::string root = folder != nullptr ? folder : std::string(DECANT_SOURCE_DIR) + "/models";
  const std::string path = root + "/SmolLM2-135M-Instruct.Q4_1.gguf";
  return std::filesystem::exists(path) ? path : "";
}

inline std::shared_ptr<const Model> LoadModelForTest(int threads) {
  const auto runtime = Runtime::Make({.threads = threads});
  EXPECT_TRUE(runtime.has_value());
  auto model = LoadModel(ModelPathForTest(), *runtime, {.context = 1024, .sequences = 8});
  EXPECT_TRUE(model.has_value()) << model.error().message;
  return model.has_value() ? *model : nullptr;
}

// The prompts of tests/golden/prompts.txt: one a line, "\n" stands for a line break.
inline std::vector<std::string> PromptsForTest() {
  std::ifstream file(std::string(DECANT_SOURCE_DIR) + "/tests/golden/prompts.txt");
  std::vector<std::string> prompts;
  for (std::string line; std::getline(file, line);) {
    for (std::size_t at; (at = line.find("\\n")) != std::string::npos;) line.replace(at, 2, "\n");
    prompts.push_back(line);
  }
  return prompts;
}

inline std::string GoldenForTest(const std::string& name) {
  std::ifstream file(std::string(DECANT_SOURCE_DIR) + "/tests/golden/" + name);
  std::string text;
  std::getline(file, text);
  return text;
}

}  // namespace decant

#define DECANT_NEEDS_MODEL() \
  if (::decant::ModelPathForTest().empty()) GTEST_SKIP() << "the default model is absent (make model)"

#endif  // DECANT_TESTS_MODEL_MODEL_FOR_TEST_H_
