// The rules of the draw once more, by their formulas.
#include "agreement/twin_answer.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/math.h"
#include "core/philox.h"
#include "core/wide.h"

namespace decant {
namespace {

std::string Text(double value) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string Text(const Choice& choice) {
  return "token " + std::to_string(choice.token) + " rank " + std::to_string(choice.rank) + " p " +
         Text(choice.probability) + " log " + Text(choice.log_probability) + " " + std::string(NameOf(choice.drawn_by));
}

std::string Values(const StageParams& params) {
  return std::visit(
      [](const auto& p) -> std::string {
        using Params = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<Params, TemperatureParams>) return Text(p.temperature);
        if constexpr (std::is_same_v<Params, TopKParams>) return std::to_string(p.k);
        if constexpr (std::is_same_v<Params, TopPParams> || std::is_same_v<Params, MinPParams>) return Text(p.p);
        if constexpr (std::is_same_v<Params, LogitBiasParams>) {
          std::string text;
          for (const TokenBias& b : p.biases) text += std::to_string(b.token) + ":" + Text(b.bias) + ",";
          return text;
        }
        if constexpr (std::is_same_v<Params, RepetitionPenaltyParams> || std::is_same_v<Params, CountPenaltyParams>) {
          return Text(p.penalty) + " window " + std::to_string(p.window);
        }
        if constexpr (std::is_same_v<Params, DryParams>) {
          return Text(p.multiplier) + " base " + Text(p.base) + " from " + std::to_string(p.allowed_length) +
                 " window " + std::to_string(p.window);
        }
        if constexpr (std::is_same_v<Params, NoRepeatNgramParams>) return std::to_string(p.size);
        if constexpr (std::is_same_v<Params, TokenListParams> || std::is_same_v<Params, MinTokensParams>) {
          std::string text;
          for (const TokenId token : p.tokens) text += std::to_string(token) + ",";
          return text;
        }
        return "";
      },
      params);
}

}  // namespace

std::string Describe(const Chain& chain) {
  std::string text;
  for (const StageSpec& stage : chain) {
    const std::string values = Values(stage.params);
    text += (text.empty() ? "" : " | ") + std::string(NameOf(stage.id)) + (values.empty() ? "" : " ") + values;
  }
  return text;
}

TwinAnswer::TwinAnswer(const Chain& chain, const twin::StepInput& input) : record_(twin::Sample(chain, input)) {
  if (!record_.has_value() || record_->draw.kind == DrawKind::kGreedy) return;
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : record_->weights) borders_.push_back(sum += weight);
}

std::uint32_t TwinAnswer::RankOf(TokenId token) const {
  const float score = record_->scores[token];
  std::uint32_t rank = 1;
  for (std::size_t id = 0; id < record_->scores.size(); ++id) {
    const float other = record_->scores[id];
    if (other > score || (other == score && id < token)) ++rank;
  }
  return rank;
}

Choice TwinAnswer::At(std::uint64_t r) const {
  if (borders_.empty()) return record_->choice;
  const auto t = static_cast<std::uint64_t>((core::Uint128{r} * total()) >> 53);
  const auto place = static_cast<std::size_t>(std::upper_bound(borders_.begin(), borders_.end(), t) - borders_.begin());
  const TokenId token = record_->support[place];
  const auto max = static_cast<double>(record_->scores[record_->kept[0]]);
  const double gap =
      (static_cast<double>(record_->scores[token]) - max) * std::min(core::kLog2E / record_->temperature, DBL_MAX);
  return {.token = token,
          .rank = RankOf(token),
          .probability = core::Ratio(record_->weights[place], total()),
          .log_probability = (gap - (core::Log2(static_cast<double>(total())) - 44)) * core::kLn2,
          .drawn_by = DrawKind::kInverseCdf};
}

std::string Difference(const Result<Choice>& fast, const TwinAnswer& twin, std::uint64_t r, Detail detail) {
  if (!twin.record().has_value()) {
    if (fast.has_value()) return "the twin fails, the choice is " + Text(*fast);
    if (fast.error().code == twin.record().error().code) return "";
    return "another error than the twin's: " + fast.error().message;
  }
  if (!fast.has_value()) return "fails: " + fast.error().message;
  if (detail == Detail::kToken) {
    // Most draws: the rank, which takes a pass, is not asked for.
    std::size_t place = 0;
    if (!twin.borders().empty()) {
      const auto t = static_cast<std::uint64_t>((core::Uint128{r} * twin.total()) >> 53);
      place = static_cast<std::size_t>(std::ranges::upper_bound(twin.borders(), t) - twin.borders().begin());
    }
    const TokenId token = twin.borders().empty() ? twin.record()->choice.token : twin.record()->support[place];
    if (fast->token == token && fast->drawn_by == twin.record()->draw.kind) return "";
  } else if (*fast == twin.At(r)) {
    return "";
  }
  return "chose " + Text(*fast) + ", the twin " + Text(twin.At(r));
}

SamplerState StateFor(const twin::StepInput& input, std::uint64_t seed) {
  return SamplerState({.seed = seed,
                       .sequence = input.address.sequence,
                       .prompt = input.prompt,
                       .output = input.output,
                       .position = input.address.position});
}

RowView ViewOf(const twin::StepInput& input) {
  RowView row = RowView::F32(input.logits);
  row.mask = input.mask;
  row.structural = input.structural;
  return row;
}

std::uint64_t BitsFor(const twin::StepInput& input, std::uint64_t seed) {
  return core::RandomBits53({.seed = seed, .position = input.address.position, .sequence = input.address.sequence});
}

std::string Differs(const Sampler& sampler, const twin::StepInput& input, const RowView& view,
                    std::span<const std::uint64_t> seeds) {
  twin::StepInput first = input;
  first.address.seed = seeds.front();
  const TwinAnswer twin(sampler.chain(), first);
  for (const std::uint64_t seed : seeds) {
    const std::uint64_t r = BitsFor(input, seed);
    for (const Detail detail : {Detail::kToken, Detail::kFull}) {
      SamplerState state = StateFor(input, seed);
      const Result<Choice> fast = sampler.Choose(view, state, detail);
      std::string difference = Difference(fast, twin, r, detail);
      if (difference.empty() && fast.has_value() && detail == Detail::kFull && seed == seeds.front() &&
          *fast != twin.record()->choice) {
        difference = "the first draw is not the twin's own";
      }
      if (difference.empty()) continue;
      return difference + " (" + (detail == Detail::kToken ? "kToken" : "kFull") + ", seed " + std::to_string(seed) +
             ", " + std::to_string(input.logits.size()) + " logits, chain " + Describe(sampler.chain()) + ")";
    }
  }
  return "";
}

std::string Differs(const Sampler& sampler, const twin::StepInput& input, std::span<const std::uint64_t> seeds) {
  return Differs(sampler, input, ViewOf(input), seeds);
}

}  // namespace decant
