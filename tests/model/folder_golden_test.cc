// A folder as transformers writes it, against transformers' own token ids and logits (tests/golden/make_hf_folder.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/scratch_folder_for_test.h"
#include "core/sha256.h"
#include "decant/model.h"
#include "json/value.h"

namespace decant {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path Golden(const std::string& name) { return fs::path(DECANT_SOURCE_DIR) / "tests/golden/hf_tiny" / name; }

std::string TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One row of logits a line of the file.
std::vector<float> FloatsOf(const std::string& name) {
  const std::string bytes = TextOf(Golden(name));
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(floats.data()));
  return floats;
}

std::shared_ptr<const Model> Load(const fs::path& path) {
  auto model = LoadModel(path.string(), *Runtime::Make({.threads = 2}), {});
  EXPECT_TRUE(model.has_value()) << model.error().message;
  return model.has_value() ? *model : nullptr;
}

std::vector<TokenId> IdsOf(const json::Value& list) {
  std::vector<TokenId> ids;
  for (const json::Value& id : *list.if_array()) ids.push_back(static_cast<TokenId>(*id.AsUint64()));
  return ids;
}

struct Case {
  std::string text;
  std::vector<TokenId> ids;
};
std::vector<Case> Cases() {
  const json::Value golden = json::Read(TextOf(Golden("golden.json")), {}).value();
  std::vector<Case> cases;
  for (std::size_t i = 0; i < golden.Find("texts")->if_array()->size(); ++i) {
    cases.push_back(
        {*golden.Find("texts")->if_array()->at(i).if_string(), IdsOf(golden.Find("ids")->if_array()->at(i))});
  }
  return cases;
}

// Logits of every position, `chunk` tokens at a time.
std::vector<float> LogitsOf(const LanguageModel& model, const std::vector<TokenId>& ids, std::size_t chunk) {
  KvSequence sequence = model.Start();
  std::vector<float> all;
  for (std::size_t begin = 0; begin < ids.size(); begin += chunk) {
    std::vector<Row> rows;
    for (std::size_t i = begin; i < std::min(ids.size(), begin + chunk); ++i)
      rows.push_back({&sequence, ids[i], i, true});
    std::vector<float> logits(rows.size() * model.vocabulary_size());
    const auto failed = model.Forward(rows, logits);
    EXPECT_TRUE(failed.has_value() && failed->empty());
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

std::vector<float> LastRow(const std::vector<float>& logits, std::size_t vocabulary) {
  return {logits.end() - static_cast<std::ptrdiff_t>(vocabulary), logits.end()};
}

float LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Both sides compute in f32 and add at most 48 products in another order. Logits reach 5, with a last place of 5e-7:
// most rows are 2e-6 apart. Where attention is undecided differences grow; a hundred last places are enough for all
// (2.4e-5 is the largest). The weights are such that no key or value lies at a border between two halves.
constexpr float kSumsApart = 5e-5f;
// Keys and values rounded to f16 differ by up to 2^-12 of themselves; in two layers, on logits of 5.
constexpr float kHalvesApart = 5.0f * 2 * 0x1p-12f * 2;

// A copy of the F32 folder whose config.json has another text in one place.
class ChangedFolder {
 public:
  ChangedFolder(const std::string& from, const std::string& to) : path_(scratch_ / "f32") {
    fs::copy(Golden("f32"), path_);
    std::string config = TextOf(path_ / "config.json");
    const std::size_t at = config.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) config.replace(at, from.size(), to);
    std::ofstream(path_ / "config.json") << config;
  }
  const fs::path& path() const { return path_; }

 private:
  core::ScratchFolder scratch_;
  fs::path path_;
};

TEST(FolderGoldenTest, TokenIdsAreThoseOfTransformers) {
  const auto model = Load(Golden("bf16"));
  for (const Case& c : Cases()) {
    EXPECT_EQ(model->tokenizer()->Encode(c.text, SpecialText::kParse), c.ids) << c.text;
    EXPECT_EQ(*model->tokenizer()->Decode(c.ids), c.text);
  }
}

TEST(FolderGoldenTest, LogitsAreThoseOfTransformers) {
  const auto model = Load(Golden("f32"));
  const std::size_t vocabulary = model->language_model().vocabulary_size();
  const std::vector<float> all = FloatsOf("half_cache.f32"), plain = FloatsOf("plain.f32");
  std::vector<float> found, last;
  for (const Case& c : Cases()) {
    const std::vector<float> logits = LogitsOf(model->language_model(), c.ids, 512);
    found.insert(found.end(), logits.begin(), logits.end());
    const std::vector<float> row = LastRow(logits, vocabulary);
    last.insert(last.end(), row.begin(), row.end());
  }
  EXPECT_LE(LargestDifference(found, all), kSumsApart);
  EXPECT_LE(LargestDifference(last, plain), kHalvesApart);
  for (std::size_t at = 0; at < found.size(); at += vocabulary) {
    const auto begin = static_cast<std::ptrdiff_t>(at), end = static_cast<std::ptrdiff_t>(at + vocabulary);
    EXPECT_EQ(std::max_element(found.begin() + begin, found.begin() + end) - found.begin(),
              std::max_element(all.begin() + begin, all.begin() + end) - all.begin())
        << "row " << at / vocabulary;
  }
}

TEST(FolderGoldenTest, RopeScalingsAreThoseOfTransformers) {
  const std::pair<std::string, std::string> cases[] = {
      {"llama3", R"("rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,)"
                 R"("original_max_position_embeddings": 256)"},
      {"linear", R"("rope_type": "linear", "factor": 4.0)"}};
  for (const auto& [name, members] : cases) {
    const ChangedFolder folder(R"("rope_type": "default")", members);
    const auto model = Load(folder.path());
    const std::vector<float> logits = LogitsOf(model->language_model(), Cases()[0].ids, 512);
    const std::vector<float> last = LastRow(logits, model->language_model().vocabulary_size());
    EXPECT_LE(LargestDifference(last, FloatsOf(name + ".f32")), kSumsApart) << name;
  }
}

// The same numbers in another type, file layout and spelling of the configuration.
TEST(FolderGoldenTest, BothFoldersGiveTheSameBits) {
  const auto narrow = Load(Golden("bf16")), wide = Load(Golden("f32"));
  for (const Case& c : Cases()) {
    EXPECT_EQ(LogitsOf(narrow->language_model(), c.ids, 512), LogitsOf(wide->language_model(), c.ids, 512)) << c.text;
  }
}

TEST(FolderGoldenTest, CachedLogitsAreTheUncachedOnes) {
  const auto model = Load(Golden("bf16"));
  const std::vector<TokenId> ids = Cases()[0].ids;
  EXPECT_EQ(LogitsOf(model->language_model(), ids, 1), LogitsOf(model->language_model(), ids, 512));
  EXPECT_EQ(LogitsOf(model->language_model(), ids, 5), LogitsOf(model->language_model(), ids, 512));
}

TEST(FolderGoldenTest, DescribesWhatItLoaded) {
  const auto model = Load(Golden("bf16"));
  const ModelDescription& about = model->description();
  EXPECT_EQ(about.name, "bf16");
  EXPECT_EQ(about.format, "safetensors");
  EXPECT_EQ(about.weights, "BF16");
  EXPECT_EQ(about.file_bytes, fs::file_size(Golden("bf16") / "model.safetensors"));
  EXPECT_EQ(about.parameters, 33952u);
  EXPECT_EQ(about.vocabulary, 288u);
  EXPECT_EQ(about.context, 512u);
  EXPECT_EQ(about.chat_template, "chatml");
  EXPECT_EQ(about.default_system, "Be brief.");
  EXPECT_EQ(Load(Golden("f32"))->description().chat_template, "chatml");
  EXPECT_EQ(Load(Golden("f32"))->description().weights, "F32");
  EXPECT_EQ(model->tokenizer()->bos(), 1u);
  EXPECT_EQ(model->tokenizer()->eos(), 2u);
}

TEST(FolderGoldenTest, TheHashIsThatOfTheFilesHashes) {
  std::string lines;
  for (const char* name :
       {"config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "tokenizer.json"}) {
    lines += core::Sha256Hex(TextOf(Golden("f32") / name)) + "  " + name + "\n";
  }
  EXPECT_EQ(Load(Golden("f32"))->Sha256().value(), core::Sha256Hex(lines));
}

TEST(FolderGoldenTest, APathInsideMeansTheFolder) {
  for (const char* path : {"bf16/", "bf16/config.json", "bf16/model.safetensors"}) {
    EXPECT_EQ(Load(Golden(path))->description().path, Golden("bf16").string());
  }
  EXPECT_EQ(Load(Golden("f32/model.safetensors.index.json"))->description().path, Golden("f32").string());
  const auto shard = LoadModel(Golden("f32/model-00001-of-00002.safetensors").string(), *Runtime::Make({}), {});
  EXPECT_THAT(shard.error().message, HasSubstr("is a part of a model; expected the folder with its config.json"));
}

TEST(FolderGoldenTest, ErrorsNameTheFolder) {
  const ChangedFolder folder(R"("hidden_size": 32)", R"("hidden_size": 16)");
  const auto model = LoadModel(folder.path().string(), *Runtime::Make({}), {});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().message,
            folder.path().string() + ": tensor \"model.norm.weight\" has shape [32]; expected [16]");
}

}  // namespace
}  // namespace decant
