// Possessive repetitions and atomic groups: taken when they match what they would match without the mark.
#include <vector>

#include "grammar/regex/translation.h"

namespace decant::grammar {
namespace {

constexpr SearchBudget kPrefixBudget = {.states = 2000};

}  // namespace

// Whether no text of the node begins another one, so that there is nothing to give back.
bool Translation::IsPrefixFree(NodeId id) {
  const Node& node = tree_[id];
  if (!node.plain) return false;
  if (node.shortest == node.longest) return true;
  const Expr texts = texts_.ExprOf(id);
  const Expr more = pool_.Concat(pool_.AnyCodePoint(), pool_.AnyText());
  const auto has_text = pool_.HasText(pool_.Intersect(texts, pool_.Concat(texts, more)), kPrefixBudget);
  return has_text.has_value() && !*has_text;
}

Result<void> Translation::CheckAtomics() {
  for (const auto& [id, follow] : follows_) {
    const Node node = tree_[id];
    if (!node.atomic) continue;
    // Where nothing follows, to match at all is enough; but each copy that Python's X{2,}+ needs is atomic by itself.
    if (follow.open && (node.kind != NodeKind::kRepeat || node.least < 2)) continue;
    std::vector<NodeId> parts = {id};
    if (node.kind == NodeKind::kSequence) parts = node.children;
    const NodeId last = parts.back();
    parts.pop_back();
    bool fits = node.plain;
    for (const NodeId part : parts) fits = fits && IsPrefixFree(part);
    if (fits && tree_[last].kind == NodeKind::kRepeat) {
      // Copies are read as long as there are any: what follows must not begin with one more.
      const NodeId copy = tree_[last].children[0];
      fits =
          IsPrefixFree(copy) && (follow.open || !follow.MayStartIn(FirstCharacters(tree_, copy)) || IsPrefixFree(last));
    } else {
      fits = fits && IsPrefixFree(last);
    }
    if (!fits) {
      return Unsupported("a possessive repetition or atomic group that changes what matches", node.column);
    }
  }
  return {};
}

}  // namespace decant::grammar
