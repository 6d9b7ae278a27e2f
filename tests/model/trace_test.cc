// Traces of the real model: a hundred steps replay, and no changed byte goes unseen.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "core/scratch_folder_for_test.h"
#include "core/sha256.h"
#include "decant/trace.h"
#include "tests/model/model_for_test.h"
#include "trace/lines.h"

namespace decant {
namespace {

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    DECANT_NEEDS_MODEL();
    model_ = LoadModelForTest(2);
  }

  void Set(RunSpec& spec, std::string_view name, std::string_view text) {
    const ParameterSpec& parameter = **FindParameter(name);
    ASSERT_TRUE(spec.parameters.Set(parameter, ParseParameter(parameter, text).value(), ParameterSource::kFlag));
  }

  Generation Write(std::size_t tokens, TraceDetail detail) {
    RunSpec spec{.prompt = model_->tokenizer()->Encode("Once upon a time", SpecialText::kParse), .detail = detail};
    Set(spec, "temperature", "0.8");
    Set(spec, "top_k", "40");
    Set(spec, "top_p", "0.95");
    Set(spec, "seed", "7");
    Set(spec, "max_tokens", std::to_string(tokens));
    Set(spec, "ignore_eos", "true");
    PreparedRun run = PrepareRun(*model_, spec).value();
    const auto writer = WriteTrace(path_, *model_, spec).value();
    const Generation generation =
        Generate(model_->language_model(), model_->tokenizer(), spec.prompt, *run.sampler, run.state, run.options,
                 {.on_step = [&writer](const StepEvidence& evidence) { return writer->Step(evidence); }})
            .value();
    EXPECT_TRUE(writer->End(generation).has_value());
    return generation;
  }

  std::string ReadText() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void WriteText(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

  std::shared_ptr<const Model> model_;
  core::ScratchFolder folder_;
  std::string path_ = folder_ / "trace.jsonl";
};

TEST_F(TraceTest, AHundredStepsReplayInOtherChunks) {
  const Generation generation = Write(100, {.level = TraceDetail::Level::kTop, .top = 8});
  const auto replayed = Replay(path_, *model_, {.prefill_chunk = 1});
  ASSERT_TRUE(replayed.has_value()) << replayed.error().message;
  EXPECT_EQ(replayed->steps, 100u);
  EXPECT_EQ(replayed->text, generation.text);
}

TEST_F(TraceTest, ReplaysWithoutTheCacheAndAtEveryDetail) {
  for (const char* detail : {"summary", "top:3", "full"}) {
    Write(4, ParseTraceDetail(detail).value());
    const auto replayed = Replay(path_, *model_, {.kv_cache = KvCacheUse::kOff});
    EXPECT_TRUE(replayed.has_value()) << detail << ": " << replayed.error().message;
  }
}

TEST_F(TraceTest, AThousandFlippedBytesAreAllFound) {
  Write(20, {.level = TraceDetail::Level::kTop, .top = 4});
  const std::string good = ReadText();
  std::mt19937_64 engine(5);  // numerics: picks bytes to damage
  int flips = 0;
  while (flips < 1000) {
    const std::size_t at = engine() % good.size();
    const std::size_t line = at == 0 ? 0 : good.rfind('\n', at - 1) + 1;
    const std::size_t times = good.find("\"ms\":{", line) + 6;
    if (at >= times && at < good.find('\n', line) - 2) continue;
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1 + engine() % 255));
    EXPECT_FALSE(trace::ReadLines(bad).has_value()) << "byte " << at;
    ++flips;
  }
}

// A forger who keeps the chain right is found by the recomputed field.
TEST_F(TraceTest, NamesTheFieldOfAForgedStep) {
  Write(3, {.level = TraceDetail::Level::kSummary, .top = 0});
  std::string text = ReadText(), forged;
  trace::LineChain chain;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string object = text.substr(0, text.rfind(",\"sha\":", end)) + "}";
    if (number == 3) {
      const std::size_t at = object.find("\"rank\":");
      ASSERT_NE(at, std::string::npos);
      object.replace(at, 8, "\"rank\":9");
    }
    forged += chain.Seal(object, "{}");
    text.erase(0, end + 1);
  }
  WriteText(forged);
  const auto replayed = Replay(path_, *model_, {});
  ASSERT_FALSE(replayed.has_value());
  EXPECT_EQ(replayed.error().code, ErrorCode::kTraceDiffers);
  EXPECT_EQ(replayed.error().subject, "chosen.rank") << replayed.error().message;
}

}  // namespace
}  // namespace decant
