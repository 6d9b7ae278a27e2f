// Scopes as sorted lists, each content kept once.
#include "grammar/schema/dynamic_scope.h"

#include <algorithm>

namespace decant::grammar {

ScopeId DynamicScopes::Enter(ScopeId scope, const Resource& resource) {
  if (resource.dynamic.empty() && !resource.recursive_anchor) return scope;
  const std::uint64_t key =
      static_cast<std::uint64_t>(scope) << 32 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(resource.owner));
  if (const auto known = entered_.find(key); known != entered_.end()) return known->second;
  Scope next = scopes_[static_cast<std::size_t>(scope)];
  const auto add = [&](std::string_view anchor) {
    if (!Outermost(scope, anchor).has_value()) next.push_back({.anchor = anchor, .resource = resource.owner});
  };
  for (const auto& [anchor, value] : resource.dynamic) add(anchor);
  if (resource.recursive_anchor) add({});
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  const auto [id, is_new] = ids_.try_emplace(next, static_cast<ScopeId>(scopes_.size()));
  if (is_new) scopes_.push_back(std::move(next));
  entered_.emplace(key, id->second);
  return id->second;
}

std::optional<ResourceId> DynamicScopes::Outermost(ScopeId scope, std::string_view anchor) const {
  for (const Entry& entry : scopes_[static_cast<std::size_t>(scope)]) {
    if (entry.anchor == anchor) return entry.resource;
  }
  return std::nullopt;
}

}  // namespace decant::grammar
