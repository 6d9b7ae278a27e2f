// The occurrences of the last token come from the history's index; each is matched backwards until it differs.
#include "process/dry.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/number_text.h"

namespace decant::process {
namespace {

std::unexpected<Error> OutOfRange(const std::string& name, const std::string& value, const std::string& allowed) {
  return Fail(ErrorCode::kOutOfRange, name + " is " + value + "; expected " + allowed,
              {.subject = name, .allowed = allowed});
}

// base^0, base^1, … up to the last that is not above 2^64.
void FillPowers(double base, std::size_t most, std::vector<double>& powers) {
  powers.assign(1, 1.0);
  while (powers.size() <= most && powers.back() * base <= 0x1p64) {
    powers.push_back(powers.back() * base);
    if (base == 1) break;
  }
}

// The breakers whose last token it is. REQUIRES: sorted by SortBreakers.
auto BreakersEndingIn(const std::vector<TokenSequence>& breakers, TokenId token) {
  return std::ranges::equal_range(breakers, token, {}, [](const TokenSequence& breaker) { return breaker.back(); });
}

bool EndsWith(std::span<const TokenId> tokens, const TokenSequence& sequence) {
  return tokens.size() >= sequence.size() && std::ranges::equal(tokens.last(sequence.size()), sequence);
}

// How far back from the end a match may reach, `longest` at most: up to the newest breaker.
std::size_t ReachOf(std::span<const TokenId> tokens, const std::vector<TokenSequence>& breakers, std::size_t longest) {
  longest = std::min(longest, tokens.size());
  for (std::size_t after = 0; after < longest; ++after) {
    const auto head = tokens.first(tokens.size() - after);
    for (const TokenSequence& breaker : BreakersEndingIn(breakers, head.back())) {
      if (EndsWith(head, breaker)) return after;
    }
  }
  return longest;
}

bool IsBreaker(const DryParams& params, TokenId token) {
  return std::ranges::any_of(BreakersEndingIn(params.breakers, token),
                             [](const TokenSequence& breaker) { return breaker.size() == 1; });
}

}  // namespace

Result<void> ValidateDry(const DryParams& params, std::size_t vocabulary) {
  if (!(params.multiplier >= 0 && params.multiplier <= kMaxDryMultiplier)) {
    return OutOfRange("dry_multiplier", core::NumberText(params.multiplier), "a number in [0, 1e6]");
  }
  if (!(params.base >= 1 && params.base <= kMaxDryBase)) {
    return OutOfRange("dry_base", core::NumberText(params.base), "a number in [1, 100]");
  }
  if (params.allowed_length < 1) {
    return OutOfRange("dry_allowed_length", std::to_string(params.allowed_length), "1 or more tokens");
  }
  for (const TokenSequence& breaker : params.breakers) {
    if (breaker.empty()) return OutOfRange("a DRY sequence breaker", "empty", "at least one token");
    DECANT_CHECKED(CheckTokens("dry_sequence_breaker_ids", breaker, vocabulary));
  }
  return CheckWindow("dry_penalty_last_n", params.window);
}

void SortBreakers(DryParams& params) {
  std::ranges::sort(params.breakers, {}, [](const TokenSequence& breaker) { return breaker.back(); });
}

Result<void> ApplyDry(const DryParams& params, Row& row) {
  const auto all = row.history.tokens();
  const std::size_t size = params.window < 0 ? all.size() : std::min(all.size(), std::size_t(params.window));
  const auto tokens = all.last(size);
  const auto allowed = static_cast<std::size_t>(params.allowed_length);
  if (allowed >= size) return {};
  // A longer match than the powers reach costs no more.
  DryScratch own;
  auto& [powers, matches] = row.dry != nullptr ? *row.dry : own;
  FillPowers(params.base, size, powers);
  const std::size_t longest = ReachOf(tokens, params.breakers, allowed + powers.size() - 1);
  if (longest < allowed) return {};

  matches.clear();
  const std::size_t first = all.size() - size;
  for (const std::size_t place : row.history.PlacesAfterSuffix(1, first + 1)) {
    const std::size_t most = std::min(longest, place - first);
    std::size_t length = 1;
    while (length < most && all[place - 1 - length] == all[all.size() - 1 - length]) ++length;
    if (length >= allowed) matches.push_back({.follower = all[place], .length = length});
  }
  std::ranges::sort(matches, [](const DryScratch::Match& a, const DryScratch::Match& b) {
    return a.follower != b.follower ? a.follower < b.follower : a.length > b.length;
  });
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const TokenId token = matches[i].follower;
    if (i > 0 && matches[i - 1].follower == token) continue;  // a shorter match of the same token
    if (token >= row.scores.size()) return NoSuchToken(row, StageId::kDry, token);
    if (row.IsStructural(token) || IsBreaker(params, token)) continue;
    const double penalty = params.multiplier * powers[std::min(matches[i].length - allowed, powers.size() - 1)];
    float& score = row.scores.Edit(token);
    if (!ChangeScore(score, static_cast<double>(score) - penalty)) return LeavesTheFloats(StageId::kDry, token);
  }
  return {};
}

}  // namespace decant::process
