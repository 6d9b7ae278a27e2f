// The two forms of a list of checks.
#include "check_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "table.h"

namespace decant::cli {

std::string_view NameOf(CheckStatus status) {
  constexpr std::string_view kNames[] = {"ok", "warn", "fail"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string CheckText(const CheckLine& line, const Paint& paint) {
  const std::string status = fmt::format("{:<4}", NameOf(line.status));
  std::string text = line.status == CheckStatus::kFail ? paint.Red(status)
                     : line.status == CheckStatus::kOk ? status
                                                       : paint.Bold(status);
  text += fmt::format("  {:<12} {}\n", line.name, HarmlessText(line.text));
  if (!line.hint.empty()) text += fmt::format("{:19}{}\n", "", HarmlessText(line.hint));
  return text;
}

void WriteChecks(json::Writer& writer, const std::vector<CheckLine>& lines) {
  writer.BeginArray();
  for (const CheckLine& line : lines) {
    writer.BeginObject();
    writer.Key("status");
    writer.String(NameOf(line.status));
    writer.Key("name");
    writer.String(line.name);
    writer.Key("text");
    writer.String(line.text);
    if (!line.hint.empty()) {
      writer.Key("hint");
      writer.String(line.hint);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

bool AnyFails(const std::vector<CheckLine>& lines) {
  return std::ranges::any_of(lines, [](const CheckLine& line) { return line.status == CheckStatus::kFail; });
}

}  // namespace decant::cli
