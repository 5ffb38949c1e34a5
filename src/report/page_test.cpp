#include "report/page.h"

#include <gmock/gmock.h>

#include <limits>

namespace trex::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Page, EscapesTextSoThatAModelsReplyCannotBecomeMarkup) {
  Page page("<b>title</b>");
  page.code("</pre><script>alert(1)</script>");
  page.table({.header = {"a & b"}, .rows = {{"\"x\""}}});
  const std::string html = page.html();
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;/pre&gt;&lt;script&gt;alert(1)"));
  EXPECT_THAT(html, HasSubstr("a &amp; b"));
}

TEST(Page, ASeriesNameCannotCloseTheScript) {
  Page page("t");
  page.chart(LineChart{.title = "loss", .series = {{"</script><img>", {{0, 1}}}}});
  EXPECT_THAT(page.html(), Not(HasSubstr("</script><img>")));
}

TEST(Page, LeavesAGapWhereAValueIsNotANumber) {
  Page page("t");
  page.chart(
      LineChart{.title = "loss",
                .series = {{"s", {{0, 1.5}, {1, std::numeric_limits<double>::quiet_NaN()}}}}});
  EXPECT_THAT(page.html(), HasSubstr(R"({"x":0.0,"y":1.5},{"x":1.0,"y":null})"));
}

TEST(Page, NeedsNothingFromTheNetwork) {
  Page page("t");
  page.chart(BarChart{.title = "score", .labels = {"a"}, .bars = {{"s", {{0.5, 0.4, 0.6}}}}});
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("Chart.js v3"));
  EXPECT_THAT(html, Not(HasSubstr("<link")));
  EXPECT_THAT(html, Not(HasSubstr("src=\"http")));
}

TEST(Page, SetsOnlyColumnsOfNumbersToTheRight) {
  Page page("t");
  page.table({.header = {"model", "n", "score"},
              .rows = {{"SFT", "300", "12.3 %"}, {"base", "300", "0 %"}}});
  const std::string html = page.html();
  EXPECT_THAT(
      html, HasSubstr("<td>SFT</td><td class=\"number\">300</td><td class=\"number\">12.3 %</td>"));
}

}  // namespace
}  // namespace trex::report
