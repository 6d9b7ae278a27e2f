// Each check is told as soon as it is done: of a large model the hash alone takes a while.
#include "model_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "decant/runtime.h"
#include "known_models.h"
#include "models.h"
#include "signals.h"

namespace decant::cli {
namespace {

// In normal form C, which some tokenizers bring every text into.
constexpr std::string_view kTexts[] = {"The sky is blue.",
                                       "a  b\tc\n\n  d",
                                       "int main() { return 42 + 1000000; }",
                                       "Gr\u00fc\u00dfe, \u4f60\u597d, \U0001F600",
                                       "it's  WE'LL 3.14159",
                                       ""};

Result<std::string> HashOf(const VerifyRequest& request, const Model* model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(request.path, ignored)) {
    if (model == nullptr) return Fail(ErrorCode::kCannotRead, "of a folder that cannot be read");
    return model->Sha256();
  }
  const InterruptScope interrupt;
  return Sha256OfFile(request.path, interrupt.token());
}

CheckLine CheckHash(const VerifyRequest& request, const std::string& sha256) {
  const KnownModel* const same = FindKnownHash(sha256);
  const KnownModel* const named = FindKnownModel(std::filesystem::path(request.path).filename().string());
  const std::string expected = request.sha256.has_value()            ? *request.sha256
                               : same == nullptr && named != nullptr ? std::string(named->sha256)
                                                                     : "";
  if (!expected.empty() && expected != sha256) {
    return {CheckStatus::kFail, "sha256", sha256 + "; expected " + expected,
            "it is not the file it should be: decant model get fetches it anew once this one is moved away"};
  }
  if (same != nullptr) return {CheckStatus::kOk, "sha256", sha256 + ", known as " + std::string(same->alias)};
  if (!expected.empty()) return {CheckStatus::kOk, "sha256", sha256 + ", as expected"};
  return {CheckStatus::kWarn, "sha256", sha256 + ", which decant does not know",
          "--sha256 HEX compares it with what its author says"};
}

// The first valid text whose tokens do not give it back; empty when all do.
std::string Unfaithful(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<TokenId> ids = tokenizer.Encode(text, SpecialText::kAsText);
  const auto back = tokenizer.Decode(ids);
  return back.has_value() && *back == text ? "" : core::Quoted(text);
}

// The check that an error of loading belongs to.
std::string CheckOf(const Error& error) {
  const bool is_of_tokenizer = error.code == ErrorCode::kUnsupportedTokenizer ||
                               error.message.contains("tokenizer.json: ") ||
                               error.message.contains("tokenizer_config.json: ");
  if (is_of_tokenizer) return "tokenizer";
  return error.message.contains("generation_config.json: ") ? "generation_config" : "weights";
}

}  // namespace

CheckLine CheckTokenizer(const Tokenizer& tokenizer) {
  std::string unfaithful;
  std::size_t count = 0;
  const auto note = [&](const std::string& text) {
    if (text.empty()) return;
    if (count++ < 3) unfaithful += (unfaithful.empty() ? "" : ", ") + text;
  };
  for (const std::string_view text : kTexts) note(Unfaithful(tokenizer, text));
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (tokenizer.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = tokenizer.Bytes(id);
    const bool is_ascii = std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (is_ascii && !bytes.empty()) note(Unfaithful(tokenizer, bytes));
  }
  const std::string about = fmt::format("{}, {} tokens", tokenizer.name(), tokenizer.vocabulary_size());
  if (count > 0) {
    return {CheckStatus::kFail, "tokenizer",
            fmt::format("{}; {} texts do not come back: {}", about, count, unfaithful)};
  }
  return {CheckStatus::kOk, "tokenizer", about + "; texts come back from encoding and decoding"};
}

Result<int> VerifyModel(Session& session, const VerifyRequest& request) {
  std::vector<CheckLine> lines;
  const auto add = [&](CheckLine line) {
    if (request.format == OutputFormat::kText) session.WriteNow(CheckText(line, session.output_paint()));
    lines.push_back(std::move(line));
  };
  std::optional<Error> unreadable;
  const auto add_error = [&](const std::string& name, const Error& error) {
    add({CheckStatus::kFail, name, MessageText(error), error.hint});
    if (!unreadable.has_value()) unreadable = error;
  };
  std::string sha256;
  if (const auto headers = DescribeModelFile(request.path); headers.has_value()) {
    add({CheckStatus::kOk, "headers", *headers});
  } else {
    add_error("headers", headers.error());
  }
  DECANT_TRY(std::shared_ptr<Runtime> runtime, Runtime::Make({.threads = request.threads}));
  std::shared_ptr<const Model> model;
  if (!unreadable.has_value()) {
    auto loaded = LoadModel(request.path, std::move(runtime), {});
    if (loaded.has_value()) {
      model = *std::move(loaded);
      const ModelDescription& about = model->description();
      add({CheckStatus::kOk, "weights",
           fmt::format("{} {}, all of them finite", ShortCount(about.parameters), about.weights)});
    } else {
      add_error(CheckOf(loaded.error()), loaded.error());
    }
  }
  const auto hash = HashOf(request, model.get());
  bool differs = false;
  if (hash.has_value()) {
    sha256 = *hash;
    add(CheckHash(request, sha256));
    differs = lines.back().status == CheckStatus::kFail;
  } else {
    if (hash.error().code == ErrorCode::kCancelled) return std::unexpected(hash.error());
    add_error("sha256", hash.error());
  }
  if (model != nullptr && model->tokenizer() != nullptr) {
    add(CheckTokenizer(*model->tokenizer()));
    differs = differs || lines.back().status == CheckStatus::kFail;
  }
  if (request.format == OutputFormat::kJson) {
    json::Writer w;
    w.BeginObject();
    w.Key("schema");
    w.String("decant.model_verify/1");
    w.Key("path");
    w.String(request.path);
    w.Key("ok");
    w.Bool(!AnyFails(lines));
    w.Key("sha256");
    w.String(sha256);
    w.Key("checks");
    WriteChecks(w, lines);
    w.EndObject();
    session.WriteLine(w.text());
  }
  if (differs) return RowOf(ErrorCode::kTraceDiffers).exit_code;
  return unreadable.has_value() ? RowOf(unreadable->code).exit_code : 0;
}

}  // namespace decant::cli
