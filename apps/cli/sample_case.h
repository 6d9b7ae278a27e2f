// One line of `decant sample`: a case in, an answer out (docs/sampling.md, "decant sample").
#ifndef DECANT_CLI_SAMPLE_CASE_H_
#define DECANT_CLI_SAMPLE_CASE_H_

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

// The answer, a JSON object without newline: the token and its evidence, or the error.
std::string AnswerSampleLine(std::string_view line, const SampleDefaults& defaults);

}  // namespace decant::cli

#endif  // DECANT_CLI_SAMPLE_CASE_H_
