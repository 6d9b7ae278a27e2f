// The documents that a schema is made of, and where a reference leads: base URIs, embedded resources, anchors, JSON
// pointers, and documents from outside.
#ifndef DECANT_GRAMMAR_SCHEMA_REFERENCES_H_
#define DECANT_GRAMMAR_SCHEMA_REFERENCES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decant/error.h"
#include "grammar/schema/dialect.h"
#include "grammar/schema/schema.h"
#include "json/value.h"

namespace decant::grammar {

enum class ResourceId : std::uint32_t {};

struct Place {
  const json::Value* value = nullptr;
  std::string path = {};
};

// A document, or a part of one with an $id of its own. A subschema with a $schema and no $id counts as one too, but its
// URI and anchors are its owner's.
struct Resource {
  std::string uri;  // absolute, without fragment
  Place root;
  Dialect dialect;
  ResourceId owner;                                                           // itself, except as said
  std::unordered_map<std::string_view, Place> anchors = {};                   // plain and dynamic ones
  std::vector<std::pair<std::string_view, const json::Value*>> dynamic = {};  // the dynamic ones among them
  bool recursive_anchor = false;                                              // 2019-09: $recursiveAnchor is true
};

class References {
 public:
  struct Target {
    const json::Value* value = nullptr;
    ResourceId resource{0};  // the one that it is in
    std::string path = {};
    std::string_view dynamic_anchor = {};  // the name, if a reference by it may lead elsewhere
  };

  // Keeps a reference to the options.
  explicit References(const SchemaReadOptions& options) : options_(options) {}

  // Takes in the document that is read; `schema` must outlive this. REQUIRES: called once, first.
  Result<ResourceId> Start(const json::Value& schema, Draft default_draft);

  const Resource& resource(ResourceId id) const { return resources_[static_cast<std::size_t>(id)]; }
  // The embedded resource that starts at a subschema, if one does.
  std::optional<ResourceId> StartingAt(const json::Value* value) const;
  // Where a $ref in the resource leads. kInvalidSchema (it leads nowhere), kUnenforceable (its document is not there);
  // the message goes on after "$ref ". The target lives as long as this.
  Result<const Target*> Resolve(ResourceId from, std::string_view reference);
  std::optional<Target> AtAnchor(ResourceId resource, std::string_view name) const;
  Target AtRoot(ResourceId resource) const;
  // How many subschemas the walk saw: about as many as there are nodes.
  std::size_t places() const { return places_; }
  // "path: $schema" of dialects that are not known, with allow_unenforced.
  const std::vector<std::string>& unenforced() const { return unenforced_; }

 private:
  // A subschema still to be looked at, and the way to it.
  struct Step {
    const json::Value* value;
    ResourceId resource;
    std::uint32_t way;
  };
  struct Way {
    std::uint32_t parent;
    std::string_view keyword;
    std::string_view name;  // of a member under the keyword, if `index` is kIsName
    std::uint32_t index;    // of an item under it
  };
  static constexpr std::uint32_t kIsName = ~0u;
  static constexpr std::uint32_t kAlone = ~0u - 1;  // the keyword's value itself

  struct Marks;  // of a subschema: its $id, $anchor and so on
  Result<ResourceId> AddDocument(const json::Value& root, const std::string& uri, std::string path,
                                 const Dialect& inherited);
  Result<void> Visit(const Step& step);
  Result<ResourceId> Mark(const Marks& marks, const Step& step);
  void AddAnchor(ResourceId resource, std::string_view name, const Step& step);
  void PushSubschemas(const KeywordRow& row, const json::Value& value, std::uint32_t parent);
  std::string PathOf(std::uint32_t way) const;
  ResourceId AddResource(Resource resource);

  Result<Dialect> DialectOf(std::string_view schema_uri, std::string_view base, const Dialect& inherited, int depth);
  const json::Value* LoadDocument(const std::string& uri);
  Result<ResourceId> FindDocument(const std::string& uri, ResourceId from);
  const json::Value* Member(const json::Value& value, std::string_view key);
  Result<Target> Find(ResourceId from, std::string_view reference);
  Result<Target> Follow(ResourceId from, std::string_view pointer, std::string_view reference);

  const SchemaReadOptions& options_;
  std::deque<json::Value> loaded_;                                 // stable addresses
  std::unordered_map<std::string, const json::Value*> documents_;  // by URI, as `load` gave them; nullptr = not there
  std::deque<Resource> resources_;
  std::unordered_map<std::string, ResourceId> by_uri_;
  std::unordered_map<const json::Value*, ResourceId> starts_;
  std::vector<Step> steps_;
  std::vector<Way> ways_;
  std::string document_path_;  // of the document that is walked
  std::size_t places_ = 0;
  std::vector<std::string> unenforced_;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Targets = std::unordered_map<std::string, Target, TextHash, std::equal_to<>>;
  std::unordered_map<std::uint32_t, Targets> targets_;  // by resource, then by reference
  std::unordered_map<const json::Value*, std::unordered_map<std::string_view, const json::Value*>> large_objects_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_REFERENCES_H_
