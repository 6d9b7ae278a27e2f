// The nodes that a node refers to.
#ifndef DECANT_GRAMMAR_SCHEMA_NODE_EDGES_H_
#define DECANT_GRAMMAR_SCHEMA_NODE_EDGES_H_

#include <optional>
#include <span>
#include <vector>

#include "grammar/schema/schema.h"

namespace decant::grammar {

// Appends those that are applied to the same value, and those that are applied to its items, members and names.
void AppendInPlace(const SchemaNode& node, std::vector<SchemaId>& out);
void AppendBelow(const SchemaNode& node, std::vector<SchemaId>& out);

// A node that is applied within itself without a step into an item or a member: it would never be decided.
std::optional<SchemaId> FindCycle(std::span<const SchemaNode> nodes);

// Makes up for what was left out of some nodes, so that a document accepts more than its schema, never less: where
// accepting more at one node would mean accepting less at another (not, if, oneOf, maxContains, unevaluated*), that one
// is left out too and listed.
void Relax(SchemaDocument& document, std::span<const SchemaId> incomplete);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_NODE_EDGES_H_
