// Reference resolution as RFC 3986 states it in 5.2, on texts.
#include "grammar/schema/uri.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace decant::grammar {
namespace {

struct UriParts {
  std::optional<std::string_view> scheme, authority, query;
  std::string_view path;
};

bool IsSchemeText(std::string_view text) {
  if (text.empty()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) return false;
  }
  return true;
}

// REQUIRES: no fragment.
UriParts Split(std::string_view uri) {
  UriParts parts;
  const std::size_t colon = uri.find_first_of(":/?");
  if (colon != std::string_view::npos && uri[colon] == ':' && IsSchemeText(uri.substr(0, colon))) {
    parts.scheme = uri.substr(0, colon);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const std::size_t end = uri.find_first_of("/?");
    parts.authority = uri.substr(0, end);
    uri = end == std::string_view::npos ? std::string_view() : uri.substr(end);
  }
  const std::size_t mark = uri.find('?');
  parts.path = uri.substr(0, mark);
  if (mark != std::string_view::npos) parts.query = uri.substr(mark + 1);
  return parts;
}

// RFC 3986, 5.2.4.
std::string RemoveDotSegments(std::string_view path) {
  std::string out;
  const auto drop_last = [&out] {
    const std::size_t slash = out.rfind('/');
    out.erase(slash == std::string::npos ? 0 : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./")) {
      path.remove_prefix(2);
    } else if (path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last();
    } else if (path == "/..") {
      path = "/";
      drop_last();
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = path.find('/', 1);
      out += path.substr(0, end);
      path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
  }
  return out;
}

std::string MergedPath(const UriParts& base, std::string_view path) {
  if (path.starts_with('/')) return RemoveDotSegments(path);
  if (base.authority.has_value() && base.path.empty()) return RemoveDotSegments("/" + std::string(path));
  const std::size_t slash = base.path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? std::string_view() : base.path.substr(0, slash + 1);
  return RemoveDotSegments(std::string(folder) + std::string(path));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view WithoutFragment(std::string_view uri) { return uri.substr(0, uri.find('#')); }

std::string_view FragmentOf(std::string_view uri) {
  const std::size_t mark = uri.find('#');
  return mark == std::string_view::npos ? std::string_view() : uri.substr(mark + 1);
}

std::string ResolveUri(std::string_view base_text, std::string_view reference_text) {
  base_text = WithoutFragment(base_text);
  reference_text = WithoutFragment(reference_text);
  if (reference_text.empty()) return std::string(base_text);
  const UriParts base = Split(base_text);
  const UriParts reference = Split(reference_text);
  UriParts target = reference;
  std::string path;
  if (reference.scheme.has_value() || reference.authority.has_value()) {
    path = RemoveDotSegments(reference.path);
  } else {
    target.authority = base.authority;
    if (!reference.path.empty()) {
      path = MergedPath(base, reference.path);
    } else {
      path = base.path;
      if (!reference.query.has_value()) target.query = base.query;
    }
  }
  if (!reference.scheme.has_value()) target.scheme = base.scheme;
  std::string out;
  if (target.scheme.has_value()) (out += *target.scheme) += ':';
  if (target.authority.has_value()) (out += "//") += *target.authority;
  out += path;
  if (target.query.has_value()) (out += '?') += *target.query;
  return out;
}

std::string PercentDecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace decant::grammar
