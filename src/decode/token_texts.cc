// The vocabulary is looked through once for each breaker.
#include "decode/token_texts.h"

#include <algorithm>
#include <cstddef>

namespace decant::decode {

std::vector<TokenSequence> WordSequences(const Tokenizer& tokenizer, std::span<const std::string> words) {
  std::vector<TokenSequence> sequences;
  for (const std::string& word : words) {
    TokenSequence plain = tokenizer.Encode(word, SpecialText::kAsText);
    TokenSequence spaced = word.starts_with(' ') ? plain : tokenizer.Encode(" " + word, SpecialText::kAsText);
    if (!spaced.empty() && spaced != plain) sequences.push_back(std::move(spaced));
    if (!plain.empty()) sequences.push_back(std::move(plain));
  }
  return sequences;
}

std::vector<TokenSequence> BreakerSequences(const Tokenizer& tokenizer, std::span<const std::string> texts) {
  std::vector<TokenSequence> sequences;
  for (const std::string& text : texts) {
    for (std::size_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
      const auto token = static_cast<TokenId>(id);
      const std::string_view bytes = tokenizer.Bytes(token);
      if (bytes.find(text) != std::string_view::npos) {
        sequences.push_back({token});
        continue;
      }
      const std::size_t longest = std::min(text.size() - 1, bytes.size());
      for (std::size_t part = 1; part <= longest; ++part) {
        if (!bytes.ends_with(std::string_view(text).substr(0, part))) continue;
        TokenSequence sequence = {token};
        const auto rest = tokenizer.Encode(std::string_view(text).substr(part), SpecialText::kAsText);
        sequence.insert(sequence.end(), rest.begin(), rest.end());
        sequences.push_back(std::move(sequence));
      }
    }
  }
  return sequences;
}

}  // namespace decant::decode
