// Timings as JSON and as a table.
#include <fmt/format.h>

#include "bench.h"
#include "json/writer.h"
#include "table.h"

namespace decant::cli {
namespace {

// Four significant digits: the next ones differ from run to run.
void WriteNumber(json::Writer& w, std::string_view key, double value) {
  w.Key(key);
  w.Raw(fmt::format("{:.4g}", value));
}

void WriteCount(json::Writer& w, std::string_view key, std::size_t value) {
  w.Key(key);
  w.Uint(value);
}

void WriteTiming(json::Writer& w, const SamplerTiming& timing) {
  w.BeginObject();
  w.Key("name");
  w.String(timing.name);
  w.Key("rows");
  w.String(NameOf(timing.rows));
  WriteCount(w, "batch", timing.batch);
  WriteCount(w, "vocab", timing.vocabulary);
  w.Key("threads");
  w.Int(timing.threads);
  WriteNumber(w, "us_per_row", timing.us_per_row);
  WriteNumber(w, "ratio_to_read", timing.ratio_to_read);
  w.Key("type");
  w.String(NameOf(timing.type));
  WriteNumber(w, "read_us_per_row", timing.read_us_per_row);
  WriteNumber(w, "ratio_low", timing.ratio_low);
  WriteNumber(w, "ratio_high", timing.ratio_high);
  WriteCount(w, "pairs", timing.pairs);
  WriteCount(w, "rows_held", timing.rows_held);
  WriteCount(w, "rows_checked", timing.rows_checked);
  WriteNumber(w, "falls_per_1000", timing.falls_per_1000);
  if (timing.gain.has_value() && timing.read_gain.has_value()) {
    WriteNumber(w, "gain", *timing.gain);
    WriteNumber(w, "read_gain", *timing.read_gain);
  }
  w.EndObject();
}

}  // namespace

std::string TimingJson(std::span<const SamplerTiming> timings) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.bench/1");
  w.Key("machine");
  w.String(MachineText());
  w.Key("results");
  w.BeginArray();
  for (const SamplerTiming& timing : timings) WriteTiming(w, timing);
  w.EndArray();
  w.EndObject();
  return w.Take();
}

std::string TimingTable(std::span<const SamplerTiming> timings) {
  if (timings.empty()) return "";
  const SamplerTiming& first = timings.front();
  std::string text = fmt::format("{}\nbatch {}, {}, {} thread{}, {} pairs of blocks\n", MachineText(), first.batch,
                                 NameOf(first.type), first.threads, first.threads == 1 ? "" : "s", first.pairs);
  std::vector<Align> columns = {Align::kLeft, Align::kLeft};
  columns.resize(9, Align::kRight);
  Table table(columns);
  std::vector<std::string> heading = {"chain",          "rows",  "vocabulary", "us a row",
                                      "us a bare read", "ratio", "quartiles",  "falls of 1000"};
  const bool has_gain = first.gain.has_value();
  if (has_gain) heading.emplace_back("gain / read's");
  table.Add(heading);
  for (const SamplerTiming& timing : timings) {
    std::vector<std::string> cells = {timing.name,
                                      std::string(NameOf(timing.rows)),
                                      std::to_string(timing.vocabulary),
                                      fmt::format("{:.1f}", timing.us_per_row),
                                      fmt::format("{:.1f}", timing.read_us_per_row),
                                      fmt::format("{:.2f}", timing.ratio_to_read),
                                      fmt::format("{:.2f}-{:.2f}", timing.ratio_low, timing.ratio_high),
                                      fmt::format("{:.2f}", timing.falls_per_1000)};
    if (has_gain) cells.push_back(fmt::format("{:.2f} / {:.2f}", *timing.gain, timing.read_gain.value_or(0)));
    table.Add(std::move(cells));
  }
  return text + table.Text("");
}

}  // namespace decant::cli
