// One case a reason.
#include "stop_text.h"

#include "core/check.h"

namespace decant::cli {

std::string StopText(const Generation& generation) {
  switch (generation.stop) {
    case StopReason::kEos:
      return "end of text";
    case StopReason::kStopToken:
      return "stop token " + std::to_string(generation.stop_token.value_or(0));
    case StopReason::kStopString:
      return "stop text";
    case StopReason::kGrammarEnd:
      return "constraint met";
    case StopReason::kGrammarDeadEnd:
      return "dead end: no token may follow";
    case StopReason::kTokenLimit:
      return "token limit";
    case StopReason::kContext:
      return "context full";
    case StopReason::kTime:
      return "time limit";
    case StopReason::kCancelled:
      return "interrupted";
  }
  core::CheckFailed(__FILE__, __LINE__, "every StopReason has its words");
}

}  // namespace decant::cli
