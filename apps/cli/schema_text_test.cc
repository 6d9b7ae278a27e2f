// Schemas and paths told apart.
#include "schema_text.h"

#include <gtest/gtest.h>

namespace decant::cli {
namespace {

TEST(SchemaTextTest, KnowsASchemaFromAPath) {
  for (const char* schema : {"{}", " \n{\"type\":\"integer\"}", "true", " false\n", "{ broken"}) {
    EXPECT_TRUE(IsSchemaText(schema)) << schema;
    EXPECT_EQ(SchemaTextOf(schema), schema);
  }
  for (const char* path : {"", " ", "-", "order.json", "./true", "trueish", "[1]"}) {
    EXPECT_FALSE(IsSchemaText(path)) << path;
  }
}

TEST(SchemaTextTest, NamesAFileThatIsMissing) {
  const auto text = SchemaTextOf("/nowhere/order.json");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::kCannotRead);
  EXPECT_NE(text.error().message.find("/nowhere/order.json"), std::string::npos);
}

}  // namespace
}  // namespace decant::cli
