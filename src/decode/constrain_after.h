// A constraint that begins after a marker: reasoning first, then the answer.
//
// Until the marker has been written any text goes; a token may complete the marker, but not write past its end, so that
// what is constrained begins with a token of its own. The text may not end before.
#ifndef DECANT_DECODE_CONSTRAIN_AFTER_H_
#define DECANT_DECODE_CONSTRAIN_AFTER_H_

#include <memory>
#include <string>

#include "decant/constraint.h"
#include "decant/tokenizer.h"

namespace decant::decode {

// `then` is at its start. The tokenizer must outlive the constraint and its forks. `end_token(id)`s never come before
// the marker. vocabulary: of the model's rows. REQUIRES: marker is not empty.
struct MarkerOptions {
  const Tokenizer* tokenizer = nullptr;
  std::size_t vocabulary = 0;
  std::string marker = {};
  std::vector<TokenId> end_tokens = {};
};
std::unique_ptr<Constraint> MakeConstrainAfter(MarkerOptions options, std::unique_ptr<Constraint> then);

}  // namespace decant::decode

#endif  // DECANT_DECODE_CONSTRAIN_AFTER_H_
