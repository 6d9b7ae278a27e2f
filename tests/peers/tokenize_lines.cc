// Tokenizes many texts for tokenizer_peer.py: decant's side of the comparison with other tokenizers. Not shipped.
//
//   tokenize_lines VOCABULARY parse|text < TEXTS > IDS  one line of ids a text; exits 1 when Decode does not give it
//   back tokenize_lines VOCABULARY bench < TEXT              MB/s of the whole input, best of 7 tokenize_lines - nfc <
//   TEXTS > TEXTS                the texts in Normalization Form C
//
// VOCABULARY is a tokenizer.json or a DUMP. DUMP and TEXTS are little-endian u32 counts and lengths: a text is a length
// and its bytes, a list is a count and its items. DUMP is: model, pre, list of tokens, list of (u32) token types of
// GGUF, list of merges, bos, eos.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "text/normalization.h"
#include "text/tokenizer_json.h"
#include "text/vocabulary.h"

namespace {

using decant::SpecialText;
using decant::TokenId;
using decant::TokenKind;

std::string ReadAll(std::istream& in) { return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}; }

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool AtEnd() const { return rest_.empty(); }
  std::uint32_t Number() {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(Take(4)[i])} << (8 * i);
    rest_.remove_prefix(4);
    return value;
  }
  std::string_view Text() {
    const std::uint32_t length = Number();
    const std::string_view text = Take(length);
    rest_.remove_prefix(length);
    return text;
  }

 private:
  std::string_view Take(std::size_t length) const {
    if (rest_.size() < length) {
      std::cerr << "the input ends inside a value\n";
      std::exit(4);
    }
    return rest_.substr(0, length);
  }
  std::string_view rest_;
};

decant::text::VocabularySource ReadDump(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes = ReadAll(file);
  Reader reader(bytes);
  decant::text::VocabularySource source;
  source.model = reader.Text();
  source.pre = reader.Text();
  for (std::uint32_t n = reader.Number(); n > 0; --n) source.tokens.emplace_back(reader.Text());
  // GGUF counts token types from 1: normal, unknown, control, user defined, unused, byte.
  for (std::uint32_t n = reader.Number(); n > 0; --n)
    source.kinds.push_back(static_cast<TokenKind>(reader.Number() - 1));
  for (std::uint32_t n = reader.Number(); n > 0; --n) source.merges.emplace_back(reader.Text());
  source.bos = reader.Number();
  source.eos = reader.Number();
  return source;
}

// The text without the bytes that the vocabulary has no token for: what decoding can give back.
std::string Encodable(const decant::Tokenizer& tokenizer, std::string_view text) {
  std::string kept;
  for (const char& byte : text) {
    if (tokenizer.Find(std::string_view(&byte, 1))) kept.push_back(byte);
  }
  return kept;
}

std::string Nfc(std::string_view text) {
  std::string storage;
  return std::string(decant::text::ToNfc(text, storage));
}

int Normalize(std::string_view texts) {
  Reader reader(texts);
  std::string out;
  while (!reader.AtEnd()) {
    const std::string text = Nfc(reader.Text());
    for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<char>(text.size() >> (8 * i) & 255));
    out += text;
  }
  std::cout << out;
  return 0;
}

int Tokenize(const decant::Tokenizer& tokenizer, std::string_view texts, SpecialText special) {
  Reader reader(texts);
  std::string out;
  int lost = 0;
  const bool normalizes = tokenizer.name() == "bpe/qwen2";
  while (!reader.AtEnd()) {
    const std::string_view text = reader.Text();
    const auto ids = tokenizer.Encode(text, special);
    for (const TokenId id : ids) (out += std::to_string(id)) += ' ';
    out += '\n';
    const auto decoded = tokenizer.Decode(ids);
    lost += !decoded || (*decoded != Encodable(tokenizer, text) && !(normalizes && Nfc(*decoded) == Nfc(text)));
  }
  std::cout << out;
  if (lost > 0) std::cerr << lost << " texts are not given back by Decode\n";
  return lost > 0 ? 1 : 0;
}

int Bench(const decant::Tokenizer& tokenizer, std::string_view text) {
  double best = 1e30;
  std::size_t tokens = 0;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    tokens = tokenizer.Encode(text, SpecialText::kParse).size();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::cout << static_cast<double>(text.size()) / best / 1e6 << " MB/s " << tokens << " tokens\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: tokenize_lines VOCABULARY parse|text|bench|nfc\n";
    return 2;
  }
  if (std::string_view(argv[2]) == "nfc") return Normalize(ReadAll(std::cin));
  const bool is_json = std::string_view(argv[1]).ends_with(".json");
  auto source = is_json ? decant::text::VocabularySource{} : ReadDump(argv[1]);
  const auto start = std::chrono::steady_clock::now();
  const auto tokenizer =
      is_json ? decant::text::LoadTokenizerJson(argv[1], {}) : decant::text::MakeBpeTokenizer(std::move(source));
  if (!tokenizer) {
    std::cerr << tokenizer.error().message << "\n";
    return 4;
  }
  const std::chrono::duration<double, std::milli> making = std::chrono::steady_clock::now() - start;
  const std::string input = ReadAll(std::cin);
  const std::string_view mode = argv[2];
  if (mode == "bench") {
    std::cout << "made in " << making.count() << " ms, ";
    return Bench(**tokenizer, input);
  }
  return Tokenize(**tokenizer, input, mode == "text" ? SpecialText::kAsText : SpecialText::kParse);
}
