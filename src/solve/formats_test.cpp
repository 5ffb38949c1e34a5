// The two file formats of models: MPS and our JSON.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "solve/lp_writer.h"
#include "solve/model_json.h"
#include "solve/mps.h"
#include "solve/test_models.h"

namespace trex::solve {
namespace {

// As one text, with the entries in one order.
std::string canonical(Model model) {
  std::sort(model.matrix.begin(), model.matrix.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  std::sort(model.quadratic.begin(), model.quadratic.end(),
            [](const QuadraticEntry& a, const QuadraticEntry& b) {
              return std::pair(a.column, a.other) < std::pair(b.column, b.other);
            });
  return to_line(to_json(model));
}

Model everything() {
  Model model = wyndor();
  model.name = "everything";
  model.offset = -0.1;
  model.add_column({.name = "free", .lower = -kInfinity, .objective = 1.0 / 3});
  model.add_column({.name = "negative", .lower = -kInfinity, .upper = -2});
  model.add_column({.name = "below", .lower = 0, .upper = 0});
  model.add_column({.name = "binary", .domain = Domain::Binary});
  model.add_column({.name = "integer", .domain = Domain::Integer});
  model.add_column({.name = "boxed", .domain = Domain::Integer, .lower = -3, .upper = 8});
  model.add_row("range", {{2, 1}, {3, -1e-7}}, -1, 2.5);
  model.add_row("loose", {{0, 1}}, -kInfinity, kInfinity);
  model.equal("equation", {{4, 1}, {5, 2}}, 0);
  return model;
}

TEST(Mps, ReadsWhatItWrote) {
  std::vector<Model> models = {everything()};
  for (const KnownModel& known : known_models()) models.push_back(known.model);
  for (const Model& model : models) {
    EXPECT_EQ(canonical(parse_mps(to_mps(model), "m.mps")), canonical(model));
  }
}

TEST(Json, ReadsWhatItWrote) {
  std::vector<Model> models = {everything()};
  for (const KnownModel& known : known_models()) models.push_back(known.model);
  for (const Model& model : models) {
    EXPECT_EQ(canonical(model_from_json(parse_json(to_line(to_json(model)), "m"), "m")),
              canonical(model));
  }
}

constexpr std::string_view kSmall = R"(NAME small
OBJSENSE
    MAX
ROWS
 N cost
 L lim
 G low
 E same
COLUMNS
    x cost 1 lim 1
    x low 1
    M 'MARKER' 'INTORG'
    i lim 2 same 1
    b same 1
    M 'MARKER' 'INTEND'
    y same -1
RHS
    cost 7 lim 4
    RHS low 1
RANGES
    R lim 3 same -2
    R low 5
BOUNDS
 UP BND x -1
 UI BND i 9
 MI y
ENDATA
)";

TEST(Mps, GivesSectionsTheirUsualMeaning) {
  const Model model = parse_mps(kSmall, "small.mps");
  EXPECT_EQ(model.name, "small");
  EXPECT_EQ(model.sense, Sense::Maximize);
  EXPECT_EQ(model.offset, -7);  // the objective's right side is minus its constant
  EXPECT_EQ(model.columns[0].lower, -kInfinity);
  EXPECT_EQ(model.columns[0].upper, -1);
  EXPECT_EQ(model.columns[1].domain, Domain::Integer);
  EXPECT_EQ(model.columns[1].upper, 9);
  EXPECT_EQ(model.columns[2].domain, Domain::Binary);  // marked, and without bounds
  EXPECT_EQ(model.columns[3].lower, -kInfinity);
  const auto bounds = [&](size_t row) {
    return std::pair(model.rows[row].lower, model.rows[row].upper);
  };
  EXPECT_EQ(bounds(0), std::pair(1.0, 4.0));
  EXPECT_EQ(bounds(1), std::pair(1.0, 6.0));
  EXPECT_EQ(bounds(2), std::pair(-2.0, 0.0));
}

TEST(Mps, ReadsNamesWithBlanksInFixedFormat) {
  const std::string text =
      "NAME          FIXED\n"
      "ROWS\n"
      " N  THE COST\n"
      " G  NEED 1\n"
      "COLUMNS\n"
      "    OAT MEAL  THE COST             3   NEED 1               2\n"
      "    MILK      THE COST             4   NEED 1               1\n"
      "RHS\n"
      "    RHS       NEED 1              10\n"
      "BOUNDS\n"
      " UP BND       OAT MEAL             4\n"
      "ENDATA\n";
  const Model model = parse_mps(text, "fixed.mps");
  EXPECT_EQ(model.columns[0].name, "OAT MEAL");
  EXPECT_EQ(model.columns[0].upper, 4);
  EXPECT_EQ(solve(model).best->objective, 20);
}

TEST(Mps, ReadsBothQuadraticForms) {
  const std::string head = "ROWS\n N c\nCOLUMNS\n    x c 0\n    y c 0\n";
  const Model triangle =
      parse_mps(head + "QUADOBJ\n    x x 2\n    x y -1\n    y y 4\nENDATA\n", "q");
  const Model full =
      parse_mps(head + "QMATRIX\n    x x 2\n    x y -1\n    y x -1\n    y y 4\nENDATA\n", "q");
  EXPECT_EQ(canonical(triangle), canonical(full));
  ASSERT_EQ(triangle.quadratic.size(), 3u);
}

std::string refusal(const std::string& text) {
  try {
    parse_mps(text, "m.mps");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string small_with(std::string_view from, std::string_view to) {
  std::string text(kSmall);
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Mps, NamesLineAndField) {
  EXPECT_EQ(refusal(small_with("RHS\n", "RHSS\n")),
            "m.mps:17: section: expected a known section; got \"RHSS\" (did you mean \"RHS\"?)");
  EXPECT_EQ(refusal(small_with("x low 1", "x lov 1")),
            "m.mps:11: COLUMNS: expected a row that ROWS lists; got \"lov\"");
  EXPECT_EQ(refusal(small_with("RHS low 1", "RHS low one")),
            "m.mps:19: RHS: field 3: expected a number; got \"one\"");
  EXPECT_EQ(refusal(small_with(" UI BND", " UX BND")),
            "m.mps:25: BOUNDS: expected a type UP, LO, FX, FR, MI, PL, BV, LI or UI; got \"UX\"");
  EXPECT_EQ(refusal(small_with(" MI y", " MI z")),
            "m.mps:26: BOUNDS: expected a column that COLUMNS lists; got \"z\"");
  EXPECT_EQ(refusal(small_with("ENDATA\n", "")),
            "m.mps:26: section: expected ENDATA at the end; got the end of the file");
  EXPECT_EQ(refusal(small_with(" G low", " L lim")),
            "m.mps:7: ROWS: expected a name of its own; got \"lim\"");
  EXPECT_EQ(refusal(small_with("x low 1", "x lim 1")),
            "m.mps: row \"lim\": expected each column at most once; got \"x\" twice");
  EXPECT_EQ(
      refusal(small_with(" UI BND i 9", " UI BND i -9\n LI BND i 3")),
      "m.mps: column \"i\": expected a lower bound that is at most the upper bound; got 3 to -9");
  EXPECT_EQ(refusal(""), "m.mps:0: section: expected ENDATA at the end; got the end of the file");
}

TEST(Mps, SurvivesEveryCut) {
  for (size_t length = 0; length < kSmall.size(); ++length)
    refusal(std::string(kSmall.substr(0, length)));
}

TEST(Mps, WritesNamesThatFreeFormatCanRead) {
  Model model = columns_with({1, 1});
  model.columns[0].name = "a b";
  model.columns[1].name = "a_b";
  model.at_least("OBJ", {{0, 1}, {1, 1}}, 1);
  const Model read = parse_mps(to_mps(model), "m");
  EXPECT_EQ(read.columns[0].name, "a_b");
  EXPECT_EQ(read.columns[1].name, "a_b_");
  EXPECT_EQ(read.rows[0].name, "OBJ_");
}

// Gurobi 13.0.3 reads this text back and finds the optimum 9.9642857143 of its relaxation, as we
// do.
TEST(Lp, IsGurobisDialect) {
  Model model;
  model.name = "q";
  model.offset = 7.25;
  model.add_column({.name = "x[a b]", .lower = -5, .upper = 4});
  model.add_column({.name = "x[c+d]", .lower = -5, .objective = 1});
  model.add_column({.name = "x[3]", .lower = -5, .upper = 9, .objective = 1});
  model.add_column({.name = "free", .lower = -kInfinity});
  model.add_column({.name = "1g", .lower = -kInfinity, .upper = 7});
  model.add_column({.name = "h", .lower = 2, .upper = 2});
  model.add_column({.name = "b", .domain = Domain::Binary, .objective = 1});
  model.add_column({.name = "i", .domain = Domain::Integer, .upper = 6, .objective = 1});
  model.add_column({.name = "RgR1", .upper = 5});
  model.at_least("long row",
                 {{0, 1.5}, {1, 2.5}, {2, 3.5}, {3, 4.5}, {4, 5.5}, {5, 6.5}, {6, 7.5}, {7, 8.5}},
                 1e-7);
  model.equal("R1", {{3, 1}, {4, 1}, {8, 1}}, 3);
  model.at_least("R2", {{0, 1}, {1, 1}, {2, 1}, {7, 1}}, 3);
  model.quadratic = {{0, 0, 2}, {3, 0, -1}, {3, 3, 4}, {4, 4, 6}};
  EXPECT_EQ(to_lp(model), R"(\ Model q
\ LP format
Minimize
  x[c_d] + x[3] + b + i + 7.25 Constant + [ 2 x[a_b] ^ 2 - 2 x[a_b] * free
   + 4 free ^ 2 + 6 _1g ^ 2 ] / 2
Subject To
 long_row: 1.5 x[a_b] + 2.5 x[c_d] + 3.5 x[3] + 4.5 free + 5.5 _1g + 6.5 h
   + 7.5 b + 8.5 i >= 1e-07
 R1: free + _1g + RgR1 = 3
 R2: x[a_b] + x[c_d] + x[3] + i >= 3
Bounds
 -5 <= x[a_b] <= 4
 x[c_d] >= -5
 -5 <= x[3] <= 9
 free free
 -infinity <= _1g <= 7
 h = 2
 i <= 6
 RgR1 <= 5
 Constant = 1
Binaries
 b
Generals
 i
End
)");
}

std::string json_refusal(const std::string& text) {
  try {
    model_from_json(parse_json(text, "m.json"), "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Json, NamesTheField) {
  const std::string head =
      R"({"format":"trex-model-1","sense":"minimize","columns":[{"name":"x"}],)";
  EXPECT_EQ(json_refusal(head + R"("rows":[{"name":"r","terms":[["y",1]]}]})"),
            "m.json: rows[0].terms: expected the name of a column; got \"y\"");
  EXPECT_EQ(
      json_refusal(head + R"("rows":[{"name":"r","terms":[["x"]]}]})"),
      "m.json: rows[0].terms: expected lists of a column's name and a number; got \"[\\\"x\\\"]\"");
  EXPECT_EQ(json_refusal(head + R"("rows":[{"name":"r","uper":1}]})"),
            "m.json: rows[0].uper: expected a known field; got \"uper\" (did you mean \"upper\"?)");
  EXPECT_EQ(json_refusal(R"({"format":"trex-model-1","sense":"minimise","columns":[]})"),
            "m.json: sense: expected minimize or maximize; got \"minimise\" (did you mean "
            "\"minimize\"?)");
}

}  // namespace
}  // namespace trex::solve
