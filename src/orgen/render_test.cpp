#include "orgen/render.h"

#include <gtest/gtest.h>

#include "orgen/checks.h"
#include "orgen/program.h"

namespace trex::orgen {
namespace {

// One set of two foods, one list, one number, with a single plan a slot.
class TinyFamily : public testing::Test {
 protected:
  void SetUp() override {
    variant_.description.sets = {{.name = "foods", .index = "f", .sizes = {}}};
    variant_.description.parameters = {{"cost", {"foods"}, "dollars", 0, 99},
                                       {"budget", {}, "dollars", 0, 99}};
    variant_.description.variables = {{"buy", {"foods"}, solve::Domain::Integer, "", "bought"}};
    variant_.description.objective = "sum(buy[f] for f in foods)";
    variant_.description.sense = solve::Sense::Maximize;
    variant_.description.rows = {{.name = "budget",
                                  .binders = "",
                                  .left = "sum(cost[f] * buy[f] for f in foods)",
                                  .relation = "<=",
                                  .right = "budget",
                                  .meaning = "the money suffices"}};
    family_.name = "tiny";
    instance_.family = &family_;
    instance_.variant = &variant_;
    instance_.sets["foods"] = {"Oats", "Rice"};
    instance_.values = {{"cost", {3, 2.5}}, {"budget", {20}}};
    instance_.words = {{"buyer", "a cook"}};
  }

  std::string rendered(const std::string& body) {
    variant_.slots = {{"opening", {"{buyer} shops."}}, {"body", {body}}, {"ask", {"How much?"}}};
    Rng rng(1, "wording");
    // The only plan of a slot is held out.
    instance_.split = Split::Heldout;
    return render_statement(instance_, rng).text;
  }

  Family family_;
  Variant variant_;
  Instance instance_;
};

TEST_F(TinyFamily, FillsLoopsNumbersAndWords) {
  EXPECT_NE(rendered("It costs <f:foods|{cost[f]} for {f}>.")
                .find("It costs 3 for Oats and 2.5 for Rice."),
            std::string::npos);
  EXPECT_NE(rendered("<f:foods.One {f} is {cost[f]}>.").find("One Oats is 3. One Rice is 2.5."),
            std::string::npos);
  EXPECT_NE(rendered("<f:foods;{f} {cost[f]}>.").find("Oats 3; Rice 2.5."), std::string::npos);
  EXPECT_EQ(rendered("She has {budget}.").find("A cook shops."), 0U);
}

TEST_F(TinyFamily, TellsTheOrderInWhichParametersAppear) {
  variant_.slots = {
      {"opening", {"With {budget}."}}, {"body", {"<f:foods|{f} {cost[f]}>."}}, {"ask", {"Q?"}}};
  instance_.split = Split::Heldout;
  Rng rng(1, "wording");
  EXPECT_EQ(render_statement(instance_, rng).parameter_order,
            (std::vector<std::string>{"budget", "cost"}));
}

TEST_F(TinyFamily, ProgramKeysItsDataByTheNames) {
  EXPECT_EQ(
      program_text(variant_.description, instance_, {"budget", "cost"}),
      "import gurobipy as gp\n"
      "from gurobipy import GRB\n"
      "\n"
      "budget = 20\n"
      "cost = {\"Oats\": 3, \"Rice\": 2.5}\n"
      "foods = list(cost)\n"
      "model = gp.Model()\n"
      "buy = model.addVars(foods, lb=0, ub=GRB.INFINITY, vtype=GRB.INTEGER, name=\"buy\")\n"
      "model.setObjective(gp.quicksum(buy[f] for f in foods), GRB.MAXIMIZE)\n"
      "model.addConstr(gp.quicksum(cost[f] * buy[f] for f in foods) <= budget, name=\"budget\")\n"
      "model.optimize()\n"
      "print(model.ObjVal if model.Status == GRB.OPTIMAL else model.Status)\n");
}

TEST(Wordings, AreDrawnFromTheAlternatives) {
  EXPECT_EQ(num_wordings("It (must|has to) be (a|b|c)."), 6);
  EXPECT_EQ(num_wordings("plain"), 1);
  Rng rng(3, "wording");
  bool saw_must = false, saw_has = false;
  for (int i = 0; i < 50; ++i) {
    const std::string text = with_wordings_drawn("It (must|has to) be.", rng);
    saw_must |= text == "It must be.";
    saw_has |= text == "It has to be.";
    EXPECT_TRUE(text == "It must be." || text == "It has to be.") << text;
  }
  EXPECT_TRUE(saw_must && saw_has);
}

TEST(NumbersIn, LeavesOutPeriodsAndNumbersInNames) {
  EXPECT_EQ(numbers_in("In week 1, 40 units go to Leeds_2 at 1.25 dollars.", "week"),
            (std::vector<double>{40, 1.25}));
  EXPECT_EQ(numbers_in("In week 1 and 12.", ""), (std::vector<double>{1, 12}));
}

}  // namespace
}  // namespace trex::orgen
