// Cuts text into the pieces inside which BPE merges ("pre-tokenization").
//
// Each pre-tokenizer is defined by a regular expression, tried at the end of the last piece, alternative by
// alternative, and is matched here by a scanner that never goes back (\s is White_Space, \p as in Unicode 15.0):
//   gpt2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   smollm  every \p{N} alone, and gpt2 on what is between them, so that white space before a number stays whole
//   llama3  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|…
//   qwen2   llama3 with \p{N} for \p{N}{1,3}
//   gpt4o   words are cut where lower case turns to upper, and take a contraction that follows them
// A part that is not valid UTF-8 counts as a symbol, like U+FFFD.
#ifndef DECANT_TEXT_PRETOKENIZER_H_
#define DECANT_TEXT_PRETOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace decant::text {

enum class PreTokenizer : std::uint8_t { kGpt2, kSmollm, kLlama3, kQwen2, kGpt4o };

// The name decant gives it: "llama3".
std::string_view NameOf(PreTokenizer pre);
// By that name or one that GGUF files use for it ("llama-bpe").
std::optional<PreTokenizer> FindPreTokenizer(std::string_view name);
// By the exact text of its expression. smollm has no expression of its own.
std::optional<PreTokenizer> FindPreTokenizerByExpression(std::string_view expression);
// All names that FindPreTokenizer knows, for messages: "gpt2, gpt-2, …".
std::string PreTokenizerNames();

// The length in bytes (>= 1) of the first piece. Depends on nothing before `text`. REQUIRES: !text.empty().
// Cost: linear in the text, summed over its pieces.
std::size_t FirstPiece(PreTokenizer pre, std::string_view text);

}  // namespace decant::text

#endif  // DECANT_TEXT_PRETOKENIZER_H_
