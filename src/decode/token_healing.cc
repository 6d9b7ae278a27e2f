// The prefix is as short as a token, so a mask is one walk over the vocabulary, and only until the prefix is written.
#include "decode/token_healing.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/utf8.h"
#include "decant/generate.h"

namespace decant {
namespace decode {
namespace {

bool IsText(TokenKind kind) { return kind == TokenKind::kNormal || kind == TokenKind::kByte; }

class PrefixConstraint final : public Constraint {
 public:
  PrefixConstraint(const Tokenizer& tokenizer, std::size_t vocabulary, std::string prefix)
      : tokenizer_(&tokenizer), vocabulary_(vocabulary), prefix_(std::move(prefix)) {}

  void FillMask(std::span<std::uint32_t> mask) const override {
    std::ranges::fill(mask, 0u);
    const std::size_t known = Left().empty() ? vocabulary_ : std::min(vocabulary_, tokenizer_->vocabulary_size());
    for (std::size_t id = 0; id < known; ++id) {
      if (Allows(static_cast<TokenId>(id))) mask[id / 32] |= 1u << (id % 32);
    }
  }
  void FillStructural(std::span<std::uint32_t> structural) const override { std::ranges::fill(structural, 0u); }

  Result<void> Accept(TokenId token) override {
    if (token >= vocabulary_ || !Allows(token)) {
      return Fail(ErrorCode::kConstraintViolated,
                  "token " + std::to_string(token) + " does not go on with the prompt's end " + core::Quoted(Left()),
                  {.subject = "token_healing"});
    }
    written_before_.push_back(written_);
    if (!Left().empty()) written_ = std::min(prefix_.size(), written_ + tokenizer_->Bytes(token).size());
    return {};
  }

  std::size_t Validate(std::span<const TokenId> tokens) const override {
    PrefixConstraint ahead(*this);
    const auto refused = std::ranges::find_if(tokens, [&ahead](TokenId token) { return !ahead.Accept(token); });
    return static_cast<std::size_t>(refused - tokens.begin());
  }

  void RollBack(std::size_t n) override {
    DECANT_DCHECK(n <= written_before_.size());
    if (n == 0) return;
    written_ = written_before_[written_before_.size() - n];
    written_before_.resize(written_before_.size() - n);
  }

  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<PrefixConstraint>(*this); }

  ConstraintState state() const override {
    if (Left().empty()) return ConstraintState::kMayEnd;
    const std::size_t known = std::min(vocabulary_, tokenizer_->vocabulary_size());
    for (std::size_t id = 0; id < known; ++id) {
      if (Allows(static_cast<TokenId>(id))) return ConstraintState::kOpen;
    }
    return ConstraintState::kDead;
  }

  std::vector<TokenId> ForcedTokens() const override { return {}; }

 private:
  std::string_view Left() const { return std::string_view(prefix_).substr(written_); }

  bool Allows(TokenId token) const {
    const std::string_view left = Left();
    if (left.empty()) return true;
    if (token >= tokenizer_->vocabulary_size() || !IsText(tokenizer_->kind(token))) return false;
    const std::string_view bytes = tokenizer_->Bytes(token);
    return !bytes.empty() && (bytes.starts_with(left) || left.starts_with(bytes));
  }

  const Tokenizer* tokenizer_;
  std::size_t vocabulary_;
  std::string prefix_;
  std::size_t written_ = 0;                  // bytes of the prefix
  std::vector<std::size_t> written_before_;  // of each accepted token
};

}  // namespace

std::unique_ptr<Constraint> MakePrefixConstraint(const Tokenizer& tokenizer, std::size_t vocabulary,
                                                 std::string prefix) {
  return std::make_unique<PrefixConstraint>(tokenizer, vocabulary, std::move(prefix));
}

}  // namespace decode

HealedPrompt HealPrompt(const Tokenizer& tokenizer, std::span<const TokenId> prompt) {
  HealedPrompt healed{.tokens = std::vector<TokenId>(prompt.begin(), prompt.end())};
  if (prompt.size() < 2 || prompt.back() >= tokenizer.vocabulary_size()) return healed;
  if (!decode::IsText(tokenizer.kind(prompt.back())) || tokenizer.Bytes(prompt.back()).empty()) return healed;
  healed.bytes = tokenizer.Bytes(prompt.back());
  healed.tokens.pop_back();
  return healed;
}

}  // namespace decant
