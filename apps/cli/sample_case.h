// One line of `decant sample`: a case in, an answer out (docs/sampling.md, "decant sample").
#ifndef DECANT_CLI_SAMPLE_CASE_H_
#define DECANT_CLI_SAMPLE_CASE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "decant/parameters.h"
#include "decant/sampler.h"

namespace decant::cli {

// What the flags said; a line overrides it.
struct SampleDefaults {
  ParameterSet parameters;
  Preset preset = Preset::kNative;
};

// A line of the input and which one it is, from 1.
struct SampleLine {
  std::string_view text;
  std::uint64_t number = 1;
};

// The answer, a JSON object without newline: the token and its evidence, or the error, whose message begins with the
// line's number (and the column, if the line is not JSON).
std::string AnswerSampleLine(SampleLine line, const SampleDefaults& defaults);

}  // namespace decant::cli

#endif  // DECANT_CLI_SAMPLE_CASE_H_
