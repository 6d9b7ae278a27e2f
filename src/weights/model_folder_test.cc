// Folders on disk: one file or several, and the ways in which the parts can contradict each other.
#include "weights/model_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/scratch_folder_for_test.h"
#include "weights/safetensors_writer_for_test.h"

namespace decant::weights {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ModelFolderTest : public ::testing::Test {
 protected:
  ModelFolderTest() { Write("config.json", Config("false")); }

  void Write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void Write(const std::string& name, const std::vector<std::byte>& bytes) {
    Write(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  static std::string Config(std::string_view tied) {
    return R"({"model_type":"llama","vocab_size":3,"max_position_embeddings":8,"num_hidden_layers":0,)"
           R"("hidden_size":2,"intermediate_size":2,"num_attention_heads":1,"rms_norm_eps":1e-5,)"
           R"("tie_word_embeddings":)" +
           std::string(tied) + "}";
  }
  // Tensors by name; the head has 3 x 2 numbers that start with `first`.
  static std::vector<std::byte> File(const std::vector<std::string>& names, float first = 0) {
    SafetensorsWriter writer;
    for (const std::string& name : names) {
      std::vector<float> numbers(6, 0.0f);
      if (name == "lm_head.weight") numbers[0] = first;
      const auto bytes = std::as_bytes(std::span(numbers));
      writer.Add(name, "F32", {3, 2}, {bytes.begin(), bytes.end()});
    }
    return writer.Finish();
  }
  std::string Message() {
    const auto folder = ModelFolder::Open(folder_.path());
    return folder.has_value() ? "" : folder.error().message;
  }

  core::ScratchFolder folder_;
};

TEST_F(ModelFolderTest, FindsTensorsOfOneFile) {
  Write("model.safetensors", File({"model.embed_tokens.weight", "lm_head.weight"}));
  const auto folder = ModelFolder::Open(folder_.path());
  ASSERT_TRUE(folder.has_value()) << folder.error().message;
  EXPECT_THAT(folder->file_names(), ElementsAre("model.safetensors"));
  EXPECT_NE(folder->Find(folder->NameOf(LlamaTensor::kHead, 0)), nullptr);
  EXPECT_EQ(folder->Find(folder->NameOf(LlamaTensor::kQuery, 3)), nullptr);
  EXPECT_EQ(folder->NameOf(LlamaTensor::kQuery, 3), "model.layers.3.self_attn.q_proj.weight");
  EXPECT_EQ(folder->size(), fs::file_size(folder_ / "model.safetensors"));
}

TEST_F(ModelFolderTest, FindsTensorsOfAllShards) {
  Write("a.safetensors", File({"model.embed_tokens.weight"}));
  Write("b.safetensors", File({"lm_head.weight"}));
  Write("model.safetensors.index.json",
        R"({"weight_map":{"lm_head.weight":"b.safetensors","model.embed_tokens.weight":"a.safetensors"}})");
  const auto folder = ModelFolder::Open(folder_.path());
  ASSERT_TRUE(folder.has_value()) << folder.error().message;
  EXPECT_THAT(folder->file_names(), ElementsAre("a.safetensors", "b.safetensors"));
  EXPECT_EQ(folder->tensors().size(), 2u);
}

TEST_F(ModelFolderTest, NamesShardsThatContradictTheIndex) {
  Write("a.safetensors", File({"model.embed_tokens.weight"}));
  Write("model.safetensors.index.json",
        R"({"weight_map":{"lm_head.weight":"a.safetensors","model.embed_tokens.weight":"a.safetensors"}})");
  EXPECT_THAT(Message(), HasSubstr("a.safetensors has no tensor \"lm_head.weight\", which the index puts there"));
  Write("a.safetensors", File({"lm_head.weight", "model.embed_tokens.weight", "more"}));
  EXPECT_THAT(Message(), HasSubstr("a.safetensors has tensor \"more\", which the index does not put there"));
  fs::remove(folder_ / "a.safetensors");
  EXPECT_THAT(Message(), HasSubstr("cannot read"));
}

TEST_F(ModelFolderTest, SaysWhichPartIsMissing) {
  EXPECT_THAT(Message(), HasSubstr("has no model.safetensors; expected"));
  Write("pytorch_model.bin", "x");
  EXPECT_THAT(Message(), HasSubstr("has no model.safetensors, only pytorch_model.bin; expected"));
  Write("config.json", "{");
  EXPECT_THAT(Message(), HasSubstr("config.json: not JSON"));
  fs::remove(folder_ / "config.json");
  EXPECT_THAT(Message(), HasSubstr("cannot read"));
}

TEST_F(ModelFolderTest, AHeadIsTiedOrThere) {
  Write("model.safetensors", File({"model.embed_tokens.weight"}));
  EXPECT_THAT(Message(), HasSubstr("tensor \"lm_head.weight\" is missing, and tie_word_embeddings is not true"));
  Write("config.json", Config("true"));
  EXPECT_EQ(Message(), "");
  Write("model.safetensors", File({"model.embed_tokens.weight", "lm_head.weight"}));
  EXPECT_EQ(ModelFolder::Open(folder_.path())->tensors().size(), 1u);
  Write("model.safetensors", File({"model.embed_tokens.weight", "lm_head.weight"}, 1.0f));
  EXPECT_EQ(Message(), "tie_word_embeddings is true, but lm_head.weight differs from model.embed_tokens.weight");
}

TEST_F(ModelFolderTest, BuffersThatFollowFromTheConfigAreNotWeights) {
  Write("model.safetensors",
        File({"model.embed_tokens.weight", "lm_head.weight", "model.layers.0.self_attn.rotary_emb.inv_freq"}));
  EXPECT_EQ(ModelFolder::Open(folder_.path())->tensors().size(), 2u);
}

TEST_F(ModelFolderTest, TheTokenizerMayHaveFewerTokensButNotMore) {
  Write("model.safetensors", File({"model.embed_tokens.weight", "lm_head.weight"}));
  auto folder = *ModelFolder::Open(folder_.path());
  EXPECT_EQ(folder.SetVocabulary(4).error().message, "the tokenizer has 4 tokens; vocab_size is 3");
  ASSERT_TRUE(folder.SetVocabulary(2).has_value());
  EXPECT_EQ(folder.Shape()->vocabulary, 2u);
}

TEST_F(ModelFolderTest, RowsAreVocabSize) {
  SafetensorsWriter writer;
  writer.Add("model.embed_tokens.weight", "F32", {2, 2}, std::vector<std::byte>(16));
  Write("model.safetensors", writer.Finish());
  EXPECT_EQ(Message(), "tensor \"model.embed_tokens.weight\" has 2 rows; vocab_size is 3");
}

}  // namespace
}  // namespace decant::weights
