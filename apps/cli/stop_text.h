// Why a generation ended, in words for a summary.
#ifndef DECANT_CLI_STOP_TEXT_H_
#define DECANT_CLI_STOP_TEXT_H_

#include <string>

#include "decant/generate.h"

namespace decant::cli {

// "end of text", "stop token 2", "token limit"; never empty.
std::string StopText(const Generation& generation);

}  // namespace decant::cli

#endif  // DECANT_CLI_STOP_TEXT_H_
