// Reading a schema: documents and references, then nodes, then what is only seen on the whole.
#include "grammar/schema/schema.h"

#include <utility>

#include "core/utf8.h"
#include "grammar/schema/node_reader.h"
#include "grammar/schema/references.h"

namespace decant::grammar {
namespace {

// The subschemas that a node applies to the same value.
void AppendInPlace(const SchemaNode& node, std::vector<SchemaId>& out) {
  for (const std::vector<SchemaId>* const list : {&node.all_of, &node.any_of, &node.one_of}) {
    out.insert(out.end(), list->begin(), list->end());
  }
  for (const std::optional<SchemaId>& one : {node.not_schema, node.if_schema, node.then_schema, node.else_schema}) {
    if (one.has_value()) out.push_back(*one);
  }
  for (const SchemaNode::Property& dependent : node.dependent_schemas) out.push_back(dependent.schema);
}

// A node that is applied within itself, without a step into an item or a property: it would never be decided.
std::optional<SchemaId> FindCycle(const std::vector<SchemaNode>& nodes) {
  enum class Mark : std::uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(nodes.size(), Mark::kNew);
  struct Frame {
    std::size_t node;
    std::vector<SchemaId> next;
  };
  std::vector<Frame> frames;
  const auto open = [&](std::size_t node) {
    marks[node] = Mark::kOpen;
    frames.push_back({.node = node, .next = {}});
    AppendInPlace(nodes[node], frames.back().next);
  };
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    if (marks[start] != Mark::kNew) continue;
    open(start);
    while (!frames.empty()) {
      if (frames.back().next.empty()) {
        marks[frames.back().node] = Mark::kDone;
        frames.pop_back();
        continue;
      }
      const SchemaId next = frames.back().next.back();
      frames.back().next.pop_back();
      const auto index = static_cast<std::size_t>(next);
      if (marks[index] == Mark::kOpen) return next;
      if (marks[index] == Mark::kNew) open(index);
    }
  }
  return std::nullopt;
}

}  // namespace

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
  if (const std::optional<SchemaId> cycle = FindCycle(document.nodes); cycle.has_value()) {
    const std::string& path = document.nodes[static_cast<std::size_t>(*cycle)].path;
    return Fail(ErrorCode::kUnsatisfiable, path + ": $ref leads back to " + path + " for the same value, without end",
                {.subject = path + ": $ref"});
  }
  return document;
}

}  // namespace decant::grammar
