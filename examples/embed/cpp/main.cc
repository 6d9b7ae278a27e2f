// Three sequences, each with parameters of its own, sampled together step by step: decant from C++.
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/runtime.h"
#include "decant/sampler.h"

namespace {

constexpr std::size_t kWords = 8;
constexpr const char* kText[kWords] = {"the", "cat", "dog", "sat", "ran", "on", "mat", "."};

// Stands for a model: the logits of the next word, by the last one.
constexpr float kModel[kWords][kWords] = {
    {-9.0F, 2.0F, 1.9F, -4.0F, -4.0F, -6.0F, 1.5F, -6.0F},  {-3.0F, -9.0F, -5.0F, 2.0F, 1.6F, -1.0F, -6.0F, 0.0F},
    {-3.0F, -5.0F, -9.0F, 1.5F, 2.1F, -1.0F, -6.0F, 0.1F},  {-4.0F, -6.0F, -6.0F, -9.0F, -5.0F, 2.5F, -6.0F, 1.0F},
    {0.0F, -6.0F, -6.0F, -5.0F, -9.0F, 2.0F, -6.0F, 1.4F},  {3.0F, -2.0F, -2.0F, -6.0F, -6.0F, -9.0F, -2.0F, -6.0F},
    {-5.0F, -6.0F, -6.0F, 0.5F, -3.0F, -1.0F, -9.0F, 2.5F}, {3.0F, 0.0F, 0.0F, -6.0F, -6.0F, -6.0F, -6.0F, -9.0F},
};

const std::vector<decant::Chain> kChains = {
    {{decant::StageId::kTemperature, decant::TemperatureParams{0}}},
    {{decant::StageId::kTemperature, decant::TemperatureParams{0.8}}, {decant::StageId::kTopK, decant::TopKParams{3}}},
    {{decant::StageId::kRepetitionPenalty, decant::RepetitionPenaltyParams{.penalty = 1.2}},
     {decant::StageId::kTemperature, decant::TemperatureParams{1.2}},
     {decant::StageId::kMinP, decant::MinPParams{0.05}}},
};

// One text: its chain, shared or its own, and what it remembers.
struct Sequence {
  std::shared_ptr<const decant::Sampler> sampler;
  decant::SamplerState state;
};

decant::Result<std::vector<Sequence>> MakeSequences() {
  std::vector<Sequence> sequences;
  const std::vector<decant::TokenId> prompt = {0};  // "the"
  for (const decant::Chain& chain : kChains) {
    DECANT_TRY(auto sampler, decant::MakeSampler(chain, kWords, {}));
    const auto number = static_cast<std::uint32_t>(sequences.size());
    sequences.push_back({sampler, decant::SamplerState({.seed = 7, .sequence = number, .prompt = prompt})});
  }
  return sequences;
}

// One token for every sequence. A bad row would fail alone; here any is the end.
decant::Result<void> Step(decant::BatchSampler& batch, std::vector<Sequence>& sequences) {
  std::vector<decant::SampleRequest> requests;
  std::vector<decant::Result<decant::Choice>> choices(sequences.size());
  for (Sequence& sequence : sequences) {
    const decant::TokenId last = sequence.state.history().tokens().back();
    requests.push_back({sequence.sampler.get(), decant::RowView::F32(kModel[last]), &sequence.state});
  }
  batch.Sample(requests, decant::Detail::kToken, choices);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    DECANT_TRY(const decant::Choice choice, choices[i]);
    sequences[i].state.Accept(choice.token);
  }
  return {};
}

decant::Result<void> Run() {
  DECANT_TRY(auto runtime, decant::Runtime::Make({.threads = 2}));
  decant::BatchSampler batch(runtime);
  DECANT_TRY(auto sequences, MakeSequences());
  for (int step = 0; step < 9; ++step) DECANT_CHECKED(Step(batch, sequences));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    std::printf("%zu:", i);
    for (const decant::TokenId token : sequences[i].state.history().tokens()) std::printf(" %s", kText[token]);
    std::printf("\n");
  }
  return {};
}

// A value outside its range is refused by name.
void ShowAnError() {
  const auto refused = decant::MakeSampler({{decant::StageId::kTopP, decant::TopPParams{1.5}}}, kWords, {});
  if (refused.has_value()) return;
  const decant::Error& error = refused.error();
  std::printf("%s: %s\n", decant::RowOf(error.code).name.data(), error.message.c_str());
}

}  // namespace

int main() {
  const auto done = Run();
  if (!done.has_value()) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return decant::RowOf(done.error().code).exit_code;
  }
  ShowAnError();
  return 0;
}
