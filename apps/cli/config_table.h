// What --explain-config says: each value, where it comes from, and what it stands instead of.
#ifndef DECANT_CLI_CONFIG_TABLE_H_
#define DECANT_CLI_CONFIG_TABLE_H_

#include <span>
#include <string>
#include <vector>

#include "config.h"
#include "flags.h"

namespace decant::cli {

struct ExplainedRow {
  std::string name;
  const ParameterSpec* spec;      // null: preset, model, threads, context
  std::vector<GivenValue> given;  // highest precedence first: the first holds
};

struct ConfigExplanation {
  std::string command = {};
  std::span<const ConfigLayer> layers = {};
  std::vector<ExplainedRow> rows = {};
};

std::string ConfigTable(const ConfigExplanation& explanation);
// A decant.config/1 object and a newline.
std::string ConfigJson(const ConfigExplanation& explanation);

}  // namespace decant::cli

#endif  // DECANT_CLI_CONFIG_TABLE_H_
