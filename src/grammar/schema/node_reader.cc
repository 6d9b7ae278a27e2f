// Keywords that have subschemas, references, and the work list that reads one node after the other.
#include "grammar/schema/node_reader.h"

#include <algorithm>
#include <utility>

#include "core/utf8.h"
#include "grammar/schema/path.h"

namespace decant::grammar {
namespace {

// Each scope can mean each node once more. This bounds what a hostile schema can unfold to; a real one has a handful of
// scopes.
constexpr std::size_t kMostNodes = 100'000;  // and so many times the places where subschemas stand:
constexpr std::size_t kMostScopes = 16;
constexpr std::size_t kFewMembers = 16;
constexpr std::string_view kSchemaAllowed = "a schema (an object or a boolean)";

// The members, each name once: the last of equal ones, in its place.
std::vector<const json::Member*> MembersOf(const json::Object& object) {
  std::vector<const json::Member*> members;
  members.reserve(object.size());
  if (object.size() <= kFewMembers) {
    for (std::size_t i = 0; i < object.size(); ++i) {
      bool is_last = true;
      for (std::size_t j = i + 1; j < object.size() && is_last; ++j) is_last = object[j].first != object[i].first;
      if (is_last) members.push_back(&object[i]);
    }
    return members;
  }
  std::unordered_map<std::string_view, const json::Member*> last;
  last.reserve(object.size());
  for (const json::Member& member : object) last[member.first] = &member;
  for (const json::Member& member : object) {
    if (last[member.first] == &member) members.push_back(&member);
  }
  return members;
}

}  // namespace

KeywordValues::KeywordValues(const json::Object& schema, const Dialect& dialect) {
  for (const auto& [name, value] : schema) {
    const KeywordRow* const row = FindKeyword(name);
    if (row != nullptr && dialect.Has(*row)) values_[static_cast<std::size_t>(row->keyword)] = &value;
  }
}

Result<SchemaDocument> NodeReader::Read(ResourceId root) {
  const References::Target start = references_.AtRoot(root);
  if (start.value->if_object() == nullptr && start.value->if_bool() == nullptr) {
    return Fail(ErrorCode::kInvalidSchema,
                "#: the schema is " + std::string(start.value->kind()) + "; expected an object or a boolean",
                {.subject = "#: schema", .allowed = std::string(kSchemaAllowed)});
  }
  document_.nodes.reserve(references_.places() + 1);
  document_.root = NodeAt(*start.value, root, kEmptyScope, start.path);
  while (!work_.empty()) {
    const Work work = work_.back();
    work_.pop_back();
    DECANT_CHECKED(ReadNode(work));
    if (document_.nodes.size() > kMostNodes + kMostScopes * references_.places()) {
      return Fail(ErrorCode::kTooComplex, "the schema has more than " + std::to_string(document_.nodes.size() - 1) +
                                              " subschemas, counted once in each dynamic scope");
    }
  }
  for (const std::string& subject : references_.unenforced()) document_.unenforced.push_back(subject);
  return std::move(document_);
}

SchemaId NodeReader::NodeAt(const json::Value& value, ResourceId resource, ScopeId scope, std::string path) {
  if (const std::optional<ResourceId> start = references_.StartingAt(&value); start.has_value()) resource = *start;
  scope = scopes_.Enter(scope, references_.resource(references_.resource(resource).owner));
  const SchemaId next{static_cast<std::uint32_t>(document_.nodes.size())};
  const auto [id, is_new] = ids_.try_emplace({.value = &value, .scope = scope}, next);
  if (!is_new) return id->second;
  SchemaNode& node = document_.nodes.emplace_back();
  node.path = std::move(path);
  if (const bool* const all = value.if_bool(); all != nullptr) {
    node.is_false = !*all;
  } else {
    work_.push_back({.id = next, .value = &value, .resource = resource, .scope = scope});
  }
  return next;
}

Result<void> NodeReader::ReadNode(const Work& work) {
  SchemaNode node;
  node.path = document_.nodes[static_cast<std::size_t>(work.id)].path;
  const Dialect dialect = references_.resource(work.resource).dialect;
  const KeywordValues values(*work.value->if_object(), dialect);
  const Here here{.id = work.id,
                  .node = node,
                  .values = values,
                  .dialect = dialect,
                  .resource = work.resource,
                  .scope = work.scope};
  DECANT_CHECKED(ReadReferences(here));
  if (dialect.draft > Draft::k7 || values[Keyword::kRef] == nullptr) {  // up to draft 7, $ref stands alone
    DECANT_CHECKED(ReadTypes(here));
    DECANT_CHECKED(ReadValues(here));
    DECANT_CHECKED(ReadNumbers(here));
    DECANT_CHECKED(ReadStrings(here));
    DECANT_CHECKED(ReadArrays(here));
    DECANT_CHECKED(ReadObjects(here));
    DECANT_CHECKED(ReadCombinations(here));
  }
  document_.nodes[static_cast<std::size_t>(work.id)] = std::move(node);
  return {};
}

Result<SchemaId> NodeReader::Child(const Here& here, Keyword keyword, const json::Value& value, std::string path) {
  if (value.if_object() == nullptr && value.if_bool() == nullptr) {
    const std::string subject = (here.node.path + ": ").append(RowOf(keyword).name);
    return Fail(
        ErrorCode::kInvalidSchema,
        subject + ": " + path + " is " + std::string(value.kind()) + "; expected " + std::string(kSchemaAllowed),
        {.subject = subject, .allowed = std::string(kSchemaAllowed)});
  }
  return NodeAt(value, here.resource, here.scope, std::move(path));
}

Result<std::optional<SchemaId>> NodeReader::OneSchema(const Here& here, Keyword keyword) {
  const json::Value* const value = here.values[keyword];
  if (value == nullptr) return std::nullopt;
  return Child(here, keyword, *value, ChildPath(here.node.path, RowOf(keyword).name));
}

Result<std::vector<SchemaId>> NodeReader::SchemaList(const Here& here, Keyword keyword, const json::Value& list) {
  if (list.if_array() == nullptr || list.if_array()->empty()) {
    return Wrong(here, keyword, list, "an array of at least one schema");
  }
  const std::string path = ChildPath(here.node.path, RowOf(keyword).name);
  std::vector<SchemaId> ids;
  ids.reserve(list.if_array()->size());
  for (std::size_t i = 0; i < list.if_array()->size(); ++i) {
    DECANT_TRY(const SchemaId id, Child(here, keyword, (*list.if_array())[i], ChildPath(path, i)));
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<SchemaNode::Property>> NodeReader::SchemaMap(const Here& here, Keyword keyword) {
  const json::Value* const map = here.values[keyword];
  if (map == nullptr) return {};
  if (map->if_object() == nullptr) return Wrong(here, keyword, *map, "an object of schemas");
  const std::string path = ChildPath(here.node.path, RowOf(keyword).name);
  std::vector<SchemaNode::Property> properties;
  properties.reserve(map->if_object()->size());
  for (const json::Member* const member : MembersOf(*map->if_object())) {
    DECANT_TRY(const SchemaId id, Child(here, keyword, member->second, ChildPath(path, member->first)));
    properties.push_back({.name = member->first, .schema = id});
  }
  return properties;
}

// The target's schema holds here too.
Result<void> NodeReader::AddTarget(const Here& here, Keyword keyword, const References::Target& target) {
  if (target.value->if_object() == nullptr && target.value->if_bool() == nullptr) {
    const std::string subject = (here.node.path + ": ").append(RowOf(keyword).name);
    return Fail(ErrorCode::kInvalidSchema,
                subject + " leads to " + target.path + ", which is " + std::string(target.value->kind()) +
                    "; expected " + std::string(kSchemaAllowed),
                {.subject = subject, .allowed = std::string(kSchemaAllowed)});
  }
  here.node.all_of.push_back(NodeAt(*target.value, target.resource, here.scope, target.path));
  return {};
}

Result<void> NodeReader::ReadReferences(const Here& here) {
  for (const Keyword keyword : {Keyword::kRef, Keyword::kDynamicRef, Keyword::kRecursiveRef}) {
    const json::Value* const value = here.values[keyword];
    if (value == nullptr) continue;
    if (value->if_string() == nullptr) return Wrong(here, keyword, *value, "a reference (a string)");
    const Result<const References::Target*> found = references_.Resolve(here.resource, *value->if_string());
    if (!found.has_value()) {
      DECANT_CHECKED(LeaveOut(here, keyword, found.error().code, found.error().message));
      continue;
    }
    std::optional<References::Target> target = **found;
    if (keyword == Keyword::kDynamicRef && !target->dynamic_anchor.empty()) {
      const std::string_view anchor = target->dynamic_anchor;
      const std::optional<ResourceId> outermost = scopes_.Outermost(here.scope, anchor);
      if (outermost.has_value()) target = references_.AtAnchor(*outermost, anchor);
    }
    if (keyword == Keyword::kRecursiveRef && references_.resource(target->resource).recursive_anchor) {
      const std::optional<ResourceId> outermost = scopes_.OutermostRecursive(here.scope);
      if (outermost.has_value()) target = references_.AtRoot(*outermost);
    }
    DECANT_CHECKED(AddTarget(here, keyword, *target));
  }
  return {};
}

// prefix_items and items, from prefixItems and items, or from an array of items and additionalItems as they were until
// 2020-12.
Result<void> NodeReader::ReadItems(const Here& here) {
  if (const json::Value* const prefix = here.values[Keyword::kPrefixItems]; prefix != nullptr) {
    DECANT_TRY(here.node.prefix_items, SchemaList(here, Keyword::kPrefixItems, *prefix));
  }
  const json::Value* const items = here.values[Keyword::kItems];
  if (items == nullptr) return {};
  const json::Array* const list = items->if_array();
  if (list == nullptr) {
    DECANT_TRY(here.node.items, OneSchema(here, Keyword::kItems));
    return {};
  }
  if (here.dialect.draft == Draft::k2020 && (here.dialect.stated || !here.node.prefix_items.empty())) {
    return Wrong(here, Keyword::kItems, *items, kSchemaAllowed);
  }
  if (!list->empty()) {
    DECANT_TRY(here.node.prefix_items, SchemaList(here, Keyword::kItems, *items));
  }
  DECANT_TRY(here.node.items, OneSchema(here, Keyword::kAdditionalItems));
  return {};
}

Result<void> NodeReader::ReadArrays(const Here& here) {
  DECANT_CHECKED(ReadItems(here));
  DECANT_TRY(here.node.contains, OneSchema(here, Keyword::kContains));
  DECANT_CHECKED(ReadCount(here, Keyword::kMinContains, here.node.min_contains));
  DECANT_CHECKED(ReadCount(here, Keyword::kMaxContains, here.node.max_contains));
  here.node.contains_evaluates = here.dialect.draft == Draft::k2020;
  DECANT_CHECKED(ReadCount(here, Keyword::kMinItems, here.node.min_items));
  DECANT_CHECKED(ReadCount(here, Keyword::kMaxItems, here.node.max_items));
  if (const json::Value* const value = here.values[Keyword::kUniqueItems]; value != nullptr) {
    if (value->if_bool() == nullptr) return Wrong(here, Keyword::kUniqueItems, *value, "true or false");
    here.node.unique_items = *value->if_bool();
  }
  DECANT_TRY(here.node.unevaluated_items, OneSchema(here, Keyword::kUnevaluatedItems));
  return {};
}

Result<void> NodeReader::ReadPatternProperties(const Here& here) {
  DECANT_TRY(const std::vector<SchemaNode::Property> patterns, SchemaMap(here, Keyword::kPatternProperties));
  bool left_out = false;
  for (const SchemaNode::Property& property : patterns) {
    DECANT_TRY(const std::optional<Expr> pattern, PatternOf(here, Keyword::kPatternProperties, property.name));
    left_out = left_out || !pattern.has_value();
    if (pattern.has_value()) {
      here.node.pattern_properties.push_back({.pattern = *pattern, .schema = property.schema});
    }
  }
  if (!left_out) return {};
  // Which names are left for these two is not known then.
  for (const auto& [keyword, schema] :
       {std::pair(Keyword::kAdditionalProperties, &here.node.additional_properties),
        std::pair(Keyword::kUnevaluatedProperties, &here.node.unevaluated_properties)}) {
    if (!schema->has_value()) continue;
    schema->reset();
    document_.unenforced.push_back((here.node.path + ": ").append(RowOf(keyword).name));
  }
  return {};
}

Result<void> NodeReader::ReadDependencies(const Here& here) {
  if (const json::Value* const map = here.values[Keyword::kDependentRequired]; map != nullptr) {
    if (map->if_object() == nullptr) {
      return Wrong(here, Keyword::kDependentRequired, *map, "an object of arrays of strings");
    }
    for (const json::Member* const member : MembersOf(*map->if_object())) {
      DECANT_TRY(std::vector<std::string> names, Names(here, Keyword::kDependentRequired, member->second));
      here.node.dependent_required.push_back({.name = member->first, .required = std::move(names)});
    }
  }
  DECANT_TRY(here.node.dependent_schemas, SchemaMap(here, Keyword::kDependentSchemas));
  const json::Value* const map = here.values[Keyword::kDependencies];
  if (map == nullptr) return {};
  if (map->if_object() == nullptr) {
    return Wrong(here, Keyword::kDependencies, *map, "an object of schemas and arrays of strings");
  }
  const std::string path = ChildPath(here.node.path, RowOf(Keyword::kDependencies).name);
  for (const json::Member* const member : MembersOf(*map->if_object())) {
    if (member->second.if_array() != nullptr) {
      DECANT_TRY(std::vector<std::string> names, Names(here, Keyword::kDependencies, member->second));
      here.node.dependent_required.push_back({.name = member->first, .required = std::move(names)});
    } else {
      DECANT_TRY(const SchemaId id,
                 Child(here, Keyword::kDependencies, member->second, ChildPath(path, member->first)));
      here.node.dependent_schemas.push_back({.name = member->first, .schema = id});
    }
  }
  return {};
}

Result<void> NodeReader::ReadObjects(const Here& here) {
  DECANT_TRY(here.node.properties, SchemaMap(here, Keyword::kProperties));
  DECANT_TRY(here.node.additional_properties, OneSchema(here, Keyword::kAdditionalProperties));
  DECANT_TRY(here.node.unevaluated_properties, OneSchema(here, Keyword::kUnevaluatedProperties));
  DECANT_CHECKED(ReadPatternProperties(here));
  DECANT_TRY(here.node.property_names, OneSchema(here, Keyword::kPropertyNames));
  DECANT_CHECKED(ReadCount(here, Keyword::kMinProperties, here.node.min_properties));
  DECANT_CHECKED(ReadCount(here, Keyword::kMaxProperties, here.node.max_properties));
  if (const json::Value* const value = here.values[Keyword::kRequired]; value != nullptr) {
    DECANT_TRY(here.node.required, Names(here, Keyword::kRequired, *value));
  }
  return ReadDependencies(here);
}

Result<void> NodeReader::ReadCombinations(const Here& here) {
  if (const json::Value* const list = here.values[Keyword::kAllOf]; list != nullptr) {
    DECANT_TRY(const std::vector<SchemaId> parts, SchemaList(here, Keyword::kAllOf, *list));
    here.node.all_of.insert(here.node.all_of.end(), parts.begin(), parts.end());
  }
  if (const json::Value* const list = here.values[Keyword::kAnyOf]; list != nullptr) {
    DECANT_TRY(here.node.any_of, SchemaList(here, Keyword::kAnyOf, *list));
  }
  if (const json::Value* const list = here.values[Keyword::kOneOf]; list != nullptr) {
    DECANT_TRY(here.node.one_of, SchemaList(here, Keyword::kOneOf, *list));
  }
  DECANT_TRY(here.node.not_schema, OneSchema(here, Keyword::kNot));
  if (here.values[Keyword::kIf] == nullptr) return {};
  DECANT_TRY(here.node.if_schema, OneSchema(here, Keyword::kIf));
  DECANT_TRY(here.node.then_schema, OneSchema(here, Keyword::kThen));
  DECANT_TRY(here.node.else_schema, OneSchema(here, Keyword::kElse));
  return {};
}

}  // namespace decant::grammar
