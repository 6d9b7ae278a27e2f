// The tokens of a vocabulary as they are met between the strings, numbers and words of JSON: by their first byte, and
// by what stands after white space. Where any white space may come, hundreds of tokens differ only in how much of it
// they have; what follows it is the same for all of them.
#ifndef DECANT_GRAMMAR_JSON_BETWEEN_TOKENS_H_
#define DECANT_GRAMMAR_JSON_BETWEEN_TOKENS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decant/token.h"
#include "grammar/mask_cache.h"
#include "grammar/number_prefix.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// Bytes that JSON has outside of its strings, in classes: bits of a set.
enum class ByteClass : std::uint8_t {
  kOther,  // none of the below: only inside strings
  kWhite,
  kQuote,
  kOpenBrace,
  kCloseBrace,
  kOpenBracket,
  kCloseBracket,
  kColon,
  kComma,
  kMinus,
  kDigit,
  kNumberRest,  // . + E
  kE,           // e
  kT,
  kF,
  kN,
  kLetter,  // further ones of true, false, null
};
using ByteClasses = std::uint32_t;
constexpr ByteClasses Only(ByteClass byte_class) { return 1u << static_cast<unsigned>(byte_class); }
extern const std::array<ByteClass, 256> kByteClasses;
inline ByteClasses ClassBitOf(std::uint8_t byte) { return Only(kByteClasses[byte]); }

// Immutable; any thread.
class BetweenTokens final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 0x4a534f4e02;
  // The vocabulary's, from its cache.
  static std::shared_ptr<const BetweenTokens> Of(const Vocabulary& vocabulary);

  static constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
  std::uint32_t FirstNode(std::uint8_t byte) const { return first_nodes_[byte]; }  // of a token's first byte

  std::span<const TokenId> WhiteUpTo(std::size_t characters) const;  // white space alone
  struct AfterWhite {
    std::uint32_t node;   // of the first byte after the white space, in the vocabulary's tree
    std::uint32_t white;  // characters of it, 1 or more
  };
  std::span<const AfterWhite> AfterWhiteOf(std::uint8_t byte) const;  // by white, ascending; only for classed bytes
  struct Opening {
    TokenId token;
    std::uint32_t tail;  // after its first quote, an index into Vocabulary::tails()
  };
  // The tokens of a node whose byte is a quote, the first one on the way to it.
  std::span<const Opening> OpeningsOf(std::uint32_t quote_node) const;
  const NumberHorizon& numbers() const { return numbers_; }  // of the tokens that may go on with a number
  std::size_t memory_bytes() const override;

 private:
  void FindOpenings(const Vocabulary& vocabulary);

  std::array<std::uint32_t, 256> first_nodes_;
  std::vector<TokenId> white_tokens_;      // by length
  std::vector<std::uint32_t> white_ends_;  // [n]: how many have at most n characters
  std::vector<AfterWhite> after_white_;    // by byte
  std::array<std::uint32_t, 257> after_white_start_;
  std::vector<Opening> openings_;             // by node
  std::vector<std::uint32_t> opening_nodes_;  // ascending
  std::vector<std::uint32_t> opening_ends_;   // by place in opening_nodes_
  NumberHorizon numbers_ = {.digits = 0, .has_exponents = false};
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_BETWEEN_TOKENS_H_
