// 0/1 and bounded knapsack. Doing nothing is feasible; the capacity is 0.3 to 0.6 of the total
// weight, and values follow the weights so that the choice is not obvious.
#include <cmath>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "items", .index = "i", .sizes = {{3, 4}, {5, 12}, {15, 60}, {80, 150}, {500, 800}}}};

const ParameterDecl kWeight{"weight", {"items"}, "kilograms", 1, 60};
const ParameterDecl kValue{"value", {"items"}, "points", 1, 100};
const ParameterDecl kCopies{"copies", {"items"}, "pieces", 1, 9};
const ParameterDecl kCapacity{"capacity", {}, "kilograms", 1, 1e6};

const RowDecl kCapacityRow{.name = "capacity",
                           .binders = "",
                           .left = "sum(weight[i] * take[i] for i in items)",
                           .relation = "<=",
                           .right = "capacity",
                           .meaning = "the load stays within the capacity"};

Description single_description() {
  return {
      .sets = kSets,
      .parameters = {kWeight, kValue, kCapacity},
      .variables = {{"take", {"items"}, solve::Domain::Binary, "", "whether the item is taken"}},
      .sense = solve::Sense::Maximize,
      .objective = "sum(value[i] * take[i] for i in items)",
      .objective_meaning = "total value",
      .objective_unit = "points",
      .rows = {kCapacityRow}};
}

Description copies_description() {
  Description description = single_description();
  description.parameters.push_back(kCopies);
  description.variables = {{"take", {"items"}, solve::Domain::Integer, "copies", "pieces taken"}};
  return description;
}

void draw_items(Drawing& d, const std::vector<double>& copies) {
  const auto& weight = d.set("weight", d.wholes(d.size("items"), 5, 45));
  std::vector<double> value(weight.size());
  double total = 0, largest = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    value[i] = weight[i] + static_cast<double>(d.whole(1, 12));
    total += weight[i] * copies[i];
    largest = std::max(largest, weight[i]);
  }
  d.set("value", value);
  // Never below the heaviest item, so that every item could be taken.
  d.set("capacity", std::max(largest, std::floor(total * d.rng.uniform(0.3, 0.6))));
}

void draw_single(Drawing& d) { draw_items(d, std::vector<double>(d.size("items"), 1.0)); }

void draw_copies(Drawing& d) { draw_items(d, d.set("copies", d.wholes(d.size("items"), 2, 5))); }

solve::Model formulate(const Instance& instance, bool has_copies) {
  solve::Model model{.name = "knapsack", .sense = solve::Sense::Maximize};
  std::vector<solve::Term> load;
  for (size_t i = 0; i < instance.size("items"); ++i) {
    const int64_t column =
        model.add_column({.name = instance.item("take", "items", i),
                          .domain = has_copies ? solve::Domain::Integer : solve::Domain::Binary,
                          .upper = has_copies ? instance.at("copies", i) : 1,
                          .objective = instance.at("value", i)});
    load.push_back({column, instance.at("weight", i)});
  }
  model.at_most("capacity", load, instance.at("capacity"));
  return model;
}

solve::Model formulate_single(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_copies(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{
    "opening",
    {"{owner} in {place} (packs|loads) {box}.",
     "{owner} from {place} (must|has to) choose what goes into {box}.",
     "Not everything fits into {box}, so {owner} in {place} (must choose|has to select).",
     "At {place}, {owner} (fills|is filling) {box}.",
     "{owner} in {place} is (deciding|considering) what to put into {box}.",
     "For {box}, {owner} in {place} (makes|draws up) a list of candidates.",
     "{box} is being (packed|prepared) by {owner} in {place}."}};

const Slot kWeightSlot{"weight",
                       {"The weights are <i:items|{weight[i]} kilograms for {i}>.",
                        "<i:items|{i} weighs {weight[i]} kilograms>.",
                        "In kilograms, <i:items|{i} (weighs|has a weight of) {weight[i]}>.",
                        "(Weights|Masses) in kilograms: <i:items|{i} {weight[i]}>.",
                        "Each piece weighs <i:items|{weight[i]} kilograms for {i}>.",
                        "The scale shows <i:items|{weight[i]} kilograms for {i}>.",
                        "The load grows by <i:items|{weight[i]} kilograms with {i}>."}};

const Slot kValueSlot{"value",
                      {"The {worth} is <i:items|{value[i]} points for {i}>.",
                       "<i:items|{i} is worth {value[i]} points>.",
                       "In points, the {worth} (amounts to|is) <i:items|{value[i]} for {i}>.",
                       "(Points|Scores) for {worth}: <i:items|{i} {value[i]}>.",
                       "The {worth} of <i:items|{i} is (rated|set) at {value[i]} points>.",
                       "(Experts|Judges) give <i:items|{value[i]} points to {i}>.",
                       "One gains <i:items|{value[i]} points with {i}>."}};

const Slot kCapacitySlot{"capacity",
                         {"{box} (holds|carries) at most {capacity} kilograms.",
                          "The total weight (must not|may not) exceed {capacity} kilograms.",
                          "No more than {capacity} kilograms (can|may) be loaded.",
                          "The (limit|capacity) is {capacity} kilograms.",
                          "Altogether, at most {capacity} kilograms are (allowed|possible).",
                          "{capacity} kilograms is the (largest|highest) total weight allowed.",
                          "The load has to stay within {capacity} kilograms."}};

const Slot kOnce{"once",
                 {"There is one piece of each, to be taken whole or left.",
                  "Each item is either taken (as a whole|completely) or left behind.",
                  "Nothing can be divided, and there is only one of each.",
                  "Every item exists once and (cannot|must not) be split.",
                  "One may take an item at most once, and only whole.",
                  "Items are single pieces that cannot be cut.",
                  "For each item the (answer|choice) is yes or no."}};

const Slot kCopiesSlot{
    "copies",
    {"There are <i:items|{copies[i]} pieces of {i}>, and pieces are taken whole.",
     "At most <i:items|{copies[i]} pieces of {i}> (can|may) be taken, only whole ones.",
     "The (stock|supply) is <i:items|{copies[i]} of {i}>; no piece can be divided.",
     "(Available|On hand) are <i:items|{copies[i]} whole pieces of {i}>.",
     "The number taken is whole and at most <i:items|{copies[i]} for {i}>.",
     "One may take up to <i:items|{copies[i]} of {i}>, never a part of one.",
     "Pieces cannot be split; there are <i:items|{copies[i]} of {i}>."}};

const Slot kAsk{"ask",
                {"What is the (largest|greatest) total {worth} in points?",
                 "(Find|Determine) the maximum total {worth} in points.",
                 "The total {worth} in points is to be maximised.",
                 "(Maximise|Maximize) the total {worth} in points.",
                 "How many points of {worth} can be (reached|achieved) at most?",
                 "Which choice gives the most {worth}, and how many points is that?",
                 "The aim is a total {worth} of as many points as possible."}};

Domain domain(const std::string& name, const std::string& list, const std::string& owner,
              const std::string& box, const std::string& worth) {
  return {.name = name,
          .entities = {{"items", list}},
          .words = {{"owner", owner}, {"box", box}, {"worth", worth}},
          .drawn = {{"place", "depots"}}};
}

const Family kKnapsack{
    .name = "knapsack",
    .summary = "Choose items of the greatest total value within one capacity.",
    .domains = {domain("luggage", "luggage", "a hiker", "the rucksack", "usefulness"),
                domain("cargo", "cargo", "a trader", "the river boat", "profit"),
                domain("museum", "artworks", "a curator", "the transport crate", "importance"),
                domain("satellite", "instruments", "an engineer", "the payload bay",
                       "scientific return")},
    .variants = {{.name = "single",
                  .description = single_description(),
                  .slots = {kOpening, kWeightSlot, kValueSlot, kCapacitySlot, kOnce, kAsk},
                  .draw = draw_single,
                  .formulate = formulate_single},
                 {.name = "copies",
                  .description = copies_description(),
                  .slots = {kOpening, kWeightSlot, kValueSlot, kCapacitySlot, kCopiesSlot, kAsk},
                  .draw = draw_copies,
                  .formulate = formulate_copies}}};
TREX_REGISTER(kKnapsack);

}  // namespace
}  // namespace trex::orgen
