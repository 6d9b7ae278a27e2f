// What a model's files recommend, key by key, and what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "core/scratch_folder_for_test.h"
#include "decant/parameters.h"
#include "weights/gguf_writer_for_test.h"

namespace decant {
namespace {

namespace fs = std::filesystem;

class ModelDefaultsTest : public testing::Test {
 protected:
  Result<ParameterSet> OfFolder(const std::string& generation_config) {
    std::ofstream(folder_ / "generation_config.json") << generation_config;
    return ModelDefaults(folder_.path());
  }
  Result<ParameterSet> OfGguf(const weights::GgufWriter& writer) {
    const std::vector<std::byte> bytes = writer.Finish();
    const fs::path path = folder_ / "model.gguf";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return ModelDefaults(path.string());
  }

  core::ScratchFolder folder_;
};

TEST_F(ModelDefaultsTest, TakesSamplingKeysOfAFolderAndPassesOverTheRest) {
  const auto set = OfFolder(R"({"bos_token_id":1,"do_sample":true,"temperature":0.6,"top_k":20,"top_p":null})");
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->Get<double>("temperature"), 0.6);
  EXPECT_EQ(set->Get<std::int64_t>("top_k"), 20);
  EXPECT_EQ(set->entries().size(), 2u);
  EXPECT_EQ(set->Find("top_k")->source, ParameterSource::kModel);
}

TEST_F(ModelDefaultsTest, ReadsDoSampleFalseAsGreedy) {
  const auto set = OfFolder(R"({"do_sample":false,"temperature":0.6,"top_k":20})");
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->Get<double>("temperature"), 0.0);
  EXPECT_EQ(set->Find("top_k"), nullptr);
}

TEST_F(ModelDefaultsTest, GivesNoneForAFolderWithoutTheFile) {
  const auto set = ModelDefaults(folder_.path());
  ASSERT_TRUE(set.has_value());
  EXPECT_TRUE(set->entries().empty());
}

TEST_F(ModelDefaultsTest, RefusesWhatItCannotFollow) {
  const auto set = OfFolder(R"({"encoder_repetition_penalty":1.2})");
  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_NE(set.error().message.find("encoder_repetition_penalty 1.2"), std::string::npos) << set.error().message;
  EXPECT_TRUE(OfFolder(R"({"encoder_repetition_penalty":1.0})").has_value()) << "its off value changes nothing";
}

TEST_F(ModelDefaultsTest, NamesTheFileOfABadValue) {
  const auto set = OfFolder(R"({"top_k":"many"})");
  ASSERT_FALSE(set.has_value());
  EXPECT_NE(set.error().message.find("generation_config.json: top_k"), std::string::npos) << set.error().message;
  EXPECT_FALSE(OfFolder("{").has_value());
  EXPECT_FALSE(OfFolder("[]").has_value());
}

TEST_F(ModelDefaultsTest, TakesTheKeysOfAGgufFileAndTheDecimalThatAFloatStoodFor) {
  weights::GgufWriter writer;
  for (const auto& [key, value] : std::map<std::string, float>{{"temp", 0.7f}, {"min_p", 0.05f}}) {
    writer.AddF32("general.sampling." + key, value);
  }
  for (const auto& [key, value] : std::map<std::string, std::int32_t>{{"top_k", 20}}) {
    writer.Add("general.sampling." + key, weights::GgufType::kI32, value);
  }
  const auto set = OfGguf(writer);
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->Get<double>("temperature"), 0.7);
  EXPECT_EQ(set->Get<double>("min_p"), 0.05);
  EXPECT_EQ(set->Get<std::int64_t>("top_k"), 20);
}

TEST_F(ModelDefaultsTest, RefusesAnOrderOfSamplersInAnEnginesOwnSpelling) {
  weights::GgufWriter writer;
  writer.AddString("general.sampling.sequence", "edskypmxt");
  const auto set = OfGguf(writer);
  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().code, ErrorCode::kUnsupportedFile);
}

}  // namespace
}  // namespace decant
