// What a call of Forward promises besides its numbers; those are compared with the twin in tests/model.
#include "model/llama_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace decant::model {
namespace {

using ::testing::HasSubstr;

// Five tokens, two positions, one layer: every number is checked by hand elsewhere; here only the shape matters.
F32Llama Tiny() {
  F32Llama tiny;
  tiny.config = {.vocabulary = 5,
                 .context = 2,
                 .layers = 1,
                 .width = 4,
                 .feed_forward = 3,
                 .heads = 2,
                 .kv_heads = 1,
                 .head_width = 2,
                 .rope_width = 2};
  const std::vector<float> ones(4, 1.0f);
  tiny.embedding.assign(5 * 4, 0.0f);
  for (std::size_t i = 0; i < 5; ++i) tiny.embedding[i * 4 + i % 4] = static_cast<float>(i + 1);
  tiny.output_norm = ones;
  F32Llama::Layer layer;
  layer.attention_norm = layer.feed_forward_norm = ones;
  layer.query.assign(4 * 4, 0.25f);
  layer.key.assign(2 * 4, 0.5f);
  layer.value.assign(2 * 4, 0.25f);
  layer.output.assign(4 * 4, 0.5f);
  layer.gate.assign(3 * 4, 0.25f);
  layer.up.assign(3 * 4, 0.5f);
  layer.down.assign(4 * 3, 0.125f);
  tiny.layers.push_back(layer);
  return tiny;
}

class LlamaModelTest : public ::testing::Test {
 protected:
  std::unique_ptr<LanguageModel> Make(LlamaOptions options = {}) {
    auto weights = MakeLlamaWeights(Tiny());
    EXPECT_TRUE(weights.has_value()) << weights.error().message;
    auto model = MakeLlama(*std::move(weights), *Runtime::Make({.threads = 1}), options);
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return *std::move(model);
  }
  static Error ErrorOf(const LanguageModel& model, std::vector<Row> rows, std::size_t logits) {
    std::vector<float> out(logits);
    const auto answer = model.Forward(rows, out);
    EXPECT_FALSE(answer.has_value()) << "the rows were accepted";
    return answer.has_value() ? Error{} : answer.error();
  }
};

TEST_F(LlamaModelTest, RunsADecoderBuiltFromNumbers) {
  const auto model = Make();
  EXPECT_EQ(model->vocabulary_size(), 5u);
  EXPECT_EQ(model->context_length(), 2u);
  KvSequence sequence = model->Start();
  std::vector<float> logits(10);
  const auto failed = model->Forward(std::vector<Row>{{&sequence, 4, 0, true}, {&sequence, 1, 1, true}}, logits);
  ASSERT_TRUE(failed.has_value() && failed->empty());
  EXPECT_EQ(sequence.size(), 2u);
  // Token 4 and token 0 point the same way; the larger embedding has the larger logit.
  EXPECT_GT(logits[4], logits[0]);
  EXPECT_GT(logits[0], 0.0f);
}

TEST_F(LlamaModelTest, RefusesWrongRowsBeforeAnythingMoves) {
  const auto model = Make();
  KvSequence sequence = model->Start();
  EXPECT_EQ(ErrorOf(*model, {{&sequence, 5, 0, false}}, 0).message,
            "token 5 of row 0 is not below the vocabulary size 5");
  EXPECT_EQ(ErrorOf(*model, {{&sequence, 5, 0, false}}, 0).code, ErrorCode::kTokenOutOfRange);
  EXPECT_EQ(ErrorOf(*model, {{&sequence, 1, 1, false}}, 0).message, "row 0 is at position 1; expected 0");
  EXPECT_EQ(ErrorOf(*model, {{&sequence, 1, 0, false}, {&sequence, 1, 2, false}}, 0).message,
            "row 1 is at position 2; expected 1");
  EXPECT_EQ(ErrorOf(*model, {{&sequence, 1, 0, false}, {&sequence, 1, 1, false}, {&sequence, 1, 2, false}}, 0).message,
            "row 2 is at position 2; the context holds 2 tokens");
  EXPECT_EQ(ErrorOf(*model, {{&sequence, 1, 0, true}}, 4).code, ErrorCode::kLogitCountMismatch);
  EXPECT_EQ(ErrorOf(*model, {{nullptr, 1, 0, true}}, 5).message, "row 0 has no sequence");
  EXPECT_EQ(sequence.size(), 0u);
  EXPECT_EQ(sequence.block_count(), 0u);
}

TEST_F(LlamaModelTest, ACallThatFindsNoBlockMovesNoSequence) {
  const auto model = Make({.context = 2, .sequences = 1});
  KvSequence a = model->Start(), b = model->Start();
  EXPECT_EQ(ErrorOf(*model, {{&a, 1, 0, false}, {&b, 1, 0, false}}, 0).code, ErrorCode::kCacheExhausted);
  EXPECT_EQ(a.block_count(), 0u);
  std::vector<float> none;
  EXPECT_TRUE(model->Forward(std::vector<Row>{{&b, 1, 0, false}}, none).has_value());
}

TEST_F(LlamaModelTest, NoRowsAreFine) {
  const auto model = Make();
  std::vector<float> none;
  EXPECT_TRUE(model->Forward({}, none).has_value());
}

TEST_F(LlamaModelTest, RefusesWrongOptions) {
  const auto make = [](LlamaOptions options) {
    return MakeLlama(*MakeLlamaWeights(Tiny()), *Runtime::Make({.threads = 1}), options);
  };
  EXPECT_EQ(make({.context = 3, .sequences = 1}).error().message, "context is 3; the model's is 2");
  EXPECT_EQ(make({.context = 0, .sequences = 0}).error().message, "sequences is 0; expected at least 1");
}

TEST_F(LlamaModelTest, RefusesNumbersThatDoNotFit) {
  F32Llama wrong = Tiny();
  wrong.layers[0].key.pop_back();
  EXPECT_EQ(MakeLlamaWeights(wrong).error().message, "key has 7 numbers; expected 8");
  wrong = Tiny();
  wrong.embedding[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(MakeLlamaWeights(wrong).error().message, "embedding holds an infinity or NaN");
  wrong = Tiny();
  wrong.config.rope_width = 3;
  EXPECT_THAT(MakeLlamaWeights(wrong).error().message, HasSubstr("expected an even number from 2"));
}

}  // namespace
}  // namespace decant::model
