// Where references lead: an absolute URI, then a JSON pointer (RFC 6901) or an anchor. Each is followed once.
#include "grammar/schema/references.h"

#include <charconv>
#include <utility>

#include "core/utf8.h"
#include "grammar/schema/path.h"
#include "grammar/schema/uri.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kLargeObject = 24;  // members; past it, pointers look names up in a table

// "~1" is "/", "~0" is "~".
std::string Unescaped(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

// The item that a pointer's token names: digits without leading zeros.
const json::Value* Item(const json::Array& items, std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size() || index >= items.size()) return nullptr;
  return &items[index];
}

}  // namespace

std::optional<ResourceId> References::StartingAt(const json::Value* value) const {
  if (starts_.empty()) return std::nullopt;
  const auto start = starts_.find(value);
  if (start == starts_.end()) return std::nullopt;
  return start->second;
}

Result<const References::Target*> References::Resolve(ResourceId from, std::string_view reference) {
  Targets& targets = targets_[static_cast<std::uint32_t>(from)];
  if (const auto known = targets.find(reference); known != targets.end()) return &known->second;
  DECANT_TRY(Target target, Find(from, reference));
  return &targets_[static_cast<std::uint32_t>(from)].emplace(std::string(reference), std::move(target)).first->second;
}

Result<References::Target> References::Find(ResourceId from, std::string_view reference) {
  ResourceId in = resource(from).owner;
  if (const std::string_view document = WithoutFragment(reference); !document.empty()) {
    DECANT_TRY(in, FindDocument(ResolveUri(resource(from).uri, document), from));
    in = resource(in).owner;
  }
  const std::string fragment = PercentDecoded(FragmentOf(reference));
  if (fragment.empty()) return AtRoot(in);
  if (fragment.front() == '/') return Follow(in, fragment, reference);
  const Resource& owner = resource(in);
  const auto anchor = owner.anchors.find(fragment);
  if (anchor == owner.anchors.end()) {
    return Fail(ErrorCode::kInvalidSchema,
                "is " + core::Quoted(reference) + ", and no subschema has the anchor " + core::Quoted(fragment));
  }
  return *AtAnchor(in, anchor->first);
}

References::Target References::AtRoot(ResourceId id) const {
  const Resource& at = resource(id);
  return {.value = at.root.value, .resource = id, .path = at.root.path};
}

std::optional<References::Target> References::AtAnchor(ResourceId id, std::string_view name) const {
  const Resource& owner = resource(id);
  const auto anchor = owner.anchors.find(name);
  if (anchor == owner.anchors.end()) return std::nullopt;
  Target target{.value = anchor->second.value, .resource = id, .path = anchor->second.path};
  if (const std::optional<ResourceId> part = StartingAt(target.value); part.has_value()) target.resource = *part;
  for (const auto& [dynamic, value] : owner.dynamic) {
    if (dynamic == name && value == target.value) target.dynamic_anchor = dynamic;
  }
  return target;
}

const json::Value* References::Member(const json::Value& value, std::string_view key) {
  const json::Object& object = *value.if_object();
  if (object.size() <= kLargeObject) return value.Find(key);
  auto [names, is_new] = large_objects_.try_emplace(&value);
  if (is_new) {
    names->second.reserve(object.size());
    for (const auto& [name, member] : object) names->second.insert_or_assign(name, &member);
  }
  const auto member = names->second.find(key);
  return member == names->second.end() ? nullptr : member->second;
}

Result<References::Target> References::Follow(ResourceId from, std::string_view pointer, std::string_view reference) {
  Target at = AtRoot(from);
  while (!pointer.empty()) {
    const std::size_t end = pointer.find('/', 1);
    const std::string token = Unescaped(pointer.substr(1, end == std::string_view::npos ? end : end - 1));
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
    const json::Value* next = nullptr;
    if (at.value->if_object() != nullptr) {
      next = Member(*at.value, token);
    } else if (const json::Array* const items = at.value->if_array(); items != nullptr) {
      next = Item(*items, token);
    }
    if (next == nullptr) {
      return Fail(ErrorCode::kInvalidSchema,
                  "is " + core::Quoted(reference) + ", and " + at.path + " has no " + core::Quoted(token));
    }
    at.value = next;
    at.path = ChildPath(at.path, token);
    if (const std::optional<ResourceId> start = StartingAt(next); start.has_value()) at.resource = *start;
  }
  return at;
}

}  // namespace decant::grammar
