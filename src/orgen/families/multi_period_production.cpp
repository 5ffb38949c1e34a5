// Production and stock over several periods. Feasible by a witness schedule: the demands are what
// it delivers, the capacities lie above what it makes.
#include <algorithm>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{{.name = "periods",
                                  .index = "t",
                                  .sizes = {{3, 4}, {3, 5}, {6, 26}, {40, 160}, {250, 600}},
                                  .is_numbered = true}};

const ParameterDecl kDemand{"demand", {"periods"}, "units", 1, 999};
const ParameterDecl kCapacity{"capacity", {"periods"}, "units", 1, 999};
const ParameterDecl kCost{"cost", {"periods"}, "dollars per unit", 1, 99};
const ParameterDecl kStorage{"storage", {}, "dollars per unit and period", 1, 20};
const ParameterDecl kStart{"start", {}, "units", 1, 99};
const ParameterDecl kRegular{"regular", {}, "dollars per unit", 1, 99};
const ParameterDecl kExtra{"extra", {}, "dollars per unit", 1, 99};
const ParameterDecl kExtraLimit{"limit", {}, "units per period", 1, 999};

const VariableDecl kMake{"make", {"periods"}, solve::Domain::Continuous, "capacity", "units made"};
const VariableDecl kStore{
    "store", {"periods"}, solve::Domain::Continuous, "", "units in stock at the end of the period"};
const VariableDecl kOvertime{
    "overtime", {"periods"}, solve::Domain::Continuous, "limit", "units made in overtime"};

Description varying_cost_description() {
  return {.sets = kSets,
          .parameters = {kDemand, kCapacity, kCost, kStorage, kStart},
          .variables = {kMake, kStore},
          .sense = solve::Sense::Minimize,
          .objective = "sum(cost[t] * make[t] + storage * store[t] for t in periods)",
          .objective_meaning = "total cost",
          .objective_unit = "dollars",
          .rows = {{.name = "first",
                    .binders = "",
                    .left = "start + make[1]",
                    .relation = "==",
                    .right = "demand[1] + store[1]",
                    .meaning = "stock of the first period"},
                   {.name = "balance",
                    .binders = "for t in periods[1:]",
                    .left = "store[t - 1] + make[t]",
                    .relation = "==",
                    .right = "demand[t] + store[t]",
                    .meaning = "stock of every later period"}}};
}

Description overtime_description() {
  Description description = varying_cost_description();
  description.parameters = {kDemand, kCapacity, kRegular, kExtra, kExtraLimit, kStorage};
  description.variables = {kMake, kOvertime, kStore};
  description.objective =
      "sum(regular * make[t] + extra * overtime[t] + storage * store[t] for t in periods)";
  description.rows[0].left = "make[1] + overtime[1]";
  description.rows[1].left = "store[t - 1] + make[t] + overtime[t]";
  return description;
}

// Demands that the amounts made and a start stock deliver, ending with an empty store.
void draw_demand(Drawing& d, const std::vector<double>& made, double start) {
  double stock = start;
  std::vector<double> demand(made.size());
  for (size_t t = 0; t < made.size(); ++t) {
    const double ready = stock + made[t];
    const bool is_last = t + 1 == made.size();
    stock = is_last ? 0
                    : static_cast<double>(
                          d.whole(0, std::min<int64_t>(25, static_cast<int64_t>(ready) - 5)));
    demand[t] = ready - stock;
    d.witness(d.instance.item("store", "periods", t), stock);
  }
  d.set("demand", demand);
}

void draw_varying_cost(Drawing& d) {
  const size_t periods = d.size("periods");
  const std::vector<double> made = d.wholes(periods, 15, 70);
  const auto start = static_cast<double>(d.whole(1, 20));
  draw_demand(d, made, start);
  std::vector<double> capacity = made;
  for (size_t t = 0; t < periods; ++t) {
    d.witness(d.instance.item("make", "periods", t), made[t]);
    capacity[t] += static_cast<double>(d.whole(5, 40));
  }
  d.set("capacity", capacity);
  d.set("cost", d.prices(periods, 3, 15));
  d.set("storage", d.quarters(1, 1, 3));
  d.set("start", start);
}

void draw_overtime(Drawing& d) {
  const size_t periods = d.size("periods");
  const std::vector<double> regular = d.wholes(periods, 15, 50);
  const auto limit = static_cast<double>(d.whole(15, 40));
  std::vector<double> made = regular;
  for (size_t t = 0; t < periods; ++t) {
    const auto overtime = static_cast<double>(d.whole(5, static_cast<int64_t>(limit)));
    made[t] += overtime;
    d.witness(d.instance.item("make", "periods", t), regular[t]);
    d.witness(d.instance.item("overtime", "periods", t), overtime);
  }
  draw_demand(d, made, 0);
  std::vector<double> capacity = regular;
  for (double& value : capacity) value += static_cast<double>(d.whole(0, 15));
  d.set("capacity", capacity);
  const double price = d.prices(1, 3, 12)[0];
  d.set("regular", price);
  d.set("extra", price + static_cast<double>(d.whole(2, 6)));
  d.set("limit", limit);
  d.set("storage", d.quarters(1, 1, 3));
}

solve::Model formulate(const Instance& instance, bool has_overtime) {
  solve::Model model{.name = "multi_period_production", .sense = solve::Sense::Minimize};
  const size_t periods = instance.size("periods");
  int64_t stock = -1;  // column of the stock before this period
  for (size_t t = 0; t < periods; ++t) {
    std::vector<solve::Term> balance;
    const int64_t make = model.add_column(
        {.name = instance.item("make", "periods", t),
         .upper = instance.at("capacity", t),
         .objective = has_overtime ? instance.at("regular") : instance.at("cost", t)});
    balance.push_back({make, 1.0});
    if (has_overtime) {
      const int64_t overtime = model.add_column({.name = instance.item("overtime", "periods", t),
                                                 .upper = instance.at("limit"),
                                                 .objective = instance.at("extra")});
      balance.push_back({overtime, 1.0});
    }
    if (stock >= 0) balance.push_back({stock, 1.0});
    stock = model.add_column(
        {.name = instance.item("store", "periods", t), .objective = instance.at("storage")});
    balance.push_back({stock, -1.0});
    const double start = t == 0 && !has_overtime ? instance.at("start") : 0;
    model.equal(t == 0 ? "first" : instance.item("balance", "periods", t), balance,
                instance.at("demand", t) - start);
  }
  return model;
}

solve::Model formulate_varying_cost(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_overtime(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{
    "opening",
    {"{maker} in {place} (plans|schedules) the production of {product}.",
     "{maker} in {place} (makes|produces) {product} and can store some of the output.",
     "For {product}, {maker} in {place} (needs|wants) a production plan.",
     "In {place}, {maker} (decides|must decide) when to make {product}.",
     "The {product} of {maker} in {place} (can|may) be made ahead of demand.",
     "The (planner|manager) of {maker} in {place} (schedules|times) the output of {product}.",
     "{maker} from {place} (looks|is looking) for the best time to make {product}."}};

const Slot kDemandSlot{
    "demand",
    {"The demand is <t:periods|{demand[t]} units {in} {period} {t}> and must be met.",
     "Customers need <t:periods|{demand[t]} units {in} {period} {t}>, all on time.",
     "(Deliveries|Orders) are due: <t:periods|{demand[t]} units {in} {period} {t}>.",
     "Exactly <t:periods|{demand[t]} units (must be|are) delivered {in} {period} {t}>.",
     "Sales will be <t:periods|{demand[t]} units {in} {period} {t}>; nothing may be late.",
     "One must deliver <t:periods|{demand[t]} units {in} {period} {t}>.",
     "It is agreed to deliver <t:periods|{demand[t]} units {in} {period} {t}>."}};

const Slot kCapacitySlot{
    "capacity",
    {"At most <t:periods|{capacity[t]} units can be made {in} {period} {t}>{hours}.",
     "The capacity{hours} is <t:periods|{capacity[t]} units {in} {period} {t}>.",
     "No more than <t:periods|{capacity[t]} units can be produced {in} {period} {t}>{hours}.",
     "The line makes up to <t:periods|{capacity[t]} units {in} {period} {t}>{hours}.",
     "Output{hours} is limited to <t:periods|{capacity[t]} units {in} {period} {t}>.",
     "The machines{hours} allow <t:periods|{capacity[t]} units {in} {period} {t}>.",
     "(Largest|Maximum) output{hours}: <t:periods|{capacity[t]} units {in} {period} {t}>."}};

const Slot kCostSlot{
    "cost",
    {"Making a unit costs <t:periods|{cost[t]} dollars {in} {period} {t}>.",
     "A unit costs <t:periods|{cost[t]} dollars when made {in} {period} {t}>.",
     "The (production cost|cost of making) per unit is <t:periods|{cost[t]} dollars {in} {period} "
     "{t}>.",
     "Each unit made costs <t:periods|{cost[t]} dollars {in} {period} {t}>.",
     "(Costs|Expenses) of making one unit: <t:periods|{cost[t]} dollars {in} {period} {t}>.",
     "Production takes <t:periods|{cost[t]} dollars per unit {in} {period} {t}>.",
     "To make one unit one spends <t:periods|{cost[t]} dollars {in} {period} {t}>."}};

const Slot kStorageSlot{
    "storage",
    {"Keeping a unit in stock at the end of a {period} costs {storage} dollars.",
     "Storage costs {storage} dollars for each unit left at the end of a {period}.",
     "Each unit in stock when a {period} ends costs {storage} dollars.",
     "A unit carried from one {period} to the next costs {storage} dollars, and so does one left "
     "at the end.",
     "For every unit left over at the end of a {period}, {storage} dollars are paid.",
     "The warehouse charges {storage} dollars per unit left when a {period} ends.",
     "Holding stock costs {storage} dollars per unit at each {period} end."}};

const Slot kStartSlot{
    "start",
    {"There are {start} units in stock at the start.",
     "The (initial|opening) stock is {start} units.", "At first, {start} units are in stock.",
     "The store begins with {start} units.", "{start} units are already in stock.",
     "One starts with {start} units on hand.",
     "Before the first {period} the store holds {start} units."}};

const Slot kOvertimeSlot{"overtime",
                         {"A unit costs {regular} dollars in normal hours and {extra} dollars in "
                          "overtime, which can add at most {limit} units per {period}.",
                          "In normal hours a unit costs {regular} dollars. Overtime makes up to "
                          "{limit} more units per {period} at {extra} dollars each.",
                          "The cost per unit is {regular} dollars normally and {extra} dollars in "
                          "overtime; overtime is limited to {limit} units in any {period}.",
                          "Normal work costs {regular} dollars a unit. Overtime costs {extra} "
                          "dollars a unit and gives no more than {limit} units in a {period}.",
                          "Each {period} at most {limit} units can be made in overtime, at {extra} "
                          "dollars each instead of {regular} dollars.",
                          "Overtime of up to {limit} units per {period} costs {extra} dollars for "
                          "each unit, normal work {regular} dollars.",
                          "One pays {regular} dollars for a normal unit and {extra} dollars for an "
                          "overtime unit, of which a {period} allows {limit} at most."}};

const Slot kEmptyStart{
    "empty_start",
    {"The store is empty at the start.", "There is no stock at the beginning.",
     "At first nothing is in stock.", "(Initially|At the start), the warehouse is empty.",
     "One begins without any stock.", "No units are on hand before the first {period}."}};

const Slot kAsk{"ask",
                {"What is the (lowest|smallest) total cost in dollars?",
                 "(Find|Determine) the minimum total cost in dollars.",
                 "The total cost in dollars is to be minimised.",
                 "(Minimise|Minimize) the total cost of production and storage in dollars.",
                 "How many dollars does the cheapest plan cost?",
                 "Which plan costs least, and what is its cost in dollars?",
                 "The aim is a total cost of as few dollars as possible."}};

// The capacity of the variant with overtime is that of normal hours.
Slot in_normal_hours(Slot slot, const std::string& words) {
  for (std::string& plan : slot.plans) plan.replace(plan.find("{hours}"), 7, words);
  return slot;
}

Domain domain(const std::string& name, const std::string& maker, const std::string& in,
              const std::string& period) {
  return {.name = name,
          .entities = {},
          .words = {{"maker", maker}, {"in", in}, {"period", period}},
          .drawn = {{"place", "depots"}, {"product", "goods"}}};
}

const Family kMultiPeriod{
    .name = "multi_period_production",
    .summary = "Make and store goods over several periods at the lowest cost.",
    .domains = {domain("weekly", "a factory", "in", "week"),
                domain("monthly", "a manufacturer", "in", "month"),
                domain("seasonal", "a workshop", "in", "quarter"),
                domain("daily", "a plant", "on", "day")},
    .variants = {
        {.name = "varying_cost",
         .description = varying_cost_description(),
         .slots = {kOpening, kDemandSlot, in_normal_hours(kCapacitySlot, ""), kCostSlot,
                   kStorageSlot, kStartSlot, kAsk},
         .draw = draw_varying_cost,
         .formulate = formulate_varying_cost},
        {.name = "overtime",
         .description = overtime_description(),
         .slots = {kOpening, kDemandSlot, in_normal_hours(kCapacitySlot, " in normal hours"),
                   kOvertimeSlot, kStorageSlot, kEmptyStart, kAsk},
         .draw = draw_overtime,
         .formulate = formulate_overtime}}};
TREX_REGISTER(kMultiPeriod);

}  // namespace
}  // namespace trex::orgen
