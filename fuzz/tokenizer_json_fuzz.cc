// Any bytes as a tokenizer.json end in a tokenizer or an Error. A tokenizer that was made encodes a few texts, and
// decodes what it encoded; as text, none becomes a control token.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "text/tokenizer_json.h"

namespace {

void Use(const decant::Tokenizer& tokenizer) {
  for (const std::string_view text :
       {"", "It's 1234  caf\xC3\xA9 e\xCC\x81!\n\n/ <s>==>\xFF", "ABCdef \xCC\x81 \t\r\n"}) {
    for (const auto special : {decant::SpecialText::kParse, decant::SpecialText::kAsText}) {
      const std::vector<decant::TokenId> ids = tokenizer.Encode(text, special);
      DECANT_CHECK(tokenizer.Decode(ids).has_value());
      for (const decant::TokenId id : ids) {
        DECANT_CHECK(special == decant::SpecialText::kParse || tokenizer.kind(id) != decant::TokenKind::kControl);
      }
    }
  }
  DECANT_CHECK(!tokenizer.bos() || *tokenizer.bos() < tokenizer.vocabulary_size());
  DECANT_CHECK(!tokenizer.eos() || *tokenizer.eos() < tokenizer.vocabulary_size());
  DECANT_CHECK(!tokenizer.add_bos() || tokenizer.bos());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const decant::text::TokenizerJsonOptions& options :
       {decant::text::TokenizerJsonOptions{}, {.bos = "<s>", .eos_id = 1}}) {
    if (const auto made = decant::text::ParseTokenizerJson(text, options)) Use(**made);
  }
  return 0;
}
