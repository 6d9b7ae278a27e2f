// Walks over nodes by their edges, with stacks of their own.
#include "grammar/schema/node_edges.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace decant::grammar {
namespace {

std::size_t IndexOf(SchemaId id) { return static_cast<std::size_t>(id); }

// By node: whether it is one of the seeds or leads to one.
std::vector<bool> LeadingTo(std::span<const SchemaNode> nodes, std::span<const SchemaId> seeds, bool in_place_only) {
  std::vector<std::vector<std::uint32_t>> from(nodes.size());
  std::vector<SchemaId> edges;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    edges.clear();
    AppendInPlace(nodes[node], edges);
    if (!in_place_only) AppendBelow(nodes[node], edges);
    for (const SchemaId edge : edges) from[IndexOf(edge)].push_back(static_cast<std::uint32_t>(node));
  }
  std::vector<bool> leads(nodes.size());
  std::vector<std::size_t> pending;
  const auto mark = [&](std::size_t node) {
    if (!leads[node]) pending.push_back(node);
    leads[node] = true;
  };
  for (const SchemaId seed : seeds) mark(IndexOf(seed));
  while (!pending.empty()) {
    const std::size_t node = pending.back();
    pending.pop_back();
    for (const std::uint32_t before : from[node]) mark(before);
  }
  return leads;
}

}  // namespace

void AppendInPlace(const SchemaNode& node, std::vector<SchemaId>& out) {
  for (const std::vector<SchemaId>* const list : {&node.all_of, &node.any_of, &node.one_of}) {
    out.insert(out.end(), list->begin(), list->end());
  }
  for (const std::optional<SchemaId>& one : {node.not_schema, node.if_schema, node.then_schema, node.else_schema}) {
    if (one.has_value()) out.push_back(*one);
  }
  for (const SchemaNode::Property& dependent : node.dependent_schemas) out.push_back(dependent.schema);
}

void AppendBelow(const SchemaNode& node, std::vector<SchemaId>& out) {
  out.insert(out.end(), node.prefix_items.begin(), node.prefix_items.end());
  for (const std::optional<SchemaId>& one :
       {node.items, node.contains, node.unevaluated_items, node.additional_properties, node.property_names,
        node.unevaluated_properties}) {
    if (one.has_value()) out.push_back(*one);
  }
  for (const SchemaNode::Property& property : node.properties) out.push_back(property.schema);
  for (const SchemaNode::PatternProperty& property : node.pattern_properties) out.push_back(property.schema);
}

std::optional<SchemaId> FindCycle(std::span<const SchemaNode> nodes) {
  enum class Mark : std::uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(nodes.size(), Mark::kNew);
  // A stack of nodes; an open one is met again when all that it leads to is done.
  std::vector<std::size_t> stack;
  std::vector<SchemaId> edges;
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    if (marks[start] != Mark::kNew) continue;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      if (marks[node] != Mark::kNew) {
        stack.pop_back();
        marks[node] = Mark::kDone;
        continue;
      }
      marks[node] = Mark::kOpen;
      edges.clear();
      AppendInPlace(nodes[node], edges);
      for (const SchemaId edge : edges) {
        if (marks[IndexOf(edge)] == Mark::kOpen) return edge;
        if (marks[IndexOf(edge)] == Mark::kNew) stack.push_back(IndexOf(edge));
      }
    }
  }
  return std::nullopt;
}

void Relax(SchemaDocument& document, std::span<const SchemaId> incomplete) {
  if (incomplete.empty()) return;
  const std::vector<bool> is_loose = LeadingTo(document.nodes, incomplete, false);
  const std::vector<bool> is_loose_in_place = LeadingTo(document.nodes, incomplete, true);
  const auto loose = [&is_loose](const std::optional<SchemaId>& id) {
    return id.has_value() && IndexOf(*id) < is_loose.size() && is_loose[IndexOf(*id)];
  };
  for (std::size_t i = 0; i < is_loose.size(); ++i) {
    if (!is_loose[i]) continue;
    std::vector<SchemaId> either;
    SchemaNode& node = document.nodes[i];
    const auto list = [&](std::string_view keyword) {
      document.unenforced.push_back((node.path + ": ").append(keyword));
    };
    if (loose(node.not_schema)) {
      node.not_schema.reset();
      list("not");
    }
    if (loose(node.if_schema)) {
      node.if_schema.reset();
      node.then_schema.reset();
      node.else_schema.reset();
      list("if");
    }
    if (loose(node.contains) && node.max_contains != kUnbounded) {
      node.max_contains = kUnbounded;
      list("maxContains");
    }
    if (is_loose_in_place[i] && node.unevaluated_items.has_value()) {
      node.unevaluated_items.reset();
      list("unevaluatedItems");
    }
    if (is_loose_in_place[i] && node.unevaluated_properties.has_value()) {
      node.unevaluated_properties.reset();
      list("unevaluatedProperties");
    }
    for (const SchemaId branch : node.one_of) {
      if (loose(branch)) either = node.one_of;
    }
    if (either.empty()) continue;
    node.one_of.clear();
    list("oneOf");
    if (node.any_of.empty()) {
      node.any_of = std::move(either);
      continue;
    }
    node.all_of.push_back(static_cast<SchemaId>(document.nodes.size()));
    std::string path = node.path;
    SchemaNode& added = document.nodes.emplace_back();  // `node` is not used after this
    added.path = std::move(path);
    added.any_of = std::move(either);
  }
}

}  // namespace decant::grammar
