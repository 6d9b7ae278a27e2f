// Texts that become token sequences: bad words, and the breakers of dry.
#ifndef DECANT_DECODE_TOKEN_TEXTS_H_
#define DECANT_DECODE_TOKEN_TEXTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/chain.h"
#include "decant/tokenizer.h"

namespace decant::decode {

// Where a sentence, a line or a quotation ends: llama.cpp's and text-generation-webui's default.
inline constexpr std::string_view kDefaultBreakers[] = {"\n", ":", "\"", "*"};

// The tokens of each word as it stands, and with a space before it where that differs (vLLM). Texts of special tokens
// are read as plain text. Words without tokens are left out.
std::vector<TokenSequence> WordSequences(const Tokenizer& tokenizer, std::span<const std::string> words);

// Every way in which a breaker can stand in the tokens (llama.cpp): each token whose bytes hold the breaker, alone; and
// each token that ends in a beginning of it, with the tokens of the rest. O(vocabulary * texts).
std::vector<TokenSequence> BreakerSequences(const Tokenizer& tokenizer, std::span<const std::string> texts);

}  // namespace decant::decode

#endif  // DECANT_DECODE_TOKEN_TEXTS_H_
