// Grammars from regular expressions, lists of texts and JSON Schemas, as handles.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/call.h"
#include "capi/handles.h"
#include "capi/options.h"
#include "decant/c.h"
#include "decant/constraint.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

namespace {

// One of the values that an enumeration of c.h has, as the C++ one of the same order.
template <class Enumeration>
Result<Enumeration> ValueOf(std::uint32_t value, std::uint32_t last, const std::string& name) {
  if (value <= last) return static_cast<Enumeration>(value);
  const std::string allowed = "0.." + std::to_string(last);
  return decant::Fail(decant::ErrorCode::kOutOfRange, name + " is " + std::to_string(value) + "; expected " + allowed,
                      {.subject = name, .allowed = allowed});
}

Result<bool> SwitchOf(std::uint32_t value, const std::string& name) {
  DECANT_TRY(const auto number, ValueOf<std::uint32_t>(value, 1, name));
  return number == 1;
}

using Documents = std::map<std::string, std::string, std::less<>>;

Result<Documents> DocumentsOf(const decant_schema_options& options) {
  Documents documents;
  if (options.document_count > 0) DECANT_CHECKED(Require(options.documents, "documents"));
  for (std::size_t i = 0; i < options.document_count; ++i) {
    const decant_document& document = options.documents[i];
    const std::string which = " of document " + std::to_string(i);
    DECANT_CHECKED(Require(document.uri, "uri" + which));
    DECANT_CHECKED(Require(document.text, "text" + which));
    if (documents.emplace(document.uri, document.text).second) continue;
    return decant::Fail(decant::ErrorCode::kConflict, "uri" + which + " is an earlier one's too; expected each once",
                        {.subject = "documents"});
  }
  return documents;
}

Result<decant::JsonSchemaOptions> OptionsOf(const decant_schema_options& options, const Documents& documents) {
  decant::JsonSchemaOptions made{.max_whitespace = options.max_whitespace};
  DECANT_CHECKED(decant::capi::RequireZero(options.reserved, "reserved of decant_schema_options"));
  DECANT_TRY(made.whitespace,
             ValueOf<decant::JsonWhitespace>(options.whitespace, DECANT_WHITESPACE_SPACED, "whitespace"));
  DECANT_TRY(made.key_order, ValueOf<decant::KeyOrder>(options.key_order, DECANT_KEYS_REQUIRED_FIRST, "key_order"));
  DECANT_TRY(made.assert_formats, SwitchOf(options.assert_formats, "assert_formats"));
  DECANT_TRY(made.allow_unenforced, SwitchOf(options.allow_unenforced, "allow_unenforced"));
  if (options.default_draft != nullptr) made.default_draft = options.default_draft;
  if (!documents.empty()) {
    made.load = [&documents](std::string_view uri) -> std::optional<std::string> {
      const auto found = documents.find(uri);
      return found == documents.end() ? std::nullopt : std::optional(found->second);
    };
  }
  return made;
}

void GiveGrammar(std::shared_ptr<const decant::Grammar> made, decant_grammar** grammar) {
  decant::capi::Give(std::make_unique<decant_grammar>(decant_grammar{std::move(made)}), grammar);
}

}  // namespace

decant_status decant_grammar_regex(const decant_vocabulary* vocabulary, const char* regex, decant_regex_syntax syntax,
                                   decant_grammar** grammar, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(vocabulary, "vocabulary"));
    DECANT_CHECKED(Require(regex, "regex"));
    DECANT_CHECKED(Require(grammar, "grammar"));
    DECANT_TRY(const auto wanted, ValueOf<decant::RegexSyntax>(syntax, DECANT_REGEX_ECMA, "syntax"));
    DECANT_TRY(auto made, decant::CompileRegex(vocabulary->vocabulary, regex, wanted));
    GiveGrammar(std::move(made), grammar);
    return {};
  });
}

decant_status decant_grammar_choice(const decant_vocabulary* vocabulary, const char* const* texts, size_t count,
                                    decant_grammar** grammar, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(vocabulary, "vocabulary"));
    DECANT_CHECKED(Require(grammar, "grammar"));
    if (count > 0) DECANT_CHECKED(Require(texts, "texts"));
    std::vector<std::string> choices;
    for (std::size_t i = 0; i < count; ++i) {
      DECANT_CHECKED(Require(texts[i], "text " + std::to_string(i)));
      choices.emplace_back(texts[i]);
    }
    DECANT_TRY(auto made, decant::CompileChoice(vocabulary->vocabulary, choices));
    GiveGrammar(std::move(made), grammar);
    return {};
  });
}

decant_status decant_grammar_json_schema(const decant_vocabulary* vocabulary, const char* schema,
                                         const decant_schema_options* options, decant_grammar** grammar,
                                         decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(vocabulary, "vocabulary"));
    DECANT_CHECKED(Require(schema, "schema"));
    DECANT_CHECKED(Require(grammar, "grammar"));
    const decant_schema_options defaults = DECANT_SCHEMA_OPTIONS_INIT;
    const decant_schema_options& given = options == nullptr ? defaults : *options;
    DECANT_CHECKED(
        decant::capi::RequireSize(given.size, sizeof(decant_schema_options),
                                  {.type = "decant_schema_options", .initialiser = "DECANT_SCHEMA_OPTIONS_INIT"}));
    DECANT_TRY(const auto documents, DocumentsOf(given));
    DECANT_TRY(const auto wanted, OptionsOf(given, documents));
    DECANT_TRY(auto made, decant::CompileJsonSchema(vocabulary->vocabulary, schema, wanted));
    GiveGrammar(std::move(made), grammar);
    return {};
  });
}

size_t decant_grammar_row_length(const decant_grammar* grammar) {
  return grammar == nullptr ? 0 : grammar->grammar->row_length();
}
size_t decant_grammar_unenforced_count(const decant_grammar* grammar) {
  return grammar == nullptr ? 0 : grammar->grammar->unenforced().size();
}
const char* decant_grammar_unenforced(const decant_grammar* grammar, size_t i) {
  return i < decant_grammar_unenforced_count(grammar) ? grammar->grammar->unenforced()[i].c_str() : "";
}

void decant_grammar_free(decant_grammar* grammar) { decant::capi::Take(grammar); }
