// Ends of a string that is asked for at its end, grouped by what they leave behind.
//
// Texts of which the same watched formulas are true leave the same rules behind, but for what an array whose items have
// to differ remembers. Where all its further items meet the same, an item with one new string in it counts as any other
// new one: however the next item begins, as many are left of it, as long as it has not begun to write a string.
#ifndef DECANT_GRAMMAR_JSON_ASKED_ENDS_H_
#define DECANT_GRAMMAR_JSON_ASKED_ENDS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grammar/byte_set.h"
#include "grammar/expr_pool.h"
#include "grammar/json/frame.h"
#include "grammar/json/key_set.h"
#include "grammar/json/machine.h"

namespace decant::grammar {

class AskedEnds {
 public:
  // REQUIRES: the place is in a string, and Machine::IsAskedFor.
  AskedEnds(Machine& machine, const Place& in_string);

  // Of the end after so much more decoded text, which the string's language has: the same number for ends that leave
  // the same behind; nothing for one that is alone.
  std::optional<std::size_t> GroupOf(std::string_view content);

 private:
  void FindKnown(const std::vector<std::string>& items);
  bool IsKnown(std::string_view content) const;

  ExprPool& exprs_;
  bool are_grouped_ = true;
  std::string text_;                       // so far
  std::vector<Expr> watched_;              // languages of what may follow, by watched formula
  std::unordered_set<std::string> known_;  // what follows the text in strings of items that the next has to differ from
  // Items that arrays remember: the sets, with what stands before a string in them, and how those that begin with the
  // text go on.
  struct Remembered {
    const KeySet* items;
    std::string before;
  };
  std::vector<Remembered> remembered_;
  ByteSet ways_on_;
  bool is_remembered_ = false;                           // the text is one of them
  std::unordered_map<std::string, std::size_t> groups_;  // by the truths of the watched formulas
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_ASKED_ENDS_H_
