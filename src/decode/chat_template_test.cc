// Templates as models have them, and near misses.
#include "decode/chat_template.h"

#include <gtest/gtest.h>

namespace decant::decode {
namespace {

TEST(ChatTemplateTest, NoTemplateIsNone) { EXPECT_EQ(RecognizeChatTemplate("").kind, "none"); }

TEST(ChatTemplateTest, ChatMlIsKnownByItsMarkers) {
  const ChatTemplate chat = RecognizeChatTemplate("{% for m in messages %}{{'<|im_start|>' + m['role']}}{% endfor %}");
  EXPECT_EQ(chat.kind, "chatml");
  EXPECT_EQ(chat.default_system, "");
}

TEST(ChatTemplateTest, ASpelledOutSystemMessageIsTheDefault) {
  const ChatTemplate chat = RecognizeChatTemplate("{{ '<|im_start|>system\nBe brief.<|im_end|>\n' }}");
  EXPECT_EQ(chat.kind, "chatml");
  EXPECT_EQ(chat.default_system, "Be brief.");
}

TEST(ChatTemplateTest, TheLineFeedAfterTheRoleMayBeAnEscapeOfTheTemplateLanguage) {
  const ChatTemplate chat = RecognizeChatTemplate(R"({{ '<|im_start|>system\nBe brief.<|im_end|>\n' }})");
  EXPECT_EQ(chat.kind, "chatml");
  EXPECT_EQ(chat.default_system, "Be brief.");
}

TEST(ChatTemplateTest, WhatIsComputedIsUnsupported) {
  EXPECT_EQ(RecognizeChatTemplate(R"({{ '<|im_start|>system\n' + today + '<|im_end|>' }})").kind, "unsupported");
  EXPECT_EQ(RecognizeChatTemplate("<|im_start|>system\n{{ today }}<|im_end|>").kind, "unsupported");
  EXPECT_EQ(RecognizeChatTemplate("[INST] {{ message }} [/INST]").kind, "unsupported");
}

}  // namespace
}  // namespace decant::decode
