// decant doctor: can this machine run decant, and if not, why not.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cfloat>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "check_list.h"
#include "command_line.h"
#include "commands.h"
#include "config.h"
#include "core/number_text.h"
#include "core/philox.h"
#include "core/sha256.h"
#include "decant/reference.h"
#include "decant/runtime.h"
#include "decant/sampler.h"
#include "decant/version.h"
#include "environment.h"
#include "known_models.h"
#include "models.h"
#include "process.h"
#include "signals.h"

namespace decant::cli {
namespace {

// Of logits 0 1 1 2 at temperature 0.8, top_k 3, seed 3, position 0.
constexpr TokenId kNativeToken = 1;

constexpr CommandText kText = {
    .name = "doctor",
    .summary = "can this machine run decant, and if not, why not",
    .usage = "[--output text|json]",
    .details =
        "A line for each check: ok, warn (decant runs, with a limit that the line names) or\n"
        "fail, and what to do. The exit code is 1 when something fails.",
    .example = "decant doctor"};

class Checks {
 public:
  void Ok(std::string name, std::string text) { Add({CheckStatus::kOk, std::move(name), std::move(text)}); }
  void Warn(std::string name, std::string text, std::string hint) {
    Add({CheckStatus::kWarn, std::move(name), std::move(text), std::move(hint)});
  }
  void Fail(std::string name, std::string text, std::string hint) {
    Add({CheckStatus::kFail, std::move(name), std::move(text), std::move(hint)});
  }
  const std::vector<CheckLine>& lines() const { return lines_; }

 private:
  void Add(CheckLine line) { lines_.push_back(std::move(line)); }
  std::vector<CheckLine> lines_;
};

void CheckProgram(Checks& checks) {
  const auto version = VersionText();
  std::string text = fmt::format("decant {}, {}", kVersion, kNumerics);
  if (version.has_value()) {
    const std::size_t compiler = version->find("\ncompiler ");
    if (compiler != std::string::npos) {
      const std::size_t begin = compiler + 10;
      text += ", " + version->substr(begin, version->find('\n', begin) - begin);
    }
  }
  checks.Ok("program", text);
  std::string levels;
  for (const std::string_view level : SimdLevels()) levels += (levels.empty() ? "" : ", ") + std::string(level);
  const auto chosen = SimdLevel();
  if (!chosen.has_value()) {
    checks.Fail("cpu", chosen.error().message, "unset DECANT_SIMD, or set it to one of " + levels);
    return;
  }
  const unsigned cores = std::thread::hardware_concurrency();
  const std::string text_of_cpu = fmt::format("{} of {}; {} core{}", *chosen, levels, cores, cores == 1 ? "" : "s");
  if (*chosen == "scalar" && SimdLevels().size() == 1) {
    checks.Warn("cpu", text_of_cpu,
                "results are the same, but slow: this machine has no instruction set that decant uses");
  } else {
    checks.Ok("cpu", text_of_cpu);
  }
}

// What every result rests on: round to nearest, and tiny numbers that stay what they are.
void CheckArithmetic(Checks& checks) {
  if (std::fegetround() != FE_TONEAREST) {
    checks.Fail("rounding", "the processor does not round to nearest",
                "something that is loaded into the program changes the rounding: look at LD_PRELOAD");
    return;
  }
  volatile double small = DBL_MIN;
  volatile float small32 = FLT_MIN;
  volatile double denormal = std::numeric_limits<double>::denorm_min();
  const volatile double half = small / 2, kept = denormal * 1;
  const volatile float half32 = small32 / 2;
  if (half == 0 || half32 == 0 || kept == 0) {
    checks.Fail("rounding", "the processor flushes tiny numbers to zero",
                "something that is loaded into the program switches that on: look at LD_PRELOAD");
    return;
  }
  checks.Ok("rounding", "to nearest, tiny numbers kept");
}

std::string Megabytes(std::uint64_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6); }

// The number in the first line of a file that starts with `key`, in bytes.
std::optional<std::uint64_t> NumberIn(const char* path, std::string_view key, std::uint64_t unit) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_of("0123456789", key.size());
    if (begin == std::string::npos) return std::nullopt;
    const std::size_t end = std::min(line.find_first_not_of("0123456789", begin), line.size());
    const auto number = core::ParseUint64(std::string_view(line).substr(begin, end - begin));
    return number.has_value() ? std::optional(*number * unit) : std::nullopt;
  }
  return std::nullopt;
}

// What may still be taken: the machine's, or less where a control group says so.
std::optional<std::uint64_t> MemoryAvailable() {
  auto available = NumberIn("/proc/meminfo", "MemAvailable:", 1024);
  const auto limit = NumberIn("/sys/fs/cgroup/memory.max", "", 1);
  const auto used = NumberIn("/sys/fs/cgroup/memory.current", "", 1);
  if (limit.has_value() && used.has_value()) {
    const std::uint64_t left = *limit > *used ? *limit - *used : 0;
    available = std::min(available.value_or(left), left);
  }
  return available;
}

std::uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

void CheckMemory(Checks& checks, const std::vector<std::string>& models) {
  const auto available = MemoryAvailable();
  if (!available.has_value()) {
    checks.Warn("memory", "this system does not say how much is available", "");
    return;
  }
  std::uint64_t largest = 0;
  std::string name;
  for (const std::string& path : models) {
    if (SizeOf(path) <= largest) continue;
    largest = SizeOf(path);
    name = std::filesystem::path(path).filename().string();
  }
  // The weights once as the file has them and once as the kernels want them.
  if (2 * largest > *available) {
    checks.Warn("memory",
                fmt::format("{} available; {} may need {}", Megabytes(*available), name, Megabytes(2 * largest)),
                "end other programs, or use a smaller model");
  } else {
    checks.Ok("memory", Megabytes(*available) + " available");
  }
}

// kCancelled by Ctrl-C.
Result<void> CheckModels(Checks& checks, const std::vector<std::string>& models) {
  for (const std::string& folder : ModelFolders()) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) continue;
    const std::vector<std::string> here = ListModels({folder});
    std::string names;
    for (const std::string& path : here) {
      names += (names.empty() ? "" : ", ") + std::filesystem::path(path).filename().string();
    }
    checks.Ok("models", folder + ": " + (names.empty() ? "none" : names));
  }
  bool any_default = false;
  for (const std::string& path : models) {
    const KnownModel* const known = FindKnownModel(std::filesystem::path(path).filename().string());
    if (known == nullptr) continue;
    any_default = true;
    const auto headers = DescribeModelFile(path);
    const InterruptScope interrupt;
    const auto sha256 = Sha256OfFile(path, interrupt.token());
    if (!sha256.has_value() && sha256.error().code == ErrorCode::kCancelled) return std::unexpected(sha256.error());
    const std::string alias(known->alias);
    if (!headers.has_value()) {
      checks.Fail("model", headers.error().message, "move it away, then: decant model get " + alias);
    } else if (!sha256.has_value()) {
      checks.Fail("model", sha256.error().message, "");
    } else if (*sha256 != known->sha256) {
      checks.Fail("model", path + " is not the expected file: its SHA-256 is " + *sha256,
                  "move it away, then: decant model get " + alias);
    } else {
      checks.Ok("model", path + " is " + alias + " (SHA-256 checked)");
    }
  }
  if (models.empty()) {
    checks.Warn("model", "there is none", "decant model get " + std::string(KnownModels().front().alias));
  } else if (!any_default) {
    checks.Ok("model", "the default one is not there; others are");
  }
  return {};
}

void CheckConfig(Checks& checks) {
  const std::string user = FindUserConfig(Environment), project = FindProjectConfig();
  const auto check = [&checks](const std::string& path, const std::string& whose) {
    const auto file = ReadConfigFile(path);
    if (!file.has_value()) {
      checks.Fail("config", file.error().message, file.error().hint);
      return;
    }
    for (const Command& command : Commands()) {
      const auto set = file->Parameters(command.name, ParameterSource::kProjectFile);
      if (set.has_value()) continue;
      checks.Fail("config", set.error().message, set.error().hint);
      return;
    }
    checks.Ok("config", path + " (" + whose + ") is valid");
  };
  if (!user.empty()) check(user, "yours");
  if (!project.empty()) check(project, "the project's");
  if (user.empty() && project.empty()) checks.Ok("config", "no decant.toml, and none is needed");
}

void CheckTerminal(Checks& checks, const Session& session) {
  std::string locale = Environment("LC_ALL");
  if (locale.empty()) locale = Environment("LC_CTYPE");
  if (locale.empty()) locale = Environment("LANG");
  std::string upper = locale;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const bool is_utf8 = upper.contains("UTF-8") || upper.contains("UTF8");
  const std::string where =
      session.output_on_terminal()
          ? fmt::format("a terminal ({})", Environment("TERM").empty() ? "TERM not set" : Environment("TERM"))
          : "standard output is no terminal";
  const std::string color = session.output_paint().Bold("").empty() ? "no color" : "color";
  if (!is_utf8) {
    checks.Warn("terminal",
                where + ", " + color + "; the locale is " + (locale.empty() ? "not set" : locale) + ", not UTF-8",
                "decant writes UTF-8: set LC_ALL=C.UTF-8");
  } else {
    checks.Ok("terminal", where + ", UTF-8, " + color);
  }
}

void CheckTools(Checks& checks) {
  const std::string curl = FindProgram("curl");
  std::string python = FindProgram("python3");
  if (!python.empty()) {
    const auto code =
        RunProgram({.path = python, .arguments = {"-m", "pip", "--version"}, .output = ProgramOutput::kDiscarded});
    if (!code.has_value() || *code != 0) python.clear();
  }
  std::string have, lack, install;
  const auto tell = [&](const std::string& path, const std::string& name, const std::string& package) {
    std::string& list = path.empty() ? lack : have;
    list += (list.empty() ? "" : ", ") + (path.empty() ? name : name + " (" + path + ")");
    if (path.empty()) install += " " + package;
  };
  tell(curl, "curl", "curl");
  tell(python, "pip", "python3-pip");
  if (lack.empty()) {
    checks.Ok("download", have);
  } else {
    checks.Warn("download", "no " + lack + (have.empty() ? "" : "; there is " + have),
                "decant model get uses them; on Debian: apt-get install" + install);
  }
}

// Known answers, of the parts that decide a token.
void CheckSelf(Checks& checks) {
  std::string wrong;
  const auto expect = [&wrong](bool holds, std::string_view what) {
    if (!holds) wrong += (wrong.empty() ? "" : ", ") + std::string(what);
  };
  const std::array<std::uint32_t, 4> words = core::Philox4x32({0, 0, 0, 0}, {0, 0});
  expect(words == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, "philox4x32-10");
  expect(core::Sha256Hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "sha-256");

  const double logits[] = {0, 1, 1, 2};
  reference::SplitMix64 rng(36);
  std::vector<TokenId> tokens;
  for (int i = 0; i < 8; ++i) {
    const auto one = reference::SampleNext(logits, reference::TemperatureTopK{.temperature = 1, .top_k = 3}, rng);
    if (one.has_value()) tokens.push_back(one->token);
  }
  expect(tokens == std::vector<TokenId>{3, 2, 2, 2, 3, 3, 3, 3}, "preset reference");
  const auto distribution = reference::DistributionOf(logits, reference::TemperatureTopK{.temperature = 1, .top_k = 3});
  expect(distribution.has_value() && core::FixedText(distribution->candidates[3].probability, 12) == "0.576116884766",
         "its probabilities");

  const float row[] = {0, 1, 1, 2};
  const auto sampler =
      MakeSampler({{StageId::kTemperature, TemperatureParams{0.8}}, {StageId::kTopK, TopKParams{3}}}, 4, {});
  SamplerState state({.seed = 3});
  const auto samples_token = [&] {
    const auto choice = (*sampler)->Sample(RowView::F32(row), state, nullptr);
    return choice.has_value() && choice->token == kNativeToken;
  };
  expect(sampler.has_value() && samples_token(), "preset native");
  if (wrong.empty()) {
    checks.Ok("self-test", "known answers of philox4x32-10, sha-256, presets native and reference");
  } else {
    checks.Fail("self-test", "wrong: " + wrong, "this build is broken: build it anew, with the flags of the presets");
  }
}

}  // namespace

Result<int> DoctorCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  const std::vector<std::string> models = ListModels(ModelFolders());
  Checks checks;
  CheckProgram(checks);
  CheckArithmetic(checks);
  CheckSelf(checks);
  CheckMemory(checks, models);
  DECANT_CHECKED(CheckModels(checks, models));
  CheckConfig(checks);
  CheckTerminal(checks, session);
  CheckTools(checks);
  const bool fails = AnyFails(checks.lines());
  if (format == OutputFormat::kJson) {
    json::Writer w;
    w.BeginObject();
    w.Key("schema");
    w.String("decant.doctor/1");
    w.Key("ok");
    w.Bool(!fails);
    w.Key("checks");
    WriteChecks(w, checks.lines());
    w.EndObject();
    session.WriteLine(w.text());
  } else {
    for (const CheckLine& check : checks.lines()) session.Write(CheckText(check, session.output_paint()));
  }
  return fails ? 1 : 0;
}

}  // namespace decant::cli
