// From a subschema to its node: the keywords of one schema object, checked and put into plain form.
#ifndef DECANT_GRAMMAR_SCHEMA_NODE_READER_H_
#define DECANT_GRAMMAR_SCHEMA_NODE_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decant/error.h"
#include "grammar/decimal.h"
#include "grammar/expr_pool.h"
#include "grammar/schema/dynamic_scope.h"
#include "grammar/schema/references.h"
#include "grammar/schema/schema.h"
#include "json/value.h"

namespace decant::grammar {

// The keywords of one schema object that its dialect has. Of equal keys the last counts.
class KeywordValues {
 public:
  KeywordValues(const json::Object& schema, const Dialect& dialect);
  const json::Value* operator[](Keyword keyword) const { return values_[static_cast<std::size_t>(keyword)]; }

 private:
  std::array<const json::Value*, kKeywords> values_ = {};
};

// Reads nodes from a work list, so that depth costs no stack. A node is a place in a dynamic scope; each is read once.
class NodeReader {
 public:
  // Keeps references to all three.
  NodeReader(References& references, const SchemaReadOptions& options, ExprPool& pool)
      : references_(references), options_(options), pool_(pool) {}

  Result<SchemaDocument> Read(ResourceId root);
  // The nodes of which something was left out, with allow_unenforced.
  const std::vector<SchemaId>& incomplete() const { return incomplete_; }

 private:
  // What is being read: the object, its node so far, and where it stands.
  struct Here {
    SchemaId id;
    SchemaNode& node;
    const KeywordValues& values;
    const Dialect& dialect;
    ResourceId resource;
    ScopeId scope;
  };
  struct Work {
    SchemaId id;
    const json::Value* value;
    ResourceId resource;
    ScopeId scope;
  };

  Result<void> ReadNode(const Work& work);
  // node_reader.cc: what has subschemas.
  SchemaId NodeAt(const json::Value& value, ResourceId resource, ScopeId scope, std::string path);
  Result<SchemaId> Child(const Here& here, Keyword keyword, const json::Value& value, std::string path);
  Result<std::optional<SchemaId>> OneSchema(const Here& here, Keyword keyword);
  Result<std::vector<SchemaId>> SchemaList(const Here& here, Keyword keyword, const json::Value& list);
  Result<std::vector<SchemaNode::Property>> SchemaMap(const Here& here, Keyword keyword);
  Result<void> ReadReferences(const Here& here);
  Result<void> AddTarget(const Here& here, Keyword keyword, const References::Target& target);
  Result<void> ReadArrays(const Here& here);
  Result<void> ReadItems(const Here& here);
  Result<void> ReadObjects(const Here& here);
  Result<void> ReadPatternProperties(const Here& here);
  Result<void> ReadDependencies(const Here& here);
  Result<void> ReadCombinations(const Here& here);
  // node_values.cc: what has none.
  Result<void> ReadTypes(const Here& here);
  Result<void> ReadValues(const Here& here);
  Result<void> ReadNumbers(const Here& here);
  Result<void> ReadExclusive(const Here& here, Keyword keyword);
  Result<void> ReadStrings(const Here& here);
  Result<std::optional<Decimal>> NumberOf(const Here& here, Keyword keyword);
  Result<void> ReadCount(const Here& here, Keyword keyword, std::uint64_t& count);
  Result<std::vector<std::string>> Names(const Here& here, Keyword keyword, const json::Value& list);
  // Nothing where the pattern cannot be enforced and that is allowed.
  Result<std::optional<Expr>> PatternOf(const Here& here, Keyword keyword, const std::string& pattern);

  // "path: keyword is …; expected …".
  std::unexpected<Error> Wrong(const Here& here, Keyword keyword, const json::Value& value, std::string_view allowed);
  // Lists the keyword as not enforced where that is allowed; the error otherwise.
  Result<void> LeaveOut(const Here& here, Keyword keyword, ErrorCode code, const std::string& why);

  References& references_;
  const SchemaReadOptions& options_;
  ExprPool& pool_;
  DynamicScopes scopes_;
  SchemaDocument document_;
  std::vector<Work> work_;
  struct Key {
    const json::Value* value;
    ScopeId scope;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.value) * 31 + static_cast<std::size_t>(key.scope);
    }
  };
  std::unordered_map<Key, SchemaId, KeyHash> ids_;
  std::unordered_map<std::string, Expr> patterns_;
  std::unordered_map<std::string, std::optional<Expr>> formats_;
  std::vector<SchemaId> incomplete_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_NODE_READER_H_
