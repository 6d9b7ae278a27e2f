// The parts of decant bench: what is asked for, rows of a model for it, and the report.
#ifndef DECANT_CLI_BENCH_H_
#define DECANT_CLI_BENCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line.h"
#include "decant/bench.h"
#include "session.h"

namespace decant::cli {

struct RecordRequest {
  std::string file;
  std::string model;  // a path, or a name; empty = the one there is
  std::size_t steps = 256;
  int threads = 1;
};

// Continues a built-in prompt and writes the logits of each step as a row of an .npy file. The exit code, or an error;
// an interrupt leaves the file as it was.
Result<int> RecordRows(Session& session, const RecordRequest& request);

// {"schema":"decant.bench/1","machine":…,"results":[…]}
std::string TimingJson(std::span<const SamplerTiming> timings);
// For people: a line a timing.
std::string TimingTable(std::span<const SamplerTiming> timings);

}  // namespace decant::cli

#endif  // DECANT_CLI_BENCH_H_
