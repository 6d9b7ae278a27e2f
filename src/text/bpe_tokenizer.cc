// Encoding and decoding with a BPE vocabulary. Most pieces are tokens as they stand: those are looked up, not merged.
#include "text/bpe_tokenizer.h"

#include <algorithm>
#include <utility>

#include "decant/tokenizer.h"

namespace decant::text {

BpeTokenizer::BpeTokenizer(Parts parts) : parts_(std::move(parts)), is_whole_(parts_.bytes.size(), false) {
  std::vector<TokenId> encoded;
  for (std::size_t i = 0; i < is_whole_.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const std::string_view bytes = parts_.bytes.text(id);
    // Find answers the lowest id of equal bytes; another one could never be looked up.
    if (parts_.kinds[id] == TokenKind::kControl || parts_.bytes.Find(bytes) != id) continue;
    if (parts_.whole_pieces == WholePieces::kAnyToken && parts_.kinds[id] == TokenKind::kNormal && !bytes.empty()) {
      is_whole_[id] = true;
      longest_whole_ = std::max(longest_whole_, bytes.size());
      continue;
    }
    encoded.clear();
    parts_.bpe.Encode(bytes, encoded);
    // Bytes without a token are left out by BPE: the lengths tell.
    is_whole_[id] = encoded.size() == 1 && encoded.front() == id;
    if (is_whole_[id]) longest_whole_ = std::max(longest_whole_, bytes.size());
  }
}

void BpeTokenizer::EncodeOrdinary(std::string_view text, std::vector<TokenId>& out) const {
  while (!text.empty()) {
    const std::size_t length = FirstPiece(parts_.pre, text);
    const std::string_view piece = text.substr(0, length);
    text.remove_prefix(length);
    if (length <= longest_whole_) {
      if (const std::optional<TokenId> id = parts_.bytes.Find(piece); id && is_whole_[*id]) {
        out.push_back(*id);
        continue;
      }
    }
    parts_.bpe.Encode(piece, out);
  }
}

// A part between special tokens.
void BpeTokenizer::EncodePart(std::string_view text, SpecialText special, std::vector<TokenId>& out) const {
  std::string storage;
  if (parts_.normalization == Normalization::kNfc) text = ToNfc(text, storage);
  std::size_t from = 0;
  if (special == SpecialText::kParse) {
    while (const std::optional<SpecialMatch> match = parts_.normalized_specials.Next(text, from)) {
      EncodeOrdinary(text.substr(from, match->start - from), out);
      out.push_back(match->token);
      from = match->start + match->length;
    }
  }
  EncodeOrdinary(text.substr(from), out);
}

std::vector<TokenId> BpeTokenizer::Encode(std::string_view text, SpecialText special) const {
  std::vector<TokenId> out;
  out.reserve(text.size() / 3 + 1);
  std::size_t from = 0;
  if (special == SpecialText::kParse) {
    while (const std::optional<SpecialMatch> match = parts_.specials.Next(text, from)) {
      EncodePart(text.substr(from, match->start - from), special, out);
      out.push_back(match->token);
      from = match->start + match->length;
    }
  }
  EncodePart(text.substr(from), special, out);
  return out;
}

Result<std::string> BpeTokenizer::Decode(std::span<const TokenId> ids) const {
  std::string bytes;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= vocabulary_size()) {
      return Fail(ErrorCode::kTokenOutOfRange,
                  "token id " + std::to_string(ids[i]) + " at index " + std::to_string(i) +
                      " is past the vocabulary of " + std::to_string(vocabulary_size()) + " tokens",
                  {.subject = "token", .allowed = "0 to " + std::to_string(vocabulary_size() - 1)});
    }
    bytes.append(Bytes(ids[i]));
  }
  return bytes;
}

}  // namespace decant::text
