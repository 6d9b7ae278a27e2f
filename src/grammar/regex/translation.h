// From a syntax tree to an expression. Parts without assertions translate as they stand. Assertions need the text
// around them, so a tree with assertions is read left to right by threads, each of which knows the texts read so far:
//
//   ^ \b (?<=a)  cut the texts down to those that end as asked;
//   $ (?=a)      are kept as an edge that the next characters must fit: they cut down what is read next;
//   (?=X) (?!X)  begin a new segment, whose texts, to the end, must (not) start with a text of X.
//
// `P(?=X)R` is thus P · (R & X·AnyText), and `P(?<=X)R` is (P & AnyText·X) · R.
#ifndef DECANT_GRAMMAR_REGEX_TRANSLATION_H_
#define DECANT_GRAMMAR_REGEX_TRANSLATION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decant/error.h"
#include "grammar/expr_pool.h"
#include "grammar/regex/follow.h"
#include "grammar/regex/regex.h"
#include "grammar/regex/syntax.h"
#include "grammar/regex/texts.h"

namespace decant::grammar {

class Translation {
 public:
  Translation(SyntaxTree& tree, ExprPool& pool)
      : tree_(tree), pool_(pool), texts_(tree, pool), first_size_(tree.size()) {}

  // The language of the root. Errors: kUnsupportedRegex, kTooComplex, with a column and without an offset.
  Result<Expr> Translate(NodeId root, RegexMatch match);

 private:
  struct Segment {
    NodeId texts;                    // read since the segment began
    std::optional<Expr> ahead = {};  // what the text from there to its end must be
  };
  // A way to have come here. Threads are merged when they differ in the texts of their last segment alone.
  struct Thread {
    std::vector<Segment> segments;    // the first begins where reading began
    EdgeId next = kAnyEdge;           // what may come next
    EdgeId left = kAnyEdge;           // what may stand before the first segment
    std::optional<Expr> filter = {};  // what all the text must be
  };
  using Threads = std::vector<Thread>;
  Result<Threads> Read(NodeId id, Threads threads);
  Result<Threads> ReadSequence(NodeId id, Threads threads);
  Result<Threads> ReadChoice(NodeId id, const Threads& threads);
  Result<Threads> ReadRepeat(NodeId id, Threads threads);
  Result<Threads> ReadLook(NodeId id, const Threads& threads);
  Result<std::optional<Threads>> ReadTempered(NodeId id, const Threads& threads);
  Result<std::optional<Threads>> ReadTemperedBeforeAny(const Node& node, const std::vector<NodeId>& parts,
                                                       const Threads& threads);
  void CloseUnderPaths(std::vector<std::vector<NodeId>>& texts);
  Result<Threads> ReadLoop(NodeId child, std::uint32_t column, const Threads& threads);

  // One thread, or none, one or several in place of it, added to `to`.
  Result<void> Append(NodeId texts, const Thread& thread, Threads& to);
  Result<void> LookBehind(const Edge& edge, std::size_t segment, const Thread& thread, Threads& to);
  Result<void> LookFarBehind(NodeId look, Expr behind, const Thread& thread, Threads& to);
  void LookAhead(Expr ahead, Thread& thread);

  // Texts that begin with a match, whatever follows, where `left` stands before them.
  Result<Expr> Ahead(NodeId body, EdgeId left);
  // Texts that end with a match.
  Result<Expr> Behind(NodeId body, std::uint32_t column);
  Result<Expr> Finish(Threads threads, RegexMatch match);
  Threads Merged(Threads threads);
  NodeId Factored(std::vector<NodeId> ways);
  NodeId Joined(NodeId texts, NodeId more);

  bool HasGrown() const;  // past what a translation may make
  Thread Start(NodeId texts, EdgeId left) const;
  // What a character before the node may be, in kinds that the assertions in it tell apart; the last kind is that there
  // is none. Only kAnyEdge when they do not ask.
  std::vector<EdgeId> KindsBefore(NodeId id);
  // The thread for each kind, cut down to where such a character stands before this place.
  Result<std::vector<std::pair<EdgeId, Threads>>> Split(const Thread& thread, const std::vector<EdgeId>& kinds);
  Result<void> CheckAtomics();
  bool IsPrefixFree(NodeId id);

  SyntaxTree& tree_;
  ExprPool& pool_;
  Texts texts_;
  std::map<NodeId, Follow> follows_;
  std::map<std::pair<NodeId, EdgeId>, Expr> looks_;
  std::size_t first_size_;  // of the tree, when translation began
  std::size_t steps_ = 0;
};

// Errors of a translation: "the regular expression has …".
std::unexpected<Error> Unsupported(const std::string& what, std::uint32_t column);
std::unexpected<Error> TooManyAssertions();

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_TRANSLATION_H_
