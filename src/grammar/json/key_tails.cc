// Each tail on its own, up to its first byte that is neither white space nor the colon.
#include "grammar/json/key_tails.h"

#include <optional>
#include <string_view>
#include <utility>

#include "grammar/json/between_tokens.h"
#include "grammar/json/frame.h"

namespace decant::grammar {
namespace {

// Nothing: it reaches the value.
std::optional<bool> MayFollowKey(const Machine& machine, std::string_view tail) {
  const Frame object;
  Place place = {.frame = &object, .where = Where::kAfterKey};
  for (const char c : tail) {
    const ByteClass byte_class = kByteClasses[static_cast<std::uint8_t>(c)];
    if (byte_class == ByteClass::kWhite) {
      if (!machine.TakesWhite(place)) return false;
      if (machine.options().whitespace == JsonWhitespace::kSpaced && c != ' ') return false;
      ++place.white;
      continue;
    }
    if (place.where == Where::kValue) {
      if (machine.NeedsSpace(place)) return false;
      return std::nullopt;
    }
    if (byte_class != ByteClass::kColon) return false;
    place.where = Where::kValue;
    place.white = 0;
  }
  return true;
}

}  // namespace

std::shared_ptr<const KeyTails> KeyTails::Of(const Vocabulary& vocabulary, const Machine& machine) {
  const MachineOptions& options = machine.options();
  const Fingerprint key =
      Add(Add(Fingerprint{}, static_cast<std::uint64_t>(options.whitespace)), options.max_whitespace);
  if (auto found = vocabulary.cache().Find<KeyTails>(key)) return found;
  auto made = std::make_shared<KeyTails>();
  made->follow_.resize(WordsFor(vocabulary.tails().size()));
  made->reach_value_.resize(made->follow_.size());
  for (std::uint32_t i = 0; i < vocabulary.tails().size(); ++i) {
    const std::optional<bool> may_follow = MayFollowKey(machine, vocabulary.tails()[i]);
    if (!may_follow.has_value()) {
      AddToken(made->reach_value_, i);
    } else if (*may_follow) {
      AddToken(made->follow_, i);
    }
  }
  return vocabulary.cache().Insert<KeyTails>(key, std::move(made));
}

}  // namespace decant::grammar
