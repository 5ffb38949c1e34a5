// Transportation: ship from sources to towns. Total supply is 1.0 to 1.3 of the demand and every
// route is open, so the demand can always be met.
#include <algorithm>
#include <cmath>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "sources", .index = "i", .sizes = {{2, 2}, {2, 3}, {4, 7}, {10, 16}, {25, 30}}},
    {.name = "towns", .index = "j", .sizes = {{2, 3}, {2, 4}, {5, 10}, {10, 24}, {40, 60}}}};

const ParameterDecl kSupply{"supply", {"sources"}, "tons", 1, 1e6};
const ParameterDecl kDemand{"demand", {"towns"}, "tons", 1, 999};
const ParameterDecl kCost{"cost", {"sources", "towns"}, "dollars per ton", 1, 60};
const ParameterDecl kPrice{"price", {"towns"}, "dollars per ton", 1, 99};

const RowDecl kSupplyRow{.name = "supply",
                         .binders = "for i in sources",
                         .left = "sum(ship[i, j] for j in towns)",
                         .relation = "<=",
                         .right = "supply[i]",
                         .meaning = "no source ships more than it has"};

Description cost_description() {
  return {
      .sets = kSets,
      .parameters = {kSupply, kDemand, kCost},
      .variables = {{"ship", {"sources", "towns"}, solve::Domain::Continuous, "", "tons shipped"}},
      .sense = solve::Sense::Minimize,
      .objective = "sum(cost[i][j] * ship[i, j] for i in sources for j in towns)",
      .objective_meaning = "total cost",
      .objective_unit = "dollars",
      .rows = {kSupplyRow,
               {.name = "demand",
                .binders = "for j in towns",
                .left = "sum(ship[i, j] for i in sources)",
                .relation = ">=",
                .right = "demand[j]",
                .meaning = "every town gets what it needs"}}};
}

Description profit_description() {
  Description description = cost_description();
  description.parameters.push_back(kPrice);
  description.sense = solve::Sense::Maximize;
  description.objective =
      "sum((price[j] - cost[i][j]) * ship[i, j] for i in sources for j in towns)";
  description.objective_meaning = "total profit";
  description.rows[1].relation = "<=";
  description.rows[1].meaning = "no town buys more than its demand";
  return description;
}

// Splits `total` over the sources so that each has at least a part of it.
std::vector<double> split_supply(Drawing& d, double total) {
  std::vector<double> share(d.size("sources"));
  double sum = 0;
  for (double& value : share) sum += value = d.rng.uniform(0.6, 1.4);
  for (double& value : share) value = std::ceil(total * value / sum);
  return share;
}

void draw_network(Drawing& d, double low, double high) {
  const auto& demand = d.set("demand", d.wholes(d.size("towns"), 10, 90));
  double total = 0;
  for (const double value : demand) total += value;
  d.set("supply", split_supply(d, total * d.rng.uniform(low, high)));
  d.set("cost", d.prices(d.size("sources") * d.size("towns"), 2, 20));
}

// North-west corner: fills the towns from the sources in their order.
void draw_cost(Drawing& d) {
  draw_network(d, 1.0, 1.3);
  std::vector<double> left = d.instance.values["supply"];
  size_t i = 0;
  for (size_t j = 0; j < d.size("towns"); ++j) {
    double missing = d.instance.at("demand", j);
    while (missing > 0) {
      const double amount = std::min(left[i], missing);
      if (amount > 0) d.witness(d.instance.item("ship", "sources", i, "towns", j), amount);
      left[i] -= amount;
      missing -= amount;
      if (left[i] <= 0) ++i;
    }
  }
}

// Supply is short, so that the towns compete.
void draw_profit(Drawing& d) {
  draw_network(d, 0.6, 0.9);
  d.set("price", d.prices(d.size("towns"), 21, 40));
}

solve::Model formulate(const Instance& instance, bool for_profit) {
  solve::Model model{.name = "transportation",
                     .sense = for_profit ? solve::Sense::Maximize : solve::Sense::Minimize};
  const size_t sources = instance.size("sources"), towns = instance.size("towns");
  std::vector<std::vector<solve::Term>> from(sources), to(towns);
  for (size_t i = 0; i < sources; ++i) {
    for (size_t j = 0; j < towns; ++j) {
      const double cost = instance.at("cost", i, j);
      const int64_t column =
          model.add_column({.name = instance.item("ship", "sources", i, "towns", j),
                            .objective = for_profit ? instance.at("price", j) - cost : cost});
      from[i].push_back({column, 1.0});
      to[j].push_back({column, 1.0});
    }
  }
  for (size_t i = 0; i < sources; ++i) {
    model.at_most(instance.item("supply", "sources", i), from[i], instance.at("supply", i));
  }
  for (size_t j = 0; j < towns; ++j) {
    const std::string name = instance.item("demand", "towns", j);
    if (for_profit) {
      model.at_most(name, to[j], instance.at("demand", j));
    } else {
      model.at_least(name, to[j], instance.at("demand", j));
    }
  }
  return model;
}

solve::Model formulate_cost(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_profit(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{"opening",
                    {"{firm} (ships|sends) {goods} from its {places} to its customers.",
                     "{firm} (plans|schedules) shipments of {goods}.",
                     "Trucks of {firm} (carry|take) {goods} from {places} to towns.",
                     "The (dispatcher|planner) of {firm} (sends|distributes) {goods}.",
                     "{firm} (delivers|transports) {goods} by road.",
                     "From several {places}, {firm} (supplies|serves) towns with {goods}.",
                     "How {firm} moves its {goods} has to be (decided|planned)."}};

const Slot kSupplySlot{
    "supply",
    {"The {places} hold <i:sources|{supply[i]} tons at {i}>.",
     "(Stocks|Supplies) are <i:sources|{supply[i]} tons in {i}>.",
     "At most <i:sources|{supply[i]} tons can leave {i}>.",
     "<i:sources|{i} (has|can send) {supply[i]} tons>.",
     "The (available|largest possible) amounts are <i:sources|{supply[i]} tons from {i}>.",
     "One can take up to <i:sources|{supply[i]} tons from {i}>.",
     "Tons on hand: <i:sources|{i} {supply[i]}>."}};

const Slot kDemandSlot{
    "demand",
    {"The towns need at least <j:towns|{demand[j]} tons in {j}>.",
     "(Demands|Needs) are <j:towns|{demand[j]} tons in {j}>, which must be met.",
     "At least <j:towns|{demand[j]} tons must reach {j}>.",
     "<j:towns|{j} (requires|needs) {demand[j]} tons> or more.",
     "No less than <j:towns|{demand[j]} tons (have to|must) arrive in {j}>.",
     "Customers wait for <j:towns|{demand[j]} tons in {j}>, all of which must be delivered.",
     "Tons that must be delivered: <j:towns|{j} {demand[j]}>."}};

const Slot kSalesSlot{
    "sales",
    {"The towns buy at most <j:towns|{demand[j]} tons in {j}>.",
     "Sales are limited to <j:towns|{demand[j]} tons in {j}>.",
     "No more than <j:towns|{demand[j]} tons can be sold in {j}>.",
     "<j:towns|{j} (takes|buys) up to {demand[j]} tons>.",
     "The market is <j:towns|{demand[j]} tons at most in {j}>; (not all of it|less) may be served.",
     "One can sell up to <j:towns|{demand[j]} tons in {j}>.",
     "Largest sales in tons: <j:towns|{j} {demand[j]}>."}};

const Slot kCostSlot{
    "cost",
    {"Shipping a ton costs <i:sources;from {i} <j:towns|{cost[i][j]} dollars to {j}>>.",
     "<i:sources.A ton from {i} costs <j:towns|{cost[i][j]} dollars to {j}>>.",
     "(Freight|Cost) in dollars per ton: <i:sources;from {i} <j:towns|{cost[i][j]} to {j}>>.",
     "The (rate|price) of a ton is <i:sources;out of {i} <j:towns|{cost[i][j]} dollars to {j}>>.",
     "To move one ton one pays <i:sources;from {i} <j:towns|{cost[i][j]} dollars to {j}>>.",
     "The haulier charges per ton <i:sources;from {i} <j:towns|{cost[i][j]} dollars to {j}>>.",
     "Per ton, <i:sources;the road from {i} costs <j:towns|{cost[i][j]} dollars to {j}>>."}};

const Slot kPriceSlot{"price",
                      {"A ton sells for <j:towns|{price[j]} dollars in {j}>.",
                       "The (price|revenue) of a ton is <j:towns|{price[j]} dollars in {j}>.",
                       "Customers pay per ton <j:towns|{price[j]} dollars in {j}>.",
                       "Prices in dollars per ton: <j:towns|{j} {price[j]}>.",
                       "<j:towns|{j} (pays|offers) {price[j]} dollars> for each ton.",
                       "Each ton earns <j:towns|{price[j]} dollars in {j}> before freight.",
                       "One receives <j:towns|{price[j]} dollars for a ton in {j}>."}};

const Slot kAskCost{"ask",
                    {"What is the (lowest|smallest) total cost in dollars?",
                     "(Find|Determine) the minimum total cost in dollars.",
                     "The total cost in dollars is to be minimised.",
                     "(Minimise|Minimize) the total shipping cost in dollars.",
                     "How many dollars does the cheapest plan cost?",
                     "Which shipments cost least, and what is their cost in dollars?",
                     "The aim is a total cost of as few dollars as possible."}};

const Slot kAskProfit{
    "ask",
    {"What is the (largest|greatest) total profit, sales minus freight, in dollars?",
     "(Find|Determine) the maximum total profit in dollars, that is revenue less cost.",
     "(Revenue minus shipping cost|Earnings less freight) in dollars is to be maximised.",
     "(Maximise|Maximize) revenue minus shipping cost, in dollars.",
     "How many dollars of profit remain at most after freight is paid?",
     "Which shipments earn most after freight, and what is that profit in dollars?",
     "The aim is the highest profit in dollars, sales less shipping."}};

Domain domain(const std::string& name, const std::string& goods, const std::string& places) {
  return {.name = name,
          .entities = {{"sources", "depots"}, {"towns", "towns"}},
          .words = {{"goods", goods}, {"places", places}},
          .drawn = {{"firm", "firms"}}};
}

const Family kTransportation{
    .name = "transportation",
    .summary = "Ship from sources to towns at the lowest cost or the highest profit.",
    .domains = {domain("food", "flour", "mills"), domain("fuel", "heating oil", "terminals"),
                domain("aid", "relief supplies", "warehouses"),
                domain("building", "cement", "plants")},
    .variants = {{.name = "min_cost",
                  .description = cost_description(),
                  .slots = {kOpening, kSupplySlot, kDemandSlot, kCostSlot, kAskCost},
                  .draw = draw_cost,
                  .formulate = formulate_cost},
                 {.name = "max_profit",
                  .description = profit_description(),
                  .slots = {kOpening, kSupplySlot, kSalesSlot, kCostSlot, kPriceSlot, kAskProfit},
                  .draw = draw_profit,
                  .formulate = formulate_profit}}};
TREX_REGISTER(kTransportation);

}  // namespace
}  // namespace trex::orgen
