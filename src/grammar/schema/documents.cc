// Documents as they come in: one walk over every place where a schema can stand finds the embedded resources and the
// anchors. What only looks like an $id (in an enum, under an unknown keyword) is not visited.
#include <algorithm>
#include <utility>

#include "core/utf8.h"
#include "grammar/schema/metaschemas.h"
#include "grammar/schema/path.h"
#include "grammar/schema/references.h"
#include "grammar/schema/uri.h"

namespace decant::grammar {
namespace {

// The base of a schema that does not say its URI.
constexpr std::string_view kNoUri = "json-schema:///";
constexpr int kMostMetaSchemas = 8;  // a metaschema of a metaschema of …
constexpr std::size_t kMostPathParts = 64;

const std::string* StringOf(const json::Value* value) { return value == nullptr ? nullptr : value->if_string(); }

}  // namespace

// The members of a subschema that give it a name or a dialect.
struct References::Marks {
  const json::Value* schema = nullptr;
  const json::Value* id = nullptr;
  const json::Value* legacy_id = nullptr;
  const json::Value* anchor = nullptr;
  const json::Value* dynamic_anchor = nullptr;
  const json::Value* recursive_anchor = nullptr;
  bool has_ref = false;

  void Take(Keyword keyword, const json::Value& value) {
    switch (keyword) {
      case Keyword::kSchema:
        schema = &value;
        break;
      case Keyword::kId:
        id = &value;
        break;
      case Keyword::kLegacyId:
        legacy_id = &value;
        break;
      case Keyword::kAnchor:
        anchor = &value;
        break;
      case Keyword::kDynamicAnchor:
        dynamic_anchor = &value;
        break;
      case Keyword::kRecursiveAnchor:
        recursive_anchor = &value;
        break;
      case Keyword::kRef:
        has_ref = has_ref || value.if_string() != nullptr;
        break;
      default:
        break;
    }
  }
  bool any() const {
    return schema != nullptr || id != nullptr || legacy_id != nullptr || anchor != nullptr ||
           dynamic_anchor != nullptr || recursive_anchor != nullptr;
  }
  const std::string* IdFor(Draft draft) const { return StringOf(draft == Draft::k4 ? legacy_id : id); }
};

Result<ResourceId> References::Start(const json::Value& schema, Draft default_draft) {
  return AddDocument(schema, std::string(kNoUri), "#", {.draft = default_draft});
}

ResourceId References::AddResource(Resource resource) {
  const auto id = static_cast<ResourceId>(resources_.size());
  by_uri_.try_emplace(resource.uri, id);
  resources_.push_back(std::move(resource));
  return id;
}

Result<ResourceId> References::AddDocument(const json::Value& root, const std::string& uri, std::string path,
                                           const Dialect& inherited) {
  Dialect dialect = inherited;
  if (const std::string* const named = StringOf(root.Find("$schema")); named != nullptr) {
    Result<Dialect> found = DialectOf(*named, uri, inherited, 0);
    if (!found.has_value() && !options_.allow_unenforced) {
      return Fail(found.error().code, path + ": $schema: " + found.error().message, {.subject = path + ": $schema"});
    }
    if (found.has_value()) {
      dialect = *found;
    } else {
      dialect.draft = Draft::k4;
      unenforced_.push_back(path + ": $schema");
    }
  }
  const std::string* const id = StringOf(root.Find(dialect.draft == Draft::k4 ? "id" : "$id"));
  const ResourceId resource{static_cast<std::uint32_t>(resources_.size())};
  AddResource({.uri = id == nullptr ? uri : ResolveUri(uri, *id),
               .root = {.value = &root, .path = path},
               .dialect = dialect,
               .owner = resource});
  by_uri_.try_emplace(uri, resource);
  document_path_ = std::move(path);
  if (root.if_object() == nullptr) return resource;
  ways_.assign(1, {});
  steps_.assign(1, {.value = &root, .resource = resource, .way = 0});
  while (!steps_.empty()) {
    const Step step = steps_.back();
    steps_.pop_back();
    DECANT_CHECKED(Visit(step));
  }
  places_ += ways_.size();
  return resource;
}

Result<void> References::Visit(const Step& step) {
  Marks marks;
  const std::size_t first = steps_.size();
  for (const auto& [name, value] : *step.value->if_object()) {
    const KeywordRow* const row = FindKeyword(name);
    if (row == nullptr) continue;
    if (row->subschemas == Subschemas::kNone) {
      marks.Take(row->keyword, value);
    } else {
      PushSubschemas(*row, value, step.way);
    }
  }
  ResourceId resource = step.resource;
  if (marks.any()) {
    DECANT_TRY(resource, Mark(marks, step));
  }
  for (std::size_t i = first; i < steps_.size(); ++i) steps_[i].resource = resource;
  return {};
}

void References::PushSubschemas(const KeywordRow& row, const json::Value& value, std::uint32_t parent) {
  const auto push = [&](const json::Value& child, std::string_view name, std::uint32_t index) {
    if (child.if_object() == nullptr) return;
    steps_.push_back({.value = &child, .resource = {}, .way = static_cast<std::uint32_t>(ways_.size())});
    ways_.push_back({.parent = parent, .keyword = row.name, .name = name, .index = index});
  };
  if (row.subschemas == Subschemas::kMap) {
    if (value.if_object() == nullptr) return;
    for (const auto& [name, child] : *value.if_object()) push(child, name, kIsName);
  } else if (const json::Array* const list = value.if_array(); list != nullptr) {
    if (row.subschemas == Subschemas::kOne) return;
    for (std::size_t i = 0; i < list->size(); ++i) push((*list)[i], {}, static_cast<std::uint32_t>(i));
  } else if (row.subschemas != Subschemas::kList) {
    push(value, {}, kAlone);
  }
}

// The resource that the subschema is in.
Result<ResourceId> References::Mark(const Marks& marks, const Step& step) {
  ResourceId resource = step.resource;
  const bool is_root = this->resource(resource).root.value == step.value;
  Dialect dialect = this->resource(resource).dialect;
  const std::string* const named = StringOf(marks.schema);
  if (named != nullptr && !is_root) {
    Result<Dialect> found = DialectOf(*named, this->resource(resource).uri, dialect, 0);
    if (found.has_value()) {
      dialect = *found;
    } else {
      const std::string path = PathOf(step.way);
      if (!options_.allow_unenforced) {
        return Fail(found.error().code, path + ": $schema: " + found.error().message, {.subject = path + ": $schema"});
      }
      unenforced_.push_back(path + ": $schema");
    }
  }
  // What an $id is, the draft around it says.
  const std::string* id = marks.IdFor(this->resource(resource).dialect.draft);
  if (dialect.draft <= Draft::k7 && marks.has_ref && !is_root) id = nullptr;  // what stands beside $ref does not count
  if (id != nullptr && !WithoutFragment(*id).empty() && !is_root) {
    const ResourceId owner{static_cast<std::uint32_t>(resources_.size())};
    AddResource({.uri = ResolveUri(this->resource(resource).uri, *id),
                 .root = {.value = step.value, .path = PathOf(step.way)},
                 .dialect = dialect,
                 .owner = owner});
    resource = owner;
    starts_.emplace(step.value, resource);
  } else if (named != nullptr && !is_root && dialect.draft != this->resource(resource).dialect.draft) {
    const Resource& around = this->resource(resource);
    const ResourceId part{static_cast<std::uint32_t>(resources_.size())};
    AddResource({.uri = around.uri, .root = around.root, .dialect = dialect, .owner = around.owner});
    resource = part;
    starts_.emplace(step.value, resource);
  }
  if (id != nullptr && dialect.draft <= Draft::k7) AddAnchor(resource, FragmentOf(*id), step);
  if (!dialect.stated) {  // the anchors of older drafts
    for (const std::string* const old : {StringOf(marks.id), StringOf(marks.legacy_id)}) {
      if (old != nullptr && old->starts_with('#')) AddAnchor(resource, FragmentOf(*old), step);
    }
  }
  Resource& owner = resources_[static_cast<std::size_t>(this->resource(resource).owner)];
  if (const std::string* const name = StringOf(marks.anchor); name != nullptr && dialect.draft >= Draft::k2019) {
    AddAnchor(resource, *name, step);
  }
  if (const std::string* const name = StringOf(marks.dynamic_anchor);
      name != nullptr && dialect.draft == Draft::k2020) {
    AddAnchor(resource, *name, step);
    owner.dynamic.emplace_back(*name, step.value);
  }
  if (marks.recursive_anchor != nullptr && dialect.draft == Draft::k2019 && owner.root.value == step.value) {
    const bool* const on = marks.recursive_anchor->if_bool();
    owner.recursive_anchor = on != nullptr && *on;
  }
  return resource;
}

void References::AddAnchor(ResourceId resource, std::string_view name, const Step& step) {
  if (name.empty()) return;
  Resource& owner = resources_[static_cast<std::size_t>(this->resource(resource).owner)];
  const auto [place, is_new] = owner.anchors.try_emplace(name);
  if (is_new) place->second = {.value = step.value, .path = PathOf(step.way)};
}

std::string References::PathOf(std::uint32_t way) const {
  std::vector<const Way*> parts;
  while (way != 0 && parts.size() < kMostPathParts) {
    parts.push_back(&ways_[way]);
    way = ways_[way].parent;
  }
  std::string path = way == 0 ? document_path_ : "#/…";
  std::reverse(parts.begin(), parts.end());
  for (const Way* const part : parts) {
    path = ChildPath(path, part->keyword);
    if (part->index == kIsName) {
      path = ChildPath(path, part->name);
    } else if (part->index != kAlone) {
      path = ChildPath(path, part->index);
    }
  }
  return path;
}

Result<Dialect> References::DialectOf(std::string_view schema_uri, std::string_view base, const Dialect& inherited,
                                      int depth) {
  if (const std::optional<Draft> draft = DraftOfMetaSchema(schema_uri); draft.has_value()) {
    return Dialect{.draft = *draft, .stated = true};
  }
  if (IsOldMetaSchema(schema_uri)) {
    return Fail(ErrorCode::kUnenforceable, core::Quoted(schema_uri) + " is not a draft that decant reads");
  }
  const std::string uri = ResolveUri(base, schema_uri);
  const json::Value* const metaschema = depth < kMostMetaSchemas ? LoadDocument(uri) : nullptr;
  if (metaschema == nullptr) return inherited;
  Dialect dialect = inherited;
  if (const std::string* const above = StringOf(metaschema->Find("$schema")); above != nullptr) {
    DECANT_TRY(dialect, DialectOf(*above, uri, inherited, depth + 1));
  }
  const json::Value* const vocabularies = metaschema->Find("$vocabulary");
  if (vocabularies == nullptr || dialect.draft < Draft::k2019) return dialect;
  return WithVocabularies(dialect, *vocabularies);
}

const json::Value* References::LoadDocument(const std::string& uri) {
  const auto [entry, is_new] = documents_.try_emplace(uri, nullptr);
  if (!is_new) return entry->second;
  if (const std::string text = MetaSchemaText(uri); !text.empty()) {
    if (Result<json::Value> value = json::Read(text, {}); value.has_value()) {
      loaded_.push_back(*std::move(value));
      entry->second = &loaded_.back();
    }
  } else if (options_.load != nullptr) {
    if (std::optional<json::Value> value = options_.load(uri); value.has_value()) {
      loaded_.push_back(*std::move(value));
      entry->second = &loaded_.back();
    }
  }
  return entry->second;
}

Result<ResourceId> References::FindDocument(const std::string& uri, ResourceId from) {
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
  const json::Value* const document = LoadDocument(uri);
  if (document == nullptr) {
    return Fail(ErrorCode::kUnenforceable, "leads to the document " + core::Quoted(uri) + ", which is not at hand");
  }
  const Dialect inherited = this->resource(from).dialect;
  return AddDocument(*document, uri, uri + "#", inherited);
}

}  // namespace decant::grammar
