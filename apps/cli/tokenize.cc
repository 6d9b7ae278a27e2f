// decant tokenize: text to token ids, with what each stands for.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "core/utf8.h"
#include "models.h"
#include "prompt.h"
#include "record_json.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "tokenize",
    .summary = "text to token ids, and what each stands for",
    .usage = "[-m MODEL] -p TEXT | -f FILE | - [options]",
    .details =
        "On a terminal, a line a token: id and text. Into a pipe or a file, the ids on one line, as decant detokenize\n"
        "reads them; --ids and --lines choose. Nothing is added in front unless --bos asks: decant run adds the start\n"
        "token itself where the model wants one.\n"
        "Bytes without a token are left out and counted on standard error.",
    .example = "decant tokenize -p 'The sky is'\ndecant tokenize -p 'The sky is' | decant detokenize"};

enum class Listing : std::uint8_t { kIds, kLines };

std::string_view WordFor(TokenKind kind) {
  switch (kind) {
    case TokenKind::kNormal:
      return "normal";
    case TokenKind::kUnknown:
      return "unknown";
    case TokenKind::kControl:
      return "control";
    case TokenKind::kUserDefined:
      return "user_defined";
    case TokenKind::kUnused:
      return "unused";
    case TokenKind::kByte:
      return "byte";
  }
  return "";
}

void WriteJson(Session& session, const Model& model, const std::vector<TokenId>& tokens, std::size_t lost) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.tokenize/1");
  w.Key("model");
  w.String(model.description().name);
  w.Key("tokens");
  w.BeginArray();
  for (const TokenId id : tokens) {
    const std::string_view bytes = model.tokenizer()->Bytes(id);
    w.BeginObject();
    w.Key("id");
    w.Uint(id);
    w.Key("text");
    if (core::IsValidUtf8(bytes)) {
      w.String(bytes);
    } else {
      w.Null();
    }
    w.Key("bytes");
    w.BeginArray();
    for (const char byte : bytes) w.Uint(static_cast<unsigned char>(byte));
    w.EndArray();
    w.Key("kind");
    w.String(WordFor(model.tokenizer()->kind(id)));
    w.EndObject();
  }
  w.EndArray();
  w.Key("count");
  w.Uint(tokens.size());
  w.Key("bytes_without_token");
  w.Uint(lost);
  w.EndObject();
  session.WriteLine(w.text());
}

void WriteLines(Session& session, const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  const std::size_t width = std::to_string(tokenizer.vocabulary_size() - 1).size();
  const Paint paint = session.output_paint();
  for (const TokenId id : tokens) {
    const std::string text = QuotedBytes(tokenizer.Bytes(id));
    const bool is_special = tokenizer.kind(id) == TokenKind::kControl;
    session.WriteLine(fmt::format("{:>{}}  {}", id, width, is_special ? paint.Bold(text) + "  control" : text));
  }
}

Result<Listing> ReadListing(const Session& session, const CLI::Option* ids, const CLI::Option* lines) {
  DECANT_TRY(const bool wants_ids, IsOn(ids));
  DECANT_TRY(const bool wants_lines, IsOn(lines));
  if (wants_ids && wants_lines) {
    return Fail(ErrorCode::kConflict, "--ids and --lines exclude each other", {.subject = "--ids"});
  }
  return wants_lines || (!wants_ids && session.output_on_terminal()) ? Listing::kLines : Listing::kIds;
}

}  // namespace

Result<int> TokenizeCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const ModelFlags models(line);
  PromptFlags prompt(line, ChatFlags::kTextOnly);
  const CLI::Option* const special =
      line.Flag("tokens", "--special", "texts of special tokens become those tokens, as run reads a prompt (default)");
  const CLI::Option* const no_special =
      line.Flag("tokens", "--no-special", "texts of special tokens are text like any other, as chat reads a message");
  const CLI::Option* const bos = line.Flag("tokens", "--bos", "puts the model's start token in front");
  const CLI::Option* const ids = line.Flag("output", "--ids", "the ids on one line, separated by spaces");
  const CLI::Option* const lines = line.Flag("output", "--lines", "a line a token: id and text");
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  DECANT_TRY(const Listing listing, ReadListing(session, ids, lines));
  DECANT_TRY(const bool as_text, IsOn(no_special));
  DECANT_TRY(const bool as_special, IsOn(special));
  if (as_text && as_special) {
    return Fail(ErrorCode::kConflict, "--special and --no-special exclude each other", {.subject = "--special"});
  }
  DECANT_TRY(const bool wants_bos, IsOn(bos));
  DECANT_CHECKED(prompt.Read());

  DECANT_TRY(const auto model, models.Load());
  const Tokenizer* const tokenizer = model->tokenizer();
  const std::string& path = model->description().path;
  if (tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, path + " has no tokenizer", {.subject = path});
  }
  std::vector<TokenId> tokens = tokenizer->Encode(prompt.text(), as_text ? SpecialText::kAsText : SpecialText::kParse);
  const std::size_t lost = LostBytes(*tokenizer, prompt.text(), tokens);
  if (wants_bos) {
    const auto start = tokenizer->bos();
    if (!start.has_value()) {
      return Fail(ErrorCode::kUnsupportedTokenizer, path + " has no start token", {.subject = "--bos"});
    }
    tokens.insert(tokens.begin(), *start);
  }
  if (lost > 0) session.Note(LostBytesText(lost, "text"));
  if (format == OutputFormat::kJson) {
    WriteJson(session, *model, tokens, lost);
  } else if (listing == Listing::kLines) {
    WriteLines(session, *tokenizer, tokens);
  } else {
    session.WriteLine(fmt::format("{}", fmt::join(tokens, " ")));
  }
  return 0;
}

}  // namespace decant::cli
