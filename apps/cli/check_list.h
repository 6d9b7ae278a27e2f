// Checks and what came of them, for decant doctor and decant model verify: a line each, or JSON.
#ifndef DECANT_CLI_CHECK_LIST_H_
#define DECANT_CLI_CHECK_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "terminal.h"

namespace decant::cli {

enum class CheckStatus : std::uint8_t { kOk, kWarn, kFail };
std::string_view NameOf(CheckStatus status);  // "ok", "warn", "fail"

struct CheckLine {
  CheckStatus status;
  std::string name;
  std::string text;
  std::string hint = {};  // what to do; may be empty
};

std::string CheckText(const CheckLine& line, const Paint& paint);
// [{"status":…,"name":…,"text":…,"hint":…},…]
void WriteChecks(json::Writer& writer, const std::vector<CheckLine>& lines);
bool AnyFails(const std::vector<CheckLine>& lines);

}  // namespace decant::cli

#endif  // DECANT_CLI_CHECK_LIST_H_
