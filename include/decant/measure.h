// Measures of text: how much of it repeats, how varied it is, whether it is stuck in a loop, and how surprising it is
// to a model (docs/evaluation.md).
//
//   const TextMeasures m = MeasureText("the cat sat and the cat sat and purred");
//   m.four_word_runs.repeats;  // 1 of m.four_word_runs.runs = 6
//
// All but ScoreTokens are pure functions of their arguments. They work on symbols: words that were numbered, or token
// ids. A run is a stretch of n neighbouring symbols; it never crosses from one text to the next.
#ifndef DECANT_MEASURE_H_
#define DECANT_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decant/error.h"
#include "decant/language_model.h"
#include "decant/token.h"

namespace decant {

// The words of a text: its maximal stretches of bytes other than space, \t, \r, \n, \v and \f. Punctuation stays with
// its word, other Unicode spaces do not separate, nothing is folded: "The", "the" and "the," are three words. The
// views look into the text.
std::vector<std::string_view> WordsOf(std::string_view text);

using Symbol = std::uint32_t;

// Numbers words, 0, 1, ... in the order of their first appearance; equal words get equal numbers. One owner.
class WordNumbers {
 public:
  Symbol Of(std::string_view word);
  std::vector<Symbol> OfText(std::string_view text);  // of WordsOf(text)

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  std::unordered_map<std::string, Symbol, Hash, std::equal_to<>> numbers_;
};

// Runs of one length, and how many of them equal an earlier run of the same text.
struct RepeatCounts {
  std::uint64_t runs = 0;
  std::uint64_t repeats = 0;
  std::optional<double> Share() const;  // repeats / runs; nothing without runs
  RepeatCounts& operator+=(const RepeatCounts& other);
  bool operator==(const RepeatCounts&) const = default;
};
// In time O(size log n). REQUIRES: n >= 1; size < 2^32.
RepeatCounts CountRepeats(std::span<const Symbol> text, std::size_t n);

// Runs of one length in all texts together, and how many different ones there are.
struct RunCounts {
  std::uint64_t runs = 0;
  std::uint64_t distinct = 0;
  // distinct-n: distinct / runs; nothing without runs. (Li et al. 2016, "A Diversity-Promoting Objective Function for
  // Neural Conversation Models", divide by the number of words instead; the usual form since divides by the runs.)
  std::optional<double> Share() const;
  bool operator==(const RunCounts&) const = default;
};
// In time O(symbols log n). REQUIRES: n >= 1; fewer than 2^32 symbols in all.
RunCounts CountRuns(std::span<const std::vector<Symbol>> texts, std::size_t n);

// The longest run that begins at two places, which may overlap ("ab" in "xabyab", "aa" in "aaa"). Of several, the one
// that comes first, and its next place.
struct Repeat {
  std::size_t length = 0;  // at least 1
  std::size_t first = 0, again = 0;
  bool operator==(const Repeat&) const = default;
};
// Nothing when all symbols differ. In time and memory O(size log length). REQUIRES: size < 2^32.
std::optional<Repeat> LongestRepeat(std::span<const Symbol> text);

// What a text ends in when it is stuck: from `start` on, every symbol equals the one `period` before it.
struct Loop {
  std::size_t start = 0;                                       // of the first time round
  std::size_t period = 0;                                      // symbols
  std::size_t length = 0;                                      // symbols from start to the end of the text
  std::size_t repetitions() const { return length / period; }  // whole ones
  bool operator==(const Loop&) const = default;
};
struct LoopOptions {
  std::size_t least_repetitions = 3;  // whole ones, at least 2
  std::size_t least_length = 8;       // so that "ha ha ha" at the end of a story is none
};
// The loop of the smallest period with at least so many repetitions and symbols, going back as far as it can. In time
// O(size). REQUIRES: least_repetitions >= 2.
std::optional<Loop> FindLoop(std::span<const Symbol> text, LoopOptions options);

// How many of the words are "a", "an" or "the", in any case of ASCII letters, less the ASCII punctuation and the
// Unicode quotes and dashes (U+2000 to U+203F) around them.
std::uint64_t CountArticles(std::span<const std::string_view> words);

// What `decant samples` and `decant eval` say of a text, all of it over words.
struct TextMeasures {
  std::uint64_t words = 0;
  std::uint64_t articles = 0;
  RepeatCounts four_word_runs = {};
  RunCounts unigrams = {}, bigrams = {};
  std::optional<Repeat> longest_repeat = {};
  std::optional<Loop> loop = {};
  bool operator==(const TextMeasures&) const = default;
};
TextMeasures MeasureText(std::string_view text);

// Several texts: each, and all together. Of all: words, articles and repeats are sums, distinct runs are counted over
// all texts, the longest repeat is the longest of a text; `loops` texts end in a loop.
struct CorpusMeasures {
  std::vector<TextMeasures> texts = {};
  TextMeasures all = {};  // without loop
  std::size_t loops = 0;
};
CorpusMeasures MeasureTexts(std::span<const std::string> texts);

// How a model sees one token of a text: after all tokens before it, at temperature 1, before any stage.
struct TokenScore {
  TokenId token = 0;
  double log_probability = 0;  // natural logarithm
  std::uint32_t rank = 0;      // 1 = the model's best; of equal logits the lower id comes first
  double entropy_bits = 0;     // of the distribution that the token was taken from
  bool operator==(const TokenScore&) const = default;
};

struct ScoreOptions {
  std::size_t prefill_chunk = 64;  // tokens a model call, at least 1; memory is chunk * vocabulary floats
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
  std::stop_token cancel = {};
};
// The scores of tokens[1], tokens[2], ...: the first token has nothing before it. No score depends on the chunk.
// Errors: kEmptyPrompt without tokens, kPromptTooLong past context + 1 tokens, kTokenOutOfRange, kOutOfRange,
// kCancelled, and the model's.
Result<std::vector<TokenScore>> ScoreTokens(const LanguageModel& model, std::span<const TokenId> tokens,
                                            const ScoreOptions& options);

// Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", figure 2, in numbers.
struct SurpriseSummary {
  std::size_t tokens = 0;
  double mean_probability = 0;
  double probability_variance = 0;  // mean squared distance from the mean
  double mean_surprise_bits = 0;    // mean of -log2 p; 2 to this power is the perplexity
  double unlikely_share = 0;        // tokens with p below kUnlikely
};
inline constexpr double kUnlikely = 0.1;
SurpriseSummary SummarizeSurprise(std::span<const double> log_probabilities);  // natural logarithms; all 0 without any

}  // namespace decant

#endif  // DECANT_MEASURE_H_
