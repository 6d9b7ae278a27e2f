// Every rule by its formula: exp2 through ldexp, whole sorts, weights formed anew at each stage.
#include "twin/sampler.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/wide.h"
#include "twin/processors.h"

namespace decant::twin {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 44;

struct Entry {
  TokenId id;
  float score;
  std::uint64_t weight;
};
using Entries = std::vector<Entry>;

double PlainExp2(double g) {
  if (g >= 1024) return HUGE_VAL;
  if (g < -1080) return 0;
  const double k = std::nearbyint(16 * g);
  const double r = g - k / 16;
  double p = core::kExp2Coefficients[6];
  for (int i = 5; i >= 0; --i) p = core::kExp2Coefficients[i] + r * p;
  const int whole = static_cast<int>(k);
  const int low = ((whole % 16) + 16) % 16;
  return std::ldexp(core::kExp2Table[low] * p, (whole - low) / 16);
}

double Scale(double temperature) { return std::min(core::kLog2E / temperature, DBL_MAX); }

double GapOf(float score, float max, double temperature) {
  return (static_cast<double>(score) - static_cast<double>(max)) * Scale(temperature);
}

// Weights over the entries there are, formed anew; returns their sum.
std::uint64_t Weigh(Entries& entries, double temperature) {
  float max = entries[0].score;
  for (const Entry& e : entries) max = e.score > max ? e.score : max;
  std::uint64_t total = 0;
  for (Entry& e : entries) {
    const double gap = GapOf(e.score, max, temperature);
    e.weight = gap < -46 ? 0 : static_cast<std::uint64_t>(std::nearbyint(std::ldexp(PlainExp2(gap), 44)));
    total += e.weight;
  }
  return total;
}

void SortCanonical(Entries& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.id < b.id;
  });
}

std::uint64_t Scaled(double p) { return static_cast<std::uint64_t>(std::nearbyint(std::ldexp(p, 53))); }

double Entropy(Entries entries, double temperature) {
  const std::uint64_t total = Weigh(entries, temperature);
  core::Uint128 sum = 0;
  for (const Entry& e : entries) {
    if (e.weight == 0) continue;
    const double bits = core::Log2(static_cast<double>(total)) - core::Log2(static_cast<double>(e.weight));
    sum += core::Uint128{e.weight} * static_cast<std::uint64_t>(std::nearbyint(std::ldexp(bits < 0 ? 0 : bits, 32)));
  }
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(sum / total)), -32);
}

void TopK(Entries& entries, std::int64_t k) {
  SortCanonical(entries);
  if (static_cast<std::uint64_t>(k) < entries.size()) entries.resize(static_cast<std::size_t>(k));
}

void TopP(Entries& entries, double p, std::uint64_t total) {
  SortCanonical(entries);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    sum += entries[i].weight;
    if (core::Uint128{sum} * (std::uint64_t{1} << 53) >= core::Uint128{Scaled(p)} * total) {
      entries.resize(i + 1);
      return;
    }
  }
}

void MinP(Entries& entries, double p) {
  std::erase_if(entries, [p](const Entry& e) { return e.weight * 512 < Scaled(p); });
}

// One row on its way through the chain.
struct Row {
  Context context;
  std::vector<float> scores;  // by token id; -inf = banned
  Entries entries;            // the candidates
  double temperature = 1;
};

// Which bans are out of force.
struct Lifted {
  bool end = false, other = false;
};

std::uint64_t RandomBits(const DrawAddress& address) {
  std::uint32_t c[4] = {static_cast<std::uint32_t>(address.position), address.sequence, 0, 0};
  std::uint32_t k[2] = {static_cast<std::uint32_t>(address.seed), static_cast<std::uint32_t>(address.seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
    const std::uint32_t next[4] = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
                                   static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    std::copy(next, next + 4, c);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return ((std::uint64_t{c[1]} << 32) + c[0]) >> 11;
}

// Applies one stage that is not a drawer; `total` is the weight of what it received.
Result<void> RunStage(const StageSpec& stage, bool yields, double product, Row& row, StepRecord& record) {
  Entries& entries = row.entries;
  const std::size_t before = entries.size();
  double removed_mass = 0;
  bool skipped = false;
  const bool greedy = product == 0;
  if (KindOf(stage.id) == StageKind::kProcessor) {
    if (const auto* t = std::get_if<TemperatureParams>(&stage.params)) {
      row.temperature *= t->temperature;
    } else {
      DECANT_CHECKED(Process(stage, yields, row.context, row.scores));
      for (Entry& e : entries) e.score = row.scores[e.id];
      std::erase_if(entries, [](const Entry& e) { return std::isinf(e.score); });
      if (entries.empty()) return Fail(ErrorCode::kEmptySupport, "");
    }
  } else if (greedy) {
    skipped = true;
  } else {
    const std::uint64_t total = Weigh(entries, row.temperature);
    if (const auto* k = std::get_if<TopKParams>(&stage.params)) TopK(entries, k->k);
    if (const auto* p = std::get_if<TopPParams>(&stage.params)) TopP(entries, p->p, total);
    if (const auto* m = std::get_if<MinPParams>(&stage.params)) MinP(entries, m->p);
    std::uint64_t kept = 0;
    for (const Entry& e : entries) kept += e.weight;
    removed_mass = core::Ratio(total - kept, total);
  }
  record.stages.push_back({stage.id, static_cast<std::uint32_t>(entries.size()),
                           static_cast<std::uint32_t>(before - entries.size()), removed_mass,
                           greedy ? 0.0 : Entropy(entries, row.temperature), skipped, yields});
  return {};
}

bool IsOff(const StageSpec& stage) {
  if (const auto* bias = std::get_if<LogitBiasParams>(&stage.params)) return bias->biases.empty();
  if (const auto* t = std::get_if<TemperatureParams>(&stage.params)) return t->temperature == 1;
  if (const auto* k = std::get_if<TopKParams>(&stage.params)) return k->k == 0 || k->k == -1;
  if (const auto* p = std::get_if<TopPParams>(&stage.params)) return p->p == 1;
  if (const auto* m = std::get_if<MinPParams>(&stage.params)) return m->p == 0;
  return ProcessorIsOff(stage);
}

void Choose(const Entry& chosen, double probability, double log_probability, const Entries& all, StepRecord& record) {
  record.choice.token = chosen.id;
  record.choice.probability = probability;
  record.choice.log_probability = log_probability;
  record.choice.drawn_by = record.draw.kind;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].id == chosen.id) record.choice.rank = static_cast<std::uint32_t>(i + 1);
  }
}

// The drawer, over what the filters left.
void Draw(Entries entries, double temperature, bool greedy_drawer, const DrawAddress& address, const Entries& all,
          StepRecord& record) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  const std::uint64_t total = Weigh(entries, temperature);
  float max = entries[0].score;
  for (const Entry& e : entries) {
    max = e.score > max ? e.score : max;
    if (e.weight == 0) continue;
    record.support.push_back(e.id);
    record.weights.push_back(e.weight);
    record.probabilities.push_back(core::Ratio(e.weight, total));
  }
  const Entry* chosen = nullptr;
  if (greedy_drawer) {
    for (const Entry& e : entries) {
      if (chosen == nullptr || e.score > chosen->score) chosen = &e;
    }
  } else {
    const std::uint64_t r = RandomBits(address);
    const auto t = static_cast<std::uint64_t>((core::Uint128{r} * total) >> 53);
    std::uint64_t before = 0;
    for (const Entry& e : entries) {
      if (chosen == nullptr && before + e.weight > t) {
        chosen = &e;
        record.draw = {DrawKind::kInverseCdf,
                       r,
                       t,
                       total,
                       before,
                       before + e.weight,
                       std::ldexp(static_cast<double>(r), -53),
                       {core::Ratio(before, total), core::Ratio(before + e.weight, total)}};
      }
      before += e.weight;
    }
  }
  const double gap = GapOf(chosen->score, max, temperature);
  Choose(*chosen, core::Ratio(chosen->weight, total),
         (gap - (core::Log2(static_cast<double>(total)) - 44)) * core::kLn2, all, record);
}

// All stages, with the bans of `lifted` out of force.
Result<void> Attempt(const Chain& chain, const StepInput& input, const Lifted& lifted, double product, Row& row,
                     StepRecord& record) {
  row = {.context = {.prompt = input.prompt, .output = input.output, .structural = input.structural},
         .scores = {input.logits.begin(), input.logits.end()},
         .entries = {},
         .temperature = 1};
  record.stages.clear();
  for (std::size_t id = 0; id < row.scores.size(); ++id) {
    if (input.mask != nullptr && (input.mask[id / 32] >> (id % 32)) % 2 == 0) row.scores[id] = -HUGE_VALF;
    if (!std::isinf(row.scores[id])) row.entries.push_back({static_cast<TokenId>(id), row.scores[id], 0});
  }
  if (row.entries.empty()) return Fail(ErrorCode::kEmptySupport, "");
  for (const StageSpec& stage : chain) {
    if (IsOff(stage)) continue;
    const bool yields = (lifted.end && SetsEndBans(stage)) || (lifted.other && SetsOtherBans(stage));
    DECANT_CHECKED(RunStage(stage, yields, product, row, record));
  }
  return {};
}

}  // namespace

Result<StepRecord> Sample(const Chain& chain, const StepInput& input) {
  for (const float logit : input.logits) {
    if (std::isnan(logit) || (std::isinf(logit) && logit > 0)) return Fail(ErrorCode::kNonFiniteLogit, "");
  }
  double product = 1;
  bool greedy_drawer = false, end = false, other = false;
  for (const StageSpec& stage : chain) {
    if (const auto* t = std::get_if<TemperatureParams>(&stage.params)) product *= t->temperature;
    greedy_drawer = greedy_drawer || stage.id == StageId::kGreedy;
    end = end || (!IsOff(stage) && SetsEndBans(stage));
    other = other || (!IsOff(stage) && SetsOtherBans(stage));
  }
  StepRecord record;
  record.temperature = product;
  Row row;
  Result<void> done = Attempt(chain, input, {}, product, row, record);
  const auto retry = [&](bool possible, Lifted lifted) {
    if (done.has_value() || done.error().code != ErrorCode::kEmptySupport || !possible) return;
    done = Attempt(chain, input, lifted, product, row, record);
  };
  const bool masked = input.mask != nullptr;
  retry(other && (end || masked), {.end = false, .other = true});
  retry(end && masked, {.end = true, .other = false});
  retry(end && other && masked, {.end = true, .other = true});
  if (!done.has_value()) return std::unexpected(done.error());

  record.scores = row.scores;
  Entries all;
  for (std::size_t id = 0; id < row.scores.size(); ++id) {
    if (!std::isinf(row.scores[id])) all.push_back({static_cast<TokenId>(id), row.scores[id], 0});
  }
  SortCanonical(all);
  SortCanonical(row.entries);
  for (const Entry& e : row.entries) record.kept.push_back(e.id);
  if (product == 0) {
    record.support = {row.entries[0].id};
    record.weights = {kOne};
    record.probabilities = {1.0};
    Choose(row.entries[0], 1, 0, all, record);
    return record;
  }
  Draw(row.entries, row.temperature, greedy_drawer, input.address, all, record);
  return record;
}

}  // namespace decant::twin
