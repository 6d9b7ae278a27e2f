// config.json as transformers 4 and 5 write it, and what is refused by name.
#include "weights/folder_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace decant::weights {
namespace {

using ::testing::HasSubstr;

using Members = std::map<std::string, std::string>;  // values as JSON; empty: left out

std::string Config(const Members& changes) {
  Members members = {{"model_type", "\"llama\""},     {"vocab_size", "50"},      {"max_position_embeddings", "1024"},
                     {"num_hidden_layers", "2"},      {"hidden_size", "32"},     {"intermediate_size", "48"},
                     {"num_attention_heads", "4"},    {"rms_norm_eps", "1e-05"}, {"num_key_value_heads", "2"},
                     {"torch_dtype", "\"bfloat16\""}, {"use_cache", "true"}};
  for (const auto& [key, value] : changes) members[key] = value;
  std::string text;
  for (const auto& [key, value] : members) {
    if (!value.empty()) text += (text.empty() ? "\"" : ",\"") + key + "\":" + value;
  }
  return std::string("{").append(text).append("}");
}

FolderConfig Parsed(const Members& changes) {
  const auto config = ParseFolderConfig(Config(changes));
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config.value_or(FolderConfig{});
}

Error ErrorOf(const Members& changes) {
  const auto config = ParseFolderConfig(Config(changes));
  EXPECT_FALSE(config.has_value()) << Config(changes) << " was accepted";
  return config.has_value() ? Error{} : config.error();
}

TEST(FolderConfigTest, ReadsTheShape) {
  const FolderConfig config = Parsed({{"head_dim", "8"}, {"rope_theta", "500000.0"}});
  EXPECT_EQ(config.shape.vocabulary, 50u);
  EXPECT_EQ(config.shape.context, 1024u);
  EXPECT_EQ(config.shape.layers, 2u);
  EXPECT_EQ(config.shape.width, 32u);
  EXPECT_EQ(config.shape.feed_forward, 48u);
  EXPECT_EQ(config.shape.heads, 4u);
  EXPECT_EQ(config.shape.kv_heads, 2u);
  EXPECT_EQ(config.shape.head_width, 8u);
  EXPECT_EQ(config.shape.epsilon, 1e-5);
  EXPECT_EQ(config.shape.rope_base, 500000.0);
  EXPECT_EQ(config.tied, TiedHead::kNo);
}

TEST(FolderConfigTest, NullIsAbsent) {
  const FolderConfig config =
      Parsed({{"head_dim", "null"}, {"rope_scaling", "null"}, {"num_key_value_heads", "null"}, {"rope_theta", "null"}});
  EXPECT_FALSE(config.shape.head_width.has_value());
  EXPECT_FALSE(config.shape.kv_heads.has_value());
  EXPECT_EQ(config.shape.rope_base, 10000.0);
}

TEST(FolderConfigTest, ReadsRopeAsEitherVersionWritesIt) {
  const FolderConfig old_way = Parsed({{"rope_theta", "20000"}, {"rope_scaling", R"({"type":"linear","factor":4})"}});
  EXPECT_EQ(old_way.shape.rope_base, 20000.0);
  EXPECT_EQ(old_way.shape.rope_linear, 4.0);
  const FolderConfig new_way =
      Parsed({{"rope_parameters", R"({"rope_theta":20000.0,"rope_type":"linear","factor":4.0})"}});
  EXPECT_EQ(new_way.shape.rope_base, 20000.0);
  EXPECT_EQ(new_way.shape.rope_linear, 4.0);
  EXPECT_EQ(ErrorOf({{"rope_theta", "1"}, {"rope_parameters", R"({"rope_theta":2})"}}).message,
            "rope_theta and rope_parameters.rope_theta differ");
}

TEST(FolderConfigTest, Llama3DividesLongWavesOnly) {
  const FolderConfig config =
      Parsed({{"rope_scaling", R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
                               R"("original_max_position_embeddings":128})"}});
  // Wavelengths 2*pi*10^i: below 32 untouched, above 128 divided, between them in part.
  ASSERT_EQ(config.shape.rope_factors.size(), 4u);
  EXPECT_EQ(config.shape.rope_factors[0], 1.0f);
  const double smooth = (128 / (20 * std::numbers::pi) - 1) / 3;
  EXPECT_FLOAT_EQ(config.shape.rope_factors[1], static_cast<float>(1 / ((1 - smooth) / 8 + smooth)));
  EXPECT_EQ(config.shape.rope_factors[2], 8.0f);
  EXPECT_EQ(config.shape.rope_factors[3], 8.0f);
  EXPECT_THAT(ErrorOf({{"rope_scaling", R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":4.0,)"
                                        R"("high_freq_factor":4.0,"original_max_position_embeddings":128})"}})
                  .message,
              HasSubstr("the numbers of rope type llama3 do not fit together"));
  EXPECT_EQ(ErrorOf({{"rope_scaling", R"({"rope_type":"llama3","factor":8.0})"}}).message,
            "rope_scaling.low_freq_factor is missing; expected a number");
}

TEST(FolderConfigTest, NamesWhatItDoesNotCompute) {
  struct Case {
    Members changes;
    std::string message;
  };
  const Case cases[] = {
      {{{"model_type", "\"qwen2\""}}, "model_type \"qwen2\" is not supported; expected llama or mistral"},
      {{{"hidden_act", "\"gelu\""}}, "hidden_act is \"gelu\"; expected silu"},
      {{{"attention_bias", "true"}}, "attention_bias is true; expected false"},
      {{{"mlp_bias", "true"}}, "mlp_bias is true; expected false"},
      {{{"rope_interleaved", "true"}}, "rope_interleaved is true; expected false"},
      {{{"partial_rotary_factor", "0.5"}}, "partial_rotary_factor is not 1; whole heads are rotated"},
      {{{"quantization_config", "{}"}},
       "quantization_config is set; expected weights that are F32, F16 or BF16 as they lie"},
      {{{"rope_scaling", R"({"rope_type":"yarn","factor":2})"}},
       "rope_scaling.rope_type is \"yarn\"; expected default, linear or llama3"},
      {{{"model_type", "\"mistral\""}, {"sliding_window", "512"}},
       "sliding_window is 512, shorter than the context; expected null or at least max_position_embeddings, 1024"},
  };
  for (const Case& c : cases) {
    const Error error = ErrorOf(c.changes);
    EXPECT_EQ(error.message, c.message);
    EXPECT_EQ(error.code, ErrorCode::kUnsupportedFile) << c.message;
  }
}

TEST(FolderConfigTest, MistralWithoutAWindowIsALlama) {
  EXPECT_EQ(Parsed({{"model_type", "\"mistral\""}, {"sliding_window", "null"}}).shape.heads, 4u);
  EXPECT_EQ(Parsed({{"model_type", "\"mistral\""}, {"sliding_window", "1024"}}).shape.heads, 4u);
  EXPECT_EQ(Parsed({{"model_type", "\"mistral\""}}).shape.heads, 4u);  // 4096, longer than the context
  EXPECT_EQ(ErrorOf({{"model_type", "\"mistral\""}, {"max_position_embeddings", "8192"}}).message,
            "sliding_window is absent, so transformers' default of 4096, shorter than the context; expected null or at "
            "least max_position_embeddings, 8192");
  EXPECT_THAT(ErrorOf({{"model_type", "\"mistral\""}, {"num_key_value_heads", ""}, {"sliding_window", "null"}}).message,
              HasSubstr("num_key_value_heads is missing"));
}

TEST(FolderConfigTest, NamesWhatIsMissingOrOfTheWrongType) {
  EXPECT_EQ(ErrorOf({{"model_type", ""}}).message, "model_type is missing; expected llama or mistral");
  EXPECT_EQ(ErrorOf({{"hidden_size", ""}}).message, "hidden_size is missing; expected a whole number, 0 or more");
  EXPECT_EQ(ErrorOf({{"hidden_size", "1.5"}}).message, "hidden_size is 1.5; expected a whole number, 0 or more");
  EXPECT_EQ(ErrorOf({{"hidden_size", "\"32\""}}).message,
            "hidden_size is a string; expected a whole number, 0 or more");
  EXPECT_EQ(ErrorOf({{"tie_word_embeddings", "1"}}).message, "tie_word_embeddings is 1; expected true or false");
  EXPECT_EQ(ErrorOf({{"rope_scaling", "4"}}).message, "rope_scaling is a number; expected an object");
  EXPECT_THAT(ParseFolderConfig("{").error().message, HasSubstr("not JSON"));
  EXPECT_EQ(ParseFolderConfig("[]").error().message, "the file is no JSON object");
  EXPECT_EQ(ParseFolderConfig(R"({"a":1,"a":2})").error().message, "\"a\" appears twice");
}

}  // namespace
}  // namespace decant::weights
