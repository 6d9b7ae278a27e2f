// The dynamic scope, as far as $dynamicRef and $recursiveRef can see it: for each dynamic anchor, the outermost
// resource that has it of those that evaluation came through. Scopes with the same content are one, so that nodes are
// finite.
#ifndef DECANT_GRAMMAR_SCHEMA_DYNAMIC_SCOPE_H_
#define DECANT_GRAMMAR_SCHEMA_DYNAMIC_SCOPE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/schema/references.h"

namespace decant::grammar {

enum class ScopeId : std::uint32_t {};
inline constexpr ScopeId kEmptyScope{0};

class DynamicScopes {
 public:
  // The scope after evaluation enters the resource.
  ScopeId Enter(ScopeId scope, const Resource& resource);
  std::optional<ResourceId> Outermost(ScopeId scope, std::string_view anchor) const;
  // The same for $recursiveAnchor.
  std::optional<ResourceId> OutermostRecursive(ScopeId scope) const { return Outermost(scope, {}); }

 private:
  struct Entry {
    std::string_view anchor;  // "" for $recursiveAnchor; sorted
    ResourceId resource;
    auto operator<=>(const Entry&) const = default;
  };
  using Scope = std::vector<Entry>;

  std::vector<Scope> scopes_ = {{}};
  std::map<Scope, ScopeId> ids_ = {{{}, kEmptyScope}};
  std::unordered_map<std::uint64_t, ScopeId> entered_;  // by scope and resource
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_DYNAMIC_SCOPE_H_
