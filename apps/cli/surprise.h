// Holtzman et al. 2020, figure 2, on any text and model: how probable each token of a human continuation is to the
// model, beside the model's own greedy and sampled continuations of the same beginning.
#ifndef DECANT_CLI_SURPRISE_H_
#define DECANT_CLI_SURPRISE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "chart.h"
#include "command_line.h"
#include "decant/measure.h"
#include "decant/model.h"
#include "decant/parameters.h"
#include "json/writer.h"

namespace decant::cli {

struct SurprisePlan {
  std::size_t given = 32;    // tokens of the text that all continuations begin with
  std::size_t tokens = 100;  // of each continuation, at most
  ParameterSet sampling;     // of the sampled one; limits are set here
  Preset preset = Preset::kNative;
};

struct Continuation {
  std::string name;  // "human", "greedy", "sampled"
  std::string text;
  std::vector<TokenScore> scores;
  SurpriseSummary summary;
};

struct SurpriseReport {
  std::size_t given = 0;
  std::vector<Continuation> continuations;
};

struct SurpriseEvents {
  std::function<void(std::string_view doing)> on_progress = {};
  std::stop_token cancel = {};
};
// kEmptyPrompt where the text does not go past its beginning; kPromptTooLong where it does not fit the context;
// kUnsupportedTokenizer; kCancelled.
Result<SurpriseReport> CompareSurprise(const Model& model, std::string_view text, const SurprisePlan& plan,
                                       const SurpriseEvents& events);

std::vector<Series> SeriesOf(const SurpriseReport& report);
// The table under the charts.
std::string SurpriseTable(const SurpriseReport& report);
SvgText SvgTextOf(const SurpriseReport& report, std::string_view model_file, std::string_view text_file);
// The value of schema decant.surprise/1, without what the command knows: an open object's fields.
void WriteSurpriseFields(json::Writer& writer, const SurpriseReport& report);

}  // namespace decant::cli

#endif  // DECANT_CLI_SURPRISE_H_
