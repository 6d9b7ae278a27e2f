// The model against its plain twin, bit for bit: every chunking, batch, fork, thread count and instruction set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "decant/runtime.h"
#include "model/llama_model.h"
#include "random_model.h"
#include "simd/targets.h"
#include "twin/forward.h"

namespace decant::model {
namespace {

using decant::testing::ModelSpec;
using decant::testing::Random;
using decant::testing::RandomModel;
using ::testing::HasSubstr;
using enum weights::GgmlType;
using Logits = std::vector<std::vector<float>>;

std::vector<ModelSpec> Specs() {
  return {
      {.name = "q4", .width = 64, .feed_forward = 96, .heads = 2, .kv_heads = 1, .head_width = 32, .seed = 11},
      {.name = "q8_untied",
       .width = 32,
       .feed_forward = 64,
       .heads = 1,
       .kv_heads = 1,
       .head_width = 32,
       .layers = 1,
       .vocabulary = 33,
       .types = {kQ8_0},
       .tied = false,
       .seed = 12},
      {.name = "q4_0", .types = {kQ4_0}, .embedding = kQ4_0, .seed = 17},
      {.name = "halves",
       .width = 24,
       .feed_forward = 40,
       .kv_heads = 2,
       .head_width = 12,
       .rope_width = 12,
       .types = {kF16, kBF16},
       .embedding = kBF16,
       .seed = 18},
      {.name = "f32_odd",
       .width = 20,
       .feed_forward = 30,
       .heads = 3,
       .kv_heads = 3,
       .head_width = 6,
       .rope_width = 4,
       .layers = 3,
       .vocabulary = 5,
       .types = {kF32},
       .embedding = kF32,
       .seed = 13},
      {.name = "mixed_gqa3",
       .width = 96,
       .feed_forward = 160,
       .heads = 6,
       .kv_heads = 2,
       .head_width = 16,
       .rope_width = 12,
       .layers = 2,
       .types = {kQ4_1, kF32, kQ8_0, kF16, kBF16},
       .rope_factors = true,
       .seed = 14},
      {.name = "wide_head",
       .width = 64,
       .feed_forward = 32,
       .heads = 5,
       .kv_heads = 1,
       .head_width = 96,
       .rope_width = 96,
       .layers = 1,
       .types = {kQ8_0, kQ4_1, kQ4_0},
       .rope_linear = 2.5f,
       .seed = 15},
      {.name = "head_of_2",
       .width = 4,
       .feed_forward = 6,
       .heads = 2,
       .kv_heads = 1,
       .head_width = 2,
       .rope_width = 2,
       .layers = 1,
       .vocabulary = 5,
       .types = {kF32},
       .embedding = kF32,
       .seed = 16},
  };
}

std::vector<TokenId> RandomIds(std::uint64_t seed, std::size_t n, std::uint32_t vocabulary) {
  Random random(seed);
  std::vector<TokenId> ids(n);
  for (TokenId& id : ids) id = static_cast<TokenId>(random.Below(vocabulary));
  return ids;
}

Logits TwinLogits(const std::vector<std::byte>& bytes, std::span<const TokenId> ids) {
  const auto file = weights::GgufFile::Parse(bytes);
  EXPECT_TRUE(file.has_value());
  auto result = twin::Forward(*file, ids);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->failed_at, "");
  EXPECT_NE(result->logits.front(), result->logits.back()) << "a model that says the same everywhere tests nothing";
  return std::move(result->logits);
}

std::unique_ptr<LanguageModel> Load(const std::vector<std::byte>& bytes, int threads, LlamaOptions options = {}) {
  auto runtime = Runtime::Make({.threads = threads});
  EXPECT_TRUE(runtime.has_value());
  const auto file = weights::GgufFile::Parse(bytes);
  EXPECT_TRUE(file.has_value());
  auto loaded = LoadLlamaWeights(*file, **runtime);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message;
  auto model = MakeLlama(*std::move(loaded), *std::move(runtime), options);
  EXPECT_TRUE(model.has_value()) << model.error().message;
  return *std::move(model);
}

bool SameBits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Feeds ids from the sequence's end, `chunk` at a time, all wanting logits, and compares with the twin's rows.
void ExpectTwin(const LanguageModel& model, KvSequence& sequence, std::span<const TokenId> ids, std::size_t chunk,
                const Logits& expected, const std::string& what) {
  for (std::size_t at = sequence.size(); at < ids.size();) {
    std::vector<Row> rows;
    const std::size_t begin = at;
    for (; at < std::min(ids.size(), begin + chunk); ++at) rows.push_back({&sequence, ids[at], at, true});
    std::vector<float> logits(rows.size() * model.vocabulary_size());
    const auto failed = model.Forward(rows, logits);
    ASSERT_TRUE(failed.has_value()) << failed.error().message;
    ASSERT_TRUE(failed->empty()) << failed->front().error.message;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = std::span(logits).subspan(i * model.vocabulary_size(), model.vocabulary_size());
      ASSERT_TRUE(SameBits(row, expected[begin + i]))
          << what << ", chunk " << chunk << ", position " << begin + i << ": first logit " << row[0] << ", twin "
          << expected[begin + i][0];
    }
  }
  EXPECT_EQ(sequence.size(), ids.size());
}

TEST(ModelTwinTest, AgreesOnEveryLevelThreadCountAndChunking) {
  for (const ModelSpec& spec : Specs()) {
    const auto bytes = RandomModel(spec);
    const std::vector<TokenId> ids = RandomIds(spec.seed, 75, spec.vocabulary);
    const Logits expected = TwinLogits(bytes, ids);
    for (const std::string_view level : simd::SupportedLevels()) {
      const simd::LevelForTest use(level);
      for (const int threads : {1, 2, 3}) {
        const auto model = Load(bytes, threads);
        for (const std::size_t chunk : {1u, 2u, 7u, 33u, 75u}) {
          KvSequence sequence = model->Start();
          ExpectTwin(*model, sequence, ids, chunk, expected,
                     spec.name + " on " + std::string(level) + ", " + std::to_string(threads) + " threads");
        }
      }
    }
  }
}

TEST(ModelTwinTest, AgreesForEveryMemberOfABatch) {
  const ModelSpec spec = Specs()[3];
  const auto bytes = RandomModel(spec);
  std::vector<std::vector<TokenId>> ids;
  std::vector<Logits> expected;
  for (std::size_t s = 0; s < 5; ++s) {
    ids.push_back(RandomIds(100 + s, 20 + 9 * s, spec.vocabulary));
    expected.push_back(TwinLogits(bytes, ids.back()));
  }
  const auto model = Load(bytes, 2, {.context = 0, .sequences = 5});
  std::vector<KvSequence> sequences;
  for (std::size_t s = 0; s < ids.size(); ++s) sequences.push_back(model->Start());
  Random random(7);
  std::vector<std::size_t> at(ids.size());
  while (true) {
    // A few tokens of each, mixed; some rows want no logits.
    std::vector<Row> rows;
    std::vector<std::pair<std::size_t, std::size_t>> wanting;
    for (int pick = 0; pick < 90; ++pick) {
      const std::size_t s = random.Below(ids.size());
      if (at[s] == ids[s].size()) continue;
      const bool wants = random.Below(3) != 0;
      if (wants) wanting.emplace_back(s, at[s]);
      rows.push_back({&sequences[s], ids[s][at[s]], at[s], wants});
      ++at[s];
    }
    if (rows.empty()) break;
    std::vector<float> logits(wanting.size() * spec.vocabulary);
    const auto failed = model->Forward(rows, logits);
    ASSERT_TRUE(failed.has_value()) << failed.error().message;
    for (std::size_t i = 0; i < wanting.size(); ++i) {
      const auto [s, position] = wanting[i];
      EXPECT_TRUE(SameBits(std::span(logits).subspan(i * spec.vocabulary, spec.vocabulary), expected[s][position]))
          << "sequence " << s << ", position " << position;
    }
  }
}

TEST(ModelTwinTest, AgreesAfterForkAndTruncate) {
  const ModelSpec spec = Specs()[0];
  const auto bytes = RandomModel(spec);
  const auto model = Load(bytes, 1);
  const std::vector<TokenId> ids = RandomIds(1, 60, spec.vocabulary);
  for (const std::size_t split : {1u, 31u, 32u, 33u, 40u}) {
    std::vector<TokenId> other(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(split));
    const std::vector<TokenId> tail = RandomIds(2 + split, 30, spec.vocabulary);
    other.insert(other.end(), tail.begin(), tail.end());
    KvSequence trunk = model->Start();
    ExpectTwin(*model, trunk, std::span(ids).first(split), 8, TwinLogits(bytes, ids), "trunk");
    Result<KvSequence> fork = trunk.Fork();
    ASSERT_TRUE(fork.has_value());
    ExpectTwin(*model, *fork, other, 9, TwinLogits(bytes, other), "fork at " + std::to_string(split));
    ExpectTwin(*model, trunk, ids, 5, TwinLogits(bytes, ids), "trunk after fork at " + std::to_string(split));
    trunk.Truncate(split);
    ExpectTwin(*model, trunk, other, 30, TwinLogits(bytes, other), "truncated to " + std::to_string(split));
  }
}

ModelSpec F32Spec() {
  return {.name = "f32",
          .width = 20,
          .feed_forward = 30,
          .heads = 2,
          .kv_heads = 1,
          .head_width = 8,
          .rope_width = 8,
          .layers = 2,
          .vocabulary = 9,
          .types = {kF32},
          .embedding = kF32,
          .seed = 21};
}
constexpr TokenId kBadToken = 8;  // of the vocabulary of F32Spec

// Patches a float of an F32 tensor.
void Set(std::vector<std::byte>& bytes, const std::string& tensor, std::size_t row, std::size_t column, float value) {
  const auto file = weights::GgufFile::Parse(bytes);
  const weights::TensorView& t = *file->FindTensor(tensor);
  std::memcpy(bytes.data() + t.offset + (row * t.columns() + column) * sizeof value, &value, sizeof value);
}

// A model in which kBadToken alone has a large element 0, and row 0 of `tensor`, one of layer 0's attention inputs,
// blows it up: only this token overflows.
std::vector<std::byte> ModelThatFailsAtBadToken(const std::string& tensor, float value) {
  auto bytes = RandomModel(F32Spec());
  for (TokenId id = 0; id <= kBadToken; ++id) Set(bytes, "token_embd.weight", id, 0, id == kBadToken ? 1e4f : 0.0f);
  Set(bytes, "blk.0.attn_norm.weight", 0, 0, 1.0f);
  Set(bytes, tensor, 0, 0, value);
  return bytes;
}

// Runs ids in chunks and checks that the model fails where the twin does, and that what came before is right.
void ExpectTwinFailure(const std::vector<std::byte>& bytes, std::span<const TokenId> ids, const std::string& where,
                       std::size_t position, std::size_t chunk, const std::string& what) {
  const auto file = weights::GgufFile::Parse(bytes);
  const auto expected = twin::Forward(*file, ids);
  ASSERT_TRUE(expected.has_value());
  ASSERT_EQ(expected->failed_at, where) << what;
  ASSERT_EQ(expected->logits.size(), position) << what;
  const auto model = Load(bytes, 2);
  const std::size_t vocabulary = model->vocabulary_size();
  KvSequence sequence = model->Start();
  std::vector<RowError> failed;
  std::size_t begin = 0, end = 0;
  while (failed.empty()) {
    begin = end;
    ASSERT_LT(begin, ids.size()) << what << " did not fail";
    end = std::min(ids.size(), begin + chunk);
    std::vector<Row> rows;
    for (std::size_t i = begin; i < end; ++i) rows.push_back({&sequence, ids[i], i, true});
    std::vector<float> logits(rows.size() * vocabulary);
    auto answer = model->Forward(rows, logits);
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    failed = *std::move(answer);
    for (std::size_t i = begin; i < std::min(end, position); ++i) {
      EXPECT_TRUE(SameBits(std::span(logits).subspan((i - begin) * vocabulary, vocabulary), expected->logits[i]))
          << what << ", position " << i;
    }
  }
  EXPECT_EQ(failed[0].row, position - begin) << what;
  EXPECT_EQ(failed[0].error.code, ErrorCode::kNonFiniteActivation);
  EXPECT_EQ(failed[0].error.subject, where) << what;
  EXPECT_EQ(failed.size(), end - position) << what;
  EXPECT_EQ(sequence.size(), position) << what;
  if (failed.size() > 1) {
    EXPECT_THAT(failed[1].error.message, HasSubstr("was not computed: row " + std::to_string(position - begin)));
  }
}

TEST(ModelTwinTest, AFailingRowTakesOnlyItsFollowersAlong) {
  struct Case {
    std::string tensor;
    float value;
    std::string where;
  };
  const Case cases[] = {{"blk.0.attn_k.weight", 1e5f, "blk.0.attn_k"},
                        {"blk.0.attn_v.weight", -1e5f, "blk.0.attn_v"},
                        {"blk.0.attn_q.weight", 3e38f, "blk.0.attn_scores"}};
  for (const Case& c : cases) {
    const auto bytes = ModelThatFailsAtBadToken(c.tensor, c.value);
    for (const std::size_t position : {0u, 37u, 69u}) {
      std::vector<TokenId> ids = RandomIds(31, 70, kBadToken);
      ids[position] = kBadToken;
      for (const std::string_view level : simd::SupportedLevels()) {
        const simd::LevelForTest use(level);
        for (const std::size_t chunk : {1u, 20u, 70u}) {
          ExpectTwinFailure(bytes, ids, c.where, position, chunk,
                            c.tensor + " on " + std::string(level) + ", chunk " + std::to_string(chunk));
        }
      }
    }
  }
}

TEST(ModelTwinTest, NamesTheActivationThatFailed) {
  struct Case {
    std::string tensor;
    float value;
    std::string where;
  };
  const Case cases[] = {{"blk.1.ffn_gate.weight", -3e38f, "blk.1.ffn_down"},
                        {"blk.0.ffn_down.weight", 3e38f, "blk.1.attn_norm"},
                        {"blk.0.attn_output.weight", 3e38f, "blk.0.ffn_norm"},
                        {"blk.1.ffn_down.weight", 3e38f, "output_norm"}};
  for (const Case& c : cases) {
    auto bytes = RandomModel(F32Spec());
    const auto file = weights::GgufFile::Parse(bytes);
    const std::size_t columns = file->FindTensor(c.tensor)->columns();
    for (std::size_t i = 0; i < columns; ++i) Set(bytes, c.tensor, 0, i, c.value);
    for (const std::string_view level : simd::SupportedLevels()) {
      const simd::LevelForTest use(level);
      ExpectTwinFailure(bytes, RandomIds(5, 3, kBadToken), c.where, 0, 3, c.tensor + " on " + std::string(level));
    }
  }
}

TEST(ModelTwinTest, OtherSequencesGoOnPastAFailure) {
  const auto bytes = ModelThatFailsAtBadToken("blk.0.attn_k.weight", 1e5f);
  const std::size_t vocabulary = F32Spec().vocabulary;
  std::vector<TokenId> bad = RandomIds(4, 90, kBadToken);
  bad[2] = kBadToken;
  const std::vector<TokenId> good = RandomIds(3, 100, kBadToken);
  const Logits expected = TwinLogits(bytes, good);
  const auto model = Load(bytes, 2);
  KvSequence a = model->Start(), b = model->Start();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (i < bad.size()) rows.push_back({&a, bad[i], i, true});
    rows.push_back({&b, good[i], i, true});
  }
  std::vector<float> logits(rows.size() * vocabulary, 1.0f);
  const auto failed = model->Forward(rows, logits);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->size(), bad.size() - 2);
  EXPECT_EQ(a.size(), 2u);
  EXPECT_EQ(b.size(), good.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].sequence != &b) continue;
    EXPECT_TRUE(SameBits(std::span(logits).subspan(i * vocabulary, vocabulary), expected[next++])) << "row " << i;
  }
  for (const RowError& error : *failed) {
    EXPECT_EQ(rows[error.row].sequence, &a);
    EXPECT_EQ(logits[error.row * vocabulary], 0.0f) << "row " << error.row;
  }
}

}  // namespace
}  // namespace decant::model
