// Fuzzes encoding, decoding and streaming with a small vocabulary: any bytes come back as they went in.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/utf8.h"
#include "decant/tokenizer.h"
#include "text/small_vocabulary.h"

namespace {

void CheckRoundTrip(const decant::Tokenizer& tokenizer, std::string_view bytes, decant::SpecialText special) {
  const std::vector<decant::TokenId> ids = tokenizer.Encode(bytes, special);
  const decant::Result<std::string> decoded = tokenizer.Decode(ids);
  DECANT_CHECK(decoded.has_value() && *decoded == bytes);

  decant::StreamingDetokenizer stream;
  std::string shown;
  for (const decant::TokenId id : ids) {
    DECANT_CHECK(special == decant::SpecialText::kParse || tokenizer.kind(id) == decant::TokenKind::kNormal);
    shown += stream.Push(tokenizer.Bytes(id));
    DECANT_CHECK(stream.held().size() <= 3);
  }
  shown += stream.Flush();
  DECANT_CHECK(shown == decant::core::ToValidUtf8(bytes));
  DECANT_CHECK(stream.bytes() == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::shared_ptr<const decant::Tokenizer> tokenizer =
      decant::text::MakeBpeTokenizer(decant::text::SmallVocabulary()).value();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  CheckRoundTrip(*tokenizer, text, decant::SpecialText::kParse);
  CheckRoundTrip(*tokenizer, text, decant::SpecialText::kAsText);
  const std::vector<decant::ChatMessage> messages{{.role = "user", .content = std::string(text)}};
  DECANT_CHECK(decant::EncodeChatMl(*tokenizer, messages, "").has_value());
  return 0;
}
