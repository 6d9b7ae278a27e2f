// Messages in files: what `decant chat` saves and `decant template` reads.
//
//   {"schema":"decant.chat/1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}
//
// A bare list of messages is read too.
#ifndef DECANT_CLI_CHAT_TRANSCRIPT_H_
#define DECANT_CLI_CHAT_TRANSCRIPT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "decant/tokenizer.h"
#include "json/writer.h"

namespace decant::cli {

struct ChatEntry {
  ChatMessage message;
  bool stopped = false;  // an answer that was interrupted
  bool dropped = false;  // left the context to make room; still a part of the transcript
};

struct Transcript {
  std::vector<ChatEntry> entries;
  std::vector<std::string> unused;  // members of the top object that messages are not made of: "temperature"
};

// kInvalidJson; kUnsupportedFile: another schema or version of it; kWrongType names the message and the field;
// kOutOfRange: a role that is no plain word.
Result<Transcript> ReadTranscript(std::string_view json);
// "user:Hi" as --message takes it.
Result<ChatMessage> ParseMessage(std::string_view text);

// The member "messages".
void WriteMessages(json::Writer& writer, const std::vector<ChatEntry>& entries);
// Creates or replaces the file, all or nothing. kCannotWrite: also when another kind of file has the name.
Result<void> SaveTranscript(const std::string& path, const std::string& json);

}  // namespace decant::cli

#endif  // DECANT_CLI_CHAT_TRANSCRIPT_H_
