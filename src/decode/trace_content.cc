// Fields are written in the order that docs/formats/trace.md lists them.
#include "decode/trace_content.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/sha256.h"
#include "core/wide.h"
#include "decant/candidates.h"
#include "decant/version.h"
#include "decode/parameter_json.h"
#include "json/writer.h"
#include "trace/lines.h"

namespace decant::decode {
namespace {

constexpr std::string_view kSchema = "decant.trace/1";
constexpr std::string_view kCustom = "custom";  // marks a stage of the chain that is the caller's own

void Field(json::Writer& writer, std::string_view key, std::string_view text) {
  writer.Key(key);
  writer.String(text);
}
void Count(json::Writer& writer, std::string_view key, std::uint64_t count) {
  writer.Key(key);
  writer.Uint(count);
}
void Number(json::Writer& writer, std::string_view key, double number) {
  writer.Key(key);
  writer.Double(number);
}
// Integers that may pass 2^53 travel as decimal text.
void Decimal(json::Writer& writer, std::string_view key, std::uint64_t integer) {
  Field(writer, key, std::to_string(integer));
}

void Tokens(json::Writer& writer, std::string_view key, std::span<const TokenId> tokens) {
  writer.Key(key);
  writer.BeginArray();
  for (const TokenId token : tokens) writer.Uint(token);
  writer.EndArray();
}

void Bytes(json::Writer& writer, std::string_view key, std::string_view bytes) {
  writer.Key(key);
  writer.BeginArray();
  for (const char byte : bytes) writer.Uint(static_cast<unsigned char>(byte));
  writer.EndArray();
}

std::string_view RowBytes(std::span<const float> logits) {
  return {reinterpret_cast<const char*>(logits.data()), logits.size_bytes()};
}

void WriteStages(const StepRecord& record, json::Writer& writer) {
  writer.Key("stages");
  writer.BeginArray();
  for (const StageRecord& stage : record.stages) {
    writer.BeginObject();
    Field(writer, "name", NameOf(stage));
    Count(writer, "kept", stage.kept);
    Count(writer, "removed", stage.removed);
    Number(writer, "removed_mass", stage.removed_mass);
    Number(writer, "entropy_bits", stage.entropy_bits);
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

void WriteDraw(const StepRecord& record, json::Writer& writer) {
  const DrawRecord& draw = record.draw;
  writer.Key("draw");
  writer.BeginObject();
  Field(writer, "kind", NameOf(draw.kind));
  if (draw.kind == DrawKind::kInverseCdf) {
    Decimal(writer, "r", draw.r);
    if (!record.weights.empty()) {
      Decimal(writer, "t", draw.t);
      Decimal(writer, "z", draw.z);
      Decimal(writer, "lo", draw.lo);
      Decimal(writer, "hi", draw.hi);
    }
    Number(writer, "u", draw.u);
    writer.Key("interval");
    writer.BeginArray();
    writer.Double(draw.interval[0]);
    writer.Double(draw.interval[1]);
    writer.EndArray();
  } else if (draw.kind == DrawKind::kRace) {
    Number(writer, "score", draw.score);
    Number(writer, "runner_up", draw.runner_up);
  }
  writer.EndObject();
}

double FinalProbability(const StepRecord& record, TokenId token) {
  const auto found = std::ranges::lower_bound(record.support, token);
  if (found == record.support.end() || *found != token) return 0;
  return record.probabilities[static_cast<std::size_t>(found - record.support.begin())];
}

void WriteChosen(const StepEvidence& evidence, const RawDistribution& raw, json::Writer& writer) {
  const Choice& choice = evidence.record->choice;
  writer.Key("chosen");
  writer.BeginObject();
  Count(writer, "id", choice.token);
  Bytes(writer, "bytes", evidence.bytes);
  Count(writer, "rank", choice.rank);
  Number(writer, "p_model", core::Ratio(raw.weights[choice.token], raw.total));
  Number(writer, "p_final", choice.probability);
  Number(writer, "logprob_model", RawLogProbability(raw, evidence.logits[choice.token]));
  Number(writer, "logprob_final", choice.log_probability);
  writer.EndObject();
}

// The best rows by the model's own order, and the mass of the rest.
void WriteTop(const StepEvidence& evidence, const RawDistribution& raw, std::size_t rows, json::Writer& writer) {
  Candidates best(evidence.logits, 1.0);
  rows = std::min(rows, best.size());
  const std::span<const std::uint64_t> keys = best.BestKeys(rows);
  std::uint64_t shown = 0;
  writer.Key("top");
  writer.BeginArray();
  for (std::size_t i = 0; i < rows; ++i) {
    const TokenId id = IdOfKey(keys[i]);
    shown += raw.weights[id];
    writer.BeginObject();
    Count(writer, "id", id);
    Number(writer, "logit", static_cast<double>(evidence.logits[id]));
    Number(writer, "p_model", core::Ratio(raw.weights[id], raw.total));
    Number(writer, "p_final", FinalProbability(*evidence.record, id));
    writer.EndObject();
  }
  writer.EndArray();
  Number(writer, "tail_p_model", core::Ratio(raw.total - shown, raw.total));
}

struct WriteStageParams {
  json::Writer& writer;
  void operator()(const std::monostate&) const {}
  void operator()(const LogitBiasParams& p) const {
    writer.Key("logit_bias");
    WriteParameterValue(p.biases, writer);
  }
  void operator()(const TemperatureParams& p) const { Number(writer, "temperature", p.temperature); }
  void operator()(const TopKParams& p) const {
    writer.Key("k");
    writer.Int(p.k);
  }
  void operator()(const TopPParams& p) const { Number(writer, "p", p.p); }
  void operator()(const MinPParams& p) const { Number(writer, "p", p.p); }
  void operator()(const RepetitionPenaltyParams& p) const {
    Number(writer, "penalty", p.penalty);
    writer.Key("window");
    writer.Int(p.window);
  }
  void operator()(const CountPenaltyParams& p) const {
    Number(writer, "penalty", p.penalty);
    Field(writer, "scope", p.scope == PenaltyScope::kOutput ? "output" : "window");
    writer.Key("window");
    writer.Int(p.window);
  }
  void operator()(const DryParams& p) const {
    Number(writer, "multiplier", p.multiplier);
    Number(writer, "base", p.base);
    writer.Key("allowed_length");
    writer.Int(p.allowed_length);
    writer.Key("window");
    writer.Int(p.window);
    // Hundreds of token sequences come of four texts; the texts are in `parameters`.
    Count(writer, "breakers", p.breakers.size());
  }
  void operator()(const NoRepeatNgramParams& p) const {
    writer.Key("size");
    writer.Int(p.size);
  }
  void operator()(const BadWordsParams& p) const {
    writer.Key("words");
    WriteParameterValue(p.words, writer);
  }
  void operator()(const TokenListParams& p) const { Tokens(writer, "tokens", p.tokens); }
  void operator()(const MinTokensParams& p) const {
    writer.Key("count");
    writer.Int(p.count);
    Tokens(writer, "tokens", p.tokens);
  }
  void operator()(const CustomProcessorParams&) const { Field(writer, kCustom, "processor"); }
  void operator()(const CustomFilterParams&) const { Field(writer, kCustom, "filter"); }
};

void WriteChain(const Chain& chain, json::Writer& writer) {
  writer.Key("chain");
  writer.BeginArray();
  for (const StageSpec& stage : chain) {
    writer.BeginObject();
    Field(writer, "name", NameOf(stage));
    std::visit(WriteStageParams{writer}, stage.params);
    writer.EndObject();
  }
  writer.EndArray();
}

// A custom stage is code that no trace holds.
Result<void> RefuseCustomStages(const json::Value& header) {
  const json::Value* chain = header.Find("chain");
  if (chain == nullptr || chain->if_array() == nullptr) return {};
  for (const json::Value& stage : *chain->if_array()) {
    if (stage.Find(kCustom) == nullptr) continue;
    const json::Value* name = stage.Find("name");
    const std::string shown = name != nullptr && name->if_string() != nullptr ? *name->if_string() : "";
    return Fail(ErrorCode::kUnsupportedStage,
                "the trace's chain has the custom stage " + shown + "; it cannot be computed again without its code",
                {.subject = shown});
  }
  return {};
}

// Reading a header back, one field at a time; the first fault is kept.
class HeaderReader {
 public:
  explicit HeaderReader(const json::Value& header) : header_(header) {}

  std::string Text(const json::Value* object, std::string_view key) {
    const json::Value* value = object ? object->Find(key) : nullptr;
    if (value != nullptr && value->if_string() != nullptr) return *value->if_string();
    return Missing(key, "a text"), "";
  }
  std::uint64_t Unsigned(std::string_view key) {
    const json::Value* value = header_.Find(key);
    const auto number = value ? value->AsUint64() : std::nullopt;
    if (number) return *number;
    return Missing(key, "a count"), 0;
  }
  std::vector<TokenId> TokensOf(std::string_view key) {
    std::vector<TokenId> tokens;
    const json::Value* value = header_.Find(key);
    if (value == nullptr || value->if_array() == nullptr) return Missing(key, "a list of token ids"), tokens;
    for (const json::Value& item : *value->if_array()) {
      const auto id = item.AsUint64();
      if (!id || *id > UINT32_MAX) return Missing(key, "a list of token ids"), tokens;
      tokens.push_back(static_cast<TokenId>(*id));
    }
    return tokens;
  }
  // Absent = empty.
  std::string BytesOf(std::string_view key) {
    std::string bytes;
    const json::Value* value = header_.Find(key);
    if (value == nullptr) return bytes;
    if (value->if_array() == nullptr) return Missing(key, "a list of bytes"), "";
    for (const json::Value& item : *value->if_array()) {
      const auto byte = item.AsUint64();
      if (!byte || *byte > UINT8_MAX) return Missing(key, "a list of bytes"), "";
      bytes.push_back(static_cast<char>(*byte));
    }
    return bytes;
  }
  void Parameters(ParameterSet& parameters) {
    const json::Value* object = header_.Find("parameters");
    if (object == nullptr || object->if_object() == nullptr) return Missing("parameters", "an object");
    for (const auto& [name, entry] : *object->if_object()) {
      auto done = Parameter(name, entry, parameters);
      if (!done.has_value()) Missing("parameters." + name, "valid: " + done.error().message);
    }
  }
  void Missing(std::string_view field, std::string_view expected) {
    if (error_) return;
    error_ = Error{.code = ErrorCode::kTraceBroken,
                   .message = "the trace's header field " + std::string(field) + " is not " + std::string(expected),
                   .subject = std::string(field),
                   .at = Position{.line = 1, .column = 1}};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  static Result<void> Parameter(const std::string& name, const json::Value& entry, ParameterSet& parameters) {
    DECANT_TRY(const ParameterSpec* spec, FindParameter(name));
    const json::Value* value = entry.Find("value");
    const json::Value* source = entry.Find("source");
    if (value == nullptr || source == nullptr || source->if_string() == nullptr) {
      return Fail(ErrorCode::kTraceBroken, "it has no value and source");
    }
    DECANT_TRY(ParameterValue parsed, ReadParameterValue(*spec, *value));
    for (int i = 0; i <= static_cast<int>(ParameterSource::kRequest); ++i) {
      const auto candidate = static_cast<ParameterSource>(i);
      if (NameOf(candidate) == *source->if_string()) return parameters.Set(*spec, std::move(parsed), candidate);
    }
    return Fail(ErrorCode::kTraceBroken, "its source is \"" + *source->if_string() + "\"");
  }

  const json::Value& header_;
  std::optional<Error> error_;
};

}  // namespace

std::string HeaderObject(const TraceOrigin& origin, const Model& model, const RunSpec& spec, const Chain& chain) {
  json::Writer writer;
  writer.BeginObject();
  Field(writer, "type", "header");
  Field(writer, "schema", kSchema);
  Field(writer, "version", origin.version);
  Field(writer, "numerics", kNumerics);
  writer.Key("model");
  writer.BeginObject();
  Field(writer, "name", origin.model.name);
  Field(writer, "path", origin.model.path);
  Field(writer, "sha256", origin.model.sha256);
  Count(writer, "vocabulary", model.description().vocabulary);
  Count(writer, "context", model.language_model().context_length());
  writer.EndObject();
  Tokens(writer, "prompt_ids", spec.prompt);
  if (!spec.healed.empty()) Bytes(writer, "healed", spec.healed);
  Field(writer, "preset", NameOf(spec.preset));
  Count(writer, "sequence", spec.sequence);
  writer.Key("parameters");
  WriteParameters(spec.parameters, writer);
  WriteChain(chain, writer);
  Field(writer, "generator", GeneratorOf(spec.preset));
  Field(writer, "detail", ToText(spec.detail));
  writer.EndObject();
  return writer.Take();
}

Result<std::string> StepObject(const StepEvidence& evidence, const TraceDetail& detail) {
  DECANT_TRY(const RawDistribution raw, RawDistributionOf(evidence.logits));
  json::Writer writer;
  writer.BeginObject();
  Field(writer, "type", "step");
  Count(writer, "i", evidence.index);
  Count(writer, "prefix_len", evidence.prefix_length);
  writer.Key("logits");
  writer.BeginObject();
  Field(writer, "sha", core::Sha256Hex(RowBytes(evidence.logits)).substr(0, 16));
  Number(writer, "max", static_cast<double>(raw.maximum));
  Number(writer, "lse", static_cast<double>(raw.maximum) - RawLogProbability(raw, raw.maximum));
  Number(writer, "entropy_bits", raw.entropy_bits);
  if (detail.level == TraceDetail::Level::kFull) Field(writer, "row", trace::Base64(RowBytes(evidence.logits)));
  writer.EndObject();
  WriteStages(*evidence.record, writer);
  WriteDraw(*evidence.record, writer);
  WriteChosen(evidence, raw, writer);
  if (detail.level != TraceDetail::Level::kSummary) WriteTop(evidence, raw, detail.top, writer);
  writer.EndObject();
  return writer.Take();
}

std::string EndObject(const Generation& generation) {
  json::Writer writer;
  writer.BeginObject();
  Field(writer, "type", "end");
  Field(writer, "stop", NameOf(generation.stop));
  if (generation.stop_token) Count(writer, "stop_token", *generation.stop_token);
  if (generation.stop_string) Field(writer, "stop_string", *generation.stop_string);
  if (generation.complete.has_value()) {
    writer.Key("complete");
    writer.Bool(*generation.complete);
  }
  Tokens(writer, "tokens", generation.tokens);
  Field(writer, "text", generation.text);
  Field(writer, "text_sha256", core::Sha256Hex(generation.text));
  writer.EndObject();
  return writer.Take();
}

Result<ReadHeader> ParseHeader(const json::Value& header) {
  DECANT_CHECKED(RefuseCustomStages(header));
  HeaderReader reader(header);
  ReadHeader read;
  read.origin.version = reader.Text(&header, "version");
  const json::Value* model = header.Find("model");
  read.origin.model = {
      .name = reader.Text(model, "name"), .path = reader.Text(model, "path"), .sha256 = reader.Text(model, "sha256")};
  const json::Value* context = model != nullptr ? model->Find("context") : nullptr;
  read.origin.model.context = context != nullptr ? context->AsUint64().value_or(0) : 0;
  read.spec.prompt = reader.TokensOf("prompt_ids");
  read.spec.healed = reader.BytesOf("healed");
  const std::uint64_t sequence = reader.Unsigned("sequence");
  if (sequence > UINT32_MAX) reader.Missing("sequence", "below 2^32");
  read.spec.sequence = static_cast<std::uint32_t>(sequence);
  reader.Parameters(read.spec.parameters);
  const std::string preset = reader.Text(&header, "preset");
  const std::string detail = reader.Text(&header, "detail");
  const std::string numerics = reader.Text(&header, "numerics");
  if (reader.error()) return std::unexpected(*reader.error());
  if (numerics != kNumerics) {
    return Fail(ErrorCode::kTraceDiffers,
                "the trace was made with " + numerics + "; this program computes " + std::string(kNumerics),
                {.subject = "numerics", .allowed = std::string(kNumerics)});
  }
  DECANT_TRY(read.spec.preset, FindPreset(preset));
  DECANT_TRY(read.spec.detail, ParseTraceDetail(detail));
  return read;
}

}  // namespace decant::decode
