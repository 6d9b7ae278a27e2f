// Templates are programs, and decant runs none: it compares them, token by token, with those it knows. What is not the
// same program is unsupported, however much of it looks like ChatML.
#include "decode/chat_template.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/utf8.h"

namespace decant::decode {
namespace {

// Tags, names, numbers and operators as they are spelled; a string as a quote and its value.
using Tokens = std::vector<std::string>;

constexpr std::string_view kSpace = " \t\n";

bool IsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Reads a template whose only text between tags is white space that a tag removes.
class TemplateLexer {
 public:
  explicit TemplateLexer(std::string_view source) : left_(source) {}

  std::optional<Tokens> Read() {
    bool trims = false;  // the tag before ended in "-"
    while (true) {
      const std::size_t space = std::min(left_.find_first_not_of(kSpace), left_.size());
      const std::string_view blank = left_.substr(0, space);
      left_.remove_prefix(space);
      // A line feed that ends the template is never written.
      if (left_.empty()) return trims || blank.empty() || blank == "\n" ? std::optional(tokens_) : std::nullopt;
      if (!left_.starts_with("{{") && !left_.starts_with("{%")) return std::nullopt;
      const std::string close = left_[1] == '{' ? "}}" : "%}";
      Put(left_.substr(0, 2));
      const bool strips = left_.starts_with('-');
      if (strips) left_.remove_prefix(1);
      if (!blank.empty() && !trims && !strips) return std::nullopt;
      if (!ReadTag(close)) return std::nullopt;
      trims = left_.starts_with('-');
      if (trims) left_.remove_prefix(1);
      Put(close);
    }
  }

 private:
  // What is spelled `text` at the start of what is left.
  void Put(std::string_view text) {
    tokens_.emplace_back(text);
    left_.remove_prefix(text.size());
  }

  // Up to the end of the tag.
  bool ReadTag(const std::string& close) {
    while (true) {
      left_.remove_prefix(std::min(left_.find_first_not_of(kSpace), left_.size()));
      if (left_.empty()) return false;
      if (left_.starts_with(close) || left_.starts_with("-" + close)) return true;
      if (left_.front() == '\'' || left_.front() == '"') {
        if (!ReadString()) return false;
      } else if (IsWord(left_.front())) {
        const auto end = std::find_if_not(left_.begin(), left_.end(), IsWord);
        Put(left_.substr(0, static_cast<std::size_t>(end - left_.begin())));
      } else {
        Put(left_.substr(0, left_.starts_with("!=") || left_.starts_with("==") ? 2 : 1));
      }
    }
  }

  bool ReadString() {
    const char quote = left_.front();
    std::string value = "'";
    std::size_t i = 1;
    for (; i < left_.size() && left_[i] != quote; ++i) {
      if (left_[i] != '\\') {
        value += left_[i];
        continue;
      }
      if (++i == left_.size()) return false;
      const char escaped = left_[i];
      if (escaped != 'n' && escaped != '\\' && escaped != '\'' && escaped != '"') return false;
      value += escaped == 'n' ? '\n' : escaped;
    }
    if (i >= left_.size()) return false;
    left_.remove_prefix(i + 1);
    tokens_.push_back(std::move(value));
    return true;
  }

  std::string_view left_;
  Tokens tokens_;
};

constexpr std::string_view kOpen = "'<|im_start|>system\n", kClose = "<|im_end|>\n";

// The known templates are one of each: what is said first, where the default system message is put, how a message
// is spelled.
constexpr std::array<std::string_view, 2> kFirst = {
    "", "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}"};
struct SystemPart {
  std::string_view before_loop, in_loop;
};
constexpr std::array<SystemPart, 4> kSystemParts = {{
    {"", ""},
    {"", "{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nS<|im_end|>\n' }}{% endif %}"},
    {"{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nS<|im_end|>\n' }}{% endif %}", ""},
    {"{% if messages[0].role != 'system' %}{{ '<|im_start|>system\nS<|im_end|>\n' }}{% endif %}", ""},
}};
constexpr std::array<std::string_view, 4> kMessages = {
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}",
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}",
    "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}",
    "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"};

std::vector<Tokens> KnownTemplates() {
  std::vector<Tokens> known;
  for (const std::string_view first : kFirst) {
    for (const SystemPart& system : kSystemParts) {
      for (const std::string_view message : kMessages) {
        std::string source(first);
        source.append(system.before_loop).append("{% for message in messages %}").append(system.in_loop);
        source.append(message).append("{% endfor %}");
        source += "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
        known.push_back(TemplateLexer(source).Read().value_or(Tokens()));
      }
    }
  }
  return known;
}

// The message between the markers, if the string is one of a system message. Markers and texts of special tokens in it
// would be tokens for the template and are text for decant; an empty one is a message for the template alone.
std::optional<std::string> SystemText(std::string_view token) {
  if (!token.starts_with(kOpen) || !token.ends_with(kClose) || token.size() <= kOpen.size() + kClose.size()) {
    return std::nullopt;
  }
  const std::string_view text = token.substr(kOpen.size(), token.size() - kOpen.size() - kClose.size());
  if (text.contains("<|") || text.contains("|>")) return std::nullopt;
  return std::string(text);
}

// The default system message, if the template is the known one.
std::optional<std::string> Match(const Tokens& tokens, const Tokens& known) {
  if (tokens.size() != known.size()) return std::nullopt;
  std::string system;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (known[i].starts_with(kOpen)) {
      auto text = SystemText(tokens[i]);
      if (!text.has_value()) return std::nullopt;
      system = *std::move(text);
    } else if (tokens[i] != known[i]) {
      return std::nullopt;
    }
  }
  return system;
}

}  // namespace

ChatTemplate RecognizeChatTemplate(std::string_view source) {
  if (source.empty()) return {.kind = "none", .default_system = ""};
  // Template engines turn a carriage return into a line feed, and take text that is no UTF-8 in ways of their own.
  if (!source.contains('\r') && core::IsValidUtf8(source)) {
    if (const auto tokens = TemplateLexer(source).Read()) {
      for (const Tokens& known : KnownTemplates()) {
        if (auto system = Match(*tokens, known)) return {.kind = "chatml", .default_system = *std::move(system)};
      }
    }
  }
  return {.kind = "unsupported", .default_system = ""};
}

}  // namespace decant::decode
