// Finds the one source of the prompt, reads it, and makes tokens of it.
#include "prompt.h"

#include <unistd.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "core/mapped_file.h"
#include "session.h"

namespace decant::cli {
namespace {

constexpr std::string_view kWaysOut = "give it with -p TEXT or -f FILE, or through a pipe";

// A flag that found no text of its own has swallowed the next option: `-p --seed 7`.
std::string WayOut(std::span<const CLI::Option* const> options) {
  for (const CLI::Option* option : options) {
    if (!IsGiven(option) || !TextsOf(option).front().starts_with("--")) continue;
    const std::string name = ShortNameOf(option);
    return name + " took \"" + TextsOf(option).front() + "\" as its own; put what belongs to " + name +
           " right after it";
  }
  return std::string(kWaysOut);
}

}  // namespace

PromptFlags::PromptFlags(CommandLine& line, ChatFlags chat)
    : line_(line),
      prompt_(line.Value("prompt", "-p,--prompt", "TEXT", "the prompt")),
      file_(line.Value("prompt", "-f,--file", "FILE", "a file with the prompt, byte for byte; - is standard input")),
      ids_(chat == ChatFlags::kTextOnly ? nullptr
                                        : line.Value("prompt", "--prompt-ids", "ID,ID,...",
                                                     "the prompt as token ids; nothing is added to them")) {
  line.AllowWords();
  if (chat != ChatFlags::kWith) return;
  chat_ = line.Flag("prompt", "--chat", "wraps the prompt as a user's message in the model's chat template");
  system_ = line.Value("prompt", "--system", "TEXT", "the system message of --chat; \"\" leaves it out");
}

std::vector<std::string> PromptFlags::Given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : {prompt_, file_, ids_, system_}) {
    if (option != nullptr && IsGiven(option)) names.push_back(ShortNameOf(option));
  }
  if (chat_ != nullptr && IsOn(chat_).value_or(true)) names.emplace_back("--chat");
  if (!line_.words().empty()) names.push_back("the prompt \"" + line_.words().front() + "\"");
  return names;
}

Result<void> PromptFlags::Read() {
  const std::vector<std::string>& words = line_.words();
  const bool has_ids = ids_ != nullptr && IsGiven(ids_);
  const int sources = IsGiven(prompt_) + IsGiven(file_) + has_ids + !words.empty();
  if (sources > 1) {
    std::vector<const CLI::Option*> options = {prompt_, file_};
    if (has_ids) options.push_back(ids_);
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
  if (is_chat_ && has_ids) {
    return Fail(ErrorCode::kConflict, "--chat takes text; --prompt-ids are tokens already", {.subject = "--chat"});
  }
  if (has_ids) {
    DECANT_TRY(const auto text, TextOf(ids_));
    DECANT_TRY(given_ids_, ParseIds("--prompt-ids", *text));
    return {};
  }
  if (IsGiven(prompt_)) {
    DECANT_TRY(const auto text, TextOf(prompt_));
    text_ = *text;
    return {};
  }
  std::string path = "-";
  if (IsGiven(file_)) {
    DECANT_TRY(const auto named, TextOf(file_));
    path = *named;
  } else if (!words.empty() && words != std::vector<std::string>{"-"}) {
    for (const std::string& word : words) text_ += (text_.empty() ? "" : " ") + word;
    return {};
  } else if (words.empty() && isatty(STDIN_FILENO) == 1) {
    return UsageError("there is no prompt", std::string(kWaysOut));
  }
  auto text = core::ReadFile(path);
  // Standard input may be closed; one that is too long is no missing prompt.
  if (!text.has_value() && sources == 0 && text.error().allowed.empty())
    return UsageError("there is no prompt", std::string(kWaysOut));
  DECANT_TRY(text_, std::move(text));
  read_file_ = path;
  return {};
}

Result<std::vector<TokenId>> PromptFlags::EncodeText(const Model& model) const {
  if (!is_chat_) return model.tokenizer()->Encode(text_, SpecialText::kParse);
  const std::vector<ChatMessage> messages = {{.role = "user", .content = text_}};
  return EncodeChat(model, messages, system_text_);
}

std::string PromptFlags::NoteOn(const Model& model) const {
  if (given_ids_.has_value() || is_chat_ || model.tokenizer() == nullptr) return "";
  if (text_.empty()) return "the prompt is empty: the text begins at the model's start token";
  const std::vector<TokenId> tokens = model.tokenizer()->Encode(text_, SpecialText::kParse);
  return LostBytesText(LostBytes(*model.tokenizer(), text_, tokens), "prompt");
}

Result<std::vector<TokenId>> PromptFlags::EncodeAll(const Model& model) const {
  const Tokenizer* const tokenizer = model.tokenizer();
  std::vector<TokenId> prompt;
  if (given_ids_.has_value()) {
    prompt = *given_ids_;
  } else if (tokenizer == nullptr && !is_chat_) {
    return Fail(ErrorCode::kUnsupportedTokenizer, model.description().path + " has no tokenizer",
                {.subject = "prompt", .hint = "give the prompt as token ids: --prompt-ids 0,1"});
  } else {
    DECANT_TRY(prompt, EncodeText(model));
    const auto bos = tokenizer->bos();
    const bool wanted = tokenizer->add_bos() || prompt.empty();
    if (bos.has_value() && wanted && (prompt.empty() || prompt.front() != *bos)) prompt.insert(prompt.begin(), *bos);
  }
  if (prompt.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, "the prompt is empty, and the model has no token to begin with",
                {.subject = "prompt", .hint = std::string(kWaysOut)});
  }
  return prompt;
}

Result<FittedPrompt> PromptFlags::EncodeToFit(const Model& model, const ParameterSet& parameters) const {
  DECANT_TRY(const std::vector<TokenId> prompt, EncodeAll(model));
  auto fitted = FitPrompt(prompt, FitOptionsOf(model, parameters));
  if (!fitted.has_value()) return SayWaysOut(std::move(fitted).error(), model);
  return fitted;
}

Result<std::vector<TokenId>> PromptFlags::Encode(const Model& model) const {
  DECANT_TRY(FittedPrompt fitted, EncodeToFit(model, {}));
  return std::move(fitted.tokens);
}

ContextOverflow OverflowOf(const ParameterSet& parameters) {
  const auto word = parameters.Get<std::string>("ctx_overflow");
  return FindContextOverflow(word.value_or("error")).value_or(ContextOverflow::kError);
}

FitOptions FitOptionsOf(const Model& model, const ParameterSet& parameters) {
  FitOptions options{.context = model.language_model().context_length(), .overflow = OverflowOf(parameters)};
  if (const auto limit = parameters.Get<std::int64_t>("max_tokens")) {
    options.max_tokens = static_cast<std::size_t>(*limit);
  }
  if (parameters.Get<std::string>("at_context_end") == "slide") options.at_context_end = ContextEnd::kSlide;
  if (model.tokenizer() != nullptr) options.bos = model.tokenizer()->bos();
  return options;
}

std::unexpected<Error> SayWaysOut(Error error, const Model& model) {
  if (error.code != ErrorCode::kPromptTooLong) return std::unexpected(std::move(error));
  const std::size_t context = model.language_model().context_length();
  const bool could_be_larger = model.description().context > context;
  const std::string larger =
      could_be_larger ? "--context N, up to " + std::to_string(model.description().context) + ", " : "";
  if (error.subject == "prompt") {
    const std::size_t drops = error.hint.find(" (drops");
    error.hint = "use " + larger + "a shorter prompt, or --ctx-overflow truncate_left" +
                 (drops == std::string::npos ? "" : error.hint.substr(drops));
  } else {
    error.hint = "use " + larger + "a smaller -n, or --at-context-end slide";
  }
  return std::unexpected(std::move(error));
}

std::string NoteOn(const FittedPrompt& fitted, const Model& model, const ParameterSet& parameters) {
  const auto tokens = [](std::size_t count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); };
  std::string note;
  if (fitted.removed > 0) {
    const bool middle = OverflowOf(parameters) == ContextOverflow::kTruncateMiddle;
    note = "the prompt was too long: " + tokens(fitted.removed) + " of its " + (middle ? "middle" : "start") +
           " left out, " + tokens(fitted.tokens.size()) + " kept";
  }
  if (fitted.missing > 0) {
    const std::size_t wanted = fitted.missing + model.language_model().context_length() + 1 - fitted.tokens.size();
    note += (note.empty() ? "" : "\n") + std::string("the context holds ") +
            std::to_string(model.language_model().context_length()) + ": after a prompt of " +
            tokens(fitted.tokens.size()) + ", " + std::to_string(wanted - fitted.missing) + " of " + tokens(wanted) +
            " can come (--at-context-end slide goes on)";
  }
  return note;
}

void WriteTruncated(json::Writer& writer, const FittedPrompt& fitted, const ParameterSet& parameters) {
  if (fitted.removed == 0) return;
  writer.Key("truncated");
  writer.BeginObject();
  writer.Key("removed");
  writer.Uint(fitted.removed);
  writer.Key("side");
  writer.String(OverflowOf(parameters) == ContextOverflow::kTruncateMiddle ? "middle" : "left");
  writer.EndObject();
}

std::size_t LostBytes(const Tokenizer& tokenizer, std::string_view text, std::span<const TokenId> tokens) {
  std::size_t kept = 0;
  for (const TokenId id : tokens) kept += tokenizer.Bytes(id).size();
  return text.size() - std::min(kept, text.size());
}

std::string LostBytesText(std::size_t lost, std::string_view what) {
  if (lost == 0) return "";
  return (lost == 1 ? "1 byte of the " : std::to_string(lost) + " bytes of the ") + std::string(what) +
         (lost == 1 ? " has no token in this model and was left out"
                    : " have no token in this model and were left out");
}

Result<std::vector<TokenId>> EncodeChat(const Model& model, std::span<const ChatMessage> messages,
                                        const std::optional<std::string>& system) {
  const ModelDescription& about = model.description();
  if (model.tokenizer() == nullptr) {
    return Fail(
        ErrorCode::kUnsupportedTokenizer, about.path + " has no tokenizer, and so no chat template",
        {.subject = "chat template", .allowed = "chatml", .hint = "use decant run without --chat, with --prompt-ids"});
  }
  if (about.chat_template != "chatml") {
    const std::string what = about.chat_template == "none" || about.chat_template.empty()
                                 ? about.path + " has no chat template"
                                 : "the chat template of " + about.path + " is not one that decant knows";
    return Fail(ErrorCode::kUnsupportedTokenizer, what,
                {.subject = "chat template", .allowed = "chatml", .hint = "use decant run without --chat"});
  }
  const std::string own = system.value_or(about.default_system);
  if (!system.has_value() || system->empty()) return EncodeChatMl(*model.tokenizer(), messages, own);
  std::vector<ChatMessage> all = {{.role = "system", .content = *system}};
  all.insert(all.end(), messages.begin(), messages.end());
  return EncodeChatMl(*model.tokenizer(), all, "");
}

}  // namespace decant::cli
