// The seven lines of the report against the stored ones.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decant/generate.h"
#include "decant/reference.h"
#include "decant/sampler.h"
#include "decode/tiny_model.h"
#include "model/tiny_checkpoint.h"

namespace decant::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReferenceReportTest, IsTheReportOfTheChapter) {
  std::ifstream file(DECANT_SOURCE_DIR "/tests/golden/reference_report.txt", std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(expected.empty());
  const auto report = Report(BuiltInCheckpoint());
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(*report, expected);
}

TEST(ReferenceReportTest, FollowsTheCheckpointItIsGiven) {
  auto checkpoint = *model::ParseTinyCheckpoint(BuiltInCheckpoint());
  checkpoint.random_state = 1;
  const auto report = Report(model::WriteTinyCheckpoint(checkpoint));
  ASSERT_TRUE(report.has_value());
  EXPECT_THAT(*report, HasSubstr("rng_state:0x0000000000000001"));
}

TEST(ReferenceReportTest, RefusesADamagedCheckpoint) {
  std::vector<std::byte> bytes(BuiltInCheckpoint().begin(), BuiltInCheckpoint().end());
  bytes[100] ^= std::byte{1};
  EXPECT_EQ(Report(bytes).error().code, ErrorCode::kCorruptFile);
}

// What the chapter says about the loaded model, draw by draw.
TEST(BuiltInCheckpointTest, EmitsTwoTokensFromItsContextOfTwo) {
  const auto checkpoint = *model::ParseTinyCheckpoint(BuiltInCheckpoint());
  EXPECT_EQ(checkpoint.random_state, 0x9e3779b97f4a7c38u);
  const auto model = *decode::LoadTinyModel(checkpoint);
  EXPECT_EQ(model->vocabulary_size(), 5u);
  EXPECT_EQ(model->context_length(), 2u);
  SplitMix64 rng(checkpoint.random_state), twin(checkpoint.random_state);
  const TokenId prompt[] = {0};
  const auto run = GenerateUncached(
      *model, prompt, {.mode = TemperatureTopK{.temperature = 1, .top_k = 3}, .eos = {}, .max_new_tokens = 4}, rng);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_THAT(run->generated, ElementsAre(4, 4));
  EXPECT_EQ(run->stop, Stop::kContextLimit);
  EXPECT_EQ(run->full_prefix_calls, 2u);
  EXPECT_EQ(run->steps[0].draw, twin.NextUnit());
  EXPECT_EQ(run->steps[1].draw, twin.NextUnit());
  EXPECT_EQ(rng.state(), twin.state());
}

// Found by a plain program that follows docs/determinism.md, "Model", and shares no code with src/model and src/simd.
TEST(BuiltInCheckpointTest, GivesTheLogitsOfThePlainForwardPass) {
  const auto model = *decode::LoadTinyModel(*model::ParseTinyCheckpoint(BuiltInCheckpoint()));
  KvSequence sequence = model->Start();
  const Row rows[] = {{&sequence, 0, 0, true}, {&sequence, 4, 1, true}};
  std::vector<float> logits(10);
  const auto failures = model->Forward(rows, logits);
  ASSERT_TRUE(failures.has_value() && failures->empty());
  EXPECT_THAT(logits, ElementsAre(0x1.e52522p+0F, -0x1.a5ffep+0F, 0x1.1881d4p+0F, 0x1.70281p-3F, 0x1.2dda36p+2F,
                                  0x1.a33e2cp+0F, -0x1.004f34p+1F, 0x1.ac8128p+0F, -0x1.4209c8p-1F, 0x1.01147p+2F));
}

TEST(BuiltInCheckpointTest, APromptThatFillsTheContextEmitsOneToken) {
  const auto checkpoint = *model::ParseTinyCheckpoint(BuiltInCheckpoint());
  const auto model = *decode::LoadTinyModel(checkpoint);
  SplitMix64 rng(checkpoint.random_state);
  const TokenId prompt[] = {0, 4};
  const auto run = GenerateUncached(*model, prompt, {.mode = Greedy{}, .eos = {}, .max_new_tokens = 4}, rng);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(run->generated.size(), 1u);
  EXPECT_EQ(run->stop, Stop::kContextLimit);
}

TEST(BuiltInCheckpointTest, RefusesWhatDoesNotFitTheModel) {
  const auto model = *decode::LoadTinyModel(*model::ParseTinyCheckpoint(BuiltInCheckpoint()));
  const auto code = [&model](std::vector<TokenId> prompt, GenerationConfig config) {
    SplitMix64 rng(7);
    const auto run = GenerateUncached(*model, prompt, config, rng);
    EXPECT_EQ(rng.state(), 7u);
    return run.has_value() ? ErrorCode::kInternal : run.error().code;
  };
  EXPECT_EQ(code({}, {}), ErrorCode::kEmptyPrompt);
  EXPECT_EQ(code({0, 1, 2}, {}), ErrorCode::kPromptTooLong);
  EXPECT_EQ(code({5}, {}), ErrorCode::kTokenOutOfRange);
  EXPECT_EQ(code({0}, {.mode = Greedy{}, .eos = 5, .max_new_tokens = 1}), ErrorCode::kTokenOutOfRange);
}

// The same model through the generation loop of every other one: cached, and stopped by the same rules.
TEST(BuiltInCheckpointTest, GeneratesTheSameThroughTheLoopOfEveryModel) {
  const auto checkpoint = *model::ParseTinyCheckpoint(BuiltInCheckpoint());
  const auto model = *decode::LoadTinyModel(checkpoint);
  const auto sampler = MakeSampler({{StageId::kTemperature, TemperatureParams{1}}, {StageId::kTopK, TopKParams{3}}},
                                   model->vocabulary_size(), {.preset = Preset::kReference});
  ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
  const TokenId prompt[] = {0};
  for (const KvCacheUse cache : {KvCacheUse::kOn, KvCacheUse::kOff}) {
    SamplerState state({.seed = checkpoint.random_state, .position = 1});
    const auto run =
        decant::Generate(*model, nullptr, prompt, **sampler, state, {.max_tokens = 4, .kv_cache = cache}, {});
    ASSERT_TRUE(run.has_value()) << run.error().message;
    EXPECT_THAT(run->tokens, ElementsAre(4, 4));
    EXPECT_EQ(run->stop, StopReason::kContext);
    EXPECT_EQ(run->model_calls, 2u);
  }
  SamplerState state({.seed = checkpoint.random_state, .position = 1});
  const auto eos = decant::Generate(*model, nullptr, prompt, **sampler, state, {.max_tokens = 4, .eos = 4}, {});
  ASSERT_TRUE(eos.has_value());
  EXPECT_THAT(eos->tokens, ElementsAre(4));
  EXPECT_EQ(eos->stop, StopReason::kEos);
}

}  // namespace
}  // namespace decant::reference
