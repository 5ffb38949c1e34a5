#include "solve/model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/error.h"

namespace trex::solve {
namespace {

std::string refusal(const Model& model) {
  try {
    validate(model, "m.mps");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct Fault {
  std::function<void(Model&)> break_it;
  std::string message;
};

// The first fault in the order of validate comes first.
std::vector<Fault> faults() {
  return {
      {[](Model& m) { m.offset = std::nan(""); },
       "m.mps: offset: expected a finite number; got nan"},
      {[](Model& m) { m.columns[1].name = ""; },
       "m.mps: columns[1].name: expected a name; got none"},
      {[](Model& m) { m.columns[2].name = "x"; },
       "m.mps: columns[2].name: expected a name of its own; got \"x\", the name of columns[0]"},
      {[](Model& m) { m.columns[0].lower = 3, m.columns[0].upper = 2; },
       "m.mps: column \"x\": expected a lower bound that is at most the upper bound; got 3 to 2"},
      {[](Model& m) { m.columns[0].objective = kInfinity; },
       "m.mps: column \"x\": objective: expected a finite number; got inf"},
      {[](Model& m) { m.columns[3].domain = Domain::Binary, m.columns[3].upper = 2; },
       "m.mps: column \"w\": expected bounds of a binary within 0 to 1; got 0 to 2"},
      {[](Model& m) { m.rows[1].name = "first"; },
       "m.mps: rows[1].name: expected a name of its own; got \"first\", the name of rows[0]"},
      {[](Model& m) { m.rows[0].lower = std::nan(""); },
       "m.mps: row \"first\": expected bounds; got NaN"},
      {[](Model& m) { m.matrix[0].row = 2; },
       "m.mps: matrix: row: expected an index below 2; got 2"},
      {[](Model& m) { m.matrix[1].column = -1; },
       "m.mps: matrix: column: expected an index below 4; got -1"},
      {[](Model& m) { m.matrix[2].value = kInfinity; },
       "m.mps: row \"second\", column \"z\": expected a finite number; got inf"},
      {[](Model& m) {
         m.matrix.push_back({0, 0, 1});
       },
       "m.mps: row \"first\": expected each column at most once; got \"x\" twice"},
      {[](Model& m) {
         m.quadratic[0] = {0, 1, 1};
       },
       "m.mps: quadratic: expected pairs with column >= other; got (0, 1)"},
      {[](Model& m) {
         m.quadratic.push_back({1, 1, 1}), m.quadratic.push_back({1, 1, 1});
       },
       "m.mps: quadratic: expected each pair at most once; got (1, 1) twice"},
  };
}

Model sound_model() {
  Model model;
  for (const char* name : {"x", "y", "z", "w"}) model.add_column({.name = name});
  model.at_most("first", {{0, 1}, {1, 2}}, 4);
  model.at_least("second", {{2, 1}}, 1);
  model.quadratic = {{1, 0, 1}};
  return model;
}

TEST(Validate, ReportsEachFaultAlone) {
  EXPECT_EQ(refusal(sound_model()), "");
  for (const Fault& fault : faults()) {
    Model model = sound_model();
    fault.break_it(model);
    EXPECT_EQ(refusal(model), fault.message);
  }
}

TEST(Validate, NeedsEveryFaultRepaired) {
  // Everything is wrong at first; repairing from the front always brings up the next fault.
  for (size_t repaired = 0; repaired < faults().size(); ++repaired) {
    Model model = sound_model();
    for (size_t i = faults().size(); i-- > repaired;) faults()[i].break_it(model);
    EXPECT_NE(refusal(model), "") << repaired;
  }
}

TEST(Builders, AddUpTermsAndLeaveOutZeros) {
  Model model = sound_model();
  const int64_t row = model.equal("", {{1, 2}, {0, 1}, {1, 3}, {2, 1}, {2, -1}}, 6);
  EXPECT_EQ(row, 2);
  EXPECT_EQ(model.rows[2].name, "R2");
  ASSERT_EQ(model.matrix.size(), 5u);
  EXPECT_EQ(model.matrix[3].column, 0);
  EXPECT_EQ(model.matrix[4].column, 1);
  EXPECT_EQ(model.matrix[4].value, 5);
}

TEST(Builders, ClipBinariesAndNameWhatHasNoName) {
  Model model;
  EXPECT_EQ(model.add_column({.name = {}, .domain = Domain::Binary}), 0);
  EXPECT_EQ(model.columns[0].name, "C0");
  EXPECT_EQ(model.columns[0].upper, 1);
  EXPECT_TRUE(model.has_integers());
}

}  // namespace
}  // namespace trex::solve
