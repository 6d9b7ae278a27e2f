// Writing traces.
#include "decant/trace.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/number_text.h"
#include "decant/version.h"
#include "decode/trace_content.h"
#include "json/writer.h"
#include "trace/lines.h"

namespace decant {
namespace {

using Clock = std::chrono::steady_clock;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class FileTraceWriter final : public TraceWriter {
 public:
  FileTraceWriter(std::string path, std::unique_ptr<std::FILE, CloseFile> file, TraceDetail detail)
      : path_(std::move(path)), file_(std::move(file)), detail_(detail) {}

  Result<void> Header(const std::string& object) {
    const auto isa = SimdLevel();
    json::Writer ms;
    ms.BeginObject();
    ms.Key("isa");
    ms.String(isa.has_value() ? *isa : "unknown");
    ms.EndObject();
    return Write(chain_.Seal(object, ms.text()));
  }

  Result<void> Step(const StepEvidence& evidence) override {
    DECANT_TRY(const std::string object, decode::StepObject(evidence, detail_));
    return Write(chain_.Seal(object, Elapsed()));
  }

  Result<void> End(const Generation& generation) override {
    return Write(chain_.Seal(decode::EndObject(generation), Elapsed()));
  }

 private:
  std::string Elapsed() {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    json::Writer writer;
    writer.BeginObject();
    writer.Key("step");
    writer.Double(std::round(ms * 1000) / 1000);
    writer.EndObject();
    return writer.Take();
  }

  Result<void> Write(const std::string& line) {
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0) {
      return {};
    }
    return Fail(ErrorCode::kCannotWrite, path_ + ": " + std::strerror(errno), {.subject = path_});
  }

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  TraceDetail detail_;
  trace::LineChain chain_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Result<TraceDetail> ParseTraceDetail(std::string_view text) {
  if (text == "summary") return TraceDetail{.level = TraceDetail::Level::kSummary, .top = 0};
  if (text == "full") return TraceDetail{.level = TraceDetail::Level::kFull, .top = 8};
  if (text.starts_with("top:")) {
    const auto rows = core::ParseUint64(text.substr(4));
    if (rows && *rows >= 1 && *rows <= 1'000'000) {
      return TraceDetail{.level = TraceDetail::Level::kTop, .top = static_cast<std::size_t>(*rows)};
    }
  }
  return Fail(ErrorCode::kOutOfRange,
              "trace detail is \"" + std::string(text) + "\"; expected summary, top:N (N in 1..1000000) or full",
              {.subject = "trace-detail", .allowed = "summary, top:N, full"});
}

std::string ToText(const TraceDetail& detail) {
  switch (detail.level) {
    case TraceDetail::Level::kSummary:
      return "summary";
    case TraceDetail::Level::kTop:
      return "top:" + std::to_string(detail.top);
    case TraceDetail::Level::kFull:
      return "full";
  }
  return "";
}

Result<std::unique_ptr<TraceWriter>> WriteTrace(const std::string& path, const Model& model, const RunSpec& spec) {
  DECANT_TRY(const PreparedRun run, PrepareRun(model, spec));
  DECANT_TRY(std::string sha256, model.Sha256());
  if (path == "-") {
    return Fail(ErrorCode::kCannotWrite, "a trace needs a file; standard output holds the text", {.subject = "trace"});
  }
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) {
    return Fail(ErrorCode::kCannotWrite, path + ": " + std::strerror(errno), {.subject = path});
  }
  const decode::TraceOrigin origin{
      .version = std::string(kVersion),
      .model = {.name = model.description().name, .path = model.description().path, .sha256 = std::move(sha256)}};
  auto writer = std::make_unique<FileTraceWriter>(path, std::move(file), spec.detail);
  DECANT_CHECKED(writer->Header(decode::HeaderObject(origin, model, spec, run.sampler->chain())));
  return writer;
}

}  // namespace decant
