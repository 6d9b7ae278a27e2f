// What the parameters of a constraint ask for, checked and compiled.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "decant/constraint.h"
#include "decant/parameters.h"
#include "json/value.h"

namespace decant {
namespace {

constexpr std::string_view kKinds[] = {"json_schema", "regex", "choice"};
// What acts on a JSON Schema alone, and on any constraint.
constexpr std::string_view kOfSchemas[] = {"whitespace",      "max_whitespace",     "key_order",       "schema_draft",
                                           "schema_document", "format_annotations", "allow_unenforced"};
constexpr std::string_view kOfAll[] = {"constrain_after", "close_on_budget"};
constexpr std::size_t kMaxDocumentDepth = 100'000;

// The kinds of constraint that the parameters ask for; an empty list of choices asks for none.
std::vector<std::string_view> KindsIn(const ParameterSet& parameters) {
  std::vector<std::string_view> found;
  for (const std::string_view name : kKinds) {
    const ParameterSet::Entry* const entry = parameters.Find(name);
    if (entry == nullptr) continue;
    const auto* const choices = std::get_if<std::vector<std::string>>(&entry->value);
    if (choices == nullptr || !choices->empty()) found.push_back(name);
  }
  return found;
}

// A value that was given with this very request; a file's or the environment's may wait for another.
bool IsGivenHere(const ParameterSet& parameters, std::string_view name) {
  const ParameterSet::Entry* const entry = parameters.Find(name);
  if (entry == nullptr || entry->source < ParameterSource::kFlag) return false;
  const bool* const on = std::get_if<bool>(&entry->value);
  return on == nullptr || *on;
}

std::unexpected<Error> NoEffect(std::string_view name, const std::string& without) {
  return Fail(ErrorCode::kConflict, std::string(name) + " has no effect without " + without,
              {.subject = std::string(name)});
}

using Documents = std::map<std::string, std::string, std::less<>>;

// Those of schema_document, by URI.
Result<Documents> DocumentsOf(const ParameterSet& parameters) {
  constexpr std::string_view kName = "schema_document";
  const auto fail = [&](ErrorCode code, const std::string& what, const std::string& allowed) {
    return Fail(code, std::string(kName) + " " + what, {.subject = std::string(kName), .allowed = allowed});
  };
  Documents documents;
  for (const std::string& given :
       parameters.Get<std::vector<std::string>>(kName).value_or(std::vector<std::string>())) {
    const std::size_t end = given.find('=');
    const std::string uri = given.substr(0, end);
    if (end == std::string::npos || uri.empty() || uri.find('#') != std::string::npos) {
      return fail(ErrorCode::kOutOfRange, core::Quoted(uri) + " does not begin with a URI without fragment and \"=\"",
                  "URI=DOCUMENT");
    }
    std::string text = given.substr(end + 1);
    if (const auto value = json::Read(text, {.max_depth = kMaxDocumentDepth}); !value.has_value()) {
      return fail(value.error().code, core::Quoted(uri) + ": " + value.error().message, value.error().allowed);
    }
    if (!documents.emplace(uri, std::move(text)).second) {
      return fail(ErrorCode::kConflict, core::Quoted(uri) + " is given twice", "each URI once");
    }
  }
  return documents;
}

JsonSchemaOptions OptionsOf(const ParameterSet& parameters) {
  JsonSchemaOptions options;
  const auto whitespace = parameters.Get<std::string>("whitespace");
  if (whitespace == "compact") options.whitespace = JsonWhitespace::kCompact;
  if (whitespace == "spaced") options.whitespace = JsonWhitespace::kSpaced;
  if (const auto most = parameters.Get<std::int64_t>("max_whitespace")) {
    options.max_whitespace = static_cast<std::uint32_t>(*most);
  }
  const auto order = parameters.Get<std::string>("key_order");
  if (order == "schema") options.key_order = KeyOrder::kSchema;
  if (order == "required_first") options.key_order = KeyOrder::kRequiredFirst;
  options.assert_formats = !parameters.Get<bool>("format_annotations").value_or(false);
  options.allow_unenforced = parameters.Get<bool>("allow_unenforced").value_or(false);
  return options;
}

}  // namespace

bool HasConstraint(const ParameterSet& parameters) { return !KindsIn(parameters).empty(); }

Result<void> CheckConstraint(const ParameterSet& parameters) {
  const auto kinds = KindsIn(parameters);
  if (kinds.size() > 1) {
    return Fail(ErrorCode::kConflict, std::string(kinds[0]) + " and " + std::string(kinds[1]) + " exclude each other",
                {.subject = std::string(kinds[1]), .allowed = "one of json_schema, regex, choice"});
  }
  const bool has_schema = !kinds.empty() && kinds.front() == "json_schema";
  for (const std::string_view name : kOfSchemas) {
    if (!has_schema && IsGivenHere(parameters, name)) return NoEffect(name, "json_schema");
  }
  for (const std::string_view name : kOfAll) {
    if (kinds.empty() && IsGivenHere(parameters, name)) return NoEffect(name, "json_schema, regex or choice");
  }
  const bool bounded = parameters.Get<std::string>("whitespace").value_or("any") == "any";
  if (!bounded && IsGivenHere(parameters, "max_whitespace")) return NoEffect("max_whitespace", "whitespace any");
  if (!kinds.empty() && parameters.Get<bool>("ignore_eos").value_or(false)) {
    return Fail(
        ErrorCode::kConflict,
        "ignore_eos and " + std::string(kinds.front()) + " exclude each other: the constraint says where the text ends",
        {.subject = "ignore_eos"});
  }
  return {};
}

Result<std::shared_ptr<const Grammar>> CompileConstraint(std::shared_ptr<const ConstraintVocabulary> vocabulary,
                                                         const ParameterSet& parameters) {
  DECANT_CHECKED(CheckConstraint(parameters));
  const auto kinds = KindsIn(parameters);
  if (kinds.empty()) return nullptr;
  if (kinds.front() == "regex") {
    return CompileRegex(std::move(vocabulary), *parameters.Get<std::string>("regex"), RegexSyntax::kPython);
  }
  if (kinds.front() == "choice") {
    return CompileChoice(std::move(vocabulary), *parameters.Get<std::vector<std::string>>("choice"));
  }
  JsonSchemaOptions options = OptionsOf(parameters);
  const std::string draft = parameters.Get<std::string>("schema_draft").value_or(std::string(options.default_draft));
  options.default_draft = draft;
  DECANT_TRY(const Documents documents, DocumentsOf(parameters));
  options.load = [&documents](std::string_view uri) -> std::optional<std::string> {
    const auto found = documents.find(uri);
    return found == documents.end() ? std::nullopt : std::optional(found->second);
  };
  return CompileJsonSchema(std::move(vocabulary), *parameters.Get<std::string>("json_schema"), options);
}

}  // namespace decant
