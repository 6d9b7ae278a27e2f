// The chains that reports call by a name, and what their rows draw with.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "core/split.h"
#include "decant/bench.h"
#include "timing/split_mix.h"

namespace decant {
namespace {

using enum StageId;
using timing::Mix;

constexpr double kTemperatureOfAll = 0.8;
constexpr std::size_t kHistory = 1000;
constexpr std::size_t kPromptPart = 4;  // a quarter of the history is prompt
constexpr std::size_t kRepeat = 6;      // the tokens at its end that stood before, for DRY to find

constexpr std::string_view kNames[] = {"greedy",      "top_k:40+temperature",   "min_p:0.05+temperature",
                                       "temperature", "top_p:0.95+temperature", "all"};

StageSpec Temperature() { return {kTemperature, TemperatureParams{.temperature = kTemperatureOfAll}}; }
StageSpec TopK(std::int64_t k = 40) { return {kTopK, TopKParams{.k = k}}; }
StageSpec TopP(double p = 0.95) { return {kTopP, TopPParams{.p = p}}; }
StageSpec MinP(double p = 0.05) { return {kMinP, MinPParams{.p = p}}; }

// "top_k:40", "top_p:0.95" or "min_p:0.05"; whether the number is a fitting one is the sampler's to say.
std::optional<StageSpec> FilterOf(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = word.substr(0, colon), number = word.substr(colon + 1);
  if (name == "top_k") {
    const std::optional<std::int64_t> k = core::ParseInt64(number);
    return k.has_value() ? std::optional(TopK(*k)) : std::nullopt;
  }
  const std::optional<double> p = core::ParseDouble(number);
  if (!p.has_value()) return std::nullopt;
  if (name == "top_p") return TopP(*p);
  if (name == "min_p") return MinP(*p);
  return std::nullopt;
}

// Filters and "temperature", joined with "+". Temperature is named last and comes first: that is the default order.
std::optional<Chain> ChainOf(std::string_view name) {
  Chain chain = {Temperature()};
  std::vector<std::string_view> words = core::Split(name, '+');
  if (words.empty() || words.back() != "temperature") return std::nullopt;
  words.pop_back();
  for (const std::string_view word : words) {
    std::optional<StageSpec> filter = FilterOf(word);
    if (!filter.has_value()) return std::nullopt;
    chain.push_back(*std::move(filter));
  }
  return chain;
}

Chain All(std::size_t vocabulary) {
  const CountPenaltyParams frequency{.penalty = 0.2, .scope = PenaltyScope::kWindow};
  const CountPenaltyParams presence{.penalty = 0.2, .scope = PenaltyScope::kWindow};
  DryParams dry{.multiplier = 0.8};
  if (vocabulary > 16) dry.breakers = {{13}};
  return {{kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 1.1}},
          {kFrequencyPenalty, frequency},
          {kPresencePenalty, presence},
          {kDry, dry},
          Temperature(),
          TopK(),
          TopP(),
          MinP()};
}

// Words by a rough Zipf law, spread over the vocabulary; its end repeats what stands a third of the way in.
std::vector<TokenId> TokensBefore(std::size_t size, std::size_t vocabulary, std::uint64_t seed) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t bits = Mix(seed + i);
    const std::uint64_t rank = (bits >> 20) % (std::uint64_t{1} << (1 + (bits >> 60)));
    tokens.push_back(static_cast<TokenId>(rank * 7919 % vocabulary));
  }
  if (size > 4 * kRepeat) {
    const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(size / 3);
    std::copy(from, from + kRepeat, tokens.end() - kRepeat);
  }
  return tokens;
}

// Bits of a mask: a word's are the allowed ones of 32 tokens, each with nine of ten chances.
std::uint32_t MaskWord(std::uint64_t seed) {
  std::uint32_t word = 0;
  for (unsigned part = 0; part < 4; ++part) {
    const std::uint64_t bits = Mix(seed * 4 + part);
    for (unsigned i = 0; i < 8; ++i) {
      if (((bits >> (8 * i)) & 0xff) >= 26) word |= std::uint32_t{1} << (8 * part + i);
    }
  }
  return word;
}

}  // namespace

std::span<const std::string_view> ChainNames() { return kNames; }

Result<NamedChain> FindNamedChain(std::string_view name, std::size_t vocabulary) {
  NamedChain found{.name = std::string(name)};
  if (name == "greedy") {
    found.chain = {{kGreedy, std::monostate{}}};
  } else if (name == "all") {
    found.chain = All(vocabulary);
    found.history = kHistory;
    found.has_mask = true;
  } else if (std::optional<Chain> chain = ChainOf(name); chain.has_value()) {
    found.chain = *std::move(chain);
  } else {
    std::string allowed;
    for (const std::string_view each : kNames) allowed += (allowed.empty() ? "" : ", ") + std::string(each);
    const auto close = core::Closest(std::string(name), kNames);
    return Fail(ErrorCode::kUnknownParameter,
                "there is no chain \"" + std::string(name) + "\"; expected one of " + allowed +
                    ", or top_k:N, top_p:P and min_p:P in any order, joined with \"+\", and temperature last",
                {.subject = std::string(name),
                 .allowed = allowed,
                 .hint = close.has_value() ? "did you mean " + *close + "?" : ""});
  }
  return found;
}

ChainInputs::ChainInputs(const NamedChain& chain, std::size_t rows, std::size_t vocabulary, std::uint64_t seed,
                         std::uint32_t sequence) {
  states_.reserve(rows);
  if (chain.has_mask) {
    mask_words_ = (vocabulary + 31) / 32;
    masks_.reserve(rows * mask_words_);
    for (std::size_t i = 0; i < rows * mask_words_; ++i) masks_.push_back(MaskWord(Mix(seed) + i));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<TokenId> tokens = TokensBefore(chain.history, vocabulary, Mix(seed + 1) + i * (kHistory + 1));
    const std::span<const TokenId> all(tokens);
    SamplerStateOptions options{.seed = seed + i,
                                .sequence = sequence,
                                .prompt = all.first(all.size() / kPromptPart),
                                .output = all.subspan(all.size() / kPromptPart)};
    if (all.empty()) options.position = kHistory;
    states_.emplace_back(options);
  }
}

const std::uint32_t* ChainInputs::mask(std::size_t row) const {
  return mask_words_ == 0 ? nullptr : masks_.data() + row * mask_words_;
}

}  // namespace decant
