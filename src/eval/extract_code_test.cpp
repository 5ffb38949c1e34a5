#include "eval/extract_code.h"

#include <gtest/gtest.h>

namespace trex::eval {
namespace {

struct ExtractCase {
  const char* name;
  std::string reply;
  std::string code;
  std::string rule;
};

const std::string kLong(60, 'x');

const ExtractCase kCases[] = {
    {"PythonFence", "Text\n```python\na = 1\n```\nmore", "a = 1", "python_fence"},
    {"LongestPythonFence", "```python\na\n```\n```python\nlonger = 2\n```", "longer = 2",
     "python_fence"},
    {"LongestIsInTheReasoning",
     "<think>```python\ndraft = 12345\n```</think>\n```python\nx = 1\n```", "draft = 12345",
     "python_fence"},
    {"PythonFenceInsideAnotherFence", "```\n```python\na = 1\n```\n```", "a = 1", "python_fence"},
    {"PythonFenceBeatsALongerUnlabelledOne", "```\n" + kLong + "\n```\n```python\na\n```", "a",
     "python_fence"},
    {"WindowsLineEnds", "```python\r\na = 1\r\nb = 2\r\n```\r\n", "a = 1\r\nb = 2", "python_fence"},
    {"TagWithAFence", "<python>\n```python\na = 1\n```\n</python>", "a = 1", "python_fence"},
    {"LongUnlabelledFence", "```\nshort\n```\n```\n" + kLong + "\n```", kLong, "long_fence"},
    {"ShortUnlabelledFence", "```\nab\n```\n```\nabc\n```", "abc", "fence"},
    {"FiftyCharactersAreNotLong", "```\n" + std::string(50, 'y') + "\n```", std::string(50, 'y'),
     "fence"},
    {"TagWithoutAFence", "<model>m</model><PYTHON>\na = 1\n</Python>", "a = 1", "python_tag"},
    {"LongestTag", "<python>a</python><python>abc</python>", "abc", "python_tag"},
    {"TagWithAFenceOfAnotherLabel", "<python>\n```py\na = 1\n```\n</python>", "```py\na = 1\n```",
     "python_tag"},
    {"AfterTheLastThink", "<think>a</think>b<think>c</think>\nmodel = 1", "model = 1",
     "after_think"},
    {"AfterRedactedReasoning", "x</redacted_reasoning>model = 1", "model = 1", "after_think"},
    {"CapitalLabelInsideThink", "<think>```Python\na = 1\n```</think>\n", "a = 1", "in_think"},
    {"CapitalLabelIsNotPython", "```Python\na = 1\n```", "```Python\na = 1\n```", "whole_reply"},
    {"PyIsNotPython", "```py\na = 1\n```", "```py\na = 1\n```", "whole_reply"},
    {"Python3IsNotPython", "```python3\na = 1\n```", "```python3\na = 1\n```", "whole_reply"},
    {"UnclosedFence", "```python\na = 1\n", "```python\na = 1", "whole_reply"},
    {"UnclosedTag", "<python>a = 1", "<python>a = 1", "whole_reply"},
    {"NoFenceAtAll", "  a = 1\n", "a = 1", "whole_reply"},
    {"TextBetweenFencesOfAnotherLabelIsNoFence", "```text\na\n```\nbetween\n```text\nb\n```",
     "```text\na\n```\nbetween\n```text\nb\n```", "whole_reply"},
};

class ExtractCode : public testing::TestWithParam<ExtractCase> {};

TEST_P(ExtractCode, TakesTheFirstRuleThatFindsSomething) {
  const auto found = extract_code(GetParam().reply);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, GetParam().code);
  EXPECT_EQ(found->rule, GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(All, ExtractCode, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(ExtractCodeFromNothing, FindsNothing) {
  EXPECT_FALSE(extract_code(""));
  EXPECT_FALSE(extract_code(" \r\n\t"));
}

}  // namespace
}  // namespace trex::eval
