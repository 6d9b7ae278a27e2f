// logits_hash MODEL.gguf PROMPTS [--threads N] [--chunk N] [--dump FILE]
//
// Prints the SHA-256 over the raw little-endian f32 logits of every prompt, position and id, in that order: one number
// that says whether two builds, machines, thread counts or chunkings compute the same bits. PROMPTS has a prompt a
// line, as token ids between spaces. --chunk is how many tokens go into one call; --dump writes the logits to a file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/mapped_file.h"
#include "core/number_text.h"
#include "core/sha256.h"
#include "decant/runtime.h"
#include "model/llama_model.h"
#include "model/llama_weights.h"
#include "weights/gguf.h"

namespace {

using decant::Result;

struct Options {
  std::string model, prompts, dump;
  int threads = 1;
  std::size_t chunk = 512;
};

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  std::vector<std::string> positional;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (!arg.starts_with("--")) {
      positional.emplace_back(arg);
      continue;
    }
    if (++i == argc) return std::nullopt;
    const auto number = decant::core::ParseUint64(argv[i]);
    if (arg == "--dump") {
      options.dump = argv[i];
    } else if (arg == "--threads" && number) {
      options.threads = static_cast<int>(*number);
    } else if (arg == "--chunk" && number && *number > 0) {
      options.chunk = static_cast<std::size_t>(*number);
    } else {
      return std::nullopt;
    }
  }
  if (positional.size() != 2) return std::nullopt;
  options.model = positional[0];
  options.prompts = positional[1];
  return options;
}

Result<std::vector<std::vector<decant::TokenId>>> ReadPrompts(const std::string& path) {
  DECANT_TRY(const std::string text, decant::core::ReadFile(path));
  std::vector<std::vector<decant::TokenId>> prompts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<decant::TokenId> ids;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const auto id = decant::core::ParseUint64(word);
      if (!id || *id > UINT32_MAX) {
        return decant::Fail(decant::ErrorCode::kTokenOutOfRange, path + ": \"" + word + "\" is not a token id");
      }
      ids.push_back(static_cast<decant::TokenId>(*id));
    }
    if (!ids.empty()) prompts.push_back(std::move(ids));
  }
  return prompts;
}

Result<void> HashPrompt(const decant::LanguageModel& model, const std::vector<decant::TokenId>& ids, std::size_t chunk,
                        decant::core::Sha256& hash, std::ofstream& dump) {
  decant::KvSequence sequence = model.Start();
  std::vector<float> logits;
  for (std::size_t at = 0; at < ids.size(); at += chunk) {
    std::vector<decant::Row> rows;
    for (std::size_t i = at; i < std::min(ids.size(), at + chunk); ++i) rows.push_back({&sequence, ids[i], i, true});
    logits.resize(rows.size() * model.vocabulary_size());
    DECANT_TRY(const auto failed, model.Forward(rows, logits));
    if (!failed.empty()) return std::unexpected(failed.front().error);
    const auto bytes = std::as_bytes(std::span(logits));
    hash.Update(bytes);
    if (dump.is_open()) {
      dump.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }
  return {};
}

Result<std::string> Run(const Options& options) {
  DECANT_TRY(const auto runtime, decant::Runtime::Make({.threads = options.threads}));
  DECANT_TRY(const auto file, decant::weights::GgufFile::Open(options.model));
  DECANT_TRY(auto weights, decant::model::LoadLlamaWeights(file, *runtime));
  DECANT_TRY(const auto model, decant::model::MakeLlama(std::move(weights), runtime, {.context = 0, .sequences = 1}));
  DECANT_TRY(const auto prompts, ReadPrompts(options.prompts));
  std::ofstream dump;
  if (!options.dump.empty()) dump.open(options.dump, std::ios::binary);
  decant::core::Sha256 hash;
  for (const auto& ids : prompts) DECANT_CHECKED(HashPrompt(*model, ids, options.chunk, hash, dump));
  return hash.Finish();
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) {
    std::fprintf(stderr, "usage: logits_hash MODEL.gguf PROMPTS [--threads N] [--chunk N] [--dump FILE]\n");
    return 2;
  }
  const Result<std::string> hash = Run(*options);
  if (!hash.has_value()) {
    std::fprintf(stderr, "logits_hash: %s\n", hash.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", hash->c_str());
  return 0;
}
