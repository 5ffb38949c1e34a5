// Blending: mix a batch from raw materials so that its qualities lie within limits. Feasible by a
// witness mix: the limits lie around the witness's qualities.
#include <cmath>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "materials", .index = "m", .sizes = {{3, 3}, {3, 8}, {12, 40}, {80, 150}, {500, 700}}},
    {.name = "qualities", .index = "q", .sizes = {{2, 2}, {2, 4}, {9, 16}, {60, 80}, {400, 450}}}};

const ParameterDecl kCost{"cost", {"materials"}, "dollars per ton", 1, 99};
const ParameterDecl kGrade{"grade", {"materials", "qualities"}, "points of quality", 0, 99};
const ParameterDecl kStock{"stock", {"materials"}, "tons", 1, 999};
const ParameterDecl kLowest{"lowest", {"qualities"}, "points of quality", 0, 99};
const ParameterDecl kBatch{"batch", {}, "tons", 1, 1e6};
const ParameterDecl kWorth{"worth", {"materials"}, "points per ton", 1, 99};
const ParameterDecl kBudget{"budget", {}, "dollars", 1, 1e7};

const RowDecl kBatchRow{.name = "batch",
                        .binders = "",
                        .left = "sum(use[m] for m in materials)",
                        .relation = "==",
                        .right = "batch",
                        .meaning = "the amounts make up the batch"};
const RowDecl kGradeRow{.name = "grade",
                        .binders = "for q in qualities",
                        .left = "sum(grade[m][q] * use[m] for m in materials)",
                        .relation = ">=",
                        .right = "lowest[q] * batch",
                        .meaning = "the average of every quality reaches its lowest value"};
const RowDecl kBudgetRow{.name = "budget",
                         .binders = "",
                         .left = "sum(cost[m] * use[m] for m in materials)",
                         .relation = "<=",
                         .right = "budget",
                         .meaning = "the cost stays within the budget"};

Description cost_description() {
  return {.sets = kSets,
          .parameters = {kCost, kGrade, kLowest, kBatch, kStock},
          .variables = {{"use", {"materials"}, solve::Domain::Continuous, "stock", "tons used"}},
          .sense = solve::Sense::Minimize,
          .objective = "sum(cost[m] * use[m] for m in materials)",
          .objective_meaning = "total cost",
          .objective_unit = "dollars",
          .rows = {kBatchRow, kGradeRow}};
}

Description worth_description() {
  Description description = cost_description();
  description.parameters = {kCost, kGrade, kLowest, kBatch, kWorth, kBudget};
  description.variables = {{"use", {"materials"}, solve::Domain::Continuous, "", "tons used"}};
  description.sense = solve::Sense::Maximize;
  description.objective = "sum(worth[m] * use[m] for m in materials)";
  description.objective_meaning = "total worth";
  description.objective_unit = "points";
  description.rows = {kBatchRow, kGradeRow, kBudgetRow};
  return description;
}

// Costs, grades and limits around a witness mix in whole tons, which is returned.
std::vector<double> draw_mix(Drawing& d) {
  const size_t materials = d.size("materials"), qualities = d.size("qualities");
  d.set("cost", d.prices(materials, 5, 50));
  const auto& grade = d.set("grade", d.wholes(materials * qualities, 10, 90));
  const std::vector<double> mix = d.wholes(materials, 2, 15);
  double batch = 0;
  for (size_t m = 0; m < materials; ++m) {
    batch += mix[m];
    d.witness(d.instance.item("use", "materials", m), mix[m]);
  }
  std::vector<double> lowest(qualities);
  for (size_t q = 0; q < qualities; ++q) {
    double total = 0;
    for (size_t m = 0; m < materials; ++m) total += grade[m * qualities + q] * mix[m];
    lowest[q] = std::max(0.0, std::floor(total / batch - d.rng.uniform(0, 3)));
  }
  d.set("lowest", lowest);
  d.set("batch", batch);
  return mix;
}

void draw_cost(Drawing& d) {
  std::vector<double> stock = draw_mix(d);
  for (double& value : stock) value += static_cast<double>(d.whole(1, 12));
  d.set("stock", stock);
}

void draw_worth(Drawing& d) {
  const std::vector<double> mix = draw_mix(d);
  d.set("worth", d.wholes(mix.size(), 2, 60));
  double spent = 0;
  for (size_t m = 0; m < mix.size(); ++m) spent += mix[m] * d.instance.at("cost", m);
  d.set("budget", std::ceil(spent));
}

solve::Model formulate(const Instance& instance, bool for_worth) {
  solve::Model model{.name = "blending",
                     .sense = for_worth ? solve::Sense::Maximize : solve::Sense::Minimize};
  const double batch = instance.at("batch");
  std::vector<solve::Term> all, costs;
  for (size_t m = 0; m < instance.size("materials"); ++m) {
    const int64_t column =
        model.add_column({.name = instance.item("use", "materials", m),
                          .upper = for_worth ? solve::kInfinity : instance.at("stock", m),
                          .objective = instance.at(for_worth ? "worth" : "cost", m)});
    all.push_back({column, 1.0});
    costs.push_back({column, instance.at("cost", m)});
  }
  model.equal("batch", all, batch);
  for (size_t q = 0; q < instance.size("qualities"); ++q) {
    std::vector<solve::Term> terms;
    for (const solve::Term& term : all) {
      terms.push_back({term.column, instance.at("grade", static_cast<size_t>(term.column), q)});
    }
    model.at_least(instance.item("grade", "qualities", q), terms, instance.at("lowest", q) * batch);
  }
  if (for_worth) model.at_most("budget", costs, instance.at("budget"));
  return model;
}

solve::Model formulate_cost(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_worth(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{"opening",
                    {"{maker} in {place} (blends|mixes) {product} from several {materials}.",
                     "In {place}, {maker} (makes|prepares) {product} out of {materials}.",
                     "{product} is (mixed|made) from {materials} by {maker} in {place}.",
                     "{maker} in {place} (has to|must) decide which {materials} go into {product}.",
                     "For {product}, {maker} in {place} (combines|draws on) different {materials}.",
                     "{maker} near {place} (plans|is planning) a blend for {product}.",
                     "The (recipe|blend) of {product} at {maker} in {place} is to be fixed."}};

const Slot kBatchSlot{"batch",
                      {"The batch (must be|is) exactly {batch} tons.",
                       "Exactly {batch} tons (are needed|must be made).",
                       "A total of {batch} tons has to be (mixed|produced).",
                       "The (customer|order) asks for {batch} tons, no more and no less.",
                       "All amounts together (make|give) {batch} tons.",
                       "{batch} tons in all are to be (filled|delivered).",
                       "The mixer is filled with {batch} tons in total."}};

const Slot kCostSlot{
    "cost",
    {"A ton costs <m:materials|{cost[m]} dollars for {m}>.",
     "The (price|cost) of a ton is <m:materials|{cost[m]} dollars for {m}>.",
     "<m:materials|{m} (costs|is sold at) {cost[m]} dollars> per ton.",
     "(Prices|Costs) in dollars per ton: <m:materials|{m} {cost[m]}>.",
     "One pays <m:materials|{cost[m]} dollars for each ton of {m}>.",
     "Each ton of <m:materials|{m} comes at {cost[m]} dollars>.",
     "(Suppliers|Traders) charge per ton <m:materials|{cost[m]} dollars for {m}>."}};

const Slot kGradeSlot{
    "grade",
    {"In points of quality, <m:materials;{m} (has|reaches) <q:qualities|{grade[m][q]} for {q}>>.",
     "The (laboratory|analysis) gives <m:materials;{m} <q:qualities|{grade[m][q]} points of {q}>>.",
     "<m:materials.A ton of {m} (shows|has) <q:qualities|{grade[m][q]} points of {q}>>.",
     "(Grades|Ratings) in points: <m:materials;{m} <q:qualities|{q} {grade[m][q]}>>.",
     "Tests (rate|put) <m:materials;{m} <q:qualities|at {grade[m][q]} for {q}>>.",
     "The quality is <m:materials;for {m} <q:qualities|{grade[m][q]} points in {q}>>.",
     "<m:materials;{m} (offers|brings) <q:qualities|{grade[m][q]} points of {q}>>."}};

const Slot kLowestSlot{
    "lowest",
    {"The average of the blend (must be|has to be) at least <q:qualities|{lowest[q]} for {q}>.",
     "On average, the blend needs at least <q:qualities|{lowest[q]} points of {q}>.",
     "Averaged over all tons, <q:qualities|{q} must reach at least {lowest[q]}>.",
     "The blend, by weight, may not average below <q:qualities|{lowest[q]} points for {q}>.",
     "(Lowest|Smallest) averages allowed: <q:qualities|{q} {lowest[q]}>.",
     "It is sold only with an average of <q:qualities|{lowest[q]} points of {q}> or more.",
     "The weighted average has to be no less than <q:qualities|{lowest[q]} in {q}>."}};

const Slot kStockSlot{"stock",
                      {"There are at most <m:materials|{stock[m]} tons of {m}>.",
                       "The (stock|supply) is <m:materials|{stock[m]} tons of {m}>.",
                       "No more than <m:materials|{stock[m]} tons of {m}> (can|may) be used.",
                       "(Available|On hand) are <m:materials|{stock[m]} tons of {m}>.",
                       "One can take up to <m:materials|{stock[m]} tons of {m}>.",
                       "Tons in store: <m:materials|{m} {stock[m]}>.",
                       "The bins hold <m:materials|{stock[m]} tons of {m}>."}};

const Slot kWorthSlot{"worth",
                      {"Each ton adds <m:materials|{worth[m]} points of worth for {m}>.",
                       "A ton of <m:materials|{m} is worth {worth[m]} points>.",
                       "(Points|Worth) per ton: <m:materials|{m} {worth[m]} points>.",
                       "Buyers credit <m:materials|{worth[m]} points for a ton of {m}>.",
                       "The worth of a ton is <m:materials|{worth[m]} points for {m}>.",
                       "Every ton brings <m:materials|{worth[m]} points of worth with {m}>.",
                       "In points of worth, a ton counts <m:materials|{worth[m]} for {m}>."}};

const Slot kBudgetSlot{
    "budget",
    {"At most {budget} dollars (can|may) be spent.", "The budget is {budget} dollars.",
     "Materials may cost no more than {budget} dollars in total.",
     "There are {budget} dollars (to spend|available).", "Spending is limited to {budget} dollars.",
     "The total cost must stay within {budget} dollars.",
     "No more than {budget} dollars are on the account."}};

const Slot kAskCost{"ask",
                    {"What is the (lowest|smallest) total cost in dollars?",
                     "(Find|Determine) the minimum total cost in dollars.",
                     "The total cost in dollars is to be minimised.",
                     "(Minimise|Minimize) the total cost of the materials in dollars.",
                     "How many dollars does the cheapest blend cost?",
                     "Which blend costs least, and what is its cost in dollars?",
                     "The aim is a total cost of as few dollars as possible."}};

const Slot kAskWorth{"ask",
                     {"What is the (largest|highest) total worth in points?",
                      "(Find|Determine) the maximum total worth in points.",
                      "The total worth in points is to be maximised.",
                      "(Maximise|Maximize) the total worth of the blend in points.",
                      "How many points is the best blend worth?",
                      "Which blend is worth most, and how many points is that?",
                      "The aim is a total worth of as many points as possible."}};

Domain domain(const std::string& name, const std::string& materials, const std::string& qualities,
              const std::string& maker, const std::string& product, const std::string& raw) {
  return {.name = name,
          .entities = {{"materials", materials}, {"qualities", qualities}},
          .words = {{"maker", maker}, {"product", product}, {"materials", raw}},
          .drawn = {{"place", "depots"}}};
}

const Family kBlending{
    .name = "blending",
    .summary = "Mix a batch from raw materials so that its average qualities suffice.",
    .domains = {domain("fuel", "crudes", "fuel_qualities", "a refinery", "motor fuel", "crudes"),
                domain("alloy", "scrap", "metals", "a smelter", "an alloy", "kinds of scrap"),
                domain("coffee", "beans", "tastes", "a roaster", "the house coffee", "beans"),
                domain("fertiliser", "minerals", "elements", "a fertiliser works",
                       "a garden fertiliser", "raw materials")},
    .variants = {
        {.name = "min_cost",
         .description = cost_description(),
         .slots = {kOpening, kBatchSlot, kCostSlot, kGradeSlot, kLowestSlot, kStockSlot, kAskCost},
         .draw = draw_cost,
         .formulate = formulate_cost},
        {.name = "max_worth",
         .description = worth_description(),
         .slots = {kOpening, kBatchSlot, kCostSlot, kGradeSlot, kLowestSlot, kWorthSlot,
                   kBudgetSlot, kAskWorth},
         .draw = draw_worth,
         .formulate = formulate_worth}}};
TREX_REGISTER(kBlending);

}  // namespace
}  // namespace trex::orgen
