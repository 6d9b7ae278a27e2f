// Spellings of records that programs depend on: seeds and exact integers survive every JSON reader.
#include "record_json.h"

#include <gtest/gtest.h>

#include <string>

#include "json/spelling.h"

namespace decant::cli {
namespace {

std::string SeedText(std::uint64_t seed) {
  json::Writer writer;
  json::WriteSeed(seed, writer);
  return writer.Take();
}

TEST(WriteSeedTest, IsANumberUpToTheLastExactDouble) {
  EXPECT_EQ(SeedText(7), "7");
  EXPECT_EQ(SeedText(std::uint64_t{1} << 53), "9007199254740992");
  EXPECT_EQ(SeedText((std::uint64_t{1} << 53) + 1), "\"9007199254740993\"");
  EXPECT_EQ(SeedText(UINT64_MAX), "\"18446744073709551615\"");
}

TEST(WriteStagesTest, AddsTheEntropyWhereItIsAsked) {
  const StageRecord stages[] = {
      {.id = StageId::kTopK, .kept = 3, .removed = 1, .removed_mass = 0.25, .entropy_bits = 1.5, .skipped = true}};
  json::Writer counts, both;
  WriteStages(counts, stages, StageFields::kCounts);
  WriteStages(both, stages, StageFields::kCountsAndEntropy);
  EXPECT_EQ(counts.text(), R"([{"name":"top_k","kept":3,"removed":1,"removed_mass":0.25,"skipped":true}])");
  EXPECT_EQ(both.text(),
            R"([{"name":"top_k","kept":3,"removed":1,"removed_mass":0.25,"entropy_bits":1.5,"skipped":true}])");
}

TEST(WriteDrawTest, SpellsIntegersAsStrings) {
  json::Writer writer;
  WriteDraw(writer,
            {.kind = DrawKind::kInverseCdf, .r = 1, .t = 2, .z = 3, .lo = 4, .hi = 5, .u = 0.5, .interval = {0, 1}},
            Preset::kNative);
  EXPECT_EQ(writer.text(),
            R"({"kind":"inverse_cdf","r":"1","t":"2","z":"3","lo":"4","hi":"5","u":0.5,"interval":[0,1]})");
}

TEST(WriteDrawTest, ARaceHasItsTwoBestScores) {
  json::Writer writer;
  WriteDraw(writer, {.kind = DrawKind::kRace, .score = 1.5, .runner_up = 0.25}, Preset::kOctlm);
  EXPECT_EQ(writer.text(), R"({"kind":"race","score":1.5,"runner_up":0.25})");
}

}  // namespace
}  // namespace decant::cli
