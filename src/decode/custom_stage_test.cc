// Stages of the caller's own: what they may not do, how they show, and where they are refused. That they compute what
// decant's own would is in tests/agreement.
#include "decode/custom_stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/scratch_folder_for_test.h"
#include "decant/sampler.h"
#include "decant/trace.h"

namespace decant {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class Change final : public CustomProcessor {
 public:
  using Rule = std::function<void(std::span<float>, const History&)>;
  explicit Change(Rule rule, std::string name = "my_rule") : rule_(std::move(rule)), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Result<void> Process(std::span<float> scores, const History& history) const override {
    rule_(scores, history);
    return {};
  }

 private:
  Rule rule_;
  std::string name_;
};

class Cut final : public CustomFilter {
 public:
  using Rule = std::function<void(Candidates&)>;
  explicit Cut(Rule rule) : rule_(std::move(rule)) {}
  std::string_view name() const override { return "my_cut"; }
  Result<void> Filter(Candidates& candidates, const History&) const override {
    rule_(candidates);
    return {};
  }

 private:
  Rule rule_;
};

StageSpec Changing(Change::Rule rule, std::string name = "my_rule") {
  return {StageId::kCustomProcessor, CustomProcessorParams{std::make_shared<Change>(std::move(rule), std::move(name))}};
}
StageSpec Cutting(Cut::Rule rule) {
  return {StageId::kCustomFilter, CustomFilterParams{std::make_shared<Cut>(std::move(rule))}};
}
StageSpec Setting(TokenId token, float score) {
  return Changing([token, score](std::span<float> scores, const History&) { scores[token] = score; });
}

const std::vector<float> kRow = {0, 1, -kInf, 2};

// The error of a step over kRow.
Error ErrorOf(const StageSpec& stage) {
  const auto sampler = MakeSampler({stage}, kRow.size(), {});
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  SamplerState state({});
  StepRecord record;
  const auto plain = (*sampler)->Choose(RowView::F32(kRow), state, Detail::kToken);
  const auto recorded = (*sampler)->Sample(RowView::F32(kRow), state, &record);
  if (recorded.has_value() || plain.has_value()) {
    ADD_FAILURE() << "no error";
    return {};
  }
  EXPECT_EQ(plain.error(), recorded.error());
  EXPECT_EQ(record, StepRecord());  // left as it was
  return plain.error();
}

std::string RefusalOf(Chain chain, SamplerOptions options = {}) {
  const auto sampler = MakeSampler(std::move(chain), 4, options);
  if (!sampler.has_value()) return sampler.error().message;
  ADD_FAILURE() << "accepted";
  return "";
}

void DoNothing(std::span<float>, const History&) {}

TEST(CustomStageTest, ShowsItsNameInTheRecordAndInThePlan) {
  const Chain chain = {Setting(0, 5), {StageId::kTopK, TopKParams{3}}, Cutting([](Candidates& c) { c.KeepBest(1); })};
  const auto sampler = MakeSampler(chain, kRow.size(), {}).value();
  SamplerState state({});
  StepRecord record;
  EXPECT_EQ(sampler->Sample(RowView::F32(kRow), state, &record)->token, 0u);
  ASSERT_EQ(record.stages.size(), 3u);
  EXPECT_EQ(NameOf(record.stages[0]), "my_rule");
  EXPECT_EQ(NameOf(record.stages[1]), "top_k");
  EXPECT_EQ(NameOf(record.stages[2]), "my_cut");
  EXPECT_EQ(record.stages[2].removed, 2u);
  EXPECT_GT(record.stages[2].removed_mass, 0.0);
  EXPECT_EQ(sampler->PlanText(),
            "my_rule: a pass over every candidate\ntop_k: a pass over every candidate\n"
            "my_cut: a pass over every candidate\ncategorical: a pass over what is left\n");
}

TEST(CustomStageTest, AProcessorMayNotLiftBansOrLeaveTheFiniteNumbers) {
  EXPECT_EQ(ErrorOf(Setting(2, 3)).message,
            "custom stage my_rule gives token 2, which is banned, the score 3; expected -Infinity");
  const Error infinite = ErrorOf(Setting(1, kInf));
  EXPECT_EQ(infinite.message,
            "custom stage my_rule gives token 1 the score Infinity; expected a finite number or -Infinity (a ban)");
  EXPECT_EQ(infinite.code, ErrorCode::kNonFiniteLogit);
  EXPECT_EQ(infinite.subject, "my_rule");
  EXPECT_EQ(ErrorOf(Setting(3, std::nanf(""))).message,
            "custom stage my_rule gives token 3 the score NaN; expected a finite number or -Infinity (a ban)");
  EXPECT_EQ(ErrorOf(Changing([](std::span<float> scores, const History&) { std::ranges::fill(scores, -kInf); })).code,
            ErrorCode::kEmptySupport);
}

TEST(CustomStageTest, AFilterMayOnlyDropAndNotTheLast) {
  EXPECT_EQ(ErrorOf(Cutting([](Candidates& c) { c.KeepFirst(0); })).message,
            "custom stage my_cut leaves no candidate; expected at least one");
  EXPECT_EQ(ErrorOf(Cutting([](Candidates& c) { c.Add(2, 1); })).message,
            "custom stage my_cut adds token 2; expected only candidates that it was given, each once");
  EXPECT_EQ(ErrorOf(Cutting([](Candidates& c) { c.Add(3, 2); })).message,
            "custom stage my_cut adds token 3; expected only candidates that it was given, each once");
  EXPECT_EQ(ErrorOf(Cutting([](Candidates& c) { c.Rescore(std::vector<float>{0, 7, -kInf, 2}); })).message,
            "custom stage my_cut changes the score of token 1; expected the score that it was given");
  EXPECT_EQ(ErrorOf(Cutting([](Candidates& c) { c.set_temperature(2); })).message,
            "custom stage my_cut sets the temperature to 2; expected the 1 that it was given");
}

// It claims ascending ids, and has them descending.
TEST(CustomStageTest, AnArrangementThatAFilterBrokeDecidesNothing) {
  const auto upside_down = Cutting([](Candidates& c) {
    c.Clear(c.temperature());
    c.Add(3, 2);
    c.Add(1, 1);
    c.Add(0, 0);
  });
  const auto plain = MakeSampler({}, kRow.size(), {}).value();
  const auto sampler = MakeSampler({upside_down}, kRow.size(), {}).value();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SamplerState state({.seed = seed});
    EXPECT_EQ(sampler->Sample(RowView::F32(kRow), state, nullptr), plain->Sample(RowView::F32(kRow), state, nullptr));
  }
}

TEST(CustomStageTest, NamesHaveRules) {
  const std::string letters = "; expected 1 to 64 of a-z, 0-9 and _";
  for (const std::string& name : {std::string(), std::string("Top K"), std::string("naïve"), std::string(65, 'a')}) {
    EXPECT_EQ(RefusalOf({Changing(DoNothing, name)}), "the name of a custom stage is \"" + name + "\"" + letters);
  }
  for (const std::string name : {"top_k", "categorical", "custom_filter"}) {
    EXPECT_EQ(RefusalOf({Changing(DoNothing, name)}),
              "the name of a custom stage is \"" + name + "\", which decant itself has; expected another");
  }
  EXPECT_TRUE(MakeSampler({Changing(DoNothing, std::string(64, 'z'))}, 4, {}).has_value());
  EXPECT_EQ(RefusalOf({{StageId::kCustomFilter, CustomFilterParams{}}}), "custom_filter has no stage; expected one");
  EXPECT_EQ(RefusalOf({{StageId::kCustomFilter, TopKParams{3}}}), "stage custom_filter has another stage's parameters");
}

TEST(CustomStageTest, OtherPresetsRefuseItByName) {
  EXPECT_TRUE(RefusalOf({Changing(DoNothing)}, {.preset = Preset::kOctlm})
                  .starts_with("my_rule is not in preset octlm; expected temperature"));
  EXPECT_TRUE(RefusalOf({Changing(DoNothing)}, {.preset = Preset::kReference})
                  .starts_with("my_rule is not in preset reference; expected temperature"));
}

TEST(CustomStageTest, AFilterHasNoSayAtTemperatureZero) {
  const Chain chain = {Cutting([](Candidates&) { ADD_FAILURE() << "called"; }),
                       {StageId::kTemperature, TemperatureParams{0}}};
  const auto sampler = MakeSampler(chain, kRow.size(), {}).value();
  SamplerState state({});
  StepRecord record;
  EXPECT_EQ(sampler->Sample(RowView::F32(kRow), state, &record)->token, 3u);
  EXPECT_TRUE(record.stages[0].skipped);
  EXPECT_EQ(NameOf(record.stages[0]), "my_cut");
}

TEST(CustomStageTest, SeesTheSequenceAndIsRefusedAPositionWithoutIt) {
  std::vector<TokenId> seen;
  const auto look = Changing([&seen](std::span<float>, const History& history) {
    seen.assign(history.tokens().begin(), history.tokens().end());
  });
  const auto sampler = MakeSampler({look}, kRow.size(), {}).value();
  const std::vector<TokenId> prompt = {1, 3}, output = {0};
  SamplerState state({.prompt = prompt, .output = output});
  ASSERT_TRUE(sampler->Sample(RowView::F32(kRow), state, nullptr).has_value());
  EXPECT_EQ(seen, (std::vector<TokenId>{1, 3, 0}));
  SamplerState blind({.position = 3});
  EXPECT_EQ(sampler->Sample(RowView::F32(kRow), blind, nullptr).error().message,
            "my_rule looks back; the state is at position 3 and holds 0 tokens");
}

TEST(CustomStageTest, ABatchOnThreadsGivesWhatEachRowGivesAlone) {
  constexpr std::size_t kRows = 60;
  const auto sampler = MakeSampler({Setting(1, 1.5f), Cutting([](Candidates& c) { c.KeepBest(2); })}, kRow.size(), {});
  BatchSampler batch(Runtime::Make({.threads = 3}).value());
  std::vector<SamplerState> states;
  std::vector<SampleRequest> requests;
  for (std::size_t i = 0; i < kRows; ++i) states.emplace_back(SamplerStateOptions{.seed = i});
  for (SamplerState& state : states) {
    requests.push_back({.sampler = sampler->get(), .row = RowView::F32(kRow), .state = &state});
  }
  std::vector<Result<Choice>> together(kRows);
  batch.Sample(requests, Detail::kFull, together);
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(together[i], (*sampler)->Sample(RowView::F32(kRow), states[i], nullptr)) << "row " << i;
  }
}

// A model of four tokens that says the same at every step.
class FourTokens final : public LanguageModel, public Model {
 public:
  std::size_t vocabulary_size() const override { return kRow.size(); }
  std::size_t context_length() const override { return 16; }
  KvSequence Start() const override { return KvSequence(pool_); }
  Result<std::vector<RowError>> Forward(std::span<const Row> rows, std::span<float> logits) const override {
    std::size_t out = 0;
    for (const Row& row : rows) {
      DECANT_CHECKED(row.sequence->Reserve(1));
      row.sequence->Advance(1);
      for (std::size_t id = 0; row.wants_logits && id < kRow.size(); ++id) logits[out++] = kRow[id];
    }
    return std::vector<RowError>();
  }
  const ModelDescription& description() const override { return description_; }
  const LanguageModel& language_model() const override { return *this; }
  const Tokenizer* tokenizer() const override { return nullptr; }
  Result<std::string> Sha256() const override { return std::string(64, '0'); }

 private:
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>(64, 64);
  ModelDescription description_ = {.name = "four", .vocabulary = 4};
};

TEST(CustomStageTest, ATraceNamesItAndAReplayRefusesItByName) {
  const FourTokens model;
  const core::ScratchFolder folder;
  const std::string path = folder / "trace.jsonl";
  const RunSpec spec{.prompt = {0}, .chain = Chain{Setting(0, 4), {StageId::kTopK, TopKParams{2}}}};
  PreparedRun run = PrepareRun(model, spec).value();
  run.options.max_tokens = 3;
  auto writer = WriteTrace(path, model, spec).value();
  std::string stages;
  const auto generation = Generate(model, nullptr, spec.prompt, *run.sampler, run.state, run.options,
                                   {.on_step = [&](const StepEvidence& evidence) {
                                     for (const StageRecord& stage : evidence.record->stages) {
                                       stages += std::string(NameOf(stage)) + " ";
                                     }
                                     return writer->Step(evidence);
                                   }});
  ASSERT_TRUE(generation.has_value()) << generation.error().message;
  ASSERT_TRUE(writer->End(*generation).has_value());
  EXPECT_EQ(stages, "my_rule top_k my_rule top_k my_rule top_k ");
  const auto replayed = Replay(path, model, {});
  ASSERT_FALSE(replayed.has_value());
  EXPECT_EQ(replayed.error().message,
            "the trace's chain has the custom stage my_rule; it cannot be computed again without its code");
}

}  // namespace
}  // namespace decant
