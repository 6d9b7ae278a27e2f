// The syntax tree of a regular expression, the same for all flavours. Letter case, classes and flags are settled in it:
// a leaf is a set of characters or an assertion about what stands before or after a position.
#ifndef DECANT_GRAMMAR_REGEX_SYNTAX_H_
#define DECANT_GRAMMAR_REGEX_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "grammar/expr_pool.h"
#include "grammar/regex/char_set.h"

namespace decant::grammar {

enum class NodeId : std::uint32_t {};  // a node of one tree
enum class EdgeId : std::uint32_t {};
inline constexpr EdgeId kAnyEdge{0};  // whatever stands there

// What may stand on one side of a position, as far as one character tells.
struct Edge {
  CharSet chars = {};  // the neighbour is one of them
  CharSet last = {};   // ahead only: the neighbour is one of them, and the text ends after it
  bool limit = false;  // there is no neighbour: the text's start or end
  bool operator<(const Edge& other) const;
};
Edge Both(const Edge& a, const Edge& b);

enum class NodeKind : std::uint8_t {
  kEmpty,     // the empty text
  kNever,     // no text
  kSet,       // a character of a set
  kSequence,  // children, one after the other
  kChoice,    // one of the children
  kRepeat,    // the child, least to most times
  kAhead,     // no text, where the edge stands after
  kBehind,    // no text, where the edge stands before
  kLook,      // no text, where the child matches, ahead or behind
  kOpaque,    // texts of an expression of the pool; only the translation makes them
};
enum class LookKind : std::uint8_t { kAhead, kNotAhead, kBehind, kNotBehind };

struct Node {
  NodeKind kind = NodeKind::kEmpty;
  bool plain = true;    // no assertion inside
  bool local = true;    // no kLook inside
  bool atomic = false;  // what it matched is never given back: a possessive repetition or an atomic group
  LookKind look = LookKind::kAhead;
  std::uint32_t column = 0;           // of a kLook, an atomic group, or a repetition of assertions
  std::uint32_t set = 0;              // kSet
  EdgeId edge = kAnyEdge;             // kAhead, kBehind
  Expr expr = kNothing;               // kOpaque
  std::uint64_t least = 0, most = 0;  // kRepeat
  // Code points of a text, at least and at most; most may be kUnbounded. Plain and shortest = 0: has the empty text.
  std::uint64_t shortest = 0, longest = 0;
  std::uint64_t weight = 1;  // leaves, each as often as it is reached from here
  std::vector<NodeId> children = {};
};

// Makers simplify: sets of a choice become one set, sequences lie flat, what cannot match is dropped.
class SyntaxTree {
 public:
  SyntaxTree();
  const Node& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const CharSet& SetOf(NodeId id) const { return *sets_[(*this)[id].set]; }
  const Edge& EdgeOf(EdgeId id) const { return *edges_[static_cast<std::size_t>(id)]; }
  EdgeId Intern(const Edge& edge);

  NodeId Empty() const { return empty_; }
  NodeId Never() const { return never_; }
  NodeId AnyText() const { return any_text_; }
  NodeId Set(const CharSet& set);
  NodeId Sequence(std::span<const NodeId> parts);
  NodeId Choice(std::span<const NodeId> parts);
  NodeId Repeat(NodeId child, std::uint64_t least, std::uint64_t most, std::uint32_t column = 0);
  NodeId Ahead(const Edge& edge);
  NodeId Behind(const Edge& edge);
  // One of the two above where one character decides.
  NodeId Look(LookKind kind, NodeId body, std::uint32_t column);
  // The child, never given back once matched.
  NodeId Atomic(NodeId child, std::uint32_t column);
  NodeId Opaque(Expr expr, std::uint64_t shortest, std::uint64_t longest);

  std::size_t size() const { return size_; }       // nodes and their children
  bool has_behind() const { return has_behind_; }  // an assertion on what stands before, other than the text's start
  bool has_atomic() const { return has_atomic_; }

 private:
  NodeId Add(Node node);
  bool ToEdge(NodeId body, bool ahead, Edge& edge) const;

  std::vector<Node> nodes_;
  std::map<CharSet, std::uint32_t> set_numbers_;  // whose keys do not move
  std::vector<const CharSet*> sets_;
  std::vector<NodeId> set_nodes_;  // by set
  std::map<Edge, EdgeId> edge_numbers_;
  std::vector<const Edge*> edges_;
  NodeId empty_{}, never_{}, any_text_{};
  std::size_t size_ = 0;
  bool has_behind_ = false, has_atomic_ = false;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_SYNTAX_H_
