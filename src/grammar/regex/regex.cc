// Reads the pattern, then translates what it says.
#include "grammar/regex/regex.h"

#include <cstddef>
#include <string>

#include "core/utf8.h"
#include "grammar/regex/parser.h"
#include "grammar/regex/syntax.h"
#include "grammar/regex/translation.h"

namespace decant::grammar {
namespace {

Result<std::u32string> Decoded(std::string_view pattern) {
  std::u32string decoded;
  decoded.reserve(pattern.size());
  for (std::size_t at = 0; at < pattern.size();) {
    const core::Utf8Part part = core::DecodeUtf8(pattern.substr(at));
    if (part.status != core::Utf8Status::kValid) {
      const Position position{.offset = at, .line = 1, .column = static_cast<std::uint32_t>(decoded.size() + 1)};
      return Fail(ErrorCode::kInvalidUtf8, "the regular expression is not UTF-8 at byte " + std::to_string(at),
                  {.subject = "regex", .at = position});
    }
    decoded += part.code_point;
    at += part.length;
  }
  return decoded;
}

// Adds what the column means in bytes.
Error Placed(Error error, std::u32string_view pattern) {
  if (!error.at.has_value() || error.at->column == 0) return error;
  std::string before;
  for (const char32_t c : pattern.substr(0, error.at->column - 1)) core::AppendUtf8(c, before);
  error.at->offset = before.size();
  return error;
}

}  // namespace

Result<Expr> ParseRegex(std::string_view pattern, RegexFlavour flavour, RegexMatch match, ExprPool& pool) {
  DECANT_TRY(const std::u32string decoded, Decoded(pattern));
  SyntaxTree tree;
  Result<NodeId> root = RegexParser(decoded, flavour, tree).Parse();
  if (!root.has_value()) return std::unexpected(Placed(std::move(root).error(), decoded));
  Result<Expr> language = Translation(tree, pool).Translate(*root, match);
  if (!language.has_value()) return std::unexpected(Placed(std::move(language).error(), decoded));
  return language;
}

}  // namespace decant::grammar
