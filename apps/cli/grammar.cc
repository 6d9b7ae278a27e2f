// decant grammar: what a constraint allows, without generating anything.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "constraint_walk.h"
#include "core/mapped_file.h"
#include "core/number_text.h"
#include "core/utf8.h"
#include "decant/parameters.h"
#include "decant/trace.h"
#include "environment.h"
#include "flags.h"
#include "json/writer.h"
#include "models.h"
#include "table.h"
#include "text_request.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "grammar",
    .summary = "a constraint without a model: check, mask, why, sample",
    .usage = "check | mask [--after TEXT] | why TEXT | sample [-n N]  --json-schema FILE | --regex R | --choice A ...",
    .details =
        "check   says whether the constraint can be kept to, and what its shortest text is\n"
        "mask    shows what may come after a text: bytes, or with -m the model's tokens\n"
        "why     names the first byte of a text that does not fit, and what could have stood there; exit code 0 for a\n"
        "        whole text, 6 for the beginning of one, 3 for what is neither\n"
        "sample  writes random texts that meet the constraint",
    .example =
        "decant grammar mask --regex '[0-9]{4}-[0-9]{2}' --after 2024\n"
        "decant grammar why --json-schema order.json -f answer.json\n"
        "decant grammar sample --regex '[a-z]+@[a-z]+\\.org' -n 3",
    .words = "check mask why sample"};

constexpr std::string_view kWords[] = {"check", "mask", "why", "sample"};

struct GrammarFlags {
  explicit GrammarFlags(CommandLine& line)
      : parameters(line, ParameterScope::kConstraint),
        model(line),
        after(line.Value("text", "--after", "TEXT", "mask: the text so far (default: none)")),
        file(line.Value("text", "-f,--file", "FILE", "why: a file with the text, byte for byte; - is standard input")),
        limit(line.Value("output", "--limit", "N", "mask: tokens to show, at most (default 16)")),
        texts(line, "sample"),
        output(AddOutput(line)) {
    line.AllowWords();
  }

  ParameterFlags parameters;
  ModelFlags model;
  CLI::Option *after, *file, *limit;
  TextFlags texts;
  CLI::Option* output;
};

std::string_view NameOf(ConstraintState state) {
  constexpr std::string_view kNames[] = {"open", "may_end", "must_end", "dead"};
  return kNames[static_cast<std::size_t>(state)];
}

bool MayEnd(ConstraintState state) { return state == ConstraintState::kMayEnd || state == ConstraintState::kMustEnd; }

void WriteKey(json::Writer& w, std::string_view key, const std::optional<std::string>& text) {
  w.Key(key);
  if (text.has_value()) {
    w.String(core::ToValidUtf8(*text));
  } else {
    w.Null();
  }
}

// What a place in a text is, as members of an object.
void WritePlace(json::Writer& w, const Constraint& constraint) {
  WriteKey(w, "state", std::string(NameOf(constraint.state())));
  WriteKey(w, "expected", constraint.Expected());
  WriteKey(w, "forced", constraint.ForcedBytes());
  WriteKey(w, "shortest_end", constraint.ShortestEnd());
  w.Key("proven");
  w.Bool(constraint.IsProven());
}

// The text so far, its tokens accepted. Nothing of it is left out: what does not fit is an error.
Result<void> AcceptText(Constraint& constraint, const Tokenizer* tokenizer, const std::string& text) {
  std::size_t done = 0;
  if (tokenizer == nullptr) {
    done = Follow(constraint, text);
  } else {
    for (const TokenId token : tokenizer->Encode(text, SpecialText::kAsText)) {
      if (!constraint.Accept(token).has_value()) break;
      done += tokenizer->Bytes(token).size();
    }
  }
  if (done == text.size()) return {};
  return Fail(ErrorCode::kConstraintViolated,
              fmt::format("--after {}: no text of the constraint begins so", core::Quoted(text)),
              {.subject = "--after", .hint = "decant grammar why says where it leaves the constraint"});
}

struct MaskView {
  const Constraint& constraint;
  const std::string& after;
  const Tokenizer* tokenizer;  // null = bytes
  std::string model;           // "" = bytes
  std::size_t vocabulary;
  std::vector<TokenId> allowed;
};

bool IsText(const MaskView& mask, TokenId token) {
  if (mask.tokenizer == nullptr) return token != kByteEnd;
  return token < mask.tokenizer->vocabulary_size() && mask.tokenizer->kind(token) != TokenKind::kControl;
}

void WriteMaskJson(Session& session, const MaskView& mask) {
  json::Writer w;
  w.BeginObject();
  WriteKey(w, "schema", "decant.grammar_mask/1");
  WriteKey(w, "model", mask.model.empty() ? std::nullopt : std::optional(mask.model));
  w.Key("vocabulary");
  w.Uint(mask.vocabulary);
  WriteKey(w, "after", mask.after);
  w.Key("allowed");
  w.Uint(mask.allowed.size());
  WritePlace(w, mask.constraint);
  w.Key("tokens");
  w.BeginArray();
  for (const TokenId token : mask.allowed) w.Uint(token);
  w.EndArray();
  w.EndObject();
  session.WriteLine(w.text());
}

std::string FirstBytes(const MaskView& mask) {
  std::vector<unsigned char> bytes;
  for (const TokenId token : mask.allowed) {
    if (!IsText(mask, token)) continue;
    const bool is_byte = mask.tokenizer == nullptr;
    const std::string_view text = is_byte ? std::string_view() : mask.tokenizer->Bytes(token);
    if (is_byte || !text.empty())
      bytes.push_back(static_cast<unsigned char>(is_byte ? token : static_cast<unsigned char>(text[0])));
  }
  std::ranges::sort(bytes);
  const auto rest = std::ranges::unique(bytes);
  bytes.erase(rest.begin(), rest.end());
  return ByteRanges(bytes);
}

void WriteMaskText(Session& session, const MaskView& mask, std::size_t limit) {
  const bool is_bytes = mask.tokenizer == nullptr;
  const auto texts = static_cast<std::size_t>(
      std::ranges::count_if(mask.allowed, [&mask](TokenId token) { return IsText(mask, token); }));
  session.WriteLine(fmt::format("{} of {} {} may come after {}", texts, mask.vocabulary, is_bytes ? "bytes" : "tokens",
                                VisibleText(mask.after, 60)));
  const ConstraintState state = mask.constraint.state();
  session.WriteLine(state == ConstraintState::kMustEnd ? "the text must end here"
                    : MayEnd(state)                    ? "the text may end here"
                                                       : "the text may not end here");
  if (const std::string first = FirstBytes(mask); !first.empty()) {
    session.WriteLine((is_bytes ? "bytes: " : "first bytes: ") + first);
  }
  if (const std::string what = mask.constraint.Expected(); !what.empty())
    session.WriteLine("expected: " + HarmlessText(what));
  if (const std::string forced = mask.constraint.ForcedBytes(); !forced.empty()) {
    session.WriteLine("must come: " + VisibleText(forced, 60));
  }
  if (const auto end = mask.constraint.ShortestEnd(); end.has_value() && !end->empty()) {
    session.WriteLine("shortest end: " + VisibleText(*end, 60));
  }
  if (is_bytes || limit == 0) return;
  Table table({Align::kRight, Align::kLeft});
  std::size_t shown = 0;
  for (const TokenId token : mask.allowed) {
    if (!IsText(mask, token) || shown == limit) continue;
    table.Add({std::to_string(token), QuotedBytes(mask.tokenizer->Bytes(token))});
    ++shown;
  }
  session.Write(table.Text("  "));
  if (texts > shown) session.WriteLine(fmt::format("  … and {} more (--limit N)", texts - shown));
}

Result<int> Check(Session& session, const Grammar& grammar, OutputFormat format) {
  const auto constraint = grammar.Start();
  const auto shortest = constraint->ShortestEnd();
  if (format == OutputFormat::kJson) {
    json::Writer w;
    w.BeginObject();
    WriteKey(w, "schema", "decant.grammar_check/1");
    w.Key("ok");
    w.Bool(true);
    WriteKey(w, "shortest", shortest);
    w.Key("unenforced");
    w.BeginArray();
    for (const std::string& part : grammar.unenforced()) w.String(part);
    w.EndArray();
    w.EndObject();
    session.WriteLine(w.text());
    return 0;
  }
  session.WriteLine(grammar.unenforced().empty() ? "ok" : "ok, but not all of it is enforced:");
  for (const std::string& part : grammar.unenforced()) session.WriteLine("  " + HarmlessText(part));
  if (shortest.has_value()) session.WriteLine("shortest text: " + VisibleText(*shortest, 60));
  return 0;
}

// Where a text leaves the constraint, or how far it came.
struct Finding {
  std::string text;
  std::size_t fits = 0;  // bytes
  ConstraintState state = ConstraintState::kOpen;
  std::string expected;
  std::vector<unsigned char> instead;  // bytes that could stand there
  std::optional<std::string> shortest_end;
};

Finding Examine(const Grammar& grammar, std::string text) {
  const auto constraint = grammar.Start();
  Finding found;
  found.text = std::move(text);
  found.fits = Follow(*constraint, found.text);
  found.state = constraint->state();
  found.expected = constraint->Expected();
  found.shortest_end = constraint->ShortestEnd();
  for (const TokenId token : AllowedTokens(*constraint, grammar.row_length())) {
    if (token != kByteEnd) found.instead.push_back(static_cast<unsigned char>(token));
  }
  return found;
}

std::string_view VerdictOf(const Finding& found) {
  if (found.fits < found.text.size()) return "refused";
  return MayEnd(found.state) ? "complete" : "incomplete";
}

void WriteWhyJson(Session& session, const Finding& found) {
  json::Writer w;
  w.BeginObject();
  WriteKey(w, "schema", "decant.grammar_why/1");
  WriteKey(w, "verdict", std::string(VerdictOf(found)));
  const Position at = PlaceIn(found.text, found.fits);
  const std::pair<std::string_view, std::uint64_t> numbers[] = {
      {"bytes", found.text.size()}, {"offset", at.offset}, {"line", at.line}, {"column", at.column}};
  for (const auto& [key, number] : numbers) {
    w.Key(key);
    w.Uint(number);
  }
  w.Key("byte");
  if (found.fits < found.text.size()) {
    w.Uint(static_cast<unsigned char>(found.text[found.fits]));
  } else {
    w.Null();
  }
  WriteKey(w, "state", std::string(NameOf(found.state)));
  WriteKey(w, "expected", found.expected);
  w.Key("bytes_allowed");
  w.BeginArray();
  for (const unsigned char byte : found.instead) w.Uint(byte);
  w.EndArray();
  WriteKey(w, "shortest_end", found.shortest_end);
  w.EndObject();
  session.WriteLine(w.text());
}

void WriteWhyText(Session& session, const Finding& found) {
  const bool is_refused = found.fits < found.text.size();
  const Position at = PlaceIn(found.text, found.fits);
  if (is_refused) {
    const std::size_t length = core::DecodeUtf8(std::string_view(found.text).substr(found.fits)).length;
    session.WriteLine(fmt::format("byte {} does not fit: {} (line {}, column {})", found.fits + 1,
                                  QuotedBytes(std::string_view(found.text).substr(found.fits, length)), at.line,
                                  at.column));
    session.WriteLine(Excerpt(found.text, at));
  } else if (MayEnd(found.state)) {
    session.WriteLine(found.state == ConstraintState::kMustEnd ? "the text is whole, and nothing may follow"
                                                               : "the text is whole; more may follow");
  } else {
    session.WriteLine(fmt::format("the text is not whole: its {} bytes fit, and more must follow", found.text.size()));
  }
  if (found.state == ConstraintState::kMustEnd) {
    if (is_refused) session.WriteLine("expected there: the end of the text");
    return;
  }
  const std::string may_end = MayEnd(found.state) ? ", or the end of the text" : "";
  if (!found.expected.empty())
    session.WriteLine((is_refused ? "expected there: " : "next: ") + HarmlessText(found.expected) + may_end);
  session.WriteLine("bytes that may come: " + ByteRanges(found.instead));
  if (!MayEnd(found.state) && found.shortest_end.has_value()) {
    session.WriteLine("shortest end: " + VisibleText(*found.shortest_end, 60));
  }
}

Result<int> Why(Session& session, const Grammar& grammar, std::string text, OutputFormat format) {
  const Finding found = Examine(grammar, std::move(text));
  if (format == OutputFormat::kJson) {
    WriteWhyJson(session, found);
  } else {
    WriteWhyText(session, found);
  }
  if (found.fits < found.text.size()) return RowOf(ErrorCode::kConstraintViolated).exit_code;
  return MayEnd(found.state) ? 0 : kExitIncomplete;
}

Result<std::string> TextOfWhy(const CommandLine& line, const GrammarFlags& flags) {
  DECANT_TRY(const auto path, TextOf(flags.file));
  const bool has_word = line.words().size() == 2;
  if (has_word == path.has_value()) {
    return UsageError("grammar why takes one text", "decant grammar why TEXT, or -f FILE, or -f - for standard input");
  }
  if (has_word) return line.words()[1];
  return core::ReadFile(*path);
}

Result<int> Mask(Session& session, const GrammarFlags& flags, const ParameterSet& parameters, OutputFormat format) {
  DECANT_TRY(const auto given, TextOf(flags.after));
  DECANT_TRY(const auto limit, CountOf(flags.limit, {}));
  const std::string after = given.value_or("");
  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintVocabulary> vocabulary;
  if (flags.model.IsGiven()) {
    DECANT_TRY(model, flags.model.Load());
    DECANT_TRY(vocabulary, MakeConstraintVocabulary(*model, parameters));
  } else {
    DECANT_TRY(vocabulary, ByteVocabulary());
  }
  DECANT_TRY(const auto grammar, CompileConstraint(vocabulary, parameters));
  const Tokenizer* const tokenizer = model == nullptr ? nullptr : model->tokenizer();
  const auto constraint = grammar->Start();
  DECANT_CHECKED(AcceptText(*constraint, tokenizer, after));
  const MaskView mask{.constraint = *constraint,
                      .after = after,
                      .tokenizer = tokenizer,
                      .model = model == nullptr ? "" : model->description().name,
                      .vocabulary = model == nullptr ? 256 : grammar->row_length(),
                      .allowed = AllowedTokens(*constraint, grammar->row_length())};
  if (format == OutputFormat::kJson) {
    WriteMaskJson(session, mask);
  } else {
    WriteMaskText(session, mask, limit.value_or(16));
  }
  return 0;
}

// Flags that the subcommand does not have.
Result<void> CheckFlags(const CommandLine& line, const GrammarFlags& flags, const std::string& word) {
  const std::pair<const CLI::Option*, std::string_view> owners[] = {
      {flags.after, "mask"},         {flags.file, "why"},          {flags.limit, "mask"},
      {flags.texts.count, "sample"}, {flags.texts.seed, "sample"}, {flags.texts.most_bytes, "sample"}};
  for (const auto& [option, owner] : owners) {
    if (!IsGiven(option) || owner == word) continue;
    return UsageError("option " + LongNameOf(option) + " has no effect in grammar " + word,
                      "grammar " + std::string(owner) + " has it");
  }
  if (flags.model.IsGiven() && word != "mask") {
    return UsageError("option -m has no effect in grammar " + word, "grammar mask has it");
  }
  if (word != "why" && line.words().size() > 1) {
    return UsageError("grammar " + word + " takes no more words; this is \"" + line.words()[1] + "\"");
  }
  return {};
}

}  // namespace

Result<int> GrammarCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const GrammarFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  const std::string word = line.words().empty() ? "" : line.words().front();
  if (std::ranges::find(kWords, word) == std::end(kWords)) {
    const auto close = core::Closest(word, kWords);
    return UsageError("grammar takes one of check, mask, why, sample",
                      close.has_value() ? "did you mean decant grammar " + *close + "?" : "");
  }
  DECANT_CHECKED(CheckFlags(line, flags, word));
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const auto request, TextRequestOf(flags.texts));
  DECANT_TRY(const ParameterSet parameters, flags.parameters.Collect(Environment));
  DECANT_CHECKED(CheckConstraint(parameters));
  if (!HasConstraint(parameters)) {
    return UsageError("there is no constraint", "give one of --json-schema FILE, --regex R, --choice A --choice B");
  }
  if (word == "mask") return Mask(session, flags, parameters, format);
  std::string text;
  if (word == "why") {
    DECANT_TRY(text, TextOfWhy(line, flags));
  }
  DECANT_TRY(const auto vocabulary, ByteVocabulary());
  DECANT_TRY(const auto grammar, CompileConstraint(vocabulary, parameters));
  if (word == "why") return Why(session, *grammar, std::move(text), format);
  if (word == "sample") return WriteTexts(session, *grammar, request, format, "decant.grammar_sample/1");
  return Check(session, *grammar, format);
}

}  // namespace decant::cli
