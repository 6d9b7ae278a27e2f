// Texts come one after the other, so that many of them need no memory.
#include "text_request.h"

#include <string>

#include "core/utf8.h"
#include "json/spelling.h"
#include "json/writer.h"
#include "terminal_text.h"

namespace decant::cli {

TextFlags::TextFlags(CommandLine& line, std::string_view command)
    : count(line.Value("texts", "-n,--count", "N", std::string(command) + ": texts to write (default 1)")),
      seed(line.Value("texts", "--seed", "N", std::string(command) + ": names the randomness (default 0)")),
      most_bytes(
          line.Value("texts", "--max-bytes", "N",
                     std::string(command) + ": from so many bytes on, the shortest way to the end (default 200)")) {}

Result<TextRequest> TextRequestOf(const TextFlags& flags) {
  TextRequest request;
  DECANT_TRY(const auto count, CountOf(flags.count, {.least = 1}));
  DECANT_TRY(const auto seed, CountOf(flags.seed, {.most = UINT64_MAX}));
  DECANT_TRY(const auto most_bytes, CountOf(flags.most_bytes, {.most = 1'000'000}));
  request.count = static_cast<std::uint32_t>(count.value_or(request.count));
  request.options.seed = seed.value_or(request.options.seed);
  request.options.most_bytes = static_cast<std::size_t>(most_bytes.value_or(request.options.most_bytes));
  return request;
}

Result<int> WriteTexts(Session& session, const Grammar& grammar, const TextRequest& request, OutputFormat format,
                       std::string_view schema) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String(schema);
  w.Key("seed");
  json::WriteSeed(request.options.seed, w);
  w.Key("texts");
  w.BeginArray();
  for (std::uint32_t number = 0; number < request.count; ++number) {
    DECANT_TRY(const std::string text, MakeText(grammar, number, request.options));
    if (format == OutputFormat::kText) {
      session.WriteLine(session.output_on_terminal() ? TerminalText(text) : text);
    } else {
      w.String(core::ToValidUtf8(text));
    }
  }
  w.EndArray();
  w.EndObject();
  if (format == OutputFormat::kJson) session.WriteLine(w.text());
  return 0;
}

}  // namespace decant::cli
