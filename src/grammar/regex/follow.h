// What may stand after a part of a regular expression, taken a little too widely: enough to see that giving back is no
// use to a possessive repetition, or where a repetition must end.
#ifndef DECANT_GRAMMAR_REGEX_FOLLOW_H_
#define DECANT_GRAMMAR_REGEX_FOLLOW_H_

#include <map>

#include "grammar/regex/char_set.h"
#include "grammar/regex/regex.h"
#include "grammar/regex/syntax.h"

namespace decant::grammar {

struct Follow {
  CharSet first = {};  // no other character comes next; the text's end always may
  bool open = false;   // nothing is asked of what comes: the match may end here, whatever follows
  bool MayStartIn(const CharSet& set) const { return open || !first.Intersect(set).IsEmpty(); }
};

// Of every atomic node and of every repetition of assertions.
std::map<NodeId, Follow> FindFollows(const SyntaxTree& tree, NodeId root, RegexMatch match);

// The characters that a text of the node may start with, or more.
CharSet FirstCharacters(const SyntaxTree& tree, NodeId id);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_FOLLOW_H_
