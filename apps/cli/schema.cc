// decant schema: whether a JSON Schema can be kept to while text is generated, what of it cannot, and texts that it
// accepts.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "constraint_walk.h"
#include "core/check.h"
#include "core/number_text.h"
#include "decant/parameters.h"
#include "environment.h"
#include "flags.h"
#include "json/writer.h"
#include "schema_text.h"
#include "table.h"
#include "text_request.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "schema",
    .summary = "a JSON Schema as a constraint: check, unsupported, example",
    .usage = "check | unsupported | example [-n N]  FILE | JSON | -",
    .details =
        "check        says whether every part of the schema can be enforced, or what is wrong with it\n"
        "unsupported  lists the parts that cannot be enforced, \"path: keyword\" a line; exit code 3 when there are "
        "any\n"
        "example      writes random texts that the schema accepts; without --whitespace as if it were spaced",
    .example =
        "decant schema check order.json\n"
        "decant schema example '{\"type\":\"integer\",\"multipleOf\":7}' -n 5",
    .words = "check unsupported example"};

constexpr std::string_view kWords[] = {"check", "unsupported", "example"};

// A schema and how to read it.
struct SchemaSource {
  std::string name;  // of the file; "the schema" for a text
  ParameterSet parameters;

  std::string text() const { return parameters.Get<std::string>("json_schema").value_or(""); }
};

void Set(ParameterSet& parameters, std::string_view name, ParameterValue value) {
  const auto spec = FindParameter(name);
  DECANT_CHECK(spec.has_value());
  DECANT_CHECK(parameters.Set(**spec, std::move(value), ParameterSource::kRequest).has_value());
}

Result<SchemaSource> ReadSource(const ParameterFlags& flags, const std::string& given) {
  SchemaSource source;
  source.name = IsSchemaText(given) ? "the schema" : given == "-" ? "standard input" : given;
  DECANT_TRY(source.parameters, flags.Collect(Environment));
  DECANT_TRY(std::string text, SchemaTextOf(given));
  Set(source.parameters, "json_schema", std::move(text));
  return source;
}

Result<std::shared_ptr<const Grammar>> Compile(const SchemaSource& source) {
  DECANT_TRY(const auto vocabulary, ByteVocabulary());
  auto grammar = CompileConstraint(vocabulary, source.parameters);
  if (grammar.has_value()) return grammar;
  Error error = std::move(grammar).error();
  error.message = source.name + ": " + error.message;
  return std::unexpected(std::move(error));
}

// What cannot be enforced, whether or not the user lets it be left out. Other faults are errors.
Result<std::vector<std::string>> UnenforcedParts(SchemaSource source) {
  Set(source.parameters, "allow_unenforced", true);
  DECANT_TRY(const auto grammar, Compile(source));
  return std::vector<std::string>(grammar->unenforced().begin(), grammar->unenforced().end());
}

void WriteJson(Session& session, const SchemaSource& source, const std::vector<std::string>& parts) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.schema_check/1");
  w.Key("name");
  w.String(source.name);
  w.Key("ok");
  w.Bool(parts.empty());
  w.Key("unenforced");
  w.BeginArray();
  for (const std::string& part : parts) w.String(part);
  w.EndArray();
  w.EndObject();
  session.WriteLine(w.text());
}

Result<int> Check(Session& session, const SchemaSource& source, OutputFormat format) {
  DECANT_TRY(const auto parts, UnenforcedParts(source));
  const bool lets = source.parameters.Get<bool>("allow_unenforced").value_or(false);
  const int fault = parts.empty() || lets ? 0 : RowOf(ErrorCode::kUnenforceable).exit_code;
  if (format == OutputFormat::kJson) {
    WriteJson(session, source, parts);
    return fault;
  }
  const std::string name = HarmlessText(source.name);
  if (parts.empty()) {
    session.WriteLine(name + ": ok, all of it can be enforced");
    return 0;
  }
  session.WriteLine(fmt::format("{}: {} part{} cannot be enforced while text is generated", name, parts.size(),
                                parts.size() == 1 ? "" : "s"));
  for (const std::string& part : parts) session.WriteLine("  " + HarmlessText(part));
  if (!lets) session.WriteLine("decant run would refuse it; --allow-unenforced leaves these out, and says so");
  return fault;
}

Result<int> Unsupported(Session& session, const SchemaSource& source, OutputFormat format) {
  DECANT_TRY(const auto parts, UnenforcedParts(source));
  if (format == OutputFormat::kJson) {
    WriteJson(session, source, parts);
  } else {
    for (const std::string& part : parts) session.WriteLine(HarmlessText(part));
  }
  return parts.empty() ? 0 : RowOf(ErrorCode::kUnenforceable).exit_code;
}

Result<int> Example(Session& session, SchemaSource source, const TextRequest& request, OutputFormat format) {
  if (source.parameters.Find("whitespace") == nullptr) Set(source.parameters, "whitespace", std::string("spaced"));
  DECANT_TRY(const auto grammar, Compile(source));
  return WriteTexts(session, *grammar, request, format, "decant.schema_example/1");
}

}  // namespace

Result<int> SchemaCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  const ParameterFlags parameters(line, ParameterScope::kSchemaOptions);
  const TextFlags texts(line, "example");
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  const std::string word = line.words().empty() ? "" : line.words().front();
  if (std::ranges::find(kWords, word) == std::end(kWords)) {
    const auto close = core::Closest(word, kWords);
    return UsageError("schema takes one of check, unsupported, example",
                      close.has_value() ? "did you mean decant schema " + *close + "?" : "");
  }
  if (line.words().size() != 2) {
    return UsageError("schema " + word + " takes one schema",
                      "decant schema " + word + " FILE, or JSON, or - for standard input");
  }
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  DECANT_TRY(const TextRequest request, TextRequestOf(texts));
  for (const CLI::Option* const option : {texts.count, texts.seed, texts.most_bytes}) {
    if (!IsGiven(option) || word == "example") continue;
    return UsageError("option " + LongNameOf(option) + " has no effect in schema " + word);
  }
  DECANT_TRY(SchemaSource source, ReadSource(parameters, line.words()[1]));
  // The flags beside it are checked with the schema there.
  DECANT_CHECKED(CheckConstraint(source.parameters));
  if (word == "check") return Check(session, source, format);
  if (word == "unsupported") return Unsupported(session, source, format);
  return Example(session, std::move(source), request, format);
}

}  // namespace decant::cli
