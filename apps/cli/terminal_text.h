// Text from a model as a terminal may show it.
#ifndef DECANT_CLI_TERMINAL_TEXT_H_
#define DECANT_CLI_TERMINAL_TEXT_H_

#include <string>
#include <string_view>

namespace decant::cli {

// The text with its control characters spelled out ("\u{1b}"), so that it cannot move the cursor, change colours or
// name the window; line feeds and tabs stay, bytes that are not UTF-8 become U+FFFD.
std::string TerminalText(std::string_view text);

}  // namespace decant::cli

#endif  // DECANT_CLI_TERMINAL_TEXT_H_
