// Messages in files, read strictly and written so that they can be read again.
#include "chat_transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/mapped_file.h"
#include "core/scratch_folder_for_test.h"

namespace decant::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Written(const std::vector<ChatEntry>& entries) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.chat/1");
  WriteMessages(w, entries);
  w.EndObject();
  return w.Take();
}

TEST(TranscriptTest, ReadsBackWhatItWrites) {
  const std::vector<ChatEntry> entries = {
      {.message = {.role = "user", .content = "a\n\"b\""}},
      {.message = {.role = "assistant", .content = "c", .tokens = {7, 8}}, .stopped = true}};
  const auto read = ReadTranscript(Written(entries));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->entries.size(), 2u);
  EXPECT_EQ(read->entries[0].message.content, "a\n\"b\"");
  EXPECT_THAT(read->entries[1].message.tokens, ElementsAre(7u, 8u));
  EXPECT_TRUE(read->entries[1].stopped);
  EXPECT_TRUE(read->unused.empty());
}

TEST(TranscriptTest, ReadsABareListAndNamesWhatItDoesNotUse) {
  EXPECT_EQ(ReadTranscript(R"([{"role":"user","content":"x"}])")->entries.size(), 1u);
  EXPECT_THAT(ReadTranscript(R"({"temperature":1,"messages":[]})")->unused, ElementsAre("temperature"));
}

TEST(TranscriptTest, NamesTheMessageAndTheFieldAtFault) {
  const auto message = [](std::string_view text) { return ReadTranscript(text).error().message; };
  EXPECT_THAT(message(R"([{"role":"user","content":"x"},{"role":"user"}])"),
              HasSubstr("message 2: content is missing"));
  EXPECT_THAT(message(R"([{"role":"user","content":["x"]}])"), HasSubstr("message 1: content is an array"));
  EXPECT_THAT(message(R"([{"role":"a b","content":"x"}])"), HasSubstr("message 1: the role \"a b\""));
  EXPECT_THAT(message(R"([{"role":"user","content":"x","name":"y"}])"), HasSubstr("no use for \"name\""));
  EXPECT_THAT(message(R"([{"role":"user","content":"x","ids":[-1]}])"), HasSubstr("no token id"));
  EXPECT_THAT(message("[1]"), HasSubstr("message 1: it is a number"));
  EXPECT_THAT(message("{}"), HasSubstr("no list of messages"));
  EXPECT_EQ(ReadTranscript("[{").error().code, ErrorCode::kInvalidJson);
}

TEST(TranscriptTest, SplitsAMessageAtTheFirstColon) {
  EXPECT_EQ(ParseMessage("user:a:b")->content, "a:b");
  EXPECT_EQ(ParseMessage("user:")->content, "");
  EXPECT_THAT(ParseMessage("hello").error().message, HasSubstr("has no role"));
  EXPECT_FALSE(ParseMessage(":x").has_value());
}

TEST(TranscriptTest, ReplacesTranscriptsAndNoOtherFiles) {
  const core::ScratchFolder folder;
  const std::string path = folder / "transcript.json";
  ASSERT_TRUE(SaveTranscript(path, Written({})).has_value());
  ASSERT_TRUE(SaveTranscript(path, Written({{.message = {.role = "user", .content = "x"}}})).has_value());
  EXPECT_EQ(ReadTranscript(core::ReadFile(path).value())->entries.size(), 1u);
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("mine", file);
  std::fclose(file);
  EXPECT_EQ(SaveTranscript(path, Written({})).error().code, ErrorCode::kCannotWrite);
  EXPECT_EQ(core::ReadFile(path).value(), "mine");
  EXPECT_FALSE(SaveTranscript("/nonexistent/x.json", "{}").has_value());
}

TEST(TranscriptTest, RefusesOtherSchemasByName) {
  const auto later = ReadTranscript(R"({"schema":"decant.chat/2","messages":[]})");
  ASSERT_FALSE(later.has_value());
  EXPECT_EQ(later.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_EQ(later.error().message, "schema is \"decant.chat/2\"; this version of decant reads \"decant.chat/1\"");
  EXPECT_THAT(ReadTranscript(R"({"schema":1,"messages":[]})").error().message, HasSubstr("schema is a number"));
}

TEST(TranscriptTest, ReportsThatADeviceIsFull) {
  const auto saved = SaveTranscript("/dev/full", Written({}));
  ASSERT_FALSE(saved.has_value());
  EXPECT_THAT(saved.error().message, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace decant::cli
