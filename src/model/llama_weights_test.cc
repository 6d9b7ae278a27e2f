#include "model/llama_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "weights/gguf_writer_for_test.h"

namespace decant::model {
namespace {

using ::testing::HasSubstr;

// A correct one-layer F32 file, as lists that a case changes before it is written.
struct Draft {
  std::map<std::string, std::vector<std::uint64_t>> tensors;
  std::map<std::string, std::uint32_t> types;  // F32 where absent
  std::map<std::string, std::uint32_t> sizes;
  std::string architecture = "llama";
  std::string scaling;

  Draft() {
    sizes = {{"llama.block_count", 1},          {"llama.context_length", 16},      {"llama.embedding_length", 8},
             {"llama.feed_forward_length", 12}, {"llama.attention.head_count", 2}, {"llama.attention.head_count_kv", 1},
             {"llama.rope.dimension_count", 4}};
    tensors = {
        {"token_embd.weight", {8, 6}},    {"output_norm.weight", {8}},          {"blk.0.attn_norm.weight", {8}},
        {"blk.0.ffn_norm.weight", {8}},   {"blk.0.attn_q.weight", {8, 8}},      {"blk.0.attn_k.weight", {8, 4}},
        {"blk.0.attn_v.weight", {8, 4}},  {"blk.0.attn_output.weight", {8, 8}}, {"blk.0.ffn_gate.weight", {8, 12}},
        {"blk.0.ffn_up.weight", {8, 12}}, {"blk.0.ffn_down.weight", {12, 8}}};
  }

  std::vector<std::byte> Write() const {
    weights::GgufWriter writer;
    writer.AddString("general.architecture", architecture);
    for (const auto& [key, value] : sizes) writer.AddU32(key, value);
    writer.AddF32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    if (!scaling.empty()) writer.AddString("llama.rope.scaling.type", scaling);
    for (const auto& [name, dims] : tensors) {
      std::size_t elements = 1;
      for (const std::uint64_t extent : dims) elements *= static_cast<std::size_t>(extent);
      const auto type = types.contains(name) ? types.at(name) : 0u;
      writer.AddTensor(name, dims, type, std::vector<std::byte>(type == 0 ? 4 * elements : elements / 32 * 18));
    }
    return writer.Finish();
  }
};

Result<LlamaWeights> LoadDraft(const std::function<void(Draft&)>& change) {
  Draft draft;
  change(draft);
  const auto bytes = draft.Write();
  auto file = weights::GgufFile::Parse(bytes);
  if (!file.has_value()) return std::unexpected(file.error());
  const auto runtime = *Runtime::Make({.threads = 2});
  return LoadLlamaWeights(*file, *runtime);
}

std::string MessageOf(const std::function<void(Draft&)>& change) {
  const auto loaded = LoadDraft(change);
  return loaded.has_value() ? "" : loaded.error().message;
}

TEST(LlamaWeightsTest, LoadsACorrectFile) {
  const auto loaded = LoadDraft([](Draft&) {});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->config.vocabulary, 6u);
  EXPECT_EQ(loaded->config.head_width, 4u);
  EXPECT_EQ(loaded->layers.size(), 1u);
  EXPECT_EQ(loaded->head, loaded->embedding);
}

TEST(LlamaWeightsTest, NamesAnArchitectureThatItDoesNotHave) {
  EXPECT_EQ(MessageOf([](Draft& d) { d.architecture = "mamba"; }),
            "architecture \"mamba\" is not supported; expected llama");
}

TEST(LlamaWeightsTest, NamesARopeScalingThatItDoesNotHave) {
  EXPECT_EQ(MessageOf([](Draft& d) { d.scaling = "yarn"; }),
            "llama.rope.scaling.type is \"yarn\"; expected none or linear");
  EXPECT_EQ(MessageOf([](Draft& d) { d.scaling = "none"; }), "");
}

TEST(LlamaWeightsTest, NamesShapesThatDoNotFit) {
  EXPECT_EQ(MessageOf([](Draft& d) { d.tensors["blk.0.attn_k.weight"] = {8, 8}; }),
            "tensor \"blk.0.attn_k.weight\" has shape [8, 8]; expected [8, 4]");
  EXPECT_EQ(MessageOf([](Draft& d) { d.tensors.erase("blk.0.ffn_up.weight"); }),
            "tensor \"blk.0.ffn_up.weight\" is missing");
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes["llama.attention.head_count_kv"] = 3; }),
            "2 heads are not a multiple of 3 KV heads");
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes["llama.rope.dimension_count"] = 5; }),
            "llama.rope.dimension_count is 5; expected an even number from 2 to the head width 4");
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes.erase("llama.block_count"); }),
            "metadata \"llama.block_count\" is missing; expected a whole number, 0 or more");
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes["llama.context_length"] = 0; }),
            "metadata \"llama.context_length\" is 0; expected 1 to 16777216");
}

TEST(LlamaWeightsTest, RefusesATensorThatNothingUses) {
  EXPECT_THAT(MessageOf([](Draft& d) { d.tensors["blk.0.attn_q.bias"] = {8}; }),
              HasSubstr("tensor \"blk.0.attn_q.bias\" is not part of architecture llama"));
}

TEST(LlamaWeightsTest, RefusesATypeThatItDoesNotRead) {
  const auto loaded = LoadDraft([](Draft& d) {
    d.tensors["output.weight"] = {32, 6};
    d.types["output.weight"] = 2;
  });
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_THAT(loaded.error().message, HasSubstr("tensor \"output.weight\" is Q4_0"));
}

TEST(LlamaWeightsTest, RefusesAnglesThatLeaveTheRangeOfTheSine) {
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes["llama.context_length"] = 1u << 20; }),
            "the rotation angles of RoPE reach 2^20 within the context");
}

}  // namespace
}  // namespace decant::model
