// Two stages of one's own between decant's: a processor that calls for the end, and a filter by distance from the best.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/candidates.h"
#include "decant/sampler.h"

// Raises the score of the end token by 0.5 for each token that was generated.
class CallForTheEnd final : public decant::CustomProcessor {
 public:
  explicit CallForTheEnd(decant::TokenId end) : end_(end) {}
  std::string_view name() const override { return "call_for_the_end"; }
  decant::Result<void> Process(std::span<float> scores, const decant::History& history) const override {
    scores[end_] += 0.5f * static_cast<float>(history.output_size());  // -inf stays -inf: a ban is a ban
    return {};
  }

 private:
  decant::TokenId end_;
};

// Keeps what scores at most `distance` below the best.
class NearTheBest final : public decant::CustomFilter {
 public:
  explicit NearTheBest(float distance) : distance_(distance) {}
  std::string_view name() const override { return "near_the_best"; }
  decant::Result<void> Filter(decant::Candidates& candidates, const decant::History&) const override {
    const float bound = std::ranges::max(candidates.scores()) - distance_;
    candidates.KeepIf([bound](decant::TokenId, float score) { return score >= bound; });
    return {};
  }

 private:
  float distance_;
};

int main() {
  using decant::StageId;
  const std::vector<float> logits = {0.0f, 1.0f, 1.0f, 2.0f};
  const decant::Chain chain = {
      {StageId::kTopK, decant::TopKParams{3}},
      {StageId::kCustomFilter, decant::CustomFilterParams{std::make_shared<NearTheBest>(0.5f)}},
      {StageId::kCustomProcessor, decant::CustomProcessorParams{std::make_shared<CallForTheEnd>(3)}},
  };
  const auto sampler = decant::MakeSampler(chain, logits.size(), {});
  if (!sampler.has_value()) {
    std::fprintf(stderr, "%s\n", sampler.error().message.c_str());
    return 1;
  }
  const std::vector<decant::TokenId> output = {1, 2};
  decant::SamplerState state({.seed = 7, .output = output});
  decant::StepRecord record;
  const auto choice = (*sampler)->Sample(decant::RowView::F32(logits), state, &record);
  if (!choice.has_value()) {
    std::fprintf(stderr, "%s\n", choice.error().message.c_str());
    return 1;
  }
  for (const decant::StageRecord& stage : record.stages) {
    std::printf("%s kept %u\n", std::string(decant::NameOf(stage)).c_str(), stage.kept);
  }
  std::printf("token %u, score %g\n", choice->token, static_cast<double>(record.scores[choice->token]));
  return 0;
}
