// Drafts by the URIs of their metaschemas, and vocabularies by theirs.
#include "grammar/schema/dialect.h"

#include <string>
#include <utility>

#include "core/utf8.h"

namespace decant::grammar {
namespace {

// The part after "json-schema.org/", without a "#" at the end.
std::optional<std::string_view> OfTheProject(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  for (const std::string_view start : {"http://json-schema.org/", "https://json-schema.org/"}) {
    if (uri.starts_with(start)) return uri.substr(start.size());
  }
  return std::nullopt;
}

}  // namespace

std::optional<Draft> DraftNamed(std::string_view name) {
  constexpr std::pair<std::string_view, Draft> kNames[] = {
      {"4", Draft::k4}, {"6", Draft::k6}, {"7", Draft::k7}, {"2019-09", Draft::k2019}, {"2020-12", Draft::k2020}};
  for (const auto& [text, draft] : kNames) {
    if (text == name) return draft;
  }
  return std::nullopt;
}

std::optional<Draft> DraftOfMetaSchema(std::string_view uri) {
  // draft-05 was an edition of draft-04's text with the same metaschema; "schema" alone is the newest.
  constexpr std::pair<std::string_view, Draft> kNames[] = {
      {"draft-04/schema", Draft::k4}, {"draft-05/schema", Draft::k4},         {"draft-06/schema", Draft::k6},
      {"draft-07/schema", Draft::k7}, {"draft/2019-09/schema", Draft::k2019}, {"draft/2020-12/schema", Draft::k2020},
      {"schema", Draft::k2020}};
  const std::optional<std::string_view> name = OfTheProject(uri);
  if (!name.has_value()) return std::nullopt;
  for (const auto& [text, draft] : kNames) {
    if (text == *name) return draft;
  }
  return std::nullopt;
}

bool IsOldMetaSchema(std::string_view uri) {
  const std::optional<std::string_view> name = OfTheProject(uri);
  return name.has_value() && (name->starts_with("draft-00/") || name->starts_with("draft-01/") ||
                              name->starts_with("draft-02/") || name->starts_with("draft-03/"));
}

Result<Dialect> WithVocabularies(Dialect dialect, const json::Value& vocabularies) {
  const json::Object* const members = vocabularies.if_object();
  if (members == nullptr) return dialect;
  std::uint8_t on = 0;
  const auto turn_on = [&on](Vocabulary vocabulary) {
    on = static_cast<std::uint8_t>(on | (1u << static_cast<unsigned>(vocabulary)));
  };
  turn_on(Vocabulary::kCore);
  turn_on(Vocabulary::kFormat);  // an annotation vocabulary: what asserts it is an option
  for (const auto& [uri, required] : *members) {
    std::string_view name = uri;
    for (const std::string_view start :
         {"https://json-schema.org/draft/2020-12/vocab/", "https://json-schema.org/draft/2019-09/vocab/"}) {
      if (name.starts_with(start)) name.remove_prefix(start.size());
    }
    if (name == "applicator") {
      turn_on(Vocabulary::kApplicator);
      if (dialect.draft == Draft::k2019) turn_on(Vocabulary::kUnevaluated);
    } else if (name == "unevaluated") {
      turn_on(Vocabulary::kUnevaluated);
    } else if (name == "validation") {
      turn_on(Vocabulary::kValidation);
    } else if (name == "format-assertion") {
      dialect.asserts_formats = true;
    } else if (name == "format") {  // 2019-09: true asks for assertion
      dialect.asserts_formats = required.if_bool() != nullptr && *required.if_bool();
    } else if (name == uri && required.if_bool() != nullptr && *required.if_bool()) {
      return Fail(ErrorCode::kUnenforceable, "its metaschema requires the vocabulary " + core::Quoted(uri));
    }
  }
  dialect.off = static_cast<std::uint8_t>(~on & 0x1Fu);
  return dialect;
}

}  // namespace decant::grammar
