// Records as JSON, field by field in the order that the docs give.
#include "record_json.h"

#include <string>
#include <string_view>
#include <utility>

namespace decant::cli {

void WriteIds(json::Writer& writer, std::span<const TokenId> ids) {
  writer.BeginArray();
  for (const TokenId id : ids) writer.Uint(id);
  writer.EndArray();
}

void WriteInterval(json::Writer& writer, const double (&interval)[2]) {
  writer.BeginArray();
  writer.Double(interval[0]);
  writer.Double(interval[1]);
  writer.EndArray();
}

void WriteStages(json::Writer& writer, std::span<const StageRecord> stages, StageFields fields) {
  writer.BeginArray();
  for (const StageRecord& stage : stages) {
    writer.BeginObject();
    writer.Key("name");
    writer.String(NameOf(stage));
    writer.Key("kept");
    writer.Uint(stage.kept);
    writer.Key("removed");
    writer.Uint(stage.removed);
    writer.Key("removed_mass");
    writer.Double(stage.removed_mass);
    if (fields == StageFields::kCountsAndEntropy) {
      writer.Key("entropy_bits");
      writer.Double(stage.entropy_bits);
    }
    if (stage.skipped) {
      writer.Key("skipped");
      writer.Bool(true);
    }
    if (stage.yielded) {
      writer.Key("yielded");
      writer.Bool(true);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteDraw(json::Writer& writer, const DrawRecord& draw, Preset preset) {
  writer.BeginObject();
  writer.Key("kind");
  writer.String(NameOf(draw.kind));
  if (draw.kind == DrawKind::kInverseCdf) {
    if (preset == Preset::kNative) {
      const std::pair<std::string_view, std::uint64_t> integers[] = {
          {"r", draw.r}, {"t", draw.t}, {"z", draw.z}, {"lo", draw.lo}, {"hi", draw.hi}};
      for (const auto& [key, integer] : integers) {
        writer.Key(key);
        writer.String(std::to_string(integer));
      }
    }
    writer.Key("u");
    writer.Double(draw.u);
    writer.Key("interval");
    WriteInterval(writer, draw.interval);
  } else if (draw.kind == DrawKind::kRace) {
    writer.Key("score");
    writer.Double(draw.score);
    writer.Key("runner_up");
    writer.Double(draw.runner_up);
  }
  writer.EndObject();
}

}  // namespace decant::cli
