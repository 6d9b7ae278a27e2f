// A small hand-made vocabulary for tests and the fuzzer. Not part of the library.
#ifndef DECANT_TEXT_SMALL_VOCABULARY_H_
#define DECANT_TEXT_SMALL_VOCABULARY_H_

#include <string>
#include <string_view>

#include "text/byte_level.h"
#include "text/vocabulary.h"

namespace decant::text {

// Ids: 0 <|endoftext|>, 1 <|im_start|>, 2 <|im_end|>, 3 <|im_start|>> (control), 4 "==>" (user defined), 5 + b the
// token of byte b, 261 and on the results of the merges, in order of rank, and last "wol", which no merge makes.
inline constexpr TokenId kSmallFirstByte = 5;
inline constexpr TokenId kSmallFirstMerge = 261;

inline VocabularySource SmallVocabulary() {
  VocabularySource source{.model = "gpt2", .pre = "smollm", .bos = 1, .eos = 2};
  const auto add = [&source](std::string_view token, TokenKind kind) {
    source.tokens.emplace_back(token);
    source.kinds.push_back(kind);
  };
  for (const char* control : {"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|im_start|>>"}) {
    add(control, TokenKind::kControl);
  }
  add("==>", TokenKind::kUserDefined);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    add(BytesToLetters(std::string_view(&c, 1)), TokenKind::kNormal);
  }
  // "lo" comes before "ow": rank decides. "Ð ¹" is one Cyrillic letter, "ðŁ ĺ" the head of an emoji.
  for (const std::string_view merge :
       {"Ġ Ġ", "l l", "l o", "lo w",  "Ġ low",  "o w", "e r",  "a a", "aa aa", "Ð ¹",   "Ã ©",
        "= =", "' s", "h e", "he ll", "hell o", "ð Ł", "ðŁ ĺ", "| >", "u s",   "us er", "Ċ Ċ"}) {
    source.merges.emplace_back(merge);
    std::string result(merge);
    result.erase(result.find(' '), 1);
    add(result, TokenKind::kNormal);
  }
  add("wol", TokenKind::kNormal);  // no merge makes it
  return source;
}

}  // namespace decant::text

#endif  // DECANT_TEXT_SMALL_VOCABULARY_H_
