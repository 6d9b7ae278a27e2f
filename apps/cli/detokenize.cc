// decant detokenize: token ids to the bytes they stand for, exactly.
#include "detokenize.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "core/mapped_file.h"
#include "core/number_text.h"
#include "core/utf8.h"
#include "json/value.h"
#include "models.h"

namespace decant::cli {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f,";

constexpr CommandText kText = {
    .name = "detokenize",
    .summary = "token ids to the bytes they stand for",
    .usage = "[-m MODEL] ID... | -f FILE | - [--skip-special]",
    .details =
        "Ids are separated by spaces, commas or line feeds, or stand in a JSON array. Standard output is their bytes\n"
        "and nothing else, which need not be whole code points.",
    .example = "decant detokenize 504 6376 314\ndecant tokenize -p 'The sky is' | decant detokenize"};

std::unexpected<Error> NoId(std::size_t index, const std::string& what) {
  return Fail(ErrorCode::kWrongType, "item " + std::to_string(index + 1) + " of the ids is " + what + ", no token id",
              {.subject = "ids", .allowed = "ids in 0..4294967295, separated by spaces or commas, or a JSON array"});
}

Result<std::vector<TokenId>> ReadJsonIds(std::string_view text) {
  DECANT_TRY(const json::Value value, json::Read(text, {}));
  std::vector<TokenId> ids;
  for (const json::Value& item : *value.if_array()) {
    const auto id = item.AsUint64();
    if (!id.has_value() || *id > UINT32_MAX) {
      return NoId(ids.size(), item.if_number() != nullptr ? item.if_number()->text : std::string(item.kind()));
    }
    ids.push_back(static_cast<TokenId>(*id));
  }
  return ids;
}

Result<std::string> ReadText(const CommandLine& line, const CLI::Option* file) {
  const std::vector<std::string>& words = line.words();
  if (IsGiven(file) && !words.empty()) {
    return Fail(ErrorCode::kConflict, "the ids are given more than once", {.subject = "ids"});
  }
  std::string path = "-";
  if (IsGiven(file)) {
    DECANT_TRY(const auto named, TextOf(file));
    path = *named;
  } else if (!words.empty() && words != std::vector<std::string>{"-"}) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
  } else if (words.empty() && isatty(STDIN_FILENO) == 1) {
    return UsageError("there are no ids", "give them as words, with -f FILE, or through a pipe");
  }
  return core::ReadFile(path);
}

}  // namespace

Result<std::vector<TokenId>> ReadIdList(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first != std::string_view::npos && text[first] == '[') return ReadJsonIds(text);
  std::vector<TokenId> ids;
  for (std::size_t begin = first; begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const auto id = core::ParseUint64(word);
    if (!id.has_value() || *id > UINT32_MAX) return NoId(ids.size(), core::Quoted(word));
    ids.push_back(static_cast<TokenId>(*id));
    begin = text.find_first_not_of(kSpace, end);
  }
  return ids;
}

Result<int> DetokenizeCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const ModelFlags models(line);
  const CLI::Option* const file = line.Value("ids", "-f,--file", "FILE", "a file with the ids; - is standard input");
  const CLI::Option* const skip = line.Flag("ids", "--skip-special", "leaves out control tokens, like <|im_end|>");
  line.AllowWords();
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const bool skips_special, IsOn(skip));
  DECANT_TRY(const std::string text, ReadText(line, file));
  DECANT_TRY(std::vector<TokenId> ids, ReadIdList(text));
  DECANT_TRY(const auto model, models.Load());
  const Tokenizer* const tokenizer = model->tokenizer();
  if (tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, model->description().path + " has no tokenizer",
                {.subject = model->description().path});
  }
  DECANT_TRY(std::string bytes, tokenizer->Decode(ids));
  if (skips_special) {
    std::erase_if(ids, [tokenizer](TokenId id) { return tokenizer->kind(id) == TokenKind::kControl; });
    DECANT_TRY(bytes, tokenizer->Decode(ids));
  }
  session.Write(bytes);
  return 0;
}

}  // namespace decant::cli
