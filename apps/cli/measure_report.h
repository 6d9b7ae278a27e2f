// Measures of text (decant/measure.h) as a table and as JSON, the same for every command that shows them.
#ifndef DECANT_CLI_MEASURE_REPORT_H_
#define DECANT_CLI_MEASURE_REPORT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/measure.h"
#include "json/writer.h"

namespace decant::cli {

// "15.3 %", "-" for nothing.
std::string PercentText(std::optional<double> share);

// What a loop counts: "words" or "tokens" names the column.
enum class LoopUnit : std::uint8_t { kWords, kTokens };

struct MeasureRow {
  std::string label;
  TextMeasures measures;
  std::string loop;  // LoopText, or a sum like "1 of 10"
};
// "12 tokens, 6 times, from token 41"; "-" for none.
std::string LoopText(const std::optional<Loop>& loop, LoopUnit unit);
// The rows under a heading, indented by one.
std::string MeasureTable(std::string_view label, LoopUnit unit, std::span<const MeasureRow> rows);

// The fields of a text's measures, into an object that is open; of all texts together without the loop.
void WriteMeasureFields(json::Writer& writer, const TextMeasures& measures);
// "key":{"start":…,"period":…,"length":…,"repetitions":…} or "key":null.
void WriteLoop(json::Writer& writer, std::string_view key, const std::optional<Loop>& loop);
// {…,"loops":n}: all texts together.
void WriteCorpus(json::Writer& writer, const CorpusMeasures& corpus);

}  // namespace decant::cli

#endif  // DECANT_CLI_MEASURE_REPORT_H_
