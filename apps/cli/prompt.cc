// Finds the one source of the prompt, reads it, and makes tokens of it.
#include "prompt.h"

#include <unistd.h>

#include <span>
#include <string_view>
#include <utility>

#include "core/mapped_file.h"
#include "session.h"

namespace decant::cli {
namespace {

constexpr std::string_view kWaysOut = "give it with -p TEXT or -f FILE, or through a pipe";

// "-p", or "--prompt-ids" where there is nothing shorter.
std::string ShortName(const CLI::Option& option) {
  return option.get_snames().empty() ? option.get_name(false, false) : "-" + option.get_snames().front();
}

// A flag that found no text of its own has swallowed the next option: `-p --seed 7`.
std::string WayOut(std::span<const CLI::Option* const> options) {
  for (const CLI::Option* option : options) {
    if (option->empty() || !option->results().front().starts_with("--")) continue;
    const std::string name = ShortName(*option);
    return name + " took \"" + option->results().front() + "\" as its own; put what belongs to " + name +
           " right after it";
  }
  return std::string(kWaysOut);
}

}  // namespace

PromptFlags::PromptFlags(CommandLine& line, ChatFlags chat)
    : line_(line),
      prompt_(line.Value("prompt", "-p,--prompt", "TEXT", "the prompt")),
      file_(line.Value("prompt", "-f,--file", "FILE", "a file with the prompt, byte for byte; - is standard input")),
      ids_(line.Value("prompt", "--prompt-ids", "ID,ID,...", "the prompt as token ids; nothing is added to them")) {
  line.AllowWords();
  if (chat == ChatFlags::kWithout) return;
  chat_ = line.Flag("prompt", "--chat", "wraps the prompt as a user's message in the model's chat template");
  system_ = line.Value("prompt", "--system", "TEXT", "the system message of --chat; \"\" leaves it out");
}

std::vector<std::string> PromptFlags::Given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : {prompt_, file_, ids_, system_}) {
    if (option != nullptr && !option->empty()) names.push_back(ShortName(*option));
  }
  if (chat_ != nullptr && IsOn(chat_).value_or(true)) names.emplace_back("--chat");
  if (!line_.words().empty()) names.push_back("the prompt \"" + line_.words().front() + "\"");
  return names;
}

Result<void> PromptFlags::Read() {
  const std::vector<std::string>& words = line_.words();
  const int sources = !prompt_->empty() + !file_->empty() + !ids_->empty() + !words.empty();
  if (sources > 1) {
    const CLI::Option* const options[] = {prompt_, file_, ids_};
    return Fail(ErrorCode::kConflict, "the prompt is given more than once",
                {.subject = "prompt", .hint = WayOut(options)});
  }
  if (chat_ != nullptr) {
    DECANT_TRY(is_chat_, IsOn(chat_));
    DECANT_TRY(system_text_, TextOf(system_));
    if (system_text_.has_value() && !is_chat_) {
      return Fail(ErrorCode::kConflict, "--system has no effect without --chat", {.subject = "--system"});
    }
  }
  if (is_chat_ && !ids_->empty()) {
    return Fail(ErrorCode::kConflict, "--chat takes text; --prompt-ids are tokens already", {.subject = "--chat"});
  }
  if (!ids_->empty()) {
    DECANT_TRY(const auto text, TextOf(ids_));
    DECANT_TRY(given_ids_, ParseIds("--prompt-ids", *text));
    return {};
  }
  if (!prompt_->empty()) {
    DECANT_TRY(const auto text, TextOf(prompt_));
    text_ = *text;
    return {};
  }
  std::string path = "-";
  if (!file_->empty()) {
    DECANT_TRY(const auto named, TextOf(file_));
    path = *named;
  } else if (!words.empty() && words != std::vector<std::string>{"-"}) {
    for (const std::string& word : words) text_ += (text_.empty() ? "" : " ") + word;
    return {};
  } else if (words.empty() && isatty(STDIN_FILENO) == 1) {
    return UsageError("there is no prompt", std::string(kWaysOut));
  }
  auto text = core::ReadFile(path);
  if (!text.has_value() && sources == 0) return UsageError("there is no prompt", std::string(kWaysOut));
  DECANT_TRY(text_, std::move(text));
  return {};
}

Result<std::vector<TokenId>> PromptFlags::EncodeText(const Tokenizer& tokenizer, const ModelDescription& about) const {
  if (!is_chat_) return tokenizer.Encode(text_, SpecialText::kParse);
  std::vector<ChatMessage> messages;
  std::string system = about.default_system;
  if (system_text_.has_value()) {
    system.clear();
    if (!system_text_->empty()) messages.push_back({.role = "system", .content = *system_text_});
  }
  messages.push_back({.role = "user", .content = text_});
  return EncodeChatMl(tokenizer, messages, system);
}

std::string PromptFlags::NoteOn(const Model& model) const {
  if (given_ids_.has_value() || is_chat_ || model.tokenizer() == nullptr) return "";
  if (text_.empty()) return "the prompt is empty: the text begins at the model's start token";
  std::size_t kept = 0;
  for (const TokenId id : model.tokenizer()->Encode(text_, SpecialText::kParse))
    kept += model.tokenizer()->Bytes(id).size();
  if (kept == text_.size()) return "";
  const std::size_t lost = text_.size() - kept;
  return lost == 1 ? "1 byte of the prompt has no token in this model and was left out"
                   : std::to_string(lost) + " bytes of the prompt have no token in this model and were left out";
}

Result<std::vector<TokenId>> PromptFlags::Encode(const Model& model) const {
  const Tokenizer* const tokenizer = model.tokenizer();
  const std::string& chat_template = model.description().chat_template;
  if (is_chat_ && chat_template != "chatml") {
    return Fail(
        ErrorCode::kUnsupportedTokenizer,
        "the chat template of " + model.description().path + " is \"" + chat_template + "\"; --chat knows \"chatml\"",
        {.subject = "--chat", .allowed = "chatml", .hint = "use decant run without --chat"});
  }
  std::vector<TokenId> prompt;
  if (given_ids_.has_value()) {
    prompt = *given_ids_;
  } else if (tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, model.description().path + " has no tokenizer",
                {.subject = "prompt", .hint = "give the prompt as token ids: --prompt-ids 0,1"});
  } else {
    DECANT_TRY(prompt, EncodeText(*tokenizer, model.description()));
    const auto bos = tokenizer->bos();
    const bool wanted = tokenizer->add_bos() || prompt.empty();
    if (bos.has_value() && wanted && (prompt.empty() || prompt.front() != *bos)) prompt.insert(prompt.begin(), *bos);
  }
  if (prompt.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, "the prompt is empty, and the model has no token to begin with",
                {.subject = "prompt", .hint = std::string(kWaysOut)});
  }
  const std::size_t context = model.language_model().context_length();
  if (prompt.size() > context) {
    const bool could_be_larger = model.description().context > context;
    return Fail(
        ErrorCode::kPromptTooLong,
        "the prompt has " + std::to_string(prompt.size()) + " tokens, the context holds " + std::to_string(context),
        {.subject = "prompt",
         .allowed = "1.." + std::to_string(context) + " tokens",
         .hint = could_be_larger
                     ? "use --context N, up to " + std::to_string(model.description().context) + ", or a shorter prompt"
                     : "use a shorter prompt; the model allows no more"});
  }
  return prompt;
}

}  // namespace decant::cli
