// tokenizer.json field by field into a VocabularySource. What is not known is refused: a setting passed over in silence
// would give other tokens than the model was trained on.
#include "text/tokenizer_json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/mapped_file.h"
#include "core/utf8.h"
#include "json/value.h"
#include "text/pretokenizer.h"
#include "text/vocabulary.h"

namespace decant::text {
namespace {

using core::Quoted;
using json::Value;

constexpr std::size_t kMostDigits = 60;                 // of a number in a message
constexpr std::size_t kMostIds = std::size_t{1} << 20;  // an id past this is an error, not memory

constexpr VocabularyFields kFields{.model = "model.type",
                                   .pre = "pre_tokenizer",
                                   .tokens = "model.vocab",
                                   .kinds = "added_tokens",
                                   .merges = "model.merges",
                                   .bos = "bos",
                                   .eos = "eos",
                                   .add_bos = "post_processor"};

// A place in the file: a value and what leads to it ("model.vocab").
struct Place {
  const Value* value;  // nullptr: the field is not there
  std::string path;

  bool is_null() const { return value == nullptr || value->is_null(); }
  Place operator[](std::string_view key) const {
    return {value == nullptr ? nullptr : value->Find(key),
            path.empty() ? std::string(key) : path + "." + std::string(key)};
  }
  Place At(std::size_t index) const {  // REQUIRES: an array that has the index
    return {&(*value->if_array())[index], path + "[" + std::to_string(index) + "]"};
  }
};

std::string Shown(const Place& place) {
  if (place.value == nullptr) return "not there";
  if (const std::string* text = place.value->if_string()) return Quoted(*text);
  if (const json::Number* number = place.value->if_number()) return number->text.substr(0, kMostDigits);
  if (const bool* flag = place.value->if_bool()) return *flag ? "true" : "false";
  return std::string(place.value->kind());
}

std::unexpected<Error> Unsupported(const Place& place, const std::string& supported) {
  return Fail(ErrorCode::kUnsupportedTokenizer, place.path + " is " + Shown(place) + "; decant has " + supported,
              {.subject = place.path, .allowed = supported});
}

std::unexpected<Error> WrongType(const Place& place, const std::string& expected) {
  return Fail(ErrorCode::kCorruptFile, place.path + " is " + Shown(place) + "; expected " + expected,
              {.subject = place.path, .allowed = expected});
}

Result<std::string_view> Text(const Place& place) {
  if (place.value == nullptr || place.value->if_string() == nullptr) return WrongType(place, "a string");
  return std::string_view(*place.value->if_string());
}
Result<bool> Flag(const Place& place) {
  if (place.value == nullptr || place.value->if_bool() == nullptr) return WrongType(place, "a boolean");
  return *place.value->if_bool();
}
Result<bool> FlagOr(const Place& place, bool absent) {
  return place.value == nullptr ? absent : Flag(place);
}  // NOLINT
Result<const json::Array*> List(const Place& place) {
  if (place.value == nullptr || place.value->if_array() == nullptr) return WrongType(place, "an array");
  return place.value->if_array();
}
Result<const json::Object*> Members(const Place& place) {
  if (place.value == nullptr || place.value->if_object() == nullptr) return WrongType(place, "an object");
  return place.value->if_object();
}
Result<TokenId> Id(const Place& place) {
  const std::optional<std::uint64_t> id = place.value == nullptr ? std::nullopt : place.value->AsUint64();
  if (!id || *id >= kMostIds) return WrongType(place, "a token id from 0 to " + std::to_string(kMostIds - 1));
  return static_cast<TokenId>(*id);
}

// --- how text is cut and normalized --------------------------------------------------------------------------------

// A ByteLevel step that only writes bytes as letters, or also cuts by GPT-2's expression.
enum class Cut : std::uint8_t { kNo, kGpt2 };
Result<void> CheckByteLevel(const Place& place, Cut cut) {
  DECANT_TRY(const std::string_view type, Text(place["type"]));
  if (type != "ByteLevel") return Unsupported(place["type"], "\"ByteLevel\" here");
  DECANT_TRY(const bool prefix, Flag(place["add_prefix_space"]));
  if (prefix) return Unsupported(place["add_prefix_space"], "false");
  DECANT_TRY(const bool expression, FlagOr(place["use_regex"], true));
  if (expression != (cut == Cut::kGpt2)) return Unsupported(place["use_regex"], cut == Cut::kGpt2 ? "true" : "false");
  return {};
}

Result<PreTokenizer> ReadSplit(const Place& place) {
  const Place pattern = place["pattern"]["Regex"];
  if (pattern.value == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, pattern.path + " is not there; decant splits by known expressions",
                {.subject = pattern.path});
  }
  DECANT_TRY(const std::string_view expression, Text(pattern));
  const std::optional<PreTokenizer> pre = FindPreTokenizerByExpression(expression);
  if (!pre) return Unsupported(pattern, "the expressions of gpt2, llama3, qwen2 and gpt4o");
  // The known expressions match every character, so "remove what does not match" keeps the same pieces.
  DECANT_TRY(const std::string_view behavior, Text(place["behavior"]));
  DECANT_TRY(const bool invert, FlagOr(place["invert"], false));
  if (!(behavior == "Isolated" && !invert) && !(behavior == "Removed" && invert)) {
    return Unsupported(place["behavior"], "\"Isolated\", or \"Removed\" with invert");
  }
  return *pre;
}

Result<PreTokenizer> ReadPreTokenizer(const Place& place) {
  const std::string known = "ByteLevel, or a Sequence of Split or Digits and ByteLevel";
  if (place.is_null()) return Unsupported(place, known);
  DECANT_TRY(const std::string_view type, Text(place["type"]));
  if (type == "ByteLevel") {
    DECANT_CHECKED(CheckByteLevel(place, Cut::kGpt2));
    return PreTokenizer::kGpt2;
  }
  if (type != "Sequence") return Unsupported(place["type"], known);
  const Place steps = place["pretokenizers"];
  DECANT_TRY(const json::Array* const list, List(steps));
  if (list->size() != 2) {
    return Fail(ErrorCode::kUnsupportedTokenizer,
                steps.path + " has " + std::to_string(list->size()) + " steps; decant has " + known,
                {.subject = steps.path, .allowed = known});
  }
  const Place first = steps.At(0), second = steps.At(1);
  DECANT_TRY(const std::string_view first_type, Text(first["type"]));
  if (first_type == "Split") {
    DECANT_TRY(const PreTokenizer pre, ReadSplit(first));
    DECANT_CHECKED(CheckByteLevel(second, Cut::kNo));
    return pre;
  }
  if (first_type != "Digits") return Unsupported(first["type"], "\"Split\" or \"Digits\" here");
  DECANT_TRY(const bool individual, Flag(first["individual_digits"]));
  if (!individual) return Unsupported(first["individual_digits"], "true");
  DECANT_CHECKED(CheckByteLevel(second, Cut::kGpt2));
  return PreTokenizer::kSmollm;
}

Result<Normalization> ReadNormalizer(const Place& place) {
  if (place.is_null()) return Normalization::kNone;
  DECANT_TRY(const std::string_view type, Text(place["type"]));
  if (type == "NFC") return Normalization::kNfc;
  if (type != "Sequence") return Unsupported(place["type"], "\"NFC\", a Sequence of it, or no normalizer");
  const Place steps = place["normalizers"];
  DECANT_TRY(const json::Array* const list, List(steps));
  for (std::size_t i = 0; i < list->size(); ++i) {
    DECANT_TRY(const std::string_view step, Text(steps.At(i)["type"]));
    if (step != "NFC") return Unsupported(steps.At(i)["type"], "\"NFC\" here");
  }
  return list->empty() ? Normalization::kNone : Normalization::kNfc;
}

Result<void> CheckDecoder(const Place& place) {
  if (place.is_null()) return Unsupported(place, "ByteLevel");
  DECANT_TRY(const std::string_view type, Text(place["type"]));
  if (type == "ByteLevel") return {};
  if (type == "Sequence") {
    const Place steps = place["decoders"];
    DECANT_TRY(const json::Array* const list, List(steps));
    if (list->size() == 1) {
      DECANT_TRY(const std::string_view step, Text(steps.At(0)["type"]));
      if (step == "ByteLevel") return {};
      return Unsupported(steps.At(0)["type"], "\"ByteLevel\" here");
    }
  }
  return Unsupported(place["type"], "\"ByteLevel\"");
}

// --- what comes before the text --------------------------------------------------------------------------------------

// The token that a TemplateProcessing puts before a text, if any.
Result<std::optional<TokenId>> ReadTemplate(const Place& place) {
  const Place single = place["single"];
  const std::string known = "the text alone, or one special token and the text";
  DECANT_TRY(const json::Array* const pieces, List(single));
  const auto is_text = [&pieces](std::size_t i) { return (*pieces)[i].Find("Sequence") != nullptr; };
  if (pieces->size() == 1 && is_text(0)) return std::nullopt;
  if (pieces->size() != 2 || is_text(0) || !is_text(1)) {
    return Fail(ErrorCode::kUnsupportedTokenizer, single.path + " is another template than decant has: " + known,
                {.subject = single.path, .allowed = known});
  }
  DECANT_TRY(const std::string_view name, Text(single.At(0)["SpecialToken"]["id"]));
  const Place ids = place["special_tokens"][name]["ids"];
  DECANT_TRY(const json::Array* const list, List(ids));
  if (list->size() != 1) {
    return Fail(ErrorCode::kUnsupportedTokenizer,
                ids.path + " has " + std::to_string(list->size()) + " ids; decant has one token before the text",
                {.subject = ids.path, .allowed = "1"});
  }
  DECANT_TRY(const TokenId id, Id(ids.At(0)));
  return id;
}

Result<std::optional<TokenId>> ReadPostProcessor(const Place& place) {
  if (place.is_null()) return std::nullopt;
  DECANT_TRY(const std::string_view type, Text(place["type"]));
  if (type == "ByteLevel") return std::nullopt;  // concerns offsets only
  if (type == "TemplateProcessing") return ReadTemplate(place);
  const std::string known = "ByteLevel, TemplateProcessing, or a Sequence of them";
  if (type != "Sequence") return Unsupported(place["type"], known);
  const Place steps = place["processors"];
  DECANT_TRY(const json::Array* const list, List(steps));
  std::optional<TokenId> first;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Place step = steps.At(i);
    DECANT_TRY(const std::string_view step_type, Text(step["type"]));
    if (step_type == "ByteLevel") continue;
    if (step_type != "TemplateProcessing" || first)
      return Unsupported(step["type"], "ByteLevel and one TemplateProcessing");
    DECANT_TRY(first, ReadTemplate(step));
  }
  return first;
}

// --- tokens and merges -----------------------------------------------------------------------------------------------

Result<void> CheckModel(const Place& model) {
  DECANT_CHECKED(Members(model));
  const Place type = model["type"];  // files older than the field have none
  if (type.value != nullptr) {
    DECANT_TRY(const std::string_view name, Text(type));
    if (name != "BPE") return Unsupported(type, "\"BPE\"");
  }
  DECANT_TRY(const bool fallback, FlagOr(model["byte_fallback"], false));
  if (fallback) return Unsupported(model["byte_fallback"], "false (byte-level BPE)");
  for (const char* const key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const Place place = model[key];
    if (place.is_null()) continue;
    DECANT_TRY(const std::string_view text, Text(place));
    if (!text.empty()) return Unsupported(place, "none");
  }
  const Place dropout = model["dropout"];
  if (!dropout.is_null() && dropout.value->AsDouble() != 0.0) return Unsupported(dropout, "none");
  if (!model["unk_token"].is_null()) DECANT_CHECKED(Text(model["unk_token"]));
  return {};
}

// The place of a token in the source, which grows to hold it.
std::string& TokenAt(VocabularySource& source, TokenId id) {
  if (id >= source.tokens.size()) {
    source.tokens.resize(std::size_t{id} + 1);
    source.kinds.resize(std::size_t{id} + 1, TokenKind::kUnused);
  }
  return source.tokens[id];
}

Result<void> ReadVocab(const Place& vocab, VocabularySource& source) {
  DECANT_TRY(const json::Object* const members, Members(vocab));
  source.tokens.reserve(members->size());
  source.kinds.reserve(members->size());
  for (const auto& [text, value] : *members) {
    const std::optional<std::uint64_t> number = value.AsUint64();
    if (!number || *number >= kMostIds) {
      DECANT_CHECKED(Id({&value, vocab.path + "[" + Quoted(text) + "]"}));
      continue;
    }
    const auto id = static_cast<TokenId>(*number);
    std::string& token = TokenAt(source, id);
    if (!token.empty() || text.empty()) {
      return Fail(ErrorCode::kCorruptFile,
                  vocab.path + " gives id " + std::to_string(id) + " to " + Quoted(text) +
                      (text.empty() ? "; expected a text" : " and to " + Quoted(token)),
                  {.subject = vocab.path});
    }
    token = text;
    source.kinds[id] = TokenKind::kNormal;
  }
  return {};
}

Result<void> ReadMerges(const Place& merges, VocabularySource& source) {
  DECANT_TRY(const json::Array* const list, List(merges));
  source.merges.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Value& merge = (*list)[i];
    if (const std::string* text = merge.if_string()) {
      source.merges.push_back(*text);
      continue;
    }
    const json::Array* pair = merge.if_array();
    const bool is_pair = pair != nullptr && pair->size() == 2 && (*pair)[0].if_string() && (*pair)[1].if_string();
    if (!is_pair) return WrongType(merges.At(i), "\"left right\" or [\"left\", \"right\"]");
    source.merges.push_back(*(*pair)[0].if_string() + " " + *(*pair)[1].if_string());
  }
  return {};
}

using Index = std::unordered_map<std::string, TokenId>;  // ids by text; only looked up

Result<void> ReadAddedToken(const Place& place, VocabularySource& source, Index& index) {
  DECANT_TRY(const TokenId id, Id(place["id"]));
  DECANT_TRY(const std::string_view text, Text(place["content"]));
  if (text.empty()) return WrongType(place["content"], "a text");
  for (const char* const key : {"single_word", "lstrip", "rstrip"}) {
    DECANT_TRY(const bool set, FlagOr(place[key], false));
    if (set) return Unsupported(place[key], "false");
  }
  DECANT_TRY(const bool special, FlagOr(place["special"], false));
  DECANT_TRY(const bool normalized, FlagOr(place["normalized"], !special));
  const auto [known, is_new] = index.try_emplace(std::string(text), id);
  if (known->second != id) {
    return Fail(ErrorCode::kCorruptFile,
                place.path + " gives id " + std::to_string(id) + " to " + Quoted(text) + ", which has id " +
                    std::to_string(known->second),
                {.subject = place.path});
  }
  std::string& token = TokenAt(source, id);
  if (!token.empty() && token != text) {
    return Fail(
        ErrorCode::kCorruptFile,
        place.path + " gives id " + std::to_string(id) + " to " + Quoted(text) + "; it is the id of " + Quoted(token),
        {.subject = place.path});
  }
  if (source.kinds[id] == TokenKind::kControl || source.kinds[id] == TokenKind::kUserDefined) {
    return Fail(ErrorCode::kCorruptFile, place.path + " lists " + Quoted(text) + " a second time",
                {.subject = place.path});
  }
  token = text;
  source.kinds[id] = special ? TokenKind::kControl : TokenKind::kUserDefined;
  if (normalized) source.normalized_specials.push_back(id);
  return {};
}

Result<std::optional<TokenId>> EndToken(std::string_view field, const std::optional<std::string>& text,
                                        std::optional<TokenId> id, const Index& index) {
  if (!text) return id;
  const auto found = index.find(*text);
  if (found == index.end()) {
    return Fail(ErrorCode::kCorruptFile, std::string(field) + " is " + Quoted(*text) + ", which is not a token",
                {.subject = std::string(field)});
  }
  return found->second;
}

Result<void> ReadTokens(const Place& root, const TokenizerJsonOptions& options, VocabularySource& source) {
  DECANT_CHECKED(ReadVocab(root["model"]["vocab"], source));
  DECANT_CHECKED(ReadMerges(root["model"]["merges"], source));
  Index index;
  index.reserve(source.tokens.size());
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    if (!source.tokens[id].empty()) index.try_emplace(source.tokens[id], static_cast<TokenId>(id));
  }
  if (const Place added = root["added_tokens"]; !added.is_null()) {
    DECANT_TRY(const json::Array* const list, List(added));
    for (std::size_t i = 0; i < list->size(); ++i) DECANT_CHECKED(ReadAddedToken(added.At(i), source, index));
  }
  DECANT_TRY(source.bos, EndToken("bos", options.bos, options.bos_id, index));
  DECANT_TRY(source.eos, EndToken("eos", options.eos, options.eos_id, index));
  return {};
}

// What a file may have at its top; a key that is not known may change tokens.
Result<void> CheckKeys(const Place& root) {
  constexpr std::string_view kKeys[] = {"version",       "truncation",     "padding", "added_tokens", "normalizer",
                                        "pre_tokenizer", "post_processor", "decoder", "model"};
  for (const auto& [key, value] : *root.value->if_object()) {
    if (std::ranges::find(kKeys, key) == std::end(kKeys)) {
      return Fail(ErrorCode::kUnsupportedTokenizer,
                  "tokenizer.json has the key " + Quoted(key) +
                      ", which decant does "
                      "not know",
                  {.subject = core::ToValidUtf8(std::string_view(key).substr(0, 80))});
    }
    // Settings for batches of texts; a prompt is one text.
    const bool is_for_batches = key == "truncation" || key == "padding";
    if (is_for_batches && !value.is_null() && value.if_object() == nullptr) {
      return WrongType({&value, key}, "null or an object");
    }
  }
  return {};
}

Result<VocabularySource> ReadSource(const Place& root, const TokenizerJsonOptions& options) {
  if (root.value->if_object() == nullptr) return WrongType({root.value, "tokenizer.json"}, "an object");
  DECANT_CHECKED(CheckKeys(root));
  if (const Place version = root["version"]; !version.is_null()) {
    DECANT_TRY(const std::string_view text, Text(version));
    if (text != "1.0") return Unsupported(version, "\"1.0\"");
  }
  VocabularySource source{.model = "gpt2", .fields = kFields};
  DECANT_CHECKED(CheckModel(root["model"]));
  DECANT_TRY(const PreTokenizer pre, ReadPreTokenizer(root["pre_tokenizer"]));
  source.pre = NameOf(pre);
  DECANT_TRY(source.normalization, ReadNormalizer(root["normalizer"]));
  DECANT_CHECKED(CheckDecoder(root["decoder"]));
  DECANT_TRY(const bool ignore_merges, FlagOr(root["model"]["ignore_merges"], false));
  if (ignore_merges) source.whole_pieces = WholePieces::kAnyToken;
  DECANT_CHECKED(ReadTokens(root, options, source));
  DECANT_TRY(const std::optional<TokenId> first, ReadPostProcessor(root["post_processor"]));
  if (first && options.bos && source.bos != first) {
    return Fail(ErrorCode::kUnsupportedTokenizer,
                "post_processor starts a text with token " + std::to_string(*first) + ", but bos is token " +
                    std::to_string(*source.bos),
                {.subject = "post_processor"});
  }
  if (first) source.bos = first;
  source.add_bos = first.has_value();
  return source;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string_view text,
                                                            const TokenizerJsonOptions& options) {
  std::shared_ptr<const Tokenizer> tokenizer;
  auto parsed = json::Read(text, {});
  if (!parsed.has_value()) {
    return Fail(ErrorCode::kCorruptFile, "not JSON: " + parsed.error().message,
                {.subject = "tokenizer.json", .at = parsed.error().at});
  }
  const Value root = *std::move(parsed);
  DECANT_TRY(VocabularySource source, ReadSource({&root, ""}, options));
  DECANT_TRY(tokenizer, MakeBpeTokenizer(std::move(source)));
  if (const Place unknown{root.Find("model")->Find("unk_token"), "model.unk_token"}; !unknown.is_null()) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      if (tokenizer->Find(std::string_view(&c, 1))) continue;
      return Fail(ErrorCode::kUnsupportedTokenizer,
                  "model.unk_token is " + Shown(unknown) + " and byte " + std::to_string(byte) +
                      " has no token: decant leaves such bytes out and has no unknown token",
                  {.subject = unknown.path});
    }
  }
  return tokenizer;
}

Result<std::shared_ptr<const Tokenizer>> LoadTokenizerJson(const std::string& path,
                                                           const TokenizerJsonOptions& options) {
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
  auto tokenizer =
      ParseTokenizerJson({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, options);
  if (!tokenizer) tokenizer.error().message = path + ": " + tokenizer.error().message;
  return tokenizer;
}

}  // namespace decant::text
