// Capacitated facility location, with split or single sourcing. Feasible with every site open: a
// planted assignment of clients to sites fits the capacities.
#include <algorithm>
#include <cmath>

#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "sites", .index = "i", .sizes = {{2, 2}, {2, 3}, {3, 6}, {7, 12}, {16, 20}}},
    {.name = "clients", .index = "j", .sizes = {{2, 3}, {2, 3}, {4, 10}, {12, 30}, {40, 60}}}};

const ParameterDecl kFixed{"fixed", {"sites"}, "dollars", 1, 999};
const ParameterDecl kCapacity{"capacity", {"sites"}, "tons", 1, 1e5};
const ParameterDecl kDemand{"demand", {"clients"}, "tons", 1, 99};
const ParameterDecl kUnitCost{"cost", {"sites", "clients"}, "dollars per ton", 1, 99};
const ParameterDecl kServeCost{"cost", {"sites", "clients"}, "dollars", 1, 999};

const VariableDecl kOpened{
    "opened", {"sites"}, solve::Domain::Binary, "", "whether the site is opened"};

Description split_description() {
  return {
      .sets = kSets,
      .parameters = {kFixed, kCapacity, kDemand, kUnitCost},
      .variables = {kOpened,
                    {"ship", {"sites", "clients"}, solve::Domain::Continuous, "", "tons shipped"}},
      .sense = solve::Sense::Minimize,
      .objective =
          "sum(fixed[i] * opened[i] for i in sites) + "
          "sum(cost[i][j] * ship[i, j] for i in sites for j in clients)",
      .objective_meaning = "total cost",
      .objective_unit = "dollars",
      .rows = {{.name = "demand",
                .binders = "for j in clients",
                .left = "sum(ship[i, j] for i in sites)",
                .relation = "==",
                .right = "demand[j]",
                .meaning = "every client gets what it needs"},
               {.name = "capacity",
                .binders = "for i in sites",
                .left = "sum(ship[i, j] for j in clients)",
                .relation = "<=",
                .right = "capacity[i] * opened[i]",
                .meaning = "a site ships within its capacity, and only when open"}}};
}

Description single_description() {
  Description description = split_description();
  description.parameters[3] = kServeCost;
  description.variables[1] = {"serve",
                              {"sites", "clients"},
                              solve::Domain::Binary,
                              "",
                              "whether the site serves the client"};
  description.objective =
      "sum(fixed[i] * opened[i] for i in sites) + "
      "sum(cost[i][j] * serve[i, j] for i in sites for j in clients)";
  description.rows = {{.name = "client",
                       .binders = "for j in clients",
                       .left = "sum(serve[i, j] for i in sites)",
                       .relation = "==",
                       .right = "1",
                       .meaning = "every client is served by one site"},
                      {.name = "capacity",
                       .binders = "for i in sites",
                       .left = "sum(demand[j] * serve[i, j] for j in clients)",
                       .relation = "<=",
                       .right = "capacity[i] * opened[i]",
                       .meaning = "a site serves within its capacity, and only when open"}};
  return description;
}

// Client j is planted at site j modulo the number of sites.
void draw_network(Drawing& d) {
  const size_t sites = d.size("sites"), clients = d.size("clients");
  const auto& demand = d.set("demand", d.wholes(clients, 10, 60));
  std::vector<double> load(sites, 0.0);
  double total = 0;
  for (size_t j = 0; j < clients; ++j) {
    load[j % sites] += demand[j];
    total += demand[j];
  }
  std::vector<double> capacity(sites);
  for (size_t i = 0; i < sites; ++i) {
    capacity[i] =
        std::ceil(std::max(load[i] * d.rng.uniform(1.05, 1.3), total * d.rng.uniform(0.3, 1.1)));
    d.witness(d.instance.item("opened", "sites", i), 1);
  }
  d.set("capacity", capacity);
  d.set("fixed", d.wholes(sites, 100, 600));
}

void draw_split(Drawing& d) {
  draw_network(d);
  d.set("cost", d.prices(d.size("sites") * d.size("clients"), 2, 20));
  for (size_t j = 0; j < d.size("clients"); ++j) {
    const size_t i = j % d.size("sites");
    d.witness(d.instance.item("ship", "sites", i, "clients", j), d.instance.at("demand", j));
  }
}

void draw_single(Drawing& d) {
  draw_network(d);
  d.set("cost", d.wholes(d.size("sites") * d.size("clients"), 20, 400));
  for (size_t j = 0; j < d.size("clients"); ++j) {
    d.witness(d.instance.item("serve", "sites", j % d.size("sites"), "clients", j), 1);
  }
}

solve::Model formulate(const Instance& instance, bool is_single) {
  solve::Model model{.name = "facility_location", .sense = solve::Sense::Minimize};
  const size_t sites = instance.size("sites"), clients = instance.size("clients");
  std::vector<std::vector<solve::Term>> of_site(sites), of_client(clients);
  for (size_t i = 0; i < sites; ++i) {
    const int64_t open = model.add_column({.name = instance.item("opened", "sites", i),
                                           .domain = solve::Domain::Binary,
                                           .upper = 1,
                                           .objective = instance.at("fixed", i)});
    of_site[i].push_back({open, -instance.at("capacity", i)});
    for (size_t j = 0; j < clients; ++j) {
      const int64_t flow = model.add_column(
          {.name = instance.item(is_single ? "serve" : "ship", "sites", i, "clients", j),
           .domain = is_single ? solve::Domain::Binary : solve::Domain::Continuous,
           .upper = is_single ? 1 : solve::kInfinity,
           .objective = instance.at("cost", i, j)});
      of_site[i].push_back({flow, is_single ? instance.at("demand", j) : 1.0});
      of_client[j].push_back({flow, 1.0});
    }
  }
  for (size_t j = 0; j < clients; ++j) {
    model.equal(instance.item(is_single ? "client" : "demand", "clients", j), of_client[j],
                is_single ? 1 : instance.at("demand", j));
  }
  for (size_t i = 0; i < sites; ++i) {
    model.at_most(instance.item("capacity", "sites", i), of_site[i], 0);
  }
  return model;
}

solve::Model formulate_split(const Instance& instance) { return formulate(instance, false); }
solve::Model formulate_single(const Instance& instance) { return formulate(instance, true); }

const Slot kOpening{"opening",
                    {"{firm} (decides|must decide) which {places} to open.",
                     "{firm} (plans|is planning) new {places} for its customers.",
                     "Which {places} {firm} should (open|build) is to be decided.",
                     "{firm} (chooses|has to choose) among possible {places}.",
                     "Several {places} could be opened by {firm}.",
                     "The board of {firm} (considers|discusses) opening {places}.",
                     "{firm} (wants|intends) to open {places} near its customers."}};

const Slot kFixedSlot{"fixed",
                      {"Opening costs <i:sites|{fixed[i]} dollars for {i}>.",
                       "The (fixed cost|cost of opening) is <i:sites|{fixed[i]} dollars at {i}>.",
                       "To open <i:sites|{i} costs {fixed[i]} dollars>.",
                       "(Fixed|Opening) costs in dollars: <i:sites|{i} {fixed[i]}>.",
                       "An open site costs <i:sites|{fixed[i]} dollars in {i}>.",
                       "Rent of an open site is <i:sites|{fixed[i]} dollars in {i}>.",
                       "One pays <i:sites|{fixed[i]} dollars to open {i}>."}};

const Slot kCapacitySlot{
    "capacity",
    {"When open, <i:sites|{i} can handle {capacity[i]} tons>.",
     "The (capacity|limit) is <i:sites|{capacity[i]} tons at {i}>.",
     "At most <i:sites|{capacity[i]} tons can leave {i}>, and none from a closed site.",
     "(Capacities|Limits) in tons: <i:sites|{i} {capacity[i]}>.",
     "An open site (serves|handles) up to <i:sites|{capacity[i]} tons in {i}>.",
     "No more than <i:sites|{capacity[i]} tons can be sent from {i}>.",
     "Only open sites deliver, and at most <i:sites|{capacity[i]} tons from {i}>."}};

const Slot kDemandSlot{"demand",
                       {"The customers need <j:clients|{demand[j]} tons in {j}>.",
                        "(Demands|Needs) are <j:clients|{demand[j]} tons in {j}>.",
                        "<j:clients|{j} (requires|needs) {demand[j]} tons>.",
                        "Exactly <j:clients|{demand[j]} tons go to {j}>.",
                        "Orders have come for <j:clients|{demand[j]} tons from {j}>.",
                        "Tons to be delivered: <j:clients|{j} {demand[j]}>.",
                        "There is a need of <j:clients|{demand[j]} tons in {j}>."}};

const Slot kUnitCostSlot{
    "unit_cost",
    {"Shipping a ton costs <i:sites;from {i} <j:clients|{cost[i][j]} dollars to {j}>>. A customer "
     "may be served by several sites.",
     "<i:sites.A ton from {i} costs <j:clients|{cost[i][j]} dollars to {j}>>. Deliveries may be "
     "split.",
     "(Freight|Cost) in dollars per ton: <i:sites;from {i} <j:clients|{cost[i][j]} to {j}>>. A "
     "need may be met from more than one site.",
     "To move one ton one pays <i:sites;from {i} <j:clients|{cost[i][j]} dollars to {j}>>. "
     "Splitting a delivery is allowed.",
     "The haulier charges per ton <i:sites;from {i} <j:clients|{cost[i][j]} dollars to {j}>>. "
     "Customers accept goods from several sites.",
     "Per ton, <i:sites;the road from {i} costs <j:clients|{cost[i][j]} dollars to {j}>>. Any "
     "split between sites is fine.",
     "The (rate|price) of a ton is <i:sites;out of {i} <j:clients|{cost[i][j]} dollars to {j}>>. "
     "Sites can share a customer."}};

const Slot kServeCostSlot{
    "serve_cost",
    {"Serving a customer costs in total <i:sites;from {i} <j:clients|{cost[i][j]} dollars for "
     "{j}>>. Each customer is served by exactly one site.",
     "<i:sites.To serve from {i} costs <j:clients|{cost[i][j]} dollars for {j}>> in all. Every "
     "customer has a single site.",
     "Costs in dollars of the whole delivery: <i:sites;from {i} <j:clients|{cost[i][j]} to {j}>>. "
     "Deliveries must not be split.",
     "The whole delivery costs <i:sites;from {i} <j:clients|{cost[i][j]} dollars to {j}>>. A "
     "customer gets everything from one site.",
     "A contract for the whole need costs <i:sites;with {i} <j:clients|{cost[i][j]} dollars for "
     "{j}>>. One contract per customer is signed.",
     "If one site serves a customer alone, as it must, this costs <i:sites;from {i} "
     "<j:clients|{cost[i][j]} dollars for {j}>>.",
     "For its entire need, each customer is assigned to one site at a cost of <i:sites;from {i} "
     "<j:clients|{cost[i][j]} dollars for {j}>>."}};

const Slot kAsk{"ask",
                {"What is the (lowest|smallest) total cost in dollars?",
                 "(Find|Determine) the minimum total cost in dollars.",
                 "The total cost in dollars is to be minimised.",
                 "(Minimise|Minimize) the cost of sites and deliveries together, in dollars.",
                 "How many dollars does the cheapest plan cost?",
                 "Which sites should be opened, and what is the least total cost in dollars?",
                 "The aim is a total cost of as few dollars as possible."}};

Domain domain(const std::string& name, const std::string& places) {
  return {.name = name,
          .entities = {{"sites", "depots"}, {"clients", "towns"}},
          .words = {{"places", places}},
          .drawn = {{"firm", "firms"}}};
}

const Family kFacilityLocation{
    .name = "facility_location",
    .summary = "Open sites and serve clients at the lowest total cost.",
    .domains = {domain("warehouses", "warehouses"), domain("depots", "depots"),
                domain("bakeries", "central bakeries"), domain("laundries", "laundries")},
    .variants = {{.name = "split",
                  .description = split_description(),
                  .slots = {kOpening, kFixedSlot, kCapacitySlot, kDemandSlot, kUnitCostSlot, kAsk},
                  .draw = draw_split,
                  .formulate = formulate_split},
                 {.name = "single",
                  .description = single_description(),
                  .slots = {kOpening, kFixedSlot, kCapacitySlot, kDemandSlot, kServeCostSlot, kAsk},
                  .draw = draw_single,
                  .formulate = formulate_single}}};
TREX_REGISTER(kFacilityLocation);

}  // namespace
}  // namespace trex::orgen
