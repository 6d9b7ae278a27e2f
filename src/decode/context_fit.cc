// Makes a prompt fit its context, by the rule that the caller chose; nothing leaves unless that rule says so.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/generate.h"

namespace decant {
namespace {

constexpr std::string_view kOverflowNames[] = {"error", "truncate_left", "truncate_middle"};

std::string Tokens(std::size_t count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); }

// The tokens of the answer for which a cut makes room.
std::size_t Reserved(const FitOptions& options) {
  const std::size_t wanted = options.max_tokens.value_or(1);
  return options.at_context_end == ContextEnd::kSlide ? std::min<std::size_t>(wanted, 1) : wanted;
}

// How many tokens of the prompt may stay; nothing when it is none.
std::optional<std::size_t> Room(const FitOptions& options) {
  const std::size_t reserved = Reserved(options);
  if (reserved < options.context) return options.context - reserved;
  // A context of one token: the answer's token needs no place in it.
  return options.context == 1 && reserved <= 1 ? std::optional<std::size_t>(1) : std::nullopt;
}

std::unexpected<Error> TooLong(std::size_t size, const FitOptions& options) {
  const std::string more =
      options.max_tokens.has_value() ? ", " + std::to_string(*options.max_tokens) + " more are to be generated" : "";
  const std::optional<std::size_t> room = Room(options);
  const std::string drops = room.has_value() ? " (drops " + Tokens(size - *room) + " of the start)" : "";
  return Fail(ErrorCode::kPromptTooLong,
              "the prompt has " + Tokens(size) + more + ", the context holds " + std::to_string(options.context),
              {.subject = "prompt",
               .allowed = "1.." + Tokens(options.context),
               .hint = "use a larger context, a shorter prompt, or ctx_overflow truncate_left" + drops});
}

std::unexpected<Error> NoRoom(const FitOptions& options) {
  return Fail(ErrorCode::kPromptTooLong,
              std::to_string(Reserved(options)) + " tokens are to be generated and the context holds " +
                  std::to_string(options.context) + ": no token of the prompt could stay",
              {.subject = "max_tokens",
               .allowed = "below " + std::to_string(options.context),
               .hint = "use a smaller max_tokens, a larger context, or at_context_end slide"});
}

std::vector<TokenId> Cut(std::span<const TokenId> prompt, std::size_t room, const FitOptions& options) {
  std::size_t head = 0;
  if (options.overflow == ContextOverflow::kTruncateMiddle) head = room / 2;
  const bool has_bos = options.bos.has_value() && prompt.front() == *options.bos;
  if (options.overflow == ContextOverflow::kTruncateLeft && has_bos && room > 1) head = 1;
  std::vector<TokenId> kept(prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(head));
  kept.insert(kept.end(), prompt.end() - static_cast<std::ptrdiff_t>(room - head), prompt.end());
  return kept;
}

}  // namespace

std::string_view NameOf(ContextOverflow overflow) { return kOverflowNames[static_cast<std::size_t>(overflow)]; }

std::optional<ContextOverflow> FindContextOverflow(std::string_view name) {
  const auto found = std::ranges::find(kOverflowNames, name);
  if (found == std::end(kOverflowNames)) return std::nullopt;
  return static_cast<ContextOverflow>(found - std::begin(kOverflowNames));
}

Result<FittedPrompt> FitPrompt(std::span<const TokenId> prompt, const FitOptions& options) {
  FittedPrompt fitted;
  if (options.overflow == ContextOverflow::kError) {
    if (prompt.size() > options.context) return TooLong(prompt.size(), options);
    fitted.tokens.assign(prompt.begin(), prompt.end());
  } else {
    const std::optional<std::size_t> room = Room(options);
    if (!room.has_value()) return NoRoom(options);
    if (prompt.size() <= *room) {
      fitted.tokens.assign(prompt.begin(), prompt.end());
    } else {
      fitted.tokens = Cut(prompt, *room, options);
      fitted.removed = prompt.size() - *room;
    }
  }
  // A full context may emit one more token.
  const std::size_t most = options.context - fitted.tokens.size() + 1;
  if (options.at_context_end == ContextEnd::kStop && options.max_tokens.value_or(0) > most) {
    fitted.missing = *options.max_tokens - most;
  }
  return fitted;
}

}  // namespace decant
