// Token healing: text that a prompt ends with is written again by the model, so that the border between prompt and
// answer falls where the model would put it ("http:" goes on as the token "://").
//
// The prompt's last token is taken back (HealPrompt in decant/generate.h); this constraint then lets only tokens come
// that write its bytes. The idea is Scott Lundberg's, in Microsoft's guidance (2023).
#ifndef DECANT_DECODE_TOKEN_HEALING_H_
#define DECANT_DECODE_TOKEN_HEALING_H_

#include <cstddef>
#include <memory>
#include <string>

#include "decant/constraint.h"
#include "decant/tokenizer.h"

namespace decant::decode {

// Allows tokens of text whose bytes begin with what is left of the prefix, or are a part of it from its start; when
// the prefix has been written, all. Control tokens write no text. The tokenizer must outlive it and its forks.
// vocabulary: of the model's rows.
std::unique_ptr<Constraint> MakePrefixConstraint(const Tokenizer& tokenizer, std::size_t vocabulary,
                                                 std::string prefix);

}  // namespace decant::decode

#endif  // DECANT_DECODE_TOKEN_HEALING_H_
