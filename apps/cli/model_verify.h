// decant model verify: whether a model is the file it should be, and whether all of it can be used.
#ifndef DECANT_CLI_MODEL_VERIFY_H_
#define DECANT_CLI_MODEL_VERIFY_H_

#include <optional>
#include <string>

#include "check_list.h"
#include "command_line.h"
#include "decant/model.h"
#include "session.h"

namespace decant::cli {

struct VerifyRequest {
  std::string path;
  std::optional<std::string> sha256 = {};  // that it must have; absent = the one decant knows, if it knows the model
  int threads = 1;
  OutputFormat format = OutputFormat::kText;
};
// Exit code 0, 5 when something differs, 4 when it cannot be read.
Result<int> VerifyModel(Session& session, const VerifyRequest& request);

// Whether tokens are what their texts say: texts and every token's own bytes come back from encoding and decoding.
CheckLine CheckTokenizer(const Tokenizer& tokenizer);

}  // namespace decant::cli

#endif  // DECANT_CLI_MODEL_VERIFY_H_
