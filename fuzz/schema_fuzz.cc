// Any bytes: a JSON text is read as a schema of every draft, or refused by name; what was read refers to nothing that
// is not there and never to itself in place. What compiles is followed for some bytes: its masks are what it accepts,
// and where it is proven it never runs into a dead end.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "decant/constraint.h"
#include "grammar/schema/node_edges.h"
#include "grammar/schema/schema.h"

namespace {

using decant::ErrorCode;

bool IsExpected(ErrorCode code) {
  return code == ErrorCode::kInvalidSchema || code == ErrorCode::kUnenforceable || code == ErrorCode::kUnsatisfiable ||
         code == ErrorCode::kTooComplex;
}

constexpr std::size_t kLongText = 1000;  // bytes of a schema that is worth reading only
constexpr int kSteps = 24;

const std::shared_ptr<const decant::ConstraintVocabulary>& ByteVocabulary() {
  static const std::shared_ptr<const decant::ConstraintVocabulary> made = [] {
    std::vector<std::string> texts;
    for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
    std::vector<std::string_view> bytes(texts.begin(), texts.end());
    bytes.emplace_back();  // the end token
    static constexpr decant::TokenId kEnd[] = {256};
    auto vocabulary = decant::ConstraintVocabulary::Of({.bytes = bytes, .end = kEnd});
    DECANT_CHECK(vocabulary.has_value());
    return *vocabulary;
  }();
  return made;
}

// A way through the texts of a grammar, chosen by its own numbers.
void Follow(const decant::Grammar& grammar) {
  const std::unique_ptr<decant::Constraint> constraint = grammar.Start();
  std::vector<std::uint32_t> mask(9);
  std::uint32_t choice = 1;
  for (int step = 0; step < kSteps && constraint->state() != decant::ConstraintState::kMustEnd; ++step) {
    constraint->FillMask(mask);
    std::vector<decant::TokenId> allowed;
    for (decant::TokenId token = 0; token < 256; ++token) {
      const bool is_set = ((mask[token / 32] >> (token % 32)) & 1u) != 0;
      DECANT_CHECK(is_set == (constraint->Validate({&token, 1}) == 1));
      if (is_set) allowed.push_back(token);
    }
    DECANT_CHECK(!allowed.empty() || constraint->state() == decant::ConstraintState::kMayEnd ||
                 !constraint->IsProven());
    if (allowed.empty()) return;
    choice = choice * 1664525u + 1013904223u;
    DECANT_CHECK(constraint->Accept(allowed[(choice >> 16) % allowed.size()]).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace grammar = decant::grammar;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = decant::json::Read(text, {.max_depth = 100'000});
  if (!value.has_value()) return 0;
  if (size <= kLongText) {
    const auto compiled = decant::CompileJsonSchema(ByteVocabulary(), text, {});
    if (compiled.has_value()) Follow(**compiled);
  }
  for (const std::string_view draft : {"4", "6", "7", "2019-09", "2020-12"}) {
    for (const bool allow : {false, true}) {
      grammar::ExprPool pool;
      // Metaschemas and what a schema says of itself stand for documents from outside. Of those there are finitely
      // many: a relative reference may lead on for ever.
      const grammar::SchemaReadOptions options = {
          .default_draft = draft, .allow_unenforced = allow, .load = [&value](std::string_view uri) {
            return uri.ends_with("self") && uri.size() < 64 ? std::optional(*value) : std::nullopt;
          }};
      const auto document = grammar::ReadSchema(*value, options, pool);
      if (!document.has_value()) {
        DECANT_CHECK(IsExpected(document.error().code) && !document.error().message.empty());
        continue;
      }
      DECANT_CHECK(allow || document->unenforced.empty());
      DECANT_CHECK(static_cast<std::size_t>(document->root) < document->nodes.size());
      std::vector<grammar::SchemaId> edges;
      for (const grammar::SchemaNode& node : document->nodes) {
        grammar::AppendInPlace(node, edges);
        grammar::AppendBelow(node, edges);
      }
      for (const grammar::SchemaId edge : edges) {
        DECANT_CHECK(static_cast<std::size_t>(edge) < document->nodes.size());
      }
      DECANT_CHECK(!grammar::FindCycle(document->nodes).has_value());
    }
  }
  return 0;
}
