#include "orgen/expression.h"

#include <gtest/gtest.h>

namespace trex::orgen {
namespace {

bool is_x(std::string_view name) { return name == "x"; }

TEST(Expression, PrintsAsPythonWithVariablesIndexedByTuples) {
  const auto expression =
      parse_expression("sum((price[j] - cost[i][j]) * x[i, j] for i in a for j in b)");
  EXPECT_EQ(expression_text(expression, "gp.quicksum", is_x),
            "gp.quicksum((price[j] - cost[i][j]) * x[i, j] for i in a for j in b)");
}

TEST(Expression, KeepsParenthesesWhereTheyMatterOnly) {
  EXPECT_EQ(expression_text(parse_expression("a - (b - c) + (d * e)"), "sum", is_x),
            "a - (b - c) + d * e");
  EXPECT_EQ(expression_text(parse_expression("(a + b) * 2"), "sum", is_x), "(a + b) * 2");
}

TEST(Expression, ReadsIndicesOfThePeriodBefore) {
  const auto expression = parse_expression("x[t - 1] + x[1]");
  EXPECT_EQ(expression.operands[0].indices[0].offset, 1);
  EXPECT_TRUE(expression.operands[1].indices[0].is_fixed);
  EXPECT_EQ(expression_text(expression, "sum", is_x), "x[t - 1] + x[1]");
}

TEST(Expression, ReadsBindersThatSkipTheFirstMember) {
  const auto binders = parse_binders("for i in plants for t in weeks[1:]");
  ASSERT_EQ(binders.size(), 2U);
  EXPECT_FALSE(binders[0].skips_first);
  EXPECT_TRUE(binders[1].skips_first);
  EXPECT_EQ(binders_text(binders), "for i in plants for t in weeks[1:]");
}

TEST(Expression, NamesComeInOrderOfAppearance) {
  EXPECT_EQ(names_in(parse_expression("b * x[i] + sum(a[j] for j in s)")),
            (std::vector<std::string>{"b", "x", "a"}));
}

}  // namespace
}  // namespace trex::orgen
