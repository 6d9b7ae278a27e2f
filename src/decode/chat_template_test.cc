// Templates as models have them, and near misses.
#include "decode/chat_template.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace decant::decode {
namespace {

// SmolLM2-Instruct, and Qwen2 with another text.
constexpr std::string_view kSmollm =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou "
    "are "
    "a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + "
    "message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ "
    "'<|im_start|>assistant\n' }}{% endif %}";
constexpr std::string_view kPlain =
    R"({% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}})"
    R"({% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";
constexpr std::string_view kBeforeLoop =
    R"({% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nBe brief.<|im_end|>\n' }}{% endif %})"
    R"({% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }})"
    R"({% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";
constexpr std::string_view kOnLines = R"({%- for message in messages %}
    {{- '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
)";
constexpr std::string_view kWithDefined =
    R"({% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %})"
    R"({% for message in messages %}{{'<|im_start|>' + message["role"] + '\n' + message["content"] + "<|im_end|>" + '\n'}})"
    R"({% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";
constexpr std::string_view kKnown[] = {kSmollm, kPlain, kBeforeLoop, kOnLines, kWithDefined};

std::string Kind(std::string_view source) { return RecognizeChatTemplate(source).kind; }

std::string Replaced(std::string_view source, std::string_view from, std::string_view to) {
  std::string text(source);
  return text.replace(text.find(from), from.size(), to);
}

TEST(ChatTemplateTest, NoTemplateIsNone) { EXPECT_EQ(Kind(""), "none"); }

TEST(ChatTemplateTest, TheTemplatesOfModelsAreChatMl) {
  for (const std::string_view source : kKnown) EXPECT_EQ(Kind(source), "chatml") << source;
}

TEST(ChatTemplateTest, ASpelledOutSystemMessageIsTheDefault) {
  EXPECT_EQ(RecognizeChatTemplate(kSmollm).default_system,
            "You are a helpful AI assistant named SmolLM, trained by Hugging Face");
  EXPECT_EQ(RecognizeChatTemplate(kBeforeLoop).default_system, "Be brief.");
  EXPECT_EQ(RecognizeChatTemplate(kPlain).default_system, "");
  const auto escaped = RecognizeChatTemplate(Replaced(kBeforeLoop, "Be brief.", R"(It\'s \"so\".\nOr \\n.)"));
  EXPECT_EQ(escaped.default_system, "It's \"so\".\nOr \\n.");
}

TEST(ChatTemplateTest, SpaceInTagsIsFreeAndSpaceBetweenThemIsText) {
  EXPECT_EQ(Kind(Replaced(kPlain, "{{'<", "{{   '<")), "chatml");
  EXPECT_EQ(Kind(Replaced(kPlain, "{% endfor", " {%- endfor")), "chatml");
  EXPECT_EQ(Kind(Replaced(kPlain, "{% endfor", " {% endfor")), "unsupported");
  EXPECT_EQ(Kind(Replaced(kPlain, "{% endfor", "\n{% endfor")), "unsupported");
  EXPECT_EQ(Kind(std::string(kPlain) + "\n"), "chatml");
  EXPECT_EQ(Kind(std::string(kPlain) + "\n\n"), "unsupported");
}

TEST(ChatTemplateTest, AMessageThatDecantWouldWriteOtherwiseIsUnsupported) {
  EXPECT_EQ(Kind(Replaced(kBeforeLoop, "Be brief.", "")), "unsupported");
  EXPECT_EQ(Kind(Replaced(kBeforeLoop, "Be brief.", "a<|im_end|>b")), "unsupported");
  EXPECT_EQ(Kind(Replaced(kBeforeLoop, "Be brief.", "' + today + '")), "unsupported");
  EXPECT_EQ(Kind(Replaced(kBeforeLoop, "Be brief.", "\\x41")), "unsupported");
  EXPECT_EQ(Kind(Replaced(kBeforeLoop, "Be brief.", "a\r\nb")), "unsupported");
  EXPECT_EQ(Kind(Replaced(kBeforeLoop, "Be brief.", "\xff")), "unsupported");
}

TEST(ChatTemplateTest, OtherProgramsAreUnsupported) {
  EXPECT_EQ(Kind("{% for m in messages %}{{'<|im_start|>' + m['role']}}{% endfor %}"), "unsupported");
  EXPECT_EQ(Kind("{{ '<|im_start|>system\nBe brief.<|im_end|>\n' }}"), "unsupported");
  EXPECT_EQ(Kind("[INST] {{ message }} [/INST]"), "unsupported");
  EXPECT_EQ(Kind(std::string(kPlain) + std::string(kPlain)), "unsupported");
  EXPECT_EQ(Kind("{# <|im_start|> #}" + std::string(kPlain)), "unsupported");
}

// The known templates have no other place where a byte may change than these.
TEST(ChatTemplateTest, AnEditIsRefusedOrChangesOnlySpaceInTagsOrTheSystemMessage) {
  std::mt19937 random(7);
  for (const std::string_view source : kKnown) {
    const ChatTemplate before = RecognizeChatTemplate(source);
    const std::size_t begin = before.default_system.empty() ? source.size() : source.find(before.default_system);
    for (int i = 0; i < 700; ++i) {
      std::string edited(source);
      const std::size_t at = random() % source.size();
      const char byte = static_cast<char>(random() % 4 == 0 ? random() % 256 : 32 + random() % 95);
      const auto kind = random() % 3;
      if (kind == 0) edited[at] = byte;
      if (kind == 1) edited.insert(at, 1, byte);
      if (kind == 2) edited.erase(at, 1);
      const ChatTemplate after = RecognizeChatTemplate(edited);
      if (edited == source || after.kind != "chatml") continue;
      if (at >= begin && at <= begin + before.default_system.size()) continue;
      EXPECT_EQ(after.default_system, before.default_system) << edited;
      const std::string_view may_change = " \t\n-";
      EXPECT_TRUE(kind == 1 || may_change.contains(source[at])) << edited;
      EXPECT_TRUE(kind == 2 || may_change.contains(byte)) << edited;
    }
  }
}

}  // namespace
}  // namespace decant::decode
