// Files that are wrong in one place each, and the message for it.
#include "model/llama_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

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
      writer.AddTensor(name, dims, type, std::vector<std::byte>(type == 0 ? 4 * elements : elements / 32 * 22));
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
            "llama.context_length is 0; expected 1 to 16777216");
}

// A size that the file alone claims must not become a buffer.
TEST(LlamaWeightsTest, BoundsWhatACraftedFileCanAskFor) {
  struct Case {
    std::function<void(Draft&)> change;
    std::string message;
  };
  const auto size = [](const char* key, std::uint32_t value) { return [=](Draft& d) { d.sizes[key] = value; }; };
  const std::vector<Case> cases = {
      {size("llama.feed_forward_length", 0xffffffffu),
       "llama.feed_forward_length is 4294967295; expected 1 to 1048576"},
      {size("llama.embedding_length", (1u << 20) + 2), "llama.embedding_length is 1048578; expected 1 to 1048576"},
      {size("llama.context_length", (1u << 24) + 1), "llama.context_length is 16777217; expected 1 to 16777216"},
      {size("llama.attention.key_length", 1u << 20),
       "llama.attention.key_length is 1048576, of 2 heads; expected a product of at most 1048576"},
      {[](Draft& d) {
         d.sizes["llama.feed_forward_length"] = 1u << 20;
         d.sizes["llama.attention.key_length"] = 1u << 18;
       },
       "llama.feed_forward_length is 1048576: a pass would take 1468012608 bytes; expected at most 1073741824"},
      {[](Draft& d) {
         d.sizes["llama.attention.head_count_kv"] = 2;
         d.sizes["llama.attention.key_length"] = 1u << 19;
       },
       "llama.attention.key_length is 524288: a pass would take 1358971520 bytes; expected at most 1073741824"},
      {[](Draft& d) {
         d.sizes["llama.context_length"] = 1u << 20;
         d.sizes["llama.attention.head_count"] = 1u << 10;
         d.sizes["llama.attention.key_length"] = 4;
       },
       "llama.attention.head_count is 1024: attention over the context would take 4294967296 bytes; expected at most "
       "268435456"},
      {[](Draft& d) {
         d.sizes["llama.context_length"] = 1u << 24;
         d.sizes["llama.attention.key_length"] = 1u << 19;
       },
       "llama.context_length is 16777216: the KV cache of a sequence would take 35184372088832 bytes; expected at most "
       "4398046511104"},
      {[](Draft& d) {
         d.sizes["llama.block_count"] = 11;
         d.sizes["llama.attention.head_count_kv"] = 2;
         d.sizes["llama.attention.key_length"] = 3u << 17;
       },
       "llama.block_count is 11: a KV block of 32 tokens would take 1107296256 bytes; expected at most 1073741824"},
  };
  for (const Case& c : cases) {
    const auto loaded = LoadDraft(c.change);
    ASSERT_FALSE(loaded.has_value()) << c.message;
    EXPECT_EQ(loaded.error().message, c.message);
    EXPECT_EQ(loaded.error().code, ErrorCode::kUnsupportedFile) << c.message;
  }
}

TEST(LlamaWeightsTest, RefusesMoreLayersThanTensors) {
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes["llama.block_count"] = 12; }),
            "llama.block_count is 12; the file has 11 tensors");
}

TEST(LlamaWeightsTest, RefusesATensorThatNothingUses) {
  EXPECT_THAT(MessageOf([](Draft& d) { d.tensors["blk.0.attn_q.bias"] = {8}; }),
              HasSubstr("tensor \"blk.0.attn_q.bias\" is not part of architecture llama"));
}

TEST(LlamaWeightsTest, RefusesATypeThatItDoesNotRead) {
  const auto loaded = LoadDraft([](Draft& d) {
    d.tensors["output.weight"] = {32, 6};
    d.types["output.weight"] = 6;
  });
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_THAT(loaded.error().message, HasSubstr("tensor \"output.weight\" is Q5_0"));
}

TEST(LlamaWeightsTest, RefusesAnglesThatLeaveTheRangeOfTheSine) {
  EXPECT_EQ(MessageOf([](Draft& d) { d.sizes["llama.context_length"] = 1u << 20; }),
            "the rotation angles of RoPE reach 2^20 within the context");
}

}  // namespace
}  // namespace decant::model
