// Explains a step from its record: stages, cuts with their rules, rows with their intervals, ties.
// numerics: display only. Nothing here decides a token.
#include "explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/math.h"
#include "decant/reference.h"
#include "parameter_json.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr double kBan = -std::numeric_limits<double>::infinity();

// The scores after the processors; presets without processors keep the logits.
std::vector<double> ProcessedScores(std::span<const double> logits, const StepRecord& record) {
  if (record.scores.empty()) return {logits.begin(), logits.end()};
  return {record.scores.begin(), record.scores.end()};
}

std::vector<TokenId> RankOrder(std::span<const double> scores) {
  std::vector<TokenId> ids;
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] != kBan) ids.push_back(static_cast<TokenId>(id));
  }
  std::ranges::sort(ids,
                    [scores](TokenId a, TokenId b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  return ids;
}

double Entropy(std::span<const double> probabilities) {
  double bits = 0;
  for (const double p : probabilities) bits -= p > 0 ? p * core::Log2(p) : 0;
  return bits;
}

// The model's own distribution: temperature 1, every token, before any stage.
Result<std::vector<double>> ModelProbabilities(std::span<const double> logits, Preset preset, double& entropy_bits) {
  std::vector<double> probabilities(logits.size());
  if (preset == Preset::kReference) {
    const reference::TemperatureTopK all{.temperature = 1, .top_k = logits.size()};
    DECANT_TRY(const reference::Distribution distribution, reference::DistributionOf(logits, all));
    for (const reference::Candidate& candidate : distribution.candidates) {
      probabilities[candidate.token] = candidate.probability;
    }
    entropy_bits = Entropy(probabilities);
    return probabilities;
  }
  std::vector<float> row(logits.size());
  std::ranges::transform(logits, row.begin(), [](double logit) { return static_cast<float>(logit); });
  DECANT_TRY(const RawDistribution raw, RawDistributionOf(row));
  entropy_bits = raw.entropy_bits;
  for (std::size_t id = 0; id < row.size(); ++id) {
    probabilities[id] = static_cast<double>(raw.weights[id]) / static_cast<double>(raw.total);
  }
  return probabilities;
}

std::string WindowText(std::int64_t window) { return window < 0 ? "" : fmt::format(", last {}", window); }

struct ParametersText {
  std::string operator()(const std::monostate&) const { return ""; }
  std::string operator()(const LogitBiasParams& p) const { return fmt::format("{} tokens", p.biases.size()); }
  std::string operator()(const TemperatureParams& p) const { return "tau " + ParameterText(p.temperature); }
  std::string operator()(const TopKParams& p) const { return fmt::format("k {}", p.k); }
  std::string operator()(const TopPParams& p) const { return "p " + ParameterText(p.p); }
  std::string operator()(const MinPParams& p) const { return "p " + ParameterText(p.p); }
  std::string operator()(const RepetitionPenaltyParams& p) const {
    return "theta " + ParameterText(p.penalty) + WindowText(p.window);
  }
  std::string operator()(const CountPenaltyParams& p) const {
    return "alpha " + ParameterText(p.penalty) + WindowText(p.window) +
           (p.scope == PenaltyScope::kWindow ? ", with the prompt" : "");
  }
  std::string operator()(const DryParams& p) const {
    return fmt::format("{} * {}^(length - {}){}", ParameterText(p.multiplier), ParameterText(p.base), p.allowed_length,
                       WindowText(p.window));
  }
  std::string operator()(const NoRepeatNgramParams& p) const { return fmt::format("n {}", p.size); }
  std::string operator()(const BadWordsParams& p) const { return fmt::format("{} sequences", p.words.size()); }
  std::string operator()(const TokenListParams& p) const { return fmt::format("{} tokens", p.tokens.size()); }
  std::string operator()(const MinTokensParams& p) const { return fmt::format("at least {}", p.count); }
  std::string operator()(const CustomProcessorParams&) const { return "custom"; }
  std::string operator()(const CustomFilterParams&) const { return "custom"; }
};

// The stages of the chain that were recorded, each with its spec: stages at their off value have no record, and a
// preset may run them in an order of its own.
std::vector<const StageSpec*> RecordedSpecs(const Chain& chain, const std::vector<StageRecord>& records) {
  std::vector<const StageSpec*> specs, unused;
  for (const StageSpec& spec : chain) unused.push_back(&spec);
  for (const StageRecord& record : records) {
    const auto found = std::ranges::find(unused, record.id, &StageSpec::id);
    specs.push_back(found == unused.end() ? nullptr : *found);
    if (found != unused.end()) unused.erase(found);
  }
  return specs;
}

class Explainer {
 public:
  Explainer(std::span<const double> logits, const Sampler& sampler, const StepRecord& record)
      : logits_(logits),
        sampler_(sampler),
        record_(record),
        scores_(ProcessedScores(logits, record)),
        ranked_(RankOrder(scores_)) {}

  Result<Explanation> Run() {
    DECANT_TRY(model_, ModelProbabilities(logits_, sampler_.preset(), out_.entropy_bits));
    out_.candidates =
        static_cast<std::size_t>(std::ranges::count_if(logits_, [](double logit) { return logit != kBan; }));
    DECANT_CHECKED(ShowStages());
    ShowRows();
    FindTies();
    return std::move(out_);
  }

 private:
  Result<void> ShowStages() {
    const auto specs = RecordedSpecs(sampler_.chain(), record_.stages);
    std::uint32_t kept = static_cast<std::uint32_t>(out_.candidates);
    double temperature = 1, entropy = out_.entropy_bits;
    bool has_temperature =
        std::ranges::any_of(record_.stages, [](const StageRecord& stage) { return stage.id == StageId::kTemperature; });
    const auto show_unchanged_temperature = [&] {
      if (std::exchange(has_temperature, true)) return;
      out_.stages.push_back(
          {.record = {.id = StageId::kTemperature, .kept = kept, .entropy_bits = entropy}, .parameters = "tau 1.0"});
    };
    for (std::size_t i = 0; i < record_.stages.size(); ++i) {
      const StageRecord& stage = record_.stages[i];
      if (KindOf(stage.id) == StageKind::kFilter) show_unchanged_temperature();
      if (specs[i] == nullptr) continue;
      if (const auto* const params = std::get_if<TemperatureParams>(&specs[i]->params))
        temperature *= params->temperature;
      DECANT_TRY(entropy, EntropyAfter(stage, temperature));
      out_.stages.push_back({.record = stage, .parameters = std::visit(ParametersText{}, specs[i]->params)});
      out_.stages.back().record.entropy_bits = entropy;
      if (KindOf(stage.id) == StageKind::kFilter && stage.removed > 0) ShowCut(*specs[i], stage, temperature);
      kept = stage.kept;
    }
    show_unchanged_temperature();
    return {};
  }

  Result<double> EntropyAfter(const StageRecord& stage, double temperature) const {
    if (sampler_.preset() != Preset::kReference) return stage.entropy_bits;
    const reference::TemperatureTopK mode{.temperature = temperature, .top_k = stage.kept};
    DECANT_TRY(const reference::Distribution distribution, reference::DistributionOf(logits_, mode));
    std::vector<double> probabilities;
    for (const reference::Candidate& candidate : distribution.candidates)
      probabilities.push_back(candidate.probability);
    return Entropy(probabilities);
  }

  // The filters so far keep heads of the ranked order, so the first one cut stands right behind.
  void ShowCut(const StageSpec& spec, const StageRecord& stage, double temperature) {
    if (stage.kept >= ranked_.size() || spec.id == StageId::kCustomFilter) return;  // whose rule is its own
    const TokenId token = ranked_[stage.kept];
    if (std::ranges::find(record_.kept, token) != record_.kept.end()) return;  // a tie that another id lost
    Cut cut{.stage = std::string(NameOf(spec)),
            .token = token,
            .model_probability = model_[token],
            .rank = std::size_t{stage.kept} + 1,
            .rule = {}};
    if (const auto* const top_k = std::get_if<TopKParams>(&spec.params)) {
      cut.rule = fmt::format("rank {} > k {}", cut.rank, top_k->k);
    } else if (const auto* const top_p = std::get_if<TopPParams>(&spec.params)) {
      cut.rule = fmt::format("the {} before it hold {:.6f} >= p {}", stage.kept, 1 - stage.removed_mass, top_p->p);
    } else if (const auto* const min_p = std::get_if<MinPParams>(&spec.params)) {
      const double share = core::Exp((scores_[token] - scores_[ranked_.front()]) / temperature);
      cut.rule = fmt::format("{:.6f} of the best < p {}", share, min_p->p);
    }
    out_.cuts.push_back(std::move(cut));
  }

  void ShowRows() {
    std::vector<double> final_probability(logits_.size(), 0), start(logits_.size(), 0), end(logits_.size(), 0);
    std::uint64_t weight_before = 0;
    double before = 0;
    for (std::size_t i = 0; i < record_.support.size(); ++i) {
      const TokenId token = record_.support[i];
      final_probability[token] = record_.probabilities[i];
      start[token] = before;
      if (!record_.weights.empty() && record_.draw.z > 0) {
        weight_before += record_.weights[i];
        before = static_cast<double>(weight_before) / static_cast<double>(record_.draw.z);
      } else {
        before = std::min(before + record_.probabilities[i], 1.0);
      }
      if (i + 1 == record_.support.size()) before = 1;
      end[token] = before;
    }
    const auto row_of = [&](std::size_t rank, TokenId token) {
      return ShownRow{.rank = rank,
                      .token = token,
                      .logit = logits_[token],
                      .model_probability = model_[token],
                      .final_probability = final_probability[token],
                      .interval = {start[token], end[token]}};
    };
    std::vector<TokenId> kept = record_.kept;
    std::ranges::sort(
        kept, [this](TokenId a, TokenId b) { return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b; });
    for (std::size_t i = 0; i < kept.size(); ++i) {
      // The interval that decided is the record's own.
      ShownRow row = row_of(i + 1, kept[i]);
      if (row.token == record_.choice.token) {
        if (record_.draw.kind == DrawKind::kInverseCdf) {
          row.interval[0] = record_.draw.interval[0];
          row.interval[1] = record_.draw.interval[1];
        }
        out_.chosen = row;
      }
      out_.kept.push_back(row);
    }
  }

  void FindTies() {
    const std::size_t end = std::min(record_.kept.size() + 1, ranked_.size());
    for (std::size_t i = 1; i < end; ++i) {
      if (scores_[ranked_[i - 1]] == scores_[ranked_[i]]) out_.ties.emplace_back(ranked_[i - 1], ranked_[i]);
    }
  }

  std::span<const double> logits_;
  const Sampler& sampler_;
  const StepRecord& record_;
  std::vector<double> scores_;
  std::vector<TokenId> ranked_;
  std::vector<double> model_;
  Explanation out_;
};

}  // namespace

Result<Explanation> Explain(std::span<const double> logits, const Sampler& sampler, const StepRecord& record) {
  return Explainer(logits, sampler, record).Run();
}

std::string ShownToken(const Tokenizer* tokenizer, TokenId token) {
  if (tokenizer == nullptr) return fmt::format("#{}", token);
  return VisibleText(tokenizer->Bytes(token));
}

}  // namespace decant::cli
