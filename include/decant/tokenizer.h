// Text to tokens and back.
//
// A Tokenizer is immutable and may be shared by threads. Bytes that are not valid UTF-8 are encoded byte by byte, so
// that Decode(Encode(bytes)) == bytes for every input, less the bytes for which the vocabulary has no token
// (docs/tokenizer.md); a vocabulary with NFC normalization gives the NFC form of the text. A token's text is bytes: it
// may end inside a code point.
#ifndef DECANT_TOKENIZER_H_
#define DECANT_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"

namespace decant {

enum class TokenKind : std::uint8_t { kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte };

// How the text of special tokens ("<|im_start|>") in the input is read.
enum class SpecialText : std::uint8_t {
  kParse,   // becomes the special token
  kAsText,  // is ordinary text, split into ordinary tokens: for text from users
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::size_t vocabulary_size() const = 0;
  // Tokens of the bytes. Never adds BOS. Cost: near linear in the text.
  virtual std::vector<TokenId> Encode(std::string_view text, SpecialText special) const = 0;
  // The bytes that a token stands for in running text. REQUIRES: id < vocabulary_size().
  virtual std::string_view Bytes(TokenId id) const = 0;
  // The bytes of all, control tokens (kControl) included; kTokenOutOfRange names the id.
  virtual Result<std::string> Decode(std::span<const TokenId> ids) const = 0;
  virtual TokenKind kind(TokenId id) const = 0;
  virtual std::optional<TokenId> Find(std::string_view bytes) const = 0;  // the token with exactly these bytes

  virtual std::optional<TokenId> bos() const = 0;
  virtual std::optional<TokenId> eos() const = 0;
  virtual bool add_bos() const = 0;           // whether a prompt starts with bos()
  virtual std::string_view name() const = 0;  // "bpe/smollm"
};

// Turns a stream of tokens into text that may be shown at once: whole code points only. The head of a code point is
// held back until its tail arrives; bytes that can never become valid UTF-8 are kept as bytes in `bytes()` and shown
// as U+FFFD, one for each maximal invalid part (Unicode 15, section 3.9, "substitution of maximal subparts").
class StreamingDetokenizer {
 public:
  // The text that became showable with these bytes; may be empty.
  std::string Push(std::string_view token_bytes);
  // What is still held, as U+FFFD: the end of the stream.
  std::string Flush();
  // Bytes held back now (0 to 3).
  std::string_view held() const { return held_; }
  // Every byte pushed so far.
  const std::string& bytes() const { return bytes_; }

 private:
  std::string held_;
  std::string bytes_;
};

struct ChatMessage {
  std::string role;  // "system", "user", "assistant"
  std::string content;
  std::vector<TokenId> tokens = {};  // the content as a model wrote it; empty = the content is encoded
};

// The built-in ChatML template: "<|im_start|>role\ncontent<|im_end|>\n" for each message, then the header of the
// assistant's answer. Returns tokens: the markers are special tokens, encoded content never is. kUnsupportedTokenizer
// when the vocabulary lacks the markers. When the first message is not a system message, `default_system` is put first
// unless it is empty.
Result<std::vector<TokenId>> EncodeChatMl(const Tokenizer& tokenizer, std::span<const ChatMessage> messages,
                                          std::string_view default_system);

}  // namespace decant

#endif  // DECANT_TOKENIZER_H_
