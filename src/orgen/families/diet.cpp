// Diet: buy foods that cover the need for every nutrient at the lowest cost. Feasible by a witness
// plan: the needs are 0.7 to 0.95 of what that plan contains.
#include <cmath>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "foods", .index = "f", .sizes = {{2, 3}, {4, 8}, {12, 40}, {80, 150}, {500, 700}}},
    {.name = "nutrients", .index = "n", .sizes = {{2, 2}, {2, 5}, {10, 20}, {60, 80}, {400, 450}}}};

const ParameterDecl kCost{"cost", {"foods"}, "dollars per portion", 1, 20};
const ParameterDecl kContent{"content", {"foods", "nutrients"}, "grams per portion", 0, 40};
const ParameterDecl kNeed{"need", {"nutrients"}, "grams", 1, 1e6};
const ParameterDecl kLimit{"limit", {"foods"}, "portions", 1, 40};

const RowDecl kNeedRow{.name = "need",
                       .binders = "for n in nutrients",
                       .left = "sum(content[f][n] * buy[f] for f in foods)",
                       .relation = ">=",
                       .right = "need[n]",
                       .meaning = "every nutrient reaches its minimum"};

Description continuous_description() {
  return {.sets = kSets,
          .parameters = {kCost, kContent, kNeed},
          .variables = {{"buy", {"foods"}, solve::Domain::Continuous, "", "portions bought"}},
          .sense = solve::Sense::Minimize,
          .objective = "sum(cost[f] * buy[f] for f in foods)",
          .objective_meaning = "total cost",
          .objective_unit = "dollars",
          .rows = {kNeedRow}};
}

Description whole_description() {
  Description description = continuous_description();
  description.parameters.push_back(kLimit);
  description.variables = {{"buy", {"foods"}, solve::Domain::Integer, "limit", "portions bought"}};
  return description;
}

std::vector<double> draw_plan(Drawing& d) {
  const size_t foods = d.size("foods"), nutrients = d.size("nutrients");
  d.set("cost", d.prices(foods, 2, 12));
  const auto& content = d.set("content", d.wholes(foods * nutrients, 1, 30));
  std::vector<double> plan = d.wholes(foods, 1, 5);
  std::vector<double> need(nutrients);
  for (size_t n = 0; n < nutrients; ++n) {
    double total = 0;
    for (size_t f = 0; f < foods; ++f) total += content[f * nutrients + n] * plan[f];
    need[n] = std::max(1.0, std::floor(total * d.rng.uniform(0.7, 0.95)));
  }
  d.set("need", need);
  for (size_t f = 0; f < foods; ++f) d.witness(d.instance.item("buy", "foods", f), plan[f]);
  return plan;
}

void draw_continuous(Drawing& d) { draw_plan(d); }

void draw_whole(Drawing& d) {
  std::vector<double> limit = draw_plan(d);
  for (double& value : limit) value += static_cast<double>(d.whole(1, 6));
  d.set("limit", limit);
}

solve::Model formulate(const Instance& instance, bool is_whole) {
  solve::Model model{.name = "diet", .sense = solve::Sense::Minimize};
  for (size_t f = 0; f < instance.size("foods"); ++f) {
    model.add_column({.name = instance.item("buy", "foods", f),
                      .domain = is_whole ? solve::Domain::Integer : solve::Domain::Continuous,
                      .upper = is_whole ? instance.at("limit", f) : solve::kInfinity,
                      .objective = instance.at("cost", f)});
  }
  for (size_t n = 0; n < instance.size("nutrients"); ++n) {
    std::vector<solve::Term> terms;
    for (size_t f = 0; f < instance.size("foods"); ++f) {
      terms.push_back({static_cast<int64_t>(f), instance.at("content", f, n)});
    }
    model.at_least(instance.item("need", "nutrients", n), terms, instance.at("need", n));
  }
  return model;
}

solve::Model formulate_continuous(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_whole(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{
    "opening",
    {"{buyer} in {place} (plans|composes) {meal} from {kinds} of {food}.",
     "{buyer} in {place} (must decide|is deciding) how much of each {food} goes into {meal}.",
     "In {place}, {buyer} (puts together|prepares) {meal}.",
     "For {meal}, {buyer} in {place} (combines|mixes) (different|several) kinds of {food}.",
     "{meal} at {buyer} in {place} (has to|must) be planned.",
     "{buyer} in {place} (orders|buys) {food} for {meal}.",
     "The (manager|planner) of {buyer} in {place} (sets up|works out) {meal}.",
     "{buyer} near {place} (wants|needs) a plan for {meal}."}};

const Slot kCostSlot{
    "cost",
    {"The (cost|price) of one {portion} is <f:foods|{cost[f]} dollars for {f}>.",
     "One {portion} of <f:foods|{f} costs {cost[f]} dollars>.",
     "Per {portion}, (the supplier charges|one pays) <f:foods|{cost[f]} dollars for {f}>.",
     "(Prices|Costs) in dollars per {portion}: <f:foods|{f} {cost[f]}>.",
     "A {portion} of <f:foods|{f} is (bought|sold) at {cost[f]} dollars>.",
     "(Buying|Ordering) a {portion} costs <f:foods|{cost[f]} dollars for {f}>.",
     "The price list (says|shows), in dollars for each {portion}, <f:foods|{f} at {cost[f]}>.",
     "<f:foods|{f} (costs|comes at) {cost[f]} dollars> for each {portion}."}};

const Slot kContentSlot{
    "content",
    {"One {portion} of <f:foods;{f} (contains|has) <n:nutrients|{content[f][n]} grams of {n}>>.",
     "<f:foods.Each {portion} of {f} (gives|provides) <n:nutrients|{content[f][n]} grams of {n}>>.",
     "In grams per {portion}, <f:foods;{f} (brings|holds) <n:nutrients|{content[f][n]} of {n}>>.",
     "The (analysis|label) of a {portion} (reads|shows): <f:foods;{f} <n:nutrients|{content[f][n]} "
     "grams of {n}>>.",
     "A {portion} of <f:foods;{f} (supplies|delivers) <n:nutrients|{n} in the amount of "
     "{content[f][n]} grams>>.",
     "(Contents|Amounts) for each {portion}: <f:foods;{f} with <n:nutrients|{content[f][n]} grams "
     "of {n}>>.",
     "<f:foods.From a {portion} of {f} one (gets|obtains) <n:nutrients|{content[f][n]} grams of "
     "{n}>>."}};

const Slot kNeedSlot{
    "need",
    {"{meal} (must|has to) contain at least <n:nutrients|{need[n]} grams of {n}>.",
     "At least <n:nutrients|{need[n]} grams of {n}> (are required|are needed).",
     "The (minimum|least amount) is <n:nutrients|{need[n]} grams of {n}>.",
     "No less than <n:nutrients|{need[n]} grams of {n}> (may|should) be supplied.",
     "The total of <n:nutrients|{n} must reach at least {need[n]} grams>.",
     "(Requirements|Needs) are <n:nutrients|{n} at least {need[n]} grams>.",
     "It takes <n:nutrients|{need[n]} grams of {n}> or more to (meet|satisfy) the guideline."}};

const Slot kFractions{"fractions",
                      {"Parts of a {portion} (are allowed|may be used).",
                       "Any fraction of a {portion} (can|may) be (bought|ordered).",
                       "A {portion} may be divided (at will|freely).", "Amounts need not be whole.",
                       "Fractional amounts are (fine|allowed).",
                       "The amounts (may|can) be any numbers from zero up."}};

const Slot kLimitSlot{
    "limit",
    {"Only whole {portions} can be bought, and at most <f:foods|{limit[f]} of {f}>.",
     "There are at most <f:foods|{limit[f]} {portions} of {f}>, and only whole ones are sold.",
     "The number of {portions} is a whole number and at most <f:foods|{limit[f]} for {f}>.",
     "(Stock|Supply) allows no more than <f:foods|{limit[f]} {portions} of {f}>; a {portion} "
     "cannot be divided.",
     "No {portion} can be split. The largest (amounts|numbers) are <f:foods|{limit[f]} for {f}>.",
     "At most <f:foods|{limit[f]} whole {portions} of {f}> (can|may) be used, never parts of one.",
     "One may (take|use) up to <f:foods|{limit[f]} of {f}>, always in whole {portions}."}};

const Slot kAsk{"ask",
                {"What is the (lowest|smallest) total cost in dollars?",
                 "(Find|Determine) the minimum total cost in dollars.",
                 "How (cheaply|much at least in dollars) can this be done?",
                 "The total cost in dollars is to be minimised.",
                 "(Minimise|Minimize) the total cost, in dollars.",
                 "Which plan (has|gives) the lowest total cost, and what is that cost in dollars?",
                 "What does the cheapest plan cost in dollars?",
                 "The aim is to keep the total cost in dollars as low as possible."}};

const Family kDiet{
    .name = "diet",
    .summary = "Buy foods that cover the need for every nutrient at the lowest cost.",
    .domains = {{.name = "school_meals",
                 .entities = {{"foods", "foods"}, {"nutrients", "nutrients"}},
                 .words = {{"buyer", "a school kitchen"},
                           {"meal", "the weekly menu"},
                           {"food", "food"},
                           {"portion", "serving"},
                           {"portions", "servings"},
                           {"kinds", "various kinds"}},
                 .drawn = {{"place", "depots"}}},
                {.name = "cattle_feed",
                 .entities = {{"foods", "feeds"}, {"nutrients", "nutrients"}},
                 .words = {{"buyer", "a cattle farm"},
                           {"meal", "the feed ration"},
                           {"food", "feed"},
                           {"portion", "sack"},
                           {"portions", "sacks"},
                           {"kinds", "several kinds"}},
                 .drawn = {{"place", "depots"}}},
                {.name = "hospital",
                 .entities = {{"foods", "foods"}, {"nutrients", "nutrients"}},
                 .words = {{"buyer", "a hospital canteen"},
                           {"meal", "the patient menu"},
                           {"food", "food"},
                           {"portion", "tray"},
                           {"portions", "trays"},
                           {"kinds", "different kinds"}},
                 .drawn = {{"place", "depots"}}},
                {.name = "polar_station",
                 .entities = {{"foods", "provisions"}, {"nutrients", "nutrients"}},
                 .words = {{"buyer", "an expedition base"},
                           {"meal", "the sledge ration"},
                           {"food", "provision"},
                           {"portion", "pack"},
                           {"portions", "packs"},
                           {"kinds", "a few kinds"}},
                 .drawn = {{"place", "depots"}}}},
    .variants = {{.name = "continuous",
                  .description = continuous_description(),
                  .slots = {kOpening, kCostSlot, kContentSlot, kNeedSlot, kFractions, kAsk},
                  .draw = draw_continuous,
                  .formulate = formulate_continuous},
                 {.name = "whole_portions",
                  .description = whole_description(),
                  .slots = {kOpening, kCostSlot, kContentSlot, kNeedSlot, kLimitSlot, kAsk},
                  .draw = draw_whole,
                  .formulate = formulate_whole}}};
TREX_REGISTER(kDiet);

}  // namespace
}  // namespace trex::orgen
