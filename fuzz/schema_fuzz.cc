// Any bytes: a JSON text is read as a schema of every draft, or refused by name; what was read refers to nothing that
// is not there and never to itself in place.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "grammar/schema/node_edges.h"
#include "grammar/schema/schema.h"

namespace {

using decant::ErrorCode;

bool IsExpected(ErrorCode code) {
  return code == ErrorCode::kInvalidSchema || code == ErrorCode::kUnenforceable || code == ErrorCode::kUnsatisfiable ||
         code == ErrorCode::kTooComplex;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace grammar = decant::grammar;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = decant::json::Read(text, {.max_depth = 100'000});
  if (!value.has_value()) return 0;
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
