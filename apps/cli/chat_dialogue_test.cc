// Turns that come, go, and leave a full context, on a model of single bytes.
#include "chat_dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace decant::cli {
namespace {

using testing::HasSubstr;

// Token b is byte b; 256 and 257 are ChatML's markers, written as "[" and "]".
class ByteTokenizer final : public Tokenizer {
 public:
  std::size_t vocabulary_size() const override { return 258; }
  std::vector<TokenId> Encode(std::string_view text, SpecialText) const override {
    std::vector<TokenId> tokens;
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  std::string_view Bytes(TokenId) const override { return ""; }
  Result<std::string> Decode(std::span<const TokenId> ids) const override {
    std::string text;
    for (const TokenId id : ids) text += id == 256 ? '[' : id == 257 ? ']' : static_cast<char>(id);
    return text;
  }
  TokenKind kind(TokenId id) const override { return id < 256 ? TokenKind::kNormal : TokenKind::kControl; }
  std::optional<TokenId> Find(std::string_view bytes) const override {
    if (bytes == "<|im_start|>") return 256;
    if (bytes == "<|im_end|>") return 257;
    return std::nullopt;
  }
  std::optional<TokenId> bos() const override { return std::nullopt; }
  std::optional<TokenId> eos() const override { return 257; }
  bool add_bos() const override { return false; }
  std::string_view name() const override { return "bytes"; }
};

class NoLanguageModel final : public LanguageModel {
 public:
  std::size_t vocabulary_size() const override { return 258; }
  std::size_t context_length() const override { return 64; }
  KvSequence Start() const override { return KvSequence(nullptr); }
  Result<std::vector<RowError>> Forward(std::span<const Row>, std::span<float>) const override {
    return std::vector<RowError>();
  }
};

class ByteModel final : public Model {
 public:
  explicit ByteModel(std::string chat_template) { about_.chat_template = std::move(chat_template); }
  const ModelDescription& description() const override { return about_; }
  const LanguageModel& language_model() const override { return language_model_; }
  const Tokenizer* tokenizer() const override { return &tokenizer_; }
  Result<std::string> Sha256() const override { return std::string(64, '0'); }

 private:
  ModelDescription about_{.path = "bytes.gguf"};
  NoLanguageModel language_model_;
  ByteTokenizer tokenizer_;
};

class DialogueTest : public testing::Test {
 protected:
  void Say(const std::string& role, const std::string& content) {
    dialogue_.Add({.message = {.role = role, .content = content}});
  }
  std::string Text() const {
    const auto tokens = dialogue_.Encode();
    return tokens.has_value() ? model_.tokenizer()->Decode(*tokens).value() : tokens.error().message;
  }
  ByteModel model_{"chatml"};
  Dialogue dialogue_{model_};
};

TEST_F(DialogueTest, EncodesItsMessagesAndTheHeaderOfTheAnswer) {
  dialogue_.set_system("s");
  Say("user", "a");
  EXPECT_EQ(Text(), "[system\ns]\n[user\na]\n[assistant\n");
}

TEST_F(DialogueTest, KeepsTheTokensOfAnswers) {
  Say("user", "a");
  dialogue_.Add({.message = {.role = "assistant", .content = "xy", .tokens = {'x', 'y'}}});
  Say("user", "b");
  EXPECT_EQ(Text(), "[user\na]\n[assistant\nxy]\n[user\nb]\n[assistant\n");
}

TEST_F(DialogueTest, UndoTakesAWholeTurn) {
  Say("user", "a");
  Say("assistant", "b");
  Say("user", "c");
  Say("assistant", "d");
  EXPECT_EQ(dialogue_.Undo(), "c");
  EXPECT_EQ(dialogue_.entries().size(), 2u);
  EXPECT_EQ(dialogue_.Undo(), "a");
  EXPECT_EQ(dialogue_.Undo(), std::nullopt);
}

TEST_F(DialogueTest, TakesAnAnswerBackOnce) {
  EXPECT_FALSE(dialogue_.TakeAnswerBack());
  Say("user", "a");
  EXPECT_FALSE(dialogue_.TakeAnswerBack());
  Say("assistant", "b");
  EXPECT_TRUE(dialogue_.TakeAnswerBack());
  EXPECT_EQ(dialogue_.entries().size(), 1u);
}

TEST_F(DialogueTest, DropsTheOldestTurnsAndKeepsTheSystemMessage) {
  dialogue_.set_system("s");
  for (const char* const text : {"a", "b", "c"}) {
    Say("user", text);
    Say("assistant", "x");
  }
  dialogue_.Undo();
  Say("user", "z");
  // 11 tokens for the system message, 9 for each user's, 14 for each answer, 11 for the header of the next.
  ASSERT_EQ(dialogue_.Encode()->size(), 11u + 3 * 9 + 2 * 14 + 11);
  const auto fitted = dialogue_.Fit({.context = 64, .max_tokens = 5, .overflow = ContextOverflow::kTruncateLeft});
  ASSERT_TRUE(fitted.has_value()) << fitted.error().message;
  EXPECT_EQ(fitted->dropped_turns, 1u);
  EXPECT_EQ(fitted->dropped_tokens, 23u);
  EXPECT_EQ(Text(), "[system\ns]\n[user\nb]\n[assistant\nx]\n[user\nz]\n[assistant\n");
  EXPECT_EQ(dialogue_.All().size(), 6u);  // the transcript has all
}

TEST_F(DialogueTest, TruncateMiddleKeepsTheFirstTurn) {
  for (const char* const text : {"a", "b"}) {
    Say("user", text);
    Say("assistant", "x");
  }
  Say("user", "z");
  const auto fitted = dialogue_.Fit({.context = 64, .max_tokens = 5, .overflow = ContextOverflow::kTruncateMiddle});
  ASSERT_TRUE(fitted.has_value()) << fitted.error().message;
  EXPECT_EQ(Text(), "[user\na]\n[assistant\nx]\n[user\nz]\n[assistant\n");
}

TEST_F(DialogueTest, RefusesAndDropsNothingWhenTheLastTurnAloneIsTooLong) {
  Say("user", "a");
  Say("assistant", "x");
  Say("user", std::string(60, 'z'));
  for (const auto overflow : {ContextOverflow::kError, ContextOverflow::kTruncateLeft}) {
    const auto fitted = dialogue_.Fit({.context = 64, .max_tokens = 5, .overflow = overflow});
    ASSERT_FALSE(fitted.has_value());
    EXPECT_EQ(fitted.error().code, ErrorCode::kPromptTooLong);
    for (const ChatEntry& entry : dialogue_.entries()) EXPECT_FALSE(entry.dropped);
  }
}

TEST_F(DialogueTest, ReplaceTakesTheSystemMessageOutAndRefusesStrangeIds) {
  std::vector<ChatEntry> entries = {{.message = {.role = "system", .content = "s"}},
                                    {.message = {.role = "user", .content = "a"}},
                                    {.message = {.role = "assistant", .content = "b", .tokens = {'b'}}},
                                    {.message = {.role = "assistant", .content = "c", .tokens = {999}}}};
  entries.back().message.tokens = {'x'};
  EXPECT_EQ(dialogue_.Replace(entries), std::vector<std::size_t>{4});
  EXPECT_EQ(dialogue_.system(), "s");
  EXPECT_EQ(dialogue_.entries()[1].message.tokens, std::vector<TokenId>{'b'});
  EXPECT_TRUE(dialogue_.entries()[2].message.tokens.empty());
}

TEST(DialogueWithoutTemplateTest, SaysWhatIsMissing) {
  for (const char* const word : {"none", "unsupported"}) {
    const ByteModel model(word);
    const auto tokens = Dialogue(model).Encode();
    ASSERT_FALSE(tokens.has_value());
    EXPECT_EQ(tokens.error().code, ErrorCode::kUnsupportedTokenizer);
    EXPECT_THAT(tokens.error().message, HasSubstr("chat template"));
  }
}

}  // namespace
}  // namespace decant::cli
