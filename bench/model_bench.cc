// model_bench MODEL.gguf [--threads N]... : tokens a second of decoding (at depth 0 and 512) and of prefill (512).
//
// Before anything is timed, the logits of one call are compared with those of token-by-token calls. Each figure is the
// best of several runs: what else the machine does only ever takes away.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/number_text.h"
#include "decant/runtime.h"
#include "model/llama_model.h"
#include "model/llama_weights.h"
#include "weights/gguf.h"

namespace {

using decant::KvSequence;
using decant::LanguageModel;
using decant::Result;
using decant::TokenId;

constexpr std::size_t kPrefill = 512;
constexpr std::size_t kDecoded = 32;

// Any tokens will do; these walk the vocabulary.
TokenId TokenAt(std::size_t position, std::size_t vocabulary) {
  return static_cast<TokenId>((position * 7919 + 17) % vocabulary);
}

enum class Calls { kOne, kOnePerToken };

// Tokens [begin, end), in one call or one by one; the last one's logits.
Result<void> Feed(const LanguageModel& model, KvSequence& sequence, std::size_t begin, std::size_t end, Calls calls,
                  std::vector<float>& logits) {
  const bool one_by_one = calls == Calls::kOnePerToken;
  std::vector<decant::Row> rows;
  logits.resize(model.vocabulary_size());
  for (std::size_t i = begin; i < end; ++i) {
    rows.push_back({&sequence, TokenAt(i, model.vocabulary_size()), i, one_by_one || i + 1 == end});
    if (!one_by_one && i + 1 < end) continue;
    DECANT_TRY(const auto failed, model.Forward(rows, logits));
    if (!failed.empty()) return std::unexpected(failed.front().error);
    rows.clear();
  }
  return {};
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

Result<void> CheckAnswer(const LanguageModel& model) {
  std::vector<float> together, apart;
  KvSequence a = model.Start(), b = model.Start();
  DECANT_CHECKED(Feed(model, a, 0, 40, Calls::kOne, together));
  DECANT_CHECKED(Feed(model, b, 0, 40, Calls::kOnePerToken, apart));
  if (together != apart) return decant::Fail(decant::ErrorCode::kInternal, "prefill and decoding disagree");
  return {};
}

Result<void> Measure(const LanguageModel& model, int threads) {
  std::vector<float> logits;
  double prefill = 0, decode[2] = {};
  for (int repeat = 0; repeat < 3; ++repeat) {
    KvSequence deep = model.Start(), shallow = model.Start();
    auto start = std::chrono::steady_clock::now();
    DECANT_CHECKED(Feed(model, deep, 0, kPrefill, Calls::kOne, logits));
    prefill = std::max(prefill, kPrefill / Seconds(start));
    KvSequence* const sequences[2] = {&shallow, &deep};
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t depth = sequences[s]->size();
      start = std::chrono::steady_clock::now();
      DECANT_CHECKED(Feed(model, *sequences[s], depth, depth + kDecoded, Calls::kOnePerToken, logits));
      decode[s] = std::max(decode[s], kDecoded / Seconds(start));
    }
  }
  std::printf("{\"name\":\"prefill\",\"threads\":%d,\"batch\":1,\"depth\":%zu,\"tokens_per_s\":%.1f}\n", threads,
              kPrefill, prefill);
  for (std::size_t s = 0; s < 2; ++s) {
    std::printf("{\"name\":\"decode\",\"threads\":%d,\"batch\":1,\"depth\":%zu,\"tokens_per_s\":%.1f}\n", threads,
                s * kPrefill, decode[s]);
  }
  return {};
}

Result<void> Run(const std::string& path, int threads) {
  DECANT_TRY(const auto runtime, decant::Runtime::Make({.threads = threads}));
  DECANT_TRY(const auto file, decant::weights::GgufFile::Open(path));
  const auto start = std::chrono::steady_clock::now();
  DECANT_TRY(auto weights, decant::model::LoadLlamaWeights(file, *runtime));
  DECANT_TRY(const auto model, decant::model::MakeLlama(std::move(weights), runtime, {.context = 0, .sequences = 2}));
  DECANT_TRY(const std::string_view level, decant::SimdLevel());
  std::printf("# %s, %d threads, %s, loaded in %.2f s\n", path.c_str(), threads, std::string(level).c_str(),
              Seconds(start));
  DECANT_CHECKED(CheckAnswer(*model));
  return Measure(*model, threads);
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--threads" && i + 1 < argc) {
      threads.push_back(static_cast<int>(decant::core::ParseUint64(argv[++i]).value_or(1)));
    } else {
      path = argv[i];
    }
  }
  if (path.empty()) {
    std::fprintf(stderr, "usage: model_bench MODEL.gguf [--threads N]...\n");
    return 2;
  }
  if (threads.empty()) threads = {1, 2};
  for (const int n : threads) {
    const Result<void> done = Run(path, n);
    if (!done.has_value()) {
      std::fprintf(stderr, "model_bench: %s\n", done.error().message.c_str());
      return 1;
    }
  }
  return 0;
}
