// history_bench [--rounds N]: what a stage that looks back costs at a step, in contexts of 1,000 and 32,000 tokens.
//
// The scores are compared with the plain twin's before anything is timed. Times are microseconds a step, the best of
// the rounds, one token appended before each: the stage with its history kept; beside it what counting the context anew
// would add, and what filling a row of this vocabulary takes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/number_text.h"
#include "process/count_penalty.h"
#include "process/dry.h"
#include "process/no_repeat_ngram.h"
#include "process/repetition_penalty.h"
#include "twin/processors.h"

namespace {

using decant::StageId;
using decant::StageSpec;
using decant::TokenId;
namespace process = decant::process;
namespace twin = decant::twin;

constexpr std::size_t kVocabulary = 49'152;

// Words by a rough Zipf law: token k about once in k places.
std::vector<TokenId> Text(std::size_t size) {
  std::vector<TokenId> tokens;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t range = 1u << (1 + (state >> 59) % 16);
    tokens.push_back(static_cast<TokenId>((state >> 20) % std::min<std::uint64_t>(range, kVocabulary)));
  }
  return tokens;
}

bool Apply(const StageSpec& stage, process::Row& row) {
  if (const auto* p = std::get_if<decant::RepetitionPenaltyParams>(&stage.params)) {
    return process::ApplyRepetitionPenalty(*p, row).has_value();
  }
  if (const auto* p = std::get_if<decant::CountPenaltyParams>(&stage.params)) {
    return process::ApplyCountPenalty(stage.id, *p, row).has_value();
  }
  if (const auto* p = std::get_if<decant::DryParams>(&stage.params)) return process::ApplyDry(*p, row).has_value();
  return process::ApplyNoRepeatNgram(std::get<decant::NoRepeatNgramParams>(stage.params), row).has_value();
}

double Microseconds(std::size_t steps, const std::function<void(std::size_t)>& step) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < steps; ++i) step(i);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() /
         static_cast<double>(steps);
}

// Counting the context into a table of the vocabulary's size, once a step.
double RecountMicroseconds(const std::vector<TokenId>& tokens, std::size_t steps) {
  std::vector<std::uint32_t> counts(kVocabulary);
  return Microseconds(steps, [&](std::size_t) {
    std::ranges::fill(counts, 0u);
    for (const TokenId token : tokens) ++counts[token];
  });
}

int Run(std::size_t rounds) {
  using enum StageId;
  const std::vector<StageSpec> stages = {
      {kRepetitionPenalty, decant::RepetitionPenaltyParams{.penalty = 1.1}},
      {kFrequencyPenalty, decant::CountPenaltyParams{.penalty = 0.5, .scope = decant::PenaltyScope::kWindow}},
      {kDry, decant::DryParams{.multiplier = 0.8, .breakers = {{1}, {2, 3}}}},
      {kNoRepeatNgram, decant::NoRepeatNgramParams{.size = 4}}};
  for (const std::size_t context : {std::size_t{1'000}, std::size_t{32'000}}) {
    const std::vector<TokenId> text = Text(context);
    for (const StageSpec& stage : stages) {
      decant::History history(text, {});
      std::vector<float> scores(kVocabulary, 1.0f), expected = scores;
      process::RowScores view(scores);
      process::DryScratch dry;
      process::Row row{.scores = view, .history = history, .dry = &dry};
      const auto done = twin::Process(stage, false, {.prompt = text, .output = {}}, expected);
      if (!Apply(stage, row) || !done.has_value() || scores != expected) {
        std::fprintf(stderr, "history_bench: %s differs from its twin\n", std::string(NameOf(stage.id)).c_str());
        return 1;
      }
      double kept = 1e300, anew = 1e300;
      for (std::size_t round = 0; round < rounds; ++round) {
        kept = std::min(kept, Microseconds(200, [&](std::size_t i) {
                          std::ranges::fill(scores, 1.0f);
                          history.Append(text[i]);
                          static_cast<void>(Apply(stage, row));
                        }));
        anew = std::min(anew, RecountMicroseconds(text, 200));
        history.RollBack(200);
      }
      const double fill = Microseconds(200, [&](std::size_t) { std::ranges::fill(scores, 1.0f); });
      std::printf("{\"name\":\"%s/context:%zu\",\"us_per_step\":%.2f,\"us_count_anew\":%.2f,\"us_fill_row\":%.2f}\n",
                  std::string(NameOf(stage.id)).c_str(), context, kept - fill, anew, fill);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t rounds = 15;
  if (argc == 3 && std::string(argv[1]) == "--rounds") {
    rounds = static_cast<std::size_t>(decant::core::ParseUint64(argv[2]).value_or(0));
  } else if (argc != 1) {
    rounds = 0;
  }
  if (rounds == 0) {
    std::fputs("usage: history_bench [--rounds N]\n", stderr);
    return 2;
  }
  return Run(rounds);
}
