// One case a family, written to be read beside its line in the header.
#include "agreement/sampler_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/float16.h"
#include "core/math.h"

namespace decant {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

constexpr Family kFamilies[] = {Family::kModelLike,   Family::kFlat,       Family::kAllEqual,  Family::kTwoValues,
                                Family::kTies,        Family::kF16Grid,    Family::kHugeRange, Family::kDenormals,
                                Family::kSignedZeros, Family::kOneLive,    Family::kLastLive,  Family::kMostlyBanned,
                                Family::kAscending,   Family::kDescending, Family::kSawtooth,  Family::kPowersOfTwo,
                                Family::kLongTail};

// About normal, deviation 1: twelve uniform numbers of 16 bits from three words.
double Normal(Random& random) {
  double sum = 0;
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t bits = random.Bits();
    for (int part = 0; part < 4; ++part) sum += static_cast<double>((bits >> (16 * part)) & 0xffffu);
  }
  return sum * 0x1p-16 - 6;
}

std::vector<float> ModelLike(std::size_t vocabulary, Random& random) {
  std::vector<float> row(vocabulary);
  for (float& logit : row) logit = static_cast<float>(2.2 * Normal(random));
  for (std::size_t i = 0; i < std::min<std::size_t>(200, 1 + vocabulary / 4); ++i) {
    const double product = std::max(0x1p-50, random.Uniform()) * std::max(0x1p-50, random.Uniform());
    row[random.Below(vocabulary)] += static_cast<float>(-3 * core::kLn2 * core::Log2(product));
  }
  return row;
}

float One(Family family, std::size_t i, std::size_t vocabulary, Random& random) {
  switch (family) {
    case Family::kFlat:
      return static_cast<float>(5 * random.Uniform());
    case Family::kAllEqual:
      return 1.25f;
    case Family::kTwoValues:
      return random.Chance(0.3) ? 1.0f : -0.5f;
    case Family::kTies:
      return static_cast<float>(random.Below(12));
    case Family::kHugeRange:
      return static_cast<float>((random.Uniform() * 2 - 1) * (random.Chance(0.5) ? 3e38 : 3e3));
    case Family::kDenormals:
      return static_cast<float>((random.Uniform() * 2 - 1) * 0x1p-127);
    case Family::kSignedZeros:
      return random.Chance(0.5) ? -1.0f : (random.Chance(0.5) ? -0.0f : 0.0f);
    case Family::kMostlyBanned:
      return random.Chance(0.9) ? kBanned : static_cast<float>(Normal(random));
    case Family::kAscending:
      return static_cast<float>(static_cast<double>(i) / 64);
    case Family::kDescending:
      return static_cast<float>(static_cast<double>(vocabulary - i) / 64);
    case Family::kSawtooth:
      return static_cast<float>(i % 37) / 8;
    case Family::kPowersOfTwo:
      return -static_cast<float>(random.Below(51));
    case Family::kLongTail:
      return -27 - static_cast<float>(random.Uniform());
    default:
      return kBanned;
  }
}

}  // namespace

std::span<const Family> Families() { return kFamilies; }

std::string_view NameOf(Family family) {
  constexpr std::string_view names[] = {"model-like",    "flat",          "all equal", "two values",   "ties",
                                        "f16 grid",      "huge range",    "denormals", "signed zeros", "one live",
                                        "last live",     "mostly banned", "ascending", "descending",   "sawtooth",
                                        "powers of two", "long tail"};
  return names[static_cast<std::size_t>(family)];
}

std::vector<float> MakeRow(Family family, std::size_t vocabulary, Random& random) {
  if (family == Family::kModelLike) return ModelLike(vocabulary, random);
  if (family == Family::kF16Grid) {
    std::vector<float> row = ModelLike(vocabulary, random);
    for (float& logit : row) logit = core::HalfToFloat(core::FloatToHalf(logit));
    return row;
  }
  std::vector<float> row(vocabulary);
  for (std::size_t i = 0; i < vocabulary; ++i) row[i] = One(family, i, vocabulary, random);
  if (family == Family::kOneLive) row[random.Below(vocabulary)] = -3.5f;
  if (family == Family::kLastLive) row.back() = 2;
  if (family == Family::kMostlyBanned) row[random.Below(vocabulary)] = 0;
  if (family == Family::kLongTail) row[random.Below(vocabulary)] = 0;
  return row;
}

std::vector<std::uint32_t> MakeMask(std::size_t vocabulary, double p, Random& random) {
  std::vector<std::uint32_t> words((vocabulary + 31) / 32);
  for (std::size_t bit = 0; bit < words.size() * 32; ++bit) {
    if (bit < vocabulary ? random.Chance(p) : random.Chance(0.5)) words[bit / 32] |= 1u << (bit % 32);
  }
  const std::size_t sure = random.Below(vocabulary);
  words[sure / 32] |= 1u << (sure % 32);
  return words;
}

std::vector<TokenId> MakeHistory(std::size_t vocabulary, std::size_t size, Random& random) {
  std::vector<TokenId> tokens;
  while (tokens.size() < size) {
    if (tokens.size() > 8 && random.Chance(0.1)) {
      const std::size_t from = random.Below(tokens.size() - 4);
      for (std::size_t i = 0; i < 4 && tokens.size() < size; ++i) tokens.push_back(tokens[from + i]);
    } else {
      const double u = random.Uniform();
      tokens.push_back(static_cast<TokenId>(u * u * u * static_cast<double>(vocabulary)));
    }
  }
  return tokens;
}

Chain MakeBenchChain(BenchChain chain) {
  using enum StageId;
  const StageSpec temperature{kTemperature, TemperatureParams{0.8}};
  switch (chain) {
    case BenchChain::kGreedy:
      return {{kGreedy, {}}};
    case BenchChain::kTopK:
      return {temperature, {kTopK, TopKParams{40}}};
    case BenchChain::kMinP:
      return {temperature, {kMinP, MinPParams{0.05}}};
    case BenchChain::kTemperature:
      return {temperature};
    case BenchChain::kTopP:
      return {temperature, {kTopP, TopPParams{0.95}}};
    case BenchChain::kAll:
      return {{kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 1.1}},
              {kFrequencyPenalty, CountPenaltyParams{.penalty = 0.1, .scope = PenaltyScope::kWindow}},
              {kPresencePenalty, CountPenaltyParams{.penalty = 0.1, .scope = PenaltyScope::kWindow}},
              {kDry, DryParams{.multiplier = 0.8}},
              temperature,
              {kTopK, TopKParams{40}},
              {kTopP, TopPParams{0.95}},
              {kMinP, MinPParams{0.05}}};
  }
  return {};
}

Chain MakeRandomFilters(Random& random) {
  using enum StageId;
  Chain chain;
  for (std::size_t i = 0, stages = random.Below(5); i < stages; ++i) {
    switch (random.Below(4)) {
      case 0:
        chain.push_back({kTemperature, TemperatureParams{core::Exp2(random.Uniform() * 8 - 4)}});
        break;
      case 1:
        chain.push_back({kTopK, TopKParams{static_cast<std::int64_t>(core::Exp2(random.Uniform() * 12))}});
        break;
      case 2:
        chain.push_back({kTopP, TopPParams{random.Chance(0.5) ? 1 - random.Uniform() : 1 - random.Uniform() / 50}});
        break;
      default:
        chain.push_back(
            {kMinP, MinPParams{random.Chance(0.5) ? random.Uniform() : core::Exp2(-40 * random.Uniform())}});
        break;
    }
  }
  if (random.Chance(0.03)) chain.push_back({kTemperature, TemperatureParams{0}});
  if (random.Chance(0.1)) chain.push_back({kGreedy, {}});
  return chain;
}

Chain MakeRandomProcessors(std::size_t vocabulary, Random& random) {
  using enum StageId;
  const auto tokens = [&](std::size_t most) {
    std::vector<TokenId> list;
    for (std::size_t i = 0, n = 1 + random.Below(most); i < n; ++i) {
      const auto token = static_cast<TokenId>(random.Below(vocabulary));
      if (std::ranges::find(list, token) == list.end()) list.push_back(token);
    }
    return list;
  };
  const auto window = [&] { return random.Chance(0.5) ? -1 : static_cast<std::int64_t>(random.Below(60)); };
  const auto scope = [&] { return random.Chance(0.5) ? PenaltyScope::kOutput : PenaltyScope::kWindow; };
  Chain chain;
  const auto maybe = [&](double p, StageId id, StageParams params) {
    if (random.Chance(p)) chain.push_back({id, std::move(params)});
  };
  LogitBiasParams bias;
  for (const TokenId token : tokens(5)) {
    bias.biases.push_back({token, random.Chance(0.2) ? -INFINITY : random.Uniform() * 8 - 2});
  }
  maybe(0.3, kLogitBias, bias);
  maybe(0.4, kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 0.5 + random.Uniform(), .window = window()});
  maybe(0.4, kFrequencyPenalty,
        CountPenaltyParams{.penalty = random.Uniform() - 0.3, .scope = scope(), .window = window()});
  maybe(0.4, kPresencePenalty, CountPenaltyParams{.penalty = random.Uniform(), .scope = scope(), .window = window()});
  maybe(0.3, kDry,
        DryParams{.multiplier = random.Uniform(),
                  .base = 1 + random.Uniform(),
                  .allowed_length = 1 + static_cast<std::int64_t>(random.Below(3)),
                  .window = window(),
                  .breakers = {tokens(2), tokens(2)}});
  maybe(0.2, kNoRepeatNgram, NoRepeatNgramParams{.size = static_cast<std::int64_t>(random.Below(5))});
  maybe(0.2, kBadWords, BadWordsParams{.words = {tokens(3), tokens(3)}});
  maybe(0.1, kAllowedTokens, TokenListParams{.tokens = tokens(40)});
  maybe(0.2, kBannedTokens, TokenListParams{.tokens = tokens(4)});
  maybe(0.1, kBeginSuppress, TokenListParams{.tokens = tokens(4)});
  maybe(0.05, kForcedTokens, TokenListParams{.tokens = tokens(10)});
  maybe(0.2, kMinTokens, MinTokensParams{.count = static_cast<std::int64_t>(random.Below(40)), .tokens = tokens(2)});
  return chain;
}

}  // namespace decant
