// What a stage of the caller's own left behind is compared with what it was given, token by token.
#include "decode/custom_stage.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/number_text.h"

namespace decant::decode {
namespace {

constexpr std::size_t kLongestName = 64;

std::string Named(const CustomStage& stage) { return "custom stage " + std::string(stage.name()); }

std::unexpected<Error> Refused(const CustomStage& stage, ErrorCode code, const std::string& what,
                               const std::string& allowed) {
  return Fail(code, Named(stage) + " " + what + "; expected " + allowed,
              {.subject = std::string(stage.name()), .allowed = allowed});
}

bool IsNameLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
}

}  // namespace

Result<void> ValidateCustomStage(StageId id, const CustomStage* stage) {
  const std::string kind(NameOf(id));
  if (stage == nullptr) {
    return Fail(ErrorCode::kWrongType, kind + " has no stage; expected one", {.subject = kind});
  }
  const std::string name(stage->name());
  if (name.empty() || name.size() > kLongestName || !std::ranges::all_of(name, IsNameLetter)) {
    const std::string allowed = "1 to " + std::to_string(kLongestName) + " of a-z, 0-9 and _";
    return Fail(ErrorCode::kOutOfRange, "the name of a custom stage is \"" + name + "\"; expected " + allowed,
                {.subject = kind, .allowed = allowed});
  }
  if (FindStage(name).has_value() || name == NameOf(StageId::kCustomProcessor) ||
      name == NameOf(StageId::kCustomFilter)) {
    return Fail(ErrorCode::kConflict,
                "the name of a custom stage is \"" + name + "\", which decant itself has; expected another",
                {.subject = name, .allowed = "a name that no stage of decant has"});
  }
  return {};
}

Result<void> RunCustomProcessor(const CustomProcessor& stage, const History& history, std::span<float> scores) {
  const std::vector<float> before(scores.begin(), scores.end());
  DECANT_CHECKED(stage.Process(scores, history));
  for (std::size_t token = 0; token < scores.size(); ++token) {
    const float score = scores[token];
    if (std::isinf(score) && score < 0) continue;
    if (!std::isfinite(score)) {
      return Refused(stage, ErrorCode::kNonFiniteLogit,
                     "gives token " + std::to_string(token) + " the score " + (std::isnan(score) ? "NaN" : "Infinity"),
                     "a finite number or -Infinity (a ban)");
    }
    if (std::isinf(before[token])) {
      return Refused(stage, ErrorCode::kOutOfRange,
                     "gives token " + std::to_string(token) + ", which is banned, the score " +
                         core::ShortestText(static_cast<double>(score)),
                     "-Infinity");
    }
  }
  return {};
}

Result<void> RunCustomFilter(const CustomFilter& stage, const History& history, Candidates& candidates) {
  const double temperature = candidates.temperature();
  Candidates before = candidates;
  before.SortById();
  DECANT_CHECKED(stage.Filter(candidates, history));
  if (candidates.size() == 0) {
    return Refused(stage, ErrorCode::kOutOfRange, "leaves no candidate", "at least one");
  }
  if (candidates.temperature() != temperature) {
    return Refused(stage, ErrorCode::kOutOfRange,
                   "sets the temperature to " + core::ShortestText(candidates.temperature()),
                   "the " + core::ShortestText(temperature) + " that it was given");
  }
  std::vector<std::pair<TokenId, float>> kept;
  kept.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    kept.emplace_back(candidates.ids()[i], candidates.scores()[i]);
  }
  std::ranges::sort(kept, {}, &std::pair<TokenId, float>::first);
  // Built anew: an arrangement that the stage broke must not decide anything.
  candidates.Clear(temperature);
  std::size_t i = 0;
  for (const auto& [token, score] : kept) {
    while (i < before.size() && before.ids()[i] < token) ++i;
    if (i == before.size() || before.ids()[i] != token) {
      return Refused(stage, ErrorCode::kOutOfRange, "adds token " + std::to_string(token),
                     "only candidates that it was given, each once");
    }
    if (before.scores()[i] != score) {
      return Refused(stage, ErrorCode::kOutOfRange, "changes the score of token " + std::to_string(token),
                     "the score that it was given");
    }
    candidates.Add(token, before.scores()[i++]);
  }
  return {};
}

}  // namespace decant::decode
