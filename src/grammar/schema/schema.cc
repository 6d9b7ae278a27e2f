// Reading a schema: documents and references, then nodes, then what is only seen on the whole.
#include "grammar/schema/schema.h"

#include <utility>

#include "core/utf8.h"
#include "grammar/schema/node_edges.h"
#include "grammar/schema/node_reader.h"
#include "grammar/schema/references.h"

namespace decant::grammar {

Result<SchemaDocument> ReadSchema(const json::Value& schema, const SchemaReadOptions& options, ExprPool& pool) {
  const std::optional<Draft> draft = DraftNamed(options.default_draft);
  if (!draft.has_value()) {
    return Fail(ErrorCode::kOutOfRange,
                "default_draft is " + core::Quoted(options.default_draft) + "; expected 4, 6, 7, 2019-09 or 2020-12",
                {.subject = "default_draft", .allowed = "4, 6, 7, 2019-09, 2020-12"});
  }
  References references(options);
  DECANT_TRY(const ResourceId root, references.Start(schema, *draft));
  NodeReader reader(references, options, pool);
  DECANT_TRY(SchemaDocument document, reader.Read(root));
  Relax(document, reader.incomplete());
  if (const std::optional<SchemaId> cycle = FindCycle(document.nodes); cycle.has_value()) {
    const std::string& path = document.nodes[static_cast<std::size_t>(*cycle)].path;
    return Fail(ErrorCode::kUnsatisfiable, path + ": $ref leads back to " + path + " for the same value, without end",
                {.subject = path + ": $ref"});
  }
  return document;
}

}  // namespace decant::grammar
