// One table and one set of JSON fields for the measures of text.
#include "measure_report.h"

#include <fmt/format.h>

#include "table.h"

namespace decant::cli {
namespace {

std::string_view NameOf(LoopUnit unit) { return unit == LoopUnit::kTokens ? "token" : "word"; }

std::string ShareText(std::optional<double> share) {
  return share.has_value() ? fmt::format("{:.3f}", *share) : std::string("-");
}

std::optional<double> ArticleShare(const TextMeasures& measures) {
  if (measures.words == 0) return std::nullopt;
  return static_cast<double>(measures.articles) / static_cast<double>(measures.words);
}

void WriteShare(json::Writer& writer, std::string_view key, std::optional<double> share) {
  writer.Key(key);
  if (share.has_value()) {
    writer.Double(*share);
  } else {
    writer.Null();
  }
}

void WriteCount(json::Writer& writer, std::string_view key, std::uint64_t count) {
  writer.Key(key);
  writer.Uint(count);
}

}  // namespace

std::string PercentText(std::optional<double> share) {
  return share.has_value() ? fmt::format("{:.1f} %", 100 * *share) : std::string("-");
}

std::string LoopText(const std::optional<Loop>& loop, LoopUnit unit) {
  if (!loop.has_value()) return "-";
  return fmt::format("{} {}{}, {} times, from {} {}", loop->period, NameOf(unit), loop->period == 1 ? "" : "s",
                     loop->repetitions(), NameOf(unit), loop->start + 1);
}

std::string MeasureTable(std::string_view label, LoopUnit unit, std::span<const MeasureRow> rows) {
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
               Align::kRight, Align::kLeft});
  table.Add({std::string(label), "words", "4-word runs", "repeated", "distinct-1", "distinct-2", "longest repeat",
             "articles", fmt::format("loop at the end ({}s)", NameOf(unit))});
  for (const MeasureRow& row : rows) {
    const TextMeasures& m = row.measures;
    table.Add({row.label, std::to_string(m.words),
               fmt::format("{} of {}", m.four_word_runs.repeats, m.four_word_runs.runs),
               PercentText(m.four_word_runs.Share()), ShareText(m.unigrams.Share()), ShareText(m.bigrams.Share()),
               m.longest_repeat.has_value()
                   ? fmt::format("{} word{}", m.longest_repeat->length, m.longest_repeat->length == 1 ? " " : "s")
                   : "-",
               PercentText(ArticleShare(m)), row.loop});
  }
  return table.Text(" ");
}

void WriteLoop(json::Writer& writer, std::string_view key, const std::optional<Loop>& loop) {
  writer.Key(key);
  if (!loop.has_value()) return writer.Null();
  writer.BeginObject();
  WriteCount(writer, "start", loop->start);
  WriteCount(writer, "period", loop->period);
  WriteCount(writer, "length", loop->length);
  WriteCount(writer, "repetitions", loop->repetitions());
  writer.EndObject();
}

void WriteMeasureFields(json::Writer& writer, const TextMeasures& measures) {
  WriteCount(writer, "words", measures.words);
  WriteCount(writer, "articles", measures.articles);
  WriteShare(writer, "article_share", ArticleShare(measures));
  WriteCount(writer, "runs", measures.four_word_runs.runs);
  WriteCount(writer, "repeated_4grams", measures.four_word_runs.repeats);
  WriteShare(writer, "repeated_share", measures.four_word_runs.Share());
  WriteShare(writer, "distinct_1", measures.unigrams.Share());
  WriteShare(writer, "distinct_2", measures.bigrams.Share());
  writer.Key("longest_repeat");
  if (measures.longest_repeat.has_value()) {
    writer.BeginObject();
    WriteCount(writer, "length", measures.longest_repeat->length);
    WriteCount(writer, "first", measures.longest_repeat->first);
    WriteCount(writer, "again", measures.longest_repeat->again);
    writer.EndObject();
  } else {
    writer.Null();
  }
}

void WriteCorpus(json::Writer& writer, const CorpusMeasures& corpus) {
  writer.BeginObject();
  WriteCount(writer, "texts", corpus.texts.size());
  WriteMeasureFields(writer, corpus.all);
  WriteCount(writer, "loops", corpus.loops);
  writer.EndObject();
}

}  // namespace decant::cli
