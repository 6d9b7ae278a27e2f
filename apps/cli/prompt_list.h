// Lists of prompts: the ten story openings of `decant samples`, and files with one prompt a line.
#ifndef DECANT_CLI_PROMPT_LIST_H_
#define DECANT_CLI_PROMPT_LIST_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/model.h"
#include "json/value.h"

namespace decant::cli {

// Never changed: figures taken with them stay comparable.
std::span<const std::string_view> StoryOpenings();

// One prompt a line, byte for byte; empty lines are passed over. In a file that ends in .jsonl every line is an object
// with "prompt". "-" is standard input, of the first kind. kCannotRead, kInvalidJson, kEmptyPrompt when there is none.
Result<std::vector<std::string>> ReadPrompts(const std::string& path);

// One line of JSON Lines; a fault starts with its place, "FILE:LINE: ".
Result<json::Value> ReadJsonLine(std::string_view line, const std::string& place);

// The tokens of a prompt as `decant run` makes them: BOS first if the model wants one. kUnsupportedTokenizer,
// kEmptyPrompt; kPromptTooLong names the numbers where prompt and `more` tokens do not fit.
Result<std::vector<TokenId>> EncodePrompt(const Model& model, std::string_view text, std::size_t more);

}  // namespace decant::cli

#endif  // DECANT_CLI_PROMPT_LIST_H_
