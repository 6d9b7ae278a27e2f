// The openings, and the two kinds of prompt files.
#include "prompt_list.h"

#include <fmt/format.h>

#include <utility>

#include "core/mapped_file.h"

namespace decant::cli {
namespace {

constexpr std::string_view kOpenings[] = {
    "Once upon a time, a small bear found a red key under the snow.",
    "Mia and her brother built a boat out of an old door, and one windy morning",
    "The baker's cat was not allowed in the kitchen, but every night",
    "There was once a clock that was always five minutes late.",
    "\"Do not open the blue box,\" said Grandmother, and she went out to feed the hens.",
    "Tom had one coin left, so he walked to the market and",
    "Deep in the forest, where the path ends, an owl kept a library.",
    "It had not rained in the valley for a year when a stranger came with a drum.",
    "Every evening, the girl next door sang to her goat, until one day",
    "The smallest tree on the hill wanted to see the sea."};

Result<std::string> PromptOfLine(std::string_view line, const std::string& place) {
  DECANT_TRY(const json::Value value, ReadJsonLine(line, place));
  const json::Value* const prompt = value.Find("prompt");
  const std::string* const text = prompt == nullptr ? nullptr : prompt->if_string();
  if (text == nullptr) {
    return Fail(ErrorCode::kInvalidJson, place + ": expected an object with a string \"prompt\"",
                {.subject = "prompt"});
  }
  return *text;
}

}  // namespace

std::span<const std::string_view> StoryOpenings() { return kOpenings; }

Result<std::vector<std::string>> ReadPrompts(const std::string& path) {
  DECANT_TRY(const std::string text, core::ReadFile(path));
  std::vector<std::string> prompts;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    ++number;
    if (line.empty()) continue;
    if (path.ends_with(".jsonl")) {
      DECANT_TRY(std::string prompt, PromptOfLine(line, fmt::format("{}:{}", path, number)));
      prompts.push_back(std::move(prompt));
    } else {
      prompts.emplace_back(line);
    }
  }
  if (prompts.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, path + " has no prompts; expected one a line", {.subject = path});
  }
  return prompts;
}

Result<json::Value> ReadJsonLine(std::string_view line, const std::string& place) {
  auto value = json::Read(line, {});
  if (value.has_value()) return value;
  Error error = std::move(value).error();
  // The line is the file's, not the first of a text of its own.
  constexpr std::string_view kFirstLine = "line 1, ";
  if (const std::size_t at = error.message.find(kFirstLine); at != std::string::npos) {
    error.message.erase(at, kFirstLine.size());
  }
  error.message = place + ": " + error.message;
  error.at.reset();
  return std::unexpected(std::move(error));
}

Result<std::vector<TokenId>> EncodePrompt(const Model& model, std::string_view text, std::size_t more) {
  const Tokenizer* const tokenizer = model.tokenizer();
  if (tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, model.description().path + " has no tokenizer",
                {.subject = "prompt", .hint = "this command needs a model with one"});
  }
  std::vector<TokenId> prompt = tokenizer->Encode(text, SpecialText::kParse);
  const auto bos = tokenizer->bos();
  const bool wanted = tokenizer->add_bos() || prompt.empty();
  if (bos.has_value() && wanted && (prompt.empty() || prompt.front() != *bos)) prompt.insert(prompt.begin(), *bos);
  if (prompt.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, "a prompt is empty, and the model has no token to begin with",
                {.subject = "prompt"});
  }
  const std::size_t context = model.language_model().context_length();
  if (prompt.size() > context || more > context + 1 - prompt.size()) {
    return Fail(ErrorCode::kPromptTooLong,
                fmt::format("a prompt has {} tokens, {} more are to be generated, the context holds {}", prompt.size(),
                            more, context),
                {.subject = "prompt", .hint = "use a shorter prompt or a smaller -n"});
  }
  return prompt;
}

}  // namespace decant::cli
