// Head first: the pass over the row that the plan chose. Then the rest of the chain, exactly, over what is left.
#include "decode/bounded_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <variant>

#include "core/math.h"
#include "core/wide.h"
#include "decode/block_passes.h"
#include "decode/nucleus.h"
#include "decode/stage_by_stage.h"
#include "decode/stage_run.h"
#include "process/row.h"
#include "simd/weigh.h"

namespace decant::decode {
namespace {

using process::kBanned;

class BoundedStep {
 public:
  BoundedStep(const Plan& plan, const RowView& row, SamplerState& state, Detail detail, Work& work, Runtime* runtime)
      : plan_(plan), row_(row), state_(state), detail_(detail), work_(work), passes_(work, runtime) {}

  std::optional<Choice> Run() {
    if (!CheckHistory(plan_, state_).has_value()) return std::nullopt;
    work_.blocks.Start(row_);
    const bool weighs = plan_.head == Head::kDraw || plan_.head == Head::kTopP;
    const bool changes = plan_.changes_scores;
    if (changes || !weighs) {
      if (!passes_.FindMaxima() || passes_.max() == kBanned) return std::nullopt;
    }
    if (changes && !Process()) return std::nullopt;
    if (plan_.head == Head::kDraw && !passes_.FindMasses(simd::GapScale(plan_.head_temperature))) return std::nullopt;
    switch (plan_.head) {
      case Head::kFirst:
        return First();
      case Head::kDraw:
        return DrawFromRow();
      case Head::kTopK:
        CollectBest(std::get<TopKParams>(Filter().params));
        break;
      case Head::kMinP:
        CollectLikely(std::get<MinPParams>(Filter().params));
        break;
      case Head::kTopP: {
        Nucleus nucleus(std::get<TopPParams>(Filter().params), plan_.head_temperature, passes_, work_);
        if (!nucleus.Find()) return std::nullopt;
        const bool last = plan_.filters + 1 == plan_.stages.size() && plan_.drawer == StageId::kCategorical;
        if (!nucleus.IsHeld() && last && detail_ == Detail::kToken) return Drawn(nucleus.Draw(DrawBits(state_)));
        nucleus.Materialise();
        work_.candidates.set_temperature(plan_.head_temperature);
        return Finish(plan_.filters + 1);
      }
      case Head::kStageByStage:
        return std::nullopt;
    }
    work_.candidates.set_temperature(plan_.head_temperature);
    return Finish(plan_.filters);
  }

 private:
  const StageSpec& Filter() const { return plan_.stages[plan_.filters]; }

  static std::optional<Choice> Drawn(std::optional<TokenId> token) {
    if (!token.has_value()) return std::nullopt;
    return Choice{.token = *token, .drawn_by = DrawKind::kInverseCdf};
  }

  // Runs the processors beside the row and brings work.maxima up to date. False on an error, or if nothing is left.
  bool Process() {
    process::RowScores& scores = work_.scores;
    scores.Start(row_);
    process::Row row{.scores = scores, .history = state_.history(), .structural = row_.structural, .dry = &work_.dry};
    for (const StageSpec& stage : std::span(plan_.stages).first(plan_.filters)) {
      if (stage.id != StageId::kTemperature && !RunProcessor(stage, row).has_value()) return false;
    }
    const RowBlocks::Changes changes = scores.Changes();
    work_.blocks.Apply(scores.mask(), changes);
    if (scores.mask() != row_.mask) {
      passes_.FindMaxima();  // a list of what is allowed bans almost everywhere
      return passes_.max() != kBanned;
    }
    std::size_t stale = work_.blocks.count();  // whose maximum was lowered; changes come block by block
    for (const process::RowScores::Change& change : changes) {
      const std::size_t b = change.token / work_.blocks.block();
      float& maximum = work_.maxima[b];
      if (change.score >= maximum) {
        maximum = change.score;
      } else if (b != stale && process::LogitOf(row_, change.token) >= maximum) {
        stale = b;
        passes_.RefreshMaximum(b);
      }
    }
    passes_.TakeMax();
    return passes_.max() != kBanned;
  }

  // The first of the canonical order: the first token that has the maximum.
  std::optional<Choice> First() {
    std::size_t b = 0;
    while (work_.maxima[b] != passes_.max()) ++b;
    const std::span<const float> values = work_.blocks.At(b, work_.block);
    const std::size_t place = simd::FirstWithScore(values, passes_.max());
    Choice choice{.token = static_cast<TokenId>(work_.blocks.FirstOf(b) + place)};
    if (detail_ == Detail::kToken) return choice;
    choice.rank = 1;
    if (plan_.temperature == 0) {
      choice.probability = 1;
      return choice;
    }
    AddShareOfRow(passes_.max(), choice);
    return choice;
  }

  std::optional<Choice> DrawFromRow() {
    const std::uint64_t r = DrawBits(state_);
    std::optional<TokenId> token = passes_.Locate(work_.masses, passes_.Coarse(), r, {});
    if (!token.has_value()) {
      const MassKind fine = passes_.FindFine();
      token = passes_.Locate(work_.above, fine, r, {});
    }
    std::optional<Choice> choice = Drawn(token);
    if (!choice.has_value() || detail_ == Detail::kToken) return choice;
    const std::size_t b = *token / work_.blocks.block();
    const float score = work_.blocks.At(b, work_.block)[*token - work_.blocks.FirstOf(b)];
    choice->rank = RankOf(*token, score);
    AddShareOfRow(score, *choice);
    return choice;
  }

  // Probability and log-probability among all tokens of the row, in exact weights.
  void AddShareOfRow(float score, Choice& choice) {
    const double scale = simd::GapScale(plan_.temperature);
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < work_.blocks.count(); ++b) {
      total += simd::WeighScores(work_.blocks.At(b, work_.block), passes_.max(), scale, nullptr);
    }
    const double gap = simd::Gap(score, passes_.max(), scale);
    choice.probability = core::Ratio(simd::Weight(gap), total);
    choice.log_probability = LogShare(gap, total);
  }

  std::uint32_t RankOf(TokenId token, float score) {
    std::size_t better = 0;
    const std::size_t own = token / work_.blocks.block();
    for (std::size_t b = 0; b < work_.blocks.count(); ++b) {
      if (work_.maxima[b] < score) continue;
      const std::span<const float> values = work_.blocks.At(b, work_.block);
      // Equal scores of lower ids stand before it.
      if (b < own) better += simd::CountAtLeast(values, score);
      if (b > own) better += simd::CountAbove(values, score);
      if (b == own) {
        const std::size_t place = token - work_.blocks.FirstOf(b);
        better += simd::CountAtLeast(values.first(place), score) + simd::CountAbove(values.subspan(place), score);
      }
    }
    return static_cast<std::uint32_t>(better + 1);
  }

  // Every token that can be one of the k best.
  void CollectBest(const TopKParams& params) {
    const auto k = static_cast<std::uint64_t>(params.k);
    const float bound = k > work_.blocks.tokens() ? kBanned : passes_.BoundOfTokens(static_cast<std::size_t>(k));
    work_.candidates.Clear(1.0);
    passes_.Collect(bound, work_.candidates);
  }

  // Every token whose weight can reach p of the best's: w * 2^9 >= P needs 2^44 * 2^gap > P / 2^9 - 1/2.
  void CollectLikely(const MinPParams& params) {
    const double least = static_cast<double>(simd::Threshold(params.p)) * 0x1p-9 - 0.501;
    float bound = kBanned;
    if (least > 0) {
      const double gap = core::Log2(least) - simd::kWeightBits - 0x1p-30;
      const double score = static_cast<double>(passes_.max()) + gap / simd::GapScale(plan_.head_temperature);
      const double lowest = -static_cast<double>(std::numeric_limits<float>::max());
      bound = std::nextafter(static_cast<float>(std::max(score, lowest)), kBanned);
    }
    work_.candidates.Clear(1.0);
    passes_.Collect(bound, work_.candidates);
  }

  // The stages from `first` on, and the drawer, over work.candidates.
  std::optional<Choice> Finish(std::size_t first) {
    Candidates& candidates = work_.candidates;
    for (const StageSpec& stage : std::span(plan_.stages).subspan(first)) {
      if (stage.id == StageId::kTemperature) {
        candidates.set_temperature(candidates.temperature() * std::get<TemperatureParams>(stage.params).temperature);
      } else {
        RunFilter(stage, candidates);
      }
    }
    if (plan_.drawer == StageId::kGreedy && detail_ == Detail::kToken) {
      return Choice{.token = candidates.ids()[candidates.FirstPlace()]};
    }
    simd::Weigh(candidates, work_.weights);
    const draw::Drawn drawn = RunDrawer(plan_, candidates, work_.weights, state_);
    if (detail_ == Detail::kToken) {
      return Choice{.token = candidates.ids()[drawn.index], .drawn_by = drawn.record.kind};
    }
    Choice choice = ChoiceOf(drawn, candidates, work_.weights);
    choice.rank = RankOf(choice.token, candidates.scores()[drawn.index]);
    return choice;
  }

  const Plan& plan_;
  const RowView& row_;
  SamplerState& state_;
  const Detail detail_;
  Work& work_;
  BlockPasses passes_;
};

}  // namespace

std::optional<Choice> SampleBounded(const Plan& plan, const RowView& row, SamplerState& state, Detail detail,
                                    Work& work, Runtime* runtime) {
  if (plan.head == Head::kStageByStage) return std::nullopt;
  return BoundedStep(plan, row, state, detail, work, runtime).Run();
}

}  // namespace decant::decode
