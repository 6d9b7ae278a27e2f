// The drafts share most of what they say of a keyword's value; each metaschema is put together from those lines.
#include "grammar/schema/metaschemas.h"

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace decant::grammar {
namespace {

// Members of "properties", by what they hold. $N is a count, $S a schema, $A a list of schemas, $M a map of schemas, $W
// a list of different strings; Fill() puts the draft's own in their places.
constexpr std::string_view kCounts =
    R"("maxLength":$N,"minLength":$N,"maxItems":$N,"minItems":$N,"maxProperties":$N,"minProperties":$N)";
constexpr std::string_view kNumbers =
    R"("multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{"type":"number"},"minimum":{"type":"number"},)"
    R"("exclusiveMaximum":{"type":"number"},"exclusiveMinimum":{"type":"number"})";
constexpr std::string_view kScalars =
    R"("pattern":{"type":"string","format":"regex"},"uniqueItems":{"type":"boolean"},"required":$W,)"
    R"("type":{"anyOf":[{"$ref":"#/$D/simpleTypes"},{"type":"array","items":{"$ref":"#/$D/simpleTypes"},)"
    R"("minItems":1,"uniqueItems":true}]})";
constexpr std::string_view kSchemas =
    R"("allOf":$A,"anyOf":$A,"oneOf":$A,"not":$S,"additionalProperties":$S,"properties":$M,"patternProperties":)"
    R"({"type":"object","additionalProperties":$S,"propertyNames":{"format":"regex"}})";
constexpr std::string_view kTypes =
    R"("simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]})";
constexpr std::string_view kTitles =
    R"("title":{"type":"string"},"description":{"type":"string"},"default":true,"readOnly":{"type":"boolean"},)"
    R"("examples":{"type":"array","items":true})";
constexpr std::string_view kDependencies =
    R"("dependencies":{"type":"object","additionalProperties":{"anyOf":[$S,$W]}})";

struct Parts {
  std::string_view schema;       // $S
  std::string_view definitions;  // $D: "definitions" or "$defs"
  std::string_view names = {};   // of $W, more to ask
};

std::string Fill(std::string_view text, const Parts& parts) {
  const auto list = [](std::string_view item) {
    return R"({"type":"array","minItems":1,"items":)" + std::string(item) + "}";
  };
  const auto map = [](std::string_view member) {
    return R"({"type":"object","additionalProperties":)" + std::string(member) + "}";
  };
  const std::pair<char, std::string> places[] = {
      {'N', R"({"type":"integer","minimum":0})"},
      {'W', R"({"type":"array","items":{"type":"string"},"uniqueItems":true)" + std::string(parts.names) + "}"},
      {'S', std::string(parts.schema)},
      {'A', list(parts.schema)},
      {'M', map(parts.schema)},
      {'D', std::string(parts.definitions)},
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool filled = false;
    if (text[i] == '$' && i + 1 < text.size()) {
      for (const auto& [letter, value] : places) {
        if (text[i + 1] != letter) continue;
        out += value;
        filled = true;
      }
    }
    if (filled) {
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty()) out += ',';
    out += part;
  }
  return out;
}

std::string Draft4() {
  constexpr std::string_view kOwn =
      R"("id":{"type":"string"},"$schema":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},)"
      R"("default":{},"multipleOf":{"type":"number","minimum":0,"exclusiveMinimum":true},"maximum":{"type":"number"},)"
      R"("minimum":{"type":"number"},"exclusiveMaximum":{"type":"boolean"},"exclusiveMinimum":{"type":"boolean"},)"
      R"("additionalItems":{"anyOf":[{"type":"boolean"},$S]},"items":{"anyOf":[$S,$A]},)"
      R"("additionalProperties":{"anyOf":[{"type":"boolean"},$S]},"properties":$M,"patternProperties":$M,)"
      R"("definitions":$M,"enum":{"type":"array"},"format":{"type":"string"},"allOf":$A,"anyOf":$A,"oneOf":$A,"not":$S)";
  constexpr std::string_view kBounds =
      R"("dependencies":{"exclusiveMaximum":["maximum"],"exclusiveMinimum":["minimum"]})";
  return Fill(R"({"id":"http://json-schema.org/draft-04/schema#","$schema":"http://json-schema.org/draft-04/schema#",)"
              R"("definitions":{)" +
                  std::string(kTypes) + R"(},"type":"object","properties":{)" +
                  Joined({kOwn, kCounts, kScalars, kDependencies}) + "}," + std::string(kBounds) + "}",
              {.schema = R"({"$ref":"#"})", .definitions = "definitions", .names = R"(,"minItems":1)"});
}

std::string Draft6Or7(std::string_view uri, std::string_view own) {
  constexpr std::string_view kShared =
      R"("$id":{"type":"string","format":"uri-reference"},"$schema":{"type":"string","format":"uri"},)"
      R"("$ref":{"type":"string","format":"uri-reference"},"additionalItems":$S,"items":{"anyOf":[$S,$A]},)"
      R"("contains":$S,"definitions":$M,"propertyNames":$S,"const":true,"enum":{"type":"array","items":true},)"
      R"("format":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"default":true,)"
      R"("examples":{"type":"array","items":true})";
  const std::string name = std::string(uri) + "#";
  return Fill(R"({"$id":")" + name + R"(","$schema":")" + name + R"(","definitions":{)" + std::string(kTypes) +
                  R"(},"type":["object","boolean"],"properties":{)" +
                  Joined({kShared, kCounts, kNumbers, kScalars, kSchemas, kDependencies, own}) + "}}",
              {.schema = R"({"$ref":"#"})", .definitions = "definitions"});
}

constexpr std::string_view k2019 = "https://json-schema.org/draft/2019-09/";
constexpr std::string_view k2020 = "https://json-schema.org/draft/2020-12/";

// The document of a vocabulary, "core" and so on, since 2019-09; "schema" is the one that takes them all.
std::string Vocabularies(bool is_2020, std::string_view name) {
  const std::string_view base = is_2020 ? k2020 : k2019;
  const std::string uri = std::string(base) + (name == "schema" ? "" : "meta/") + std::string(name);
  std::string head = R"({"$schema":")" + std::string(base) + R"(schema","$id":")" + uri + R"(",)";
  head += is_2020 ? R"("$dynamicAnchor":"meta",)" : R"("$recursiveAnchor":true,)";
  head += R"("type":["object","boolean"],)";
  const Parts parts = {.schema = is_2020 ? R"({"$dynamicRef":"#meta"})" : R"({"$recursiveRef":"#"})",
                       .definitions = "$defs"};
  std::string body;
  std::string tail;
  if (name == "schema") {
    std::string names = "core applicator validation meta-data content ";
    names += is_2020 ? "unevaluated format-annotation " : "format ";
    tail = R"(,"allOf":[)";
    for (std::size_t start = 0; start < names.size(); start = names.find(' ', start) + 1) {
      if (start != 0) tail += ',';
      tail += R"({"$ref":"meta/)" + names.substr(start, names.find(' ', start) - start) + R"("})";
    }
    tail += "]";
    body = Joined({R"("definitions":$M)", kDependencies, R"("$recursiveAnchor":{"type":["string","boolean"]})",
                   R"("$recursiveRef":{"type":"string","format":"uri-reference"})"});
  } else if (name == "core") {
    body = R"("$id":{"type":"string","format":"uri-reference","pattern":"^[^#]*#?$"},)"
           R"("$schema":{"type":"string","format":"uri"},"$ref":{"type":"string","format":"uri-reference"},)"
           R"("$vocabulary":{"type":"object","propertyNames":{"type":"string","format":"uri"},)"
           R"("additionalProperties":{"type":"boolean"}},"$comment":{"type":"string"},"$defs":$M,)";
    body += is_2020
                ? R"("$anchor":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},)"
                  R"("$dynamicAnchor":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},)"
                  R"("$dynamicRef":{"type":"string","format":"uri-reference"})"
                : R"("$anchor":{"type":"string","pattern":"^[A-Za-z][-A-Za-z0-9.:_]*$"},)"
                  R"("$recursiveRef":{"type":"string","format":"uri-reference"},"$recursiveAnchor":{"type":"boolean"})";
  } else if (name == "applicator") {
    body = Joined({kSchemas, R"("contains":$S,"propertyNames":$S,"if":$S,"then":$S,"else":$S,"dependentSchemas":$M)",
                   is_2020 ? R"("prefixItems":$A,"items":$S)"
                           : R"("items":{"anyOf":[$S,$A]},"additionalItems":$S,"unevaluatedItems":$S,)"
                             R"("unevaluatedProperties":$S)"});
  } else if (name == "unevaluated" && is_2020) {
    body = R"("unevaluatedItems":$S,"unevaluatedProperties":$S)";
  } else if (name == "validation") {
    body = Joined(
        {kNumbers, kCounts, kScalars, R"("maxContains":$N,"minContains":$N,"const":true)",
         R"("enum":{"type":"array","items":true},"dependentRequired":{"type":"object","additionalProperties":$W})"});
    tail = R"(,"$defs":{)" + std::string(kTypes) + "}";
  } else if (name == "meta-data") {
    body = Joined({kTitles, R"("deprecated":{"type":"boolean"},"writeOnly":{"type":"boolean"})"});
  } else if (name == "content") {
    body = R"("contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},"contentSchema":$S)";
  } else if (name == (is_2020 ? "format-annotation" : "format") || (is_2020 && name == "format-assertion")) {
    body = R"("format":{"type":"string"})";
  } else {
    return {};
  }
  return head + Fill(R"("properties":{)" + body + "}" + tail + "}", parts);
}

}  // namespace

std::string MetaSchemaText(std::string_view uri) {
  constexpr std::string_view k7Own =
      R"("$comment":{"type":"string"},"readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},)"
      R"("contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},"if":$S,"then":$S,"else":$S)";
  if (uri == "http://json-schema.org/draft-04/schema") return Draft4();
  if (uri == "http://json-schema.org/draft-06/schema") return Draft6Or7(uri, R"("$comment":true)");
  if (uri == "http://json-schema.org/draft-07/schema") return Draft6Or7(uri, k7Own);
  for (const std::string_view base : {k2019, k2020}) {
    if (!uri.starts_with(base)) continue;
    std::string_view name = uri.substr(base.size());
    if (name != "schema" && !name.starts_with("meta/")) return {};
    if (name.starts_with("meta/")) {
      name.remove_prefix(5);
      if (name == "schema") return {};
    }
    return Vocabularies(base == k2020, name);
  }
  return {};
}

}  // namespace decant::grammar
