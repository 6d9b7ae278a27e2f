// Token ids as text spells them.
#ifndef DECANT_CLI_DETOKENIZE_H_
#define DECANT_CLI_DETOKENIZE_H_

#include <string_view>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"

namespace decant::cli {

// Ids separated by white space or commas, or a JSON array of them. kWrongType names what is no id and which it is.
Result<std::vector<TokenId>> ReadIdList(std::string_view text);

}  // namespace decant::cli

#endif  // DECANT_CLI_DETOKENIZE_H_
