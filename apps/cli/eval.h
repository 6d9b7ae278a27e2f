// The texts of `decant eval`: files of text, and JSON Lines with a text a line.
#ifndef DECANT_CLI_EVAL_H_
#define DECANT_CLI_EVAL_H_

#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"

namespace decant::cli {

struct EvalText {
  std::string label;  // "story.txt", "samples.jsonl:3"
  std::string set;    // what is summed up together besides all: the line's "setting"; "" = none
  std::string text;
};

enum class TextForm { kPlain, kJsonLines };

// Plain text is one text, byte for byte. Of JSON Lines, each line is an object with a string "text" and, if it has one,
// a string "setting"; empty lines are passed over. kInvalidJson names the line.
Result<std::vector<EvalText>> ParseTexts(std::string_view bytes, const std::string& name, TextForm form);

}  // namespace decant::cli

#endif  // DECANT_CLI_EVAL_H_
