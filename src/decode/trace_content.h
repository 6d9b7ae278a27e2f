// What the lines of a trace say: the header, a step, the end, as JSON objects. Writing and replaying share this file,
// so that a recomputed line is compared byte for byte.
#ifndef DECANT_DECODE_TRACE_CONTENT_H_
#define DECANT_DECODE_TRACE_CONTENT_H_

#include <string>

#include "decant/generate.h"
#include "decant/trace.h"
#include "json/value.h"

namespace decant::decode {

// What a header says of the program and the model's file; a replay takes it from the trace itself.
struct TraceOrigin {
  std::string version;
  TracedModel model;
};

std::string HeaderObject(const TraceOrigin& origin, const Model& model, const RunSpec& spec, const Chain& chain);
Result<std::string> StepObject(const StepEvidence& evidence, const TraceDetail& detail);
std::string EndObject(const Generation& generation);

// The spec and origin that a header holds. kTraceBroken names a field that is missing or of the wrong type;
// kUnsupportedStage a custom stage of the chain.
struct ReadHeader {
  TraceOrigin origin;
  RunSpec spec;
};
Result<ReadHeader> ParseHeader(const json::Value& header);

}  // namespace decant::decode

#endif  // DECANT_DECODE_TRACE_CONTENT_H_
