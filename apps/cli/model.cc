// decant model: which models there are, and what one of them is.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.h"
#include "core/number_text.h"
#include "json/writer.h"
#include "models.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {.name = "model",
                               .summary = "the models there are (list), and what one is (show)",
                               .usage = "list | show [-m MODEL] [--output text|json]",
                               .details =
                                   "Folders: $DECANT_MODELS (separated by colons), ./models, and decant/models in\n"
                                   "$XDG_DATA_HOME (else ~/.local/share).",
                               .example = "decant model list\ndecant model show"};

std::uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

int List(Session& session, OutputFormat format) {
  const std::vector<std::string> folders = ModelFolders();
  const std::vector<std::string> paths = ListModels(folders);
  if (format == OutputFormat::kJson) {
    json::Writer w;
    w.BeginObject();
    w.Key("schema");
    w.String("decant.model_list/1");
    w.Key("folders");
    w.BeginArray();
    for (const std::string& folder : folders) w.String(folder);
    w.EndArray();
    w.Key("models");
    w.BeginArray();
    for (const std::string& path : paths) {
      w.BeginObject();
      w.Key("path");
      w.String(path);
      w.Key("bytes");
      w.Uint(SizeOf(path));
      w.EndObject();
    }
    w.EndArray();
    w.EndObject();
    session.WriteLine(w.text());
    return 0;
  }
  Table table({Align::kLeft, Align::kRight, Align::kLeft});
  for (const std::string& path : paths) {
    table.Add({HarmlessText(std::filesystem::path(path).stem().string()),
               fmt::format("{:.1f} MB", static_cast<double>(SizeOf(path)) / 1e6), HarmlessText(path)});
  }
  session.Write(table.Text(""));
  if (paths.empty()) session.Note(fmt::format("no models in {}", fmt::join(folders, ", ")));
  return 0;
}

Result<int> Show(Session& session, OutputFormat format, const Model& model) {
  const ModelDescription& about = model.description();
  DECANT_TRY(const std::string sha256, model.Sha256());
  const std::pair<std::string_view, std::string> texts[] = {{"name", about.name},
                                                            {"path", about.path},
                                                            {"architecture", about.architecture},
                                                            {"format", about.format},
                                                            {"weights", about.weights},
                                                            {"tokenizer", about.tokenizer},
                                                            {"chat_template", about.chat_template},
                                                            {"default_system", about.default_system},
                                                            {"sha256", sha256}};
  const std::pair<std::string_view, std::uint64_t> numbers[] = {
      {"file_bytes", about.file_bytes},     {"parameters", about.parameters}, {"vocabulary", about.vocabulary},
      {"context", about.context},           {"layers", about.layers},         {"width", about.width},
      {"feed_forward", about.feed_forward}, {"heads", about.heads},           {"kv_heads", about.kv_heads},
      {"head_width", about.head_width}};
  if (format == OutputFormat::kJson) {
    json::Writer w;
    w.BeginObject();
    w.Key("schema");
    w.String("decant.model/1");
    for (const auto& [key, text] : texts) {
      w.Key(key);
      w.String(text);
    }
    for (const auto& [key, number] : numbers) {
      w.Key(key);
      w.Uint(number);
    }
    w.EndObject();
    session.WriteLine(w.text());
    return 0;
  }
  Table table({Align::kLeft, Align::kLeft});
  for (const auto& [key, text] : texts) {
    table.Add({std::string(key), key == "default_system" ? VisibleText(text, 90)
                                 : text.empty()          ? "-"
                                                         : HarmlessText(text)});
  }
  for (const auto& [key, number] : numbers) table.Add({std::string(key), std::to_string(number)});
  session.Write(table.Text(""));
  return 0;
}

}  // namespace

Result<int> ModelCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  const ModelFlags flags(line);
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  constexpr std::string_view kWords[] = {"list", "show"};
  const std::string word = line.words().empty() ? "" : line.words().front();
  if (line.words().size() != 1 || (word != "list" && word != "show")) {
    const auto close = core::Closest(word, kWords);
    if (word == "show" || word == "list") {
      return UsageError("model " + word + " takes no more words; this is \"" + line.words()[1] + "\"",
                        word == "show" ? "the model goes with -m: decant model show -m " + line.words()[1] : "");
    }
    return UsageError("model takes one of list, show",
                      close.has_value() ? "did you mean decant model " + *close + "?" : "");
  }
  if (word == "list") return List(session, format);
  DECANT_TRY(const auto model, flags.Load());
  return Show(session, format, *model);
}

}  // namespace decant::cli
