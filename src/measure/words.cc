// Text becomes words, words become numbers, and one pass over the numbers gives every measure.
#include <algorithm>
#include <string>

#include "decant/measure.h"

namespace decant {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

bool IsAsciiLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Bytes of punctuation at the front: an ASCII mark, or one of U+2000 to U+203F.
std::size_t MarkAtFront(std::string_view word) {
  if (word.empty()) return 0;
  if (static_cast<unsigned char>(word.front()) < 0x80) return IsAsciiLetterOrDigit(word.front()) ? 0 : 1;
  return word.size() >= 3 && word.starts_with("\xE2\x80") ? 3 : 0;
}

std::size_t MarkAtBack(std::string_view word) {
  if (word.empty()) return 0;
  if (static_cast<unsigned char>(word.back()) < 0x80) return IsAsciiLetterOrDigit(word.back()) ? 0 : 1;
  return word.size() >= 3 && word.substr(word.size() - 3).starts_with("\xE2\x80") ? 3 : 0;
}

bool IsArticle(std::string_view word) {
  while (const std::size_t mark = MarkAtFront(word)) word.remove_prefix(mark);
  while (const std::size_t mark = MarkAtBack(word)) word.remove_suffix(mark);
  if (word.empty() || word.size() > 3) return false;
  std::string folded(word);
  for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return folded == "a" || folded == "an" || folded == "the";
}

// A text's measures from its words.
TextMeasures Measure(std::span<const std::string_view> words, const std::vector<Symbol>& symbols) {
  const std::span<const std::vector<Symbol>> one(&symbols, 1);
  return {.words = symbols.size(),
          .articles = CountArticles(words),
          .four_word_runs = CountRepeats(symbols, 4),
          .unigrams = CountRuns(one, 1),
          .bigrams = CountRuns(one, 2),
          .longest_repeat = LongestRepeat(symbols),
          .loop = FindLoop(symbols, {})};
}

}  // namespace

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpace, end);
  }
  return words;
}

Symbol WordNumbers::Of(std::string_view word) {
  if (const auto known = numbers_.find(word); known != numbers_.end()) return known->second;
  const auto number = static_cast<Symbol>(numbers_.size());
  numbers_.emplace(word, number);
  return number;
}

std::vector<Symbol> WordNumbers::OfText(std::string_view text) {
  std::vector<Symbol> symbols;
  for (const std::string_view word : WordsOf(text)) symbols.push_back(Of(word));
  return symbols;
}

std::uint64_t CountArticles(std::span<const std::string_view> words) {
  return static_cast<std::uint64_t>(std::ranges::count_if(words, IsArticle));
}

TextMeasures MeasureText(std::string_view text) {
  WordNumbers numbers;
  return Measure(WordsOf(text), numbers.OfText(text));
}

CorpusMeasures MeasureTexts(std::span<const std::string> texts) {
  CorpusMeasures corpus;
  WordNumbers numbers;
  std::vector<std::vector<Symbol>> symbols;
  for (const std::string& text : texts) {
    symbols.push_back(numbers.OfText(text));
    const TextMeasures one = Measure(WordsOf(text), symbols.back());
    corpus.all.words += one.words;
    corpus.all.articles += one.articles;
    corpus.all.four_word_runs += one.four_word_runs;
    const std::size_t longest = corpus.all.longest_repeat.has_value() ? corpus.all.longest_repeat->length : 0;
    if (one.longest_repeat.has_value() && one.longest_repeat->length > longest) {
      corpus.all.longest_repeat = one.longest_repeat;
    }
    if (one.loop.has_value()) ++corpus.loops;
    corpus.texts.push_back(one);
  }
  corpus.all.unigrams = CountRuns(symbols, 1);
  corpus.all.bigrams = CountRuns(symbols, 2);
  return corpus;
}

}  // namespace decant
