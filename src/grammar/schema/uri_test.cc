// References against bases, by the examples of RFC 3986, section 5.4.
#include "grammar/schema/uri.h"

#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace decant::grammar {
namespace {

TEST(UriTest, ResolvesAsRfc3986Says) {
  const std::pair<std::string_view, std::string_view> examples[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"./g/.", "http://a/b/c/g/"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
  };
  for (const auto& [reference, uri] : examples)
    EXPECT_EQ(ResolveUri("http://a/b/c/d;p?q", reference), uri) << reference;
  EXPECT_EQ(ResolveUri("urn:uuid:1#x", "#y"), "urn:uuid:1");
  EXPECT_EQ(ResolveUri("http://a", "b"), "http://a/b");
  EXPECT_EQ(ResolveUri("json-schema:///", "b/c"), "json-schema:///b/c");
}

TEST(UriTest, TakesFragmentsApart) {
  EXPECT_EQ(FragmentOf("a#b#c"), "b#c");
  EXPECT_EQ(WithoutFragment("a#b"), "a");
  EXPECT_EQ(FragmentOf("a"), "");
  EXPECT_EQ(PercentDecoded("%41%zz%4"), "A%zz%4");
}

}  // namespace
}  // namespace decant::grammar
