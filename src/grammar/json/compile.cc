// From the text of a JSON Schema to a grammar.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "decant/constraint.h"
#include "grammar/json/json_grammar.h"
#include "grammar/json/rules.h"
#include "grammar/schema/schema.h"
#include "grammar/vocabulary.h"
#include "json/value.h"

namespace decant {

using grammar::JsonGrammar;
using grammar::JsonRules;

namespace {

constexpr std::size_t kMaxDepth = 100'000;
constexpr std::uint32_t kMostWhite = 65535;

Result<void> Check(const JsonSchemaOptions& options) {
  if (options.max_whitespace < 1 || options.max_whitespace > kMostWhite) {
    return Fail(ErrorCode::kOutOfRange,
                "max_whitespace is " + std::to_string(options.max_whitespace) + "; expected 1 to 65535",
                {.subject = "max_whitespace", .allowed = "1 to 65535"});
  }
  return {};
}

grammar::SchemaReadOptions ReadOptionsOf(const JsonSchemaOptions& options) {
  grammar::SchemaReadOptions read{.default_draft = options.default_draft,
                                  .assert_formats = options.assert_formats,
                                  .allow_unenforced = options.allow_unenforced};
  if (options.load != nullptr) {
    read.load = [load = options.load](std::string_view uri) -> std::optional<json::Value> {
      const std::optional<std::string> text = load(uri);
      if (!text.has_value()) return std::nullopt;
      Result<json::Value> value = json::Read(*text, {.max_depth = kMaxDepth});
      if (!value.has_value()) return std::nullopt;
      return std::move(*value);
    };
  }
  return read;
}

}  // namespace

Result<std::shared_ptr<const Grammar>> CompileJsonSchema(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                         std::string_view schema, const JsonSchemaOptions& options) {
  DECANT_CHECKED(Check(options));
  DECANT_TRY(const json::Value value, json::Read(schema, {.max_depth = kMaxDepth}));
  auto exprs = std::make_unique<grammar::ExprPool>();
  DECANT_TRY(grammar::SchemaDocument document, grammar::ReadSchema(value, ReadOptionsOf(options), *exprs));
  std::vector<std::string> unenforced = document.unenforced;
  DECANT_TRY(std::unique_ptr<JsonRules> rules, JsonRules::Make(std::move(document), std::move(exprs), {}));
  const grammar::MachineOptions machine{
      .whitespace = options.whitespace, .max_whitespace = options.max_whitespace, .key_order = options.key_order};
  return std::make_shared<const JsonGrammar>(grammar::VocabularyOf(std::move(vocabulary)), std::move(rules), machine,
                                             std::move(unenforced));
}

}  // namespace decant
