// The marker is looked for as Knuth, Morris and Pratt do: a place is how much of it the text ends with. The mask of a
// place is found once, by one walk over the vocabulary.
#include "decode/constrain_after.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"

namespace decant::decode {
namespace {

// The marker over a vocabulary, shared by forks. Any thread.
class Marker {
 public:
  explicit Marker(MarkerOptions options) : options_(std::move(options)), masks_(options_.marker.size()) {
    const std::string& text = options_.marker;
    borders_.resize(text.size(), 0);
    for (std::size_t i = 1; i < text.size(); ++i) {
      std::size_t border = borders_[i - 1];
      while (border > 0 && text[i] != text[border]) border = borders_[border - 1];
      borders_[i] = border + (text[i] == text[border] ? 1 : 0);
    }
  }

  std::size_t size() const { return options_.marker.size(); }
  std::string_view Rest(std::size_t place) const { return std::string_view(options_.marker).substr(place); }

  // How much of the marker stands at the end after one more token; nothing where the token must not come: it ends the
  // text, writes nothing, or writes past the marker.
  std::optional<std::size_t> After(std::size_t place, TokenId token) const {
    if (token >= std::min(options_.vocabulary, options_.tokenizer->vocabulary_size())) return std::nullopt;
    if (std::ranges::find(options_.end_tokens, token) != options_.end_tokens.end()) return std::nullopt;
    const std::string_view bytes = options_.tokenizer->Bytes(token);
    if (bytes.empty()) return std::nullopt;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (place == size()) return std::nullopt;
      while (place > 0 && bytes[i] != options_.marker[place]) place = borders_[place - 1];
      if (bytes[i] == options_.marker[place]) ++place;
    }
    return place;
  }

  void FillMask(std::size_t place, std::span<std::uint32_t> mask) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint32_t>& known = masks_[place];
    if (known.empty()) {
      known.resize((options_.vocabulary + 31) / 32);
      for (std::size_t id = 0; id < options_.vocabulary; ++id) {
        if (After(place, static_cast<TokenId>(id)).has_value()) known[id / 32] |= 1U << (id % 32);
      }
    }
    std::ranges::copy(known, mask.begin());
  }

 private:
  MarkerOptions options_;
  std::vector<std::size_t> borders_;  // of each prefix: its longest proper border
  mutable std::mutex mutex_;
  mutable std::vector<std::vector<std::uint32_t>> masks_;  // by place; empty = not found yet
};

class ConstrainAfter final : public Constraint {
 public:
  ConstrainAfter(std::shared_ptr<const Marker> marker, std::unique_ptr<Constraint> then)
      : marker_(std::move(marker)), then_(std::move(then)) {}

  void FillMask(std::span<std::uint32_t> mask) const override {
    if (IsPast()) return then_->FillMask(mask);
    marker_->FillMask(places_.back(), mask);
  }
  void FillStructural(std::span<std::uint32_t> structural) const override {
    if (IsPast()) return then_->FillStructural(structural);
    std::ranges::fill(structural, 0U);
  }

  Result<void> Accept(TokenId token) override {
    if (IsPast()) {
      DECANT_CHECKED(then_->Accept(token));
      ++accepted_after_;
      return {};
    }
    const auto place = marker_->After(places_.back(), token);
    if (!place.has_value()) {
      return Fail(
          ErrorCode::kConstraintViolated,
          "token " + std::to_string(token) + " ends the text before the marker, or writes past the marker's end",
          {.subject = "constrain_after"});
    }
    places_.push_back(*place);
    return {};
  }

  std::size_t Validate(std::span<const TokenId> tokens) const override {
    std::size_t place = places_.back(), known = 0;
    for (; known < tokens.size() && place < marker_->size(); ++known) {
      const auto next = marker_->After(place, tokens[known]);
      if (!next.has_value()) return known;
      place = *next;
    }
    return known + (place < marker_->size() ? 0 : then_->Validate(tokens.subspan(known)));
  }

  void RollBack(std::size_t n) override {
    const std::size_t after = std::min(n, accepted_after_);
    then_->RollBack(after);
    accepted_after_ -= after;
    DECANT_DCHECK(n - after < places_.size());
    places_.resize(places_.size() - (n - after));
  }

  std::unique_ptr<Constraint> Fork() const override {
    auto fork = std::make_unique<ConstrainAfter>(marker_, then_->Fork());
    fork->places_ = places_;
    fork->accepted_after_ = accepted_after_;
    return fork;
  }

  ConstraintState state() const override { return IsPast() ? then_->state() : ConstraintState::kOpen; }
  std::vector<TokenId> ForcedTokens() const override {
    return IsPast() ? then_->ForcedTokens() : std::vector<TokenId>();
  }
  std::string ForcedBytes() const override { return IsPast() ? then_->ForcedBytes() : std::string(); }
  bool IsProven() const override { return then_->IsProven(); }
  std::optional<std::string> ShortestEnd() const override {
    auto end = then_->ShortestEnd();
    if (!IsPast() && end.has_value()) end->insert(0, marker_->Rest(places_.back()));
    return end;
  }
  std::string Expected() const override { return IsPast() ? then_->Expected() : "any text, up to the marker"; }

 private:
  bool IsPast() const { return places_.back() == marker_->size(); }

  std::shared_ptr<const Marker> marker_;
  std::unique_ptr<Constraint> then_;
  std::vector<std::size_t> places_ = {0};  // before the first token, and after each up to the marker's end
  std::size_t accepted_after_ = 0;         // tokens that `then_` has
};

}  // namespace

std::unique_ptr<Constraint> MakeConstrainAfter(MarkerOptions options, std::unique_ptr<Constraint> then) {
  DECANT_DCHECK(!options.marker.empty());
  return std::make_unique<ConstrainAfter>(std::make_shared<const Marker>(std::move(options)), std::move(then));
}

}  // namespace decant::decode
