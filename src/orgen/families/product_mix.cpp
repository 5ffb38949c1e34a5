// Product mix: make the products that earn most from limited hours. Making nothing (or only the
// orders) is feasible; the hours are 0.6 to 0.9 of what an ambitious plan would use.
#include <cmath>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "products", .index = "p", .sizes = {{2, 3}, {3, 8}, {12, 40}, {80, 120}, {500, 700}}},
    {.name = "steps", .index = "s", .sizes = {{2, 2}, {2, 5}, {10, 20}, {60, 80}, {400, 450}}}};

const ParameterDecl kProfit{"profit", {"products"}, "dollars per unit", 1, 100};
const ParameterDecl kHours{"hours", {"products", "steps"}, "hours per unit", 0, 12};
const ParameterDecl kAvailable{"available", {"steps"}, "hours", 1, 1e6};
const ParameterDecl kOrder{"order", {"products"}, "units", 0, 20};

const RowDecl kHoursRow{.name = "hours",
                        .binders = "for s in steps",
                        .left = "sum(hours[p][s] * make[p] for p in products)",
                        .relation = "<=",
                        .right = "available[s]",
                        .meaning = "every step stays within its hours"};
const RowDecl kOrderRow{.name = "order",
                        .binders = "for p in products",
                        .left = "make[p]",
                        .relation = ">=",
                        .right = "order[p]",
                        .meaning = "every order is fulfilled"};

Description continuous_description() {
  return {.sets = kSets,
          .parameters = {kProfit, kHours, kAvailable},
          .variables = {{"make", {"products"}, solve::Domain::Continuous, "", "units made"}},
          .sense = solve::Sense::Maximize,
          .objective = "sum(profit[p] * make[p] for p in products)",
          .objective_meaning = "total profit",
          .objective_unit = "dollars",
          .rows = {kHoursRow}};
}

Description orders_description() {
  Description description = continuous_description();
  description.parameters.push_back(kOrder);
  description.variables = {{"make", {"products"}, solve::Domain::Integer, "", "units made"}};
  description.rows.push_back(kOrderRow);
  return description;
}

std::vector<double> draw_shop(Drawing& d) {
  const size_t products = d.size("products"), steps = d.size("steps");
  d.set("profit", d.prices(products, 10, 60));
  const auto& hours = d.set("hours", d.quarters(products * steps, 1, 8));
  const std::vector<double> plan = d.wholes(products, 4, 14);
  std::vector<double> available(steps);
  for (size_t s = 0; s < steps; ++s) {
    double total = 0;
    for (size_t p = 0; p < products; ++p) total += hours[p * steps + s] * plan[p];
    available[s] = std::ceil(total * d.rng.uniform(0.6, 0.9));
  }
  d.set("available", available);
  return plan;
}

void draw_continuous(Drawing& d) { draw_shop(d); }

// Orders are at most half of the plan whose hours are available at 0.6 and more.
void draw_orders(Drawing& d) {
  std::vector<double> order = draw_shop(d);
  for (double& value : order) value = std::floor(value * d.rng.uniform(0.1, 0.5)) + 0.0;
  for (size_t p = 0; p < order.size(); ++p) {
    order[p] = std::max(2.0, order[p]);
    d.witness(d.instance.item("make", "products", p), order[p]);
  }
  d.set("order", order);
}

solve::Model formulate(const Instance& instance, bool has_orders) {
  solve::Model model{.name = "product_mix", .sense = solve::Sense::Maximize};
  for (size_t p = 0; p < instance.size("products"); ++p) {
    model.add_column({.name = instance.item("make", "products", p),
                      .domain = has_orders ? solve::Domain::Integer : solve::Domain::Continuous,
                      .objective = instance.at("profit", p)});
  }
  for (size_t s = 0; s < instance.size("steps"); ++s) {
    std::vector<solve::Term> terms;
    for (size_t p = 0; p < instance.size("products"); ++p) {
      terms.push_back({static_cast<int64_t>(p), instance.at("hours", p, s)});
    }
    model.at_most(instance.item("hours", "steps", s), terms, instance.at("available", s));
  }
  for (size_t p = 0; has_orders && p < instance.size("products"); ++p) {
    model.at_least(instance.item("order", "products", p), {{static_cast<int64_t>(p), 1.0}},
                   instance.at("order", p));
  }
  return model;
}

solve::Model formulate_continuous(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_orders(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{"opening",
                    {"{maker} in {place} (plans|schedules) what it makes {time}.",
                     "{maker} in {place} (must|has to) decide what to make {time}.",
                     "{maker} in {place} (sets|fixes) its plan of what to produce {time}.",
                     "In {place}, {maker} is (choosing|planning) what to make {time}.",
                     "The owner of {maker} in {place} (thinks about|plans) what to produce {time}.",
                     "{maker} from {place} (wants|needs) a plan of what to make {time}.",
                     "What {maker} in {place} makes {time} is (open|not yet fixed)."}};

const Slot kProfitSlot{
    "profit",
    {"The profit per unit is <p:products|{profit[p]} dollars for {p}>.",
     "One unit of <p:products|{p} (earns|brings) {profit[p]} dollars>.",
     "(Profits|Earnings) in dollars per unit: <p:products|{p} {profit[p]}>.",
     "Each unit of <p:products|{p} (yields|gives) a profit of {profit[p]} dollars>.",
     "(Selling|Making) one unit earns <p:products|{profit[p]} dollars for {p}>.",
     "The shop (gains|makes) <p:products|{profit[p]} dollars on each unit of {p}>.",
     "A profit of <p:products|{profit[p]} dollars comes from each unit of {p}>."}};

const Slot kHoursSlot{
    "hours",
    {"One unit of <p:products;{p} (takes|needs) <s:steps|{hours[p][s]} hours of {s}>>.",
     "<p:products.Each unit of {p} (requires|uses) <s:steps|{hours[p][s]} hours of {s}>>.",
     "In hours per unit, <p:products;{p} (takes|needs) <s:steps|{hours[p][s]} of {s}>>.",
     "(Hours|Times) for one unit: <p:products;{p} <s:steps|{hours[p][s]} hours of {s}>>.",
     "To make a unit of <p:products;{p} one (spends|needs) <s:steps|{hours[p][s]} hours on {s}>>.",
     "The work on a unit of <p:products;{p} is <s:steps|{hours[p][s]} hours of {s}>>.",
     "A unit of <p:products;{p} (occupies|keeps busy) <s:steps|{s} for {hours[p][s]} hours>>."}};

const Slot kAvailableSlot{
    "available",
    {"There are <s:steps|{available[s]} hours of {s}> available.",
     "At most <s:steps|{available[s]} hours of {s}> (can|may) be used.",
     "The (capacity|limit) is <s:steps|{available[s]} hours for {s}>.",
     "No more than <s:steps|{available[s]} hours of {s}> are (possible|on hand).",
     "The shop has <s:steps|{available[s]} hours for {s}>.",
     "(Available|Free) hours: <s:steps|{s} {available[s]}>.",
     "One can spend up to <s:steps|{available[s]} hours on {s}>."}};

const Slot kFractions{
    "fractions",
    {"Parts of a unit (are allowed|may be made).", "The amounts need not be whole.",
     "Any fraction of a unit (can|may) be made.", "Unfinished units count in proportion.",
     "Fractional amounts are (fine|allowed).", "Output may be any number from zero up."}};

const Slot kOrderSlot{
    "order",
    {"Only whole units are made, and at least <p:products|{order[p]} units of {p}> are "
     "(ordered|promised).",
     "Customers have ordered <p:products|{order[p]} units of {p}>; these must be made, and only "
     "whole units count.",
     "At least <p:products|{order[p]} whole units of {p}> (must|have to) be made.",
     "The contracts ask for no less than <p:products|{order[p]} of {p}>, and units cannot be "
     "divided.",
     "The number of units is whole and at least <p:products|{order[p]} for {p}>.",
     "(Orders|Contracts) that must be met: <p:products|{order[p]} of {p}>. Every unit is "
     "(finished|made) whole.",
     "No unit is left unfinished, and <p:products|{order[p]} or more of {p}> are (due|needed)."}};

const Slot kAsk{"ask",
                {"What is the (largest|greatest) total profit in dollars?",
                 "(Find|Determine) the maximum total profit in dollars.",
                 "The total profit in dollars is to be maximised.",
                 "(Maximise|Maximize) the total profit in dollars.",
                 "How many dollars of profit can be (earned|made) at most?",
                 "Which plan earns the most, and what is its profit in dollars?",
                 "The aim is a total profit of as many dollars as possible."}};

Domain domain(const std::string& name, const std::string& products, const std::string& steps,
              const std::string& maker, const std::string& time) {
  return {.name = name,
          .entities = {{"products", products}, {"steps", steps}},
          .words = {{"maker", maker}, {"time", time}},
          .drawn = {{"place", "depots"}}};
}

const Family kProductMix{
    .name = "product_mix",
    .summary = "Make the products that earn most from limited hours.",
    .domains = {domain("furniture", "furniture", "wood_steps", "a joinery", "next month"),
                domain("bakery", "bakery", "bakery_steps", "a bakery", "tomorrow"),
                domain("electronics", "devices", "electronics_steps", "an electronics plant",
                       "next week"),
                domain("clothing", "garments", "tailoring_steps", "a tailoring firm",
                       "in the coming season")},
    .variants = {{.name = "continuous",
                  .description = continuous_description(),
                  .slots = {kOpening, kProfitSlot, kHoursSlot, kAvailableSlot, kFractions, kAsk},
                  .draw = draw_continuous,
                  .formulate = formulate_continuous},
                 {.name = "orders",
                  .description = orders_description(),
                  .slots = {kOpening, kProfitSlot, kHoursSlot, kAvailableSlot, kOrderSlot, kAsk},
                  .draw = draw_orders,
                  .formulate = formulate_orders}}};
TREX_REGISTER(kProductMix);

}  // namespace
}  // namespace trex::orgen
