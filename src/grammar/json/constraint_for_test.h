// Grammars over small vocabularies, for tests.
#ifndef DECANT_GRAMMAR_JSON_CONSTRAINT_FOR_TEST_H_
#define DECANT_GRAMMAR_JSON_CONSTRAINT_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decant/constraint.h"

namespace decant::grammar {

// Texts as tokens by their place in the list, then one end token.
struct SmallVocabulary {
  explicit SmallVocabulary(std::vector<std::string> tokens) : texts(std::move(tokens)) {
    end = static_cast<TokenId>(texts.size());
    texts.emplace_back();
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    Result<std::shared_ptr<const ConstraintVocabulary>> made =
        ConstraintVocabulary::Of({.bytes = views, .special = {&end, 1}, .end = {&end, 1}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    vocabulary = *made;
  }
  std::vector<std::string> texts;
  TokenId end = 0;
  std::shared_ptr<const ConstraintVocabulary> vocabulary;
};

// Every byte is a token: token 97 is "a".
inline const SmallVocabulary& ByteVocabulary() {
  static const SmallVocabulary bytes = [] {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    return SmallVocabulary(std::move(tokens));
  }();
  return bytes;
}

inline std::shared_ptr<const Grammar> MustCompile(const SmallVocabulary& vocabulary, std::string_view schema,
                                                  const JsonSchemaOptions& options = {}) {
  Result<std::shared_ptr<const Grammar>> grammar = CompileJsonSchema(vocabulary.vocabulary, schema, options);
  EXPECT_TRUE(grammar.has_value()) << schema << ": " << grammar.error().message;
  return grammar.has_value() ? *grammar : nullptr;
}

// How many bytes of the text the constraint takes; it is after them.
inline std::size_t TakeBytes(Constraint& constraint, std::string_view text) {
  std::size_t taken = 0;
  while (taken < text.size() && constraint.Accept(static_cast<std::uint8_t>(text[taken])).has_value()) ++taken;
  return taken;
}

inline bool IsComplete(const Constraint& constraint) {
  return constraint.state() == ConstraintState::kMayEnd || constraint.state() == ConstraintState::kMustEnd;
}

// Whether the whole text is one of the grammar's.
inline bool Accepts(const Grammar& grammar, std::string_view text) {
  const std::unique_ptr<Constraint> constraint = grammar.Start();
  return TakeBytes(*constraint, text) == text.size() && IsComplete(*constraint);
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_CONSTRAINT_FOR_TEST_H_
