// A constraint says which tokens may come next, and moves with each token that did.
#ifndef DECANT_CONSTRAINT_H_
#define DECANT_CONSTRAINT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"

namespace decant {

enum class ConstraintState : std::uint8_t {
  kOpen,     // more tokens are needed
  kMayEnd,   // complete; more may follow
  kMustEnd,  // complete; only an end token may follow
  kDead,     // no continuation exists
};

// One owner a sequence. Bit t % 32 of word t / 32 stands for token t; padding bits are 0.
class Constraint {
 public:
  virtual ~Constraint() = default;

  // The tokens that may come next, end tokens included where the text may end. REQUIRES: ceil(vocabulary / 32) words.
  virtual void FillMask(std::span<std::uint32_t> mask) const = 0;
  // The tokens that are, here, only the grammar's own literals: punctuation, keys, quotes. Repetition, frequency and
  // presence penalties, DRY and n-gram bans skip them. Without such literals: all 0.
  virtual void FillStructural(std::span<std::uint32_t> structural) const = 0;
  // Moves on by a token; kConstraintViolated when the mask does not have it, and then nothing moved.
  virtual Result<void> Accept(TokenId token) = 0;
  // How many of the tokens, from the first on, could be accepted one after the other. Moves nothing.
  virtual std::size_t Validate(std::span<const TokenId> tokens) const = 0;
  virtual void RollBack(std::size_t n) = 0;  // REQUIRES: n <= tokens accepted
  virtual std::unique_ptr<Constraint> Fork() const = 0;
  virtual ConstraintState state() const = 0;
  // The tokens that must come next, whatever the model says; empty when there is a choice.
  virtual std::vector<TokenId> ForcedTokens() const = 0;
};

}  // namespace decant

#endif  // DECANT_CONSTRAINT_H_
