// Reading refuses what a chat template would not use; writing leaves other files alone.
#include "chat_transcript.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/mapped_file.h"
#include "core/utf8.h"
#include "json/value.h"
#include "line_file.h"

namespace decant::cli {
namespace {

constexpr std::string_view kSchema = "decant.chat/1";
// What SaveTranscript's callers write beside the messages.
constexpr std::string_view kOwnMembers[] = {"schema", "messages", "version", "model", "preset", "seed", "parameters"};

std::string Numbered(std::size_t index) { return "message " + std::to_string(index + 1); }

std::unexpected<Error> Wrong(std::size_t index, const std::string& what, const std::string& subject) {
  return Fail(ErrorCode::kWrongType, Numbered(index) + ": " + what,
              {.subject = subject, .allowed = "{\"role\":\"user\",\"content\":\"text\"}"});
}

bool IsPlainWord(std::string_view role) {
  return !role.empty() && std::ranges::all_of(role, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Result<void> CheckRole(std::string_view role) {
  if (IsPlainWord(role)) return {};
  return Fail(ErrorCode::kOutOfRange, "the role " + core::Quoted(role) + " is not one word of letters and digits",
              {.subject = "role", .allowed = "system, user, assistant, or another word"});
}

Result<std::vector<TokenId>> ReadIds(const json::Value& value, std::size_t index) {
  std::vector<TokenId> ids;
  if (value.if_array() == nullptr) return Wrong(index, "ids is " + std::string(value.kind()), "ids");
  for (const json::Value& item : *value.if_array()) {
    const auto id = item.AsUint64();
    if (!id.has_value() || *id > UINT32_MAX) return Wrong(index, "ids holds something that is no token id", "ids");
    ids.push_back(static_cast<TokenId>(*id));
  }
  return ids;
}

Result<ChatEntry> ReadEntry(const json::Value& value, std::size_t index) {
  if (value.if_object() == nullptr) return Wrong(index, "it is " + std::string(value.kind()), "messages");
  ChatEntry entry;
  for (const std::string_view key : {"role", "content"}) {
    const json::Value* const member = value.Find(key);
    const std::string name(key);
    if (member == nullptr) return Wrong(index, name + " is missing", name);
    if (member->if_string() == nullptr) {
      return Wrong(index, name + " is " + std::string(member->kind()) + "; expected a string", name);
    }
    (key == "role" ? entry.message.role : entry.message.content) = *member->if_string();
  }
  for (const auto& [key, member] : *value.if_object()) {
    if (key == "role" || key == "content") continue;
    if (key == "ids") {
      DECANT_TRY(entry.message.tokens, ReadIds(member, index));
    } else if (key == "stopped" && member.if_bool() != nullptr) {
      entry.stopped = *member.if_bool();
    } else {
      return Wrong(index, "the chat template has no use for " + core::Quoted(key), key);
    }
  }
  auto checked = CheckRole(entry.message.role);
  if (!checked.has_value()) {
    checked.error().message = Numbered(index) + ": " + checked.error().message;
    return std::unexpected(std::move(checked).error());
  }
  return entry;
}

// A file without one is a list of messages from elsewhere.
Result<void> CheckSchema(const json::Value* schema) {
  if (schema == nullptr) return {};
  const std::string* const name = schema->if_string();
  if (name != nullptr && *name == kSchema) return {};
  return Fail(ErrorCode::kUnsupportedFile,
              "schema is " + (name == nullptr ? std::string(schema->kind()) : core::Quoted(*name)) +
                  "; this version of decant reads " + core::Quoted(kSchema),
              {.subject = "schema", .allowed = std::string(kSchema)});
}

bool IsTranscript(const std::string& path) {
  const auto text = core::ReadFile(path);
  if (!text.has_value()) return false;
  const auto value = json::Read(*text, {});
  const json::Value* const schema = value.has_value() ? value->Find("schema") : nullptr;
  return schema != nullptr && schema->if_string() != nullptr && *schema->if_string() == kSchema;
}

}  // namespace

Result<Transcript> ReadTranscript(std::string_view text) {
  DECANT_TRY(const json::Value value, json::Read(text, {}));
  Transcript transcript;
  const json::Value* messages = &value;
  if (value.if_object() != nullptr) {
    DECANT_CHECKED(CheckSchema(value.Find("schema")));
    messages = value.Find("messages");
    for (const auto& [key, member] : *value.if_object()) {
      if (std::ranges::find(kOwnMembers, key) == std::end(kOwnMembers)) transcript.unused.push_back(key);
    }
  }
  if (messages == nullptr || messages->if_array() == nullptr) {
    return Fail(ErrorCode::kWrongType, "there is no list of messages",
                {.subject = "messages", .allowed = "{\"messages\":[{\"role\":\"user\",\"content\":\"text\"}]}"});
  }
  for (std::size_t i = 0; i < messages->if_array()->size(); ++i) {
    DECANT_TRY(ChatEntry entry, ReadEntry((*messages->if_array())[i], i));
    transcript.entries.push_back(std::move(entry));
  }
  return transcript;
}

Result<ChatMessage> ParseMessage(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return Fail(ErrorCode::kWrongType, "option --message: " + core::Quoted(text) + " has no role",
                {.subject = "--message", .allowed = "role:content, like user:Hello"});
  }
  auto checked = CheckRole(text.substr(0, colon));
  if (!checked.has_value()) {
    checked.error().message = "option --message: " + checked.error().message;
    return std::unexpected(std::move(checked).error());
  }
  return ChatMessage{.role = std::string(text.substr(0, colon)), .content = std::string(text.substr(colon + 1))};
}

void WriteMessages(json::Writer& w, const std::vector<ChatEntry>& entries) {
  w.Key("messages");
  w.BeginArray();
  for (const ChatEntry& entry : entries) {
    w.BeginObject();
    w.Key("role");
    w.String(entry.message.role);
    w.Key("content");
    w.String(entry.message.content);
    if (!entry.message.tokens.empty()) {
      w.Key("ids");
      w.BeginArray();
      for (const TokenId id : entry.message.tokens) w.Uint(id);
      w.EndArray();
    }
    if (entry.stopped) {
      w.Key("stopped");
      w.Bool(true);
    }
    w.EndObject();
  }
  w.EndArray();
}

Result<void> SaveTranscript(const std::string& path, const std::string& json) {
  struct stat there{};
  // A device keeps nothing that could be lost.
  const bool exists = stat(path.c_str(), &there) == 0 && !S_ISCHR(there.st_mode);
  if (exists && (!S_ISREG(there.st_mode) || !IsTranscript(path))) {
    return Fail(ErrorCode::kCannotWrite, path + ": there is a file of another kind with this name; it stays",
                {.subject = path});
  }
  DECANT_TRY(LineFile file, LineFile::Create(path));
  DECANT_CHECKED(file.Write(json));
  return file.Commit();
}

}  // namespace decant::cli
