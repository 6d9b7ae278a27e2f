// Written with brackets wherever an operand is no single item, so no precedence has to be known.
#include "grammar/expr_text.h"

#include <array>
#include <string_view>
#include <utility>

namespace decant::grammar {
namespace {

class Writer {
 public:
  explicit Writer(const ExprStore& store) : store_(store) {}

  // At most so deep, so the recursion is bounded.
  void Write(Expr e, int depth) {
    constexpr int kDeepest = 60;
    constexpr std::size_t kLongest = 4000;
    if (depth > kDeepest || text_.size() > kLongest) {
      text_ += "…";
      return;
    }
    const ExprNode& n = store_.node(e);
    if (e == store_.any_code_point()) {
      text_ += '.';
      return;
    }
    switch (n.kind) {
      case ExprKind::kNone:
        text_ += "∅";
        return;
      case ExprKind::kEmpty:
        text_ += "()";
        return;
      case ExprKind::kBytes:
        return WriteSet(store_.set(n));
      case ExprKind::kSwitch:
        return WriteSwitch(n, depth);
      case ExprKind::kLiteral:
        for (const char c : store_.literal(n)) WriteByte(static_cast<std::uint8_t>(c));
        return;
      case ExprKind::kLiterals:
        return WriteLiterals(store_.range(n));
      case ExprKind::kConcat:
        WriteItem(Expr{n.a}, depth);
        return Write(Expr{n.b}, depth + 1);
      case ExprKind::kComplement:
        text_ += '~';
        return WriteItem(Expr{n.a}, depth);
      case ExprKind::kRepeat: {
        WriteItem(Expr{n.a}, depth);
        const auto [least, most] = store_.counts(n);
        if (least == 0 && most == kUnbounded) {
          text_ += '*';
          return;
        }
        text_ += '{' + std::to_string(least) + ',' + (most == kUnbounded ? "" : std::to_string(most)) + '}';
        return;
      }
      case ExprKind::kUnion:
      case ExprKind::kIntersection:
        for (std::size_t i = 0; i < n.b; ++i) {
          if (i > 0) text_ += n.kind == ExprKind::kUnion ? '|' : '&';
          WriteItem(store_.operands(n)[i], depth);
        }
        return;
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void WriteItem(Expr e, int depth) {
    const ExprKind kind = store_.node(e).kind;
    const bool is_item = kind < ExprKind::kLiteral || e == store_.any_code_point();
    if (!is_item) text_ += '(';
    Write(e, depth + 1);
    if (!is_item) text_ += ')';
  }

  void WriteByte(std::uint8_t byte) {
    if (byte < 0x20 || byte >= 0x7F) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text_ += "\\x";
      text_ += kDigits[byte / 16];
      text_ += kDigits[byte % 16];
      return;
    }
    if (std::string_view("\\[]{}()*|&~^-.").contains(static_cast<char>(byte))) text_ += '\\';
    text_ += static_cast<char>(byte);
  }

  void WriteRange(std::uint8_t first, std::uint8_t last) {
    WriteByte(first);
    if (last > first + 1) text_ += '-';
    if (last > first) WriteByte(last);
  }

  void WriteSet(const ByteSet& set) {
    std::string before = std::move(text_);
    text_.clear();
    int count = 0;
    for (int byte = 0; byte < 256; ++byte) {
      if (!set.Has(static_cast<std::uint8_t>(byte))) continue;
      int last = byte;
      while (last < 255 && set.Has(static_cast<std::uint8_t>(last + 1))) ++last;
      WriteRange(static_cast<std::uint8_t>(byte), static_cast<std::uint8_t>(last));
      count += last - byte + 1;
      byte = last;
    }
    text_ = before + (count == 1 ? text_ : "[" + text_ + "]");
  }

  void WriteSwitch(const ExprNode& n, int depth) {
    text_ += '<';
    bool first = true;
    for (const ExprStore::Arc& arc : store_.arcs(n)) {
      if (!first) text_ += '|';
      first = false;
      WriteRange(arc.first, arc.last);
      if (arc.next != kEmptyText) text_ += '>', Write(arc.next, depth + 1);
    }
    text_ += '>';
  }

  void WriteLiterals(const ExprStore::TableRange& range) {
    constexpr std::uint32_t kShown = 8;
    for (std::uint32_t i = range.low; i < range.high; ++i) {
      if (i > range.low) text_ += '|';
      if (i == range.low + kShown) {
        text_ += "…";
        return;
      }
      for (const char c : store_.text(range.table, i).substr(range.depth)) WriteByte(static_cast<std::uint8_t>(c));
    }
  }

  const ExprStore& store_;
  std::string text_;
};

}  // namespace

std::string ExprText(Expr e, const ExprStore& store) {
  Writer writer(store);
  writer.Write(e, 0);
  return writer.Take();
}

}  // namespace decant::grammar
