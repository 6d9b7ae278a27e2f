// The sampler alone, over logits of your own: no model, no files.
#include <cstdio>
#include <vector>

#include "decant/sampler.h"

int main() {
  const std::vector<float> logits = {0.0f, 1.0f, 1.0f, 2.0f};
  const auto sampler = decant::MakeSampler({{decant::StageId::kTopK, decant::TopKParams{3}}}, logits.size(), {});
  if (!sampler.has_value()) {
    std::fprintf(stderr, "%s\n", sampler.error().message.c_str());
    return 1;
  }
  decant::SamplerState state({.seed = 7});
  decant::StepRecord record;
  const auto choice = (*sampler)->Sample(decant::RowView::F32(logits), state, &record);
  if (!choice.has_value()) return 1;
  std::printf("token %u, probability %.17g, rank %u\n", choice->token, choice->probability, choice->rank);
  for (const decant::StageRecord& stage : record.stages) {
    std::printf("%s kept %u, removed %.12f of the mass\n", decant::NameOf(stage.id).data(), stage.kept,
                stage.removed_mass);
  }
  return 0;
}
