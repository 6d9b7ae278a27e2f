// Every number of a checkpoint keeps its place.
#include "model/tiny_llama.h"

#include <gtest/gtest.h>

namespace decant::model {
namespace {

TEST(TinyLlamaTest, KeepsEveryNumberUnderItsName) {
  TinyCheckpoint tiny = *MakeTinyCheckpoint({.vocabulary = 3,
                                             .context = 2,
                                             .width = 8,
                                             .layers = 2,
                                             .heads = 2,
                                             .kv_heads = 1,
                                             .feed_forward = 5,
                                             .rope_base = 500,
                                             .epsilon = 1e-6F});
  tiny.output[23] = 7;
  tiny.layers[1].attention_output[63] = 8;
  tiny.layers[1].down[39] = 9;
  const auto llama = ToF32Llama(tiny);
  ASSERT_TRUE(llama.has_value());
  EXPECT_EQ(llama->config.head_width, 4u);
  EXPECT_EQ(llama->config.rope_width, 4u);
  EXPECT_EQ(llama->config.context, 2u);
  EXPECT_EQ(llama->config.rope_base, 500.0F);
  EXPECT_EQ(llama->config.epsilon, 1e-6F);
  EXPECT_EQ(llama->head[23], 7.0F);
  EXPECT_EQ(llama->layers[1].output[63], 8.0F);
  EXPECT_EQ(llama->layers[1].down[39], 9.0F);
  EXPECT_TRUE(CheckLlamaConfig(llama->config).has_value());
}

TEST(TinyLlamaTest, RefusesDimensionsThatAreOutOfRange) {
  EXPECT_EQ(ToF32Llama(TinyCheckpoint{}).error().code, ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace decant::model
