#include "plan/search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/rng.h"
#include "perf/catalogue.h"
#include "plan/serving_plan.h"

namespace trex::plan {
namespace {

// --- brute force: every multiset of shapes on every machine, without pruning ---

// Calls `visit` with every multiset of `shapes` of kind k that fits its devices, as counts by
// shape.
void each_filling(const Problem& problem, size_t k, int64_t devices, size_t from,
                  std::vector<int64_t>& counts, const std::function<void()>& visit) {
  visit();
  for (size_t s = from; s < problem.shapes.size(); ++s) {
    const Shape& shape = problem.shapes[s];
    if (shape.kind != k || shape.layout.devices() > devices) continue;
    ++counts[s];
    each_filling(problem, k, devices - shape.layout.devices(), s, counts, visit);
    --counts[s];
  }
}

// Every way to fill all machines: machine after machine.
void each_plan(const Problem& problem, size_t k, size_t machine, std::vector<int64_t>& counts,
               const std::function<void()>& visit) {
  if (k == problem.kinds.size()) return visit();
  if (machine == problem.kinds[k].machines.size())
    return each_plan(problem, k + 1, 0, counts, visit);
  each_filling(problem, k, problem.kinds[k].num_devices, 0, counts,
               [&] { each_plan(problem, k, machine + 1, counts, visit); });
}

// Largest theta for two classes: the instances with the largest ratio X1/X2 serve class 1 first (an
// exchange argument makes that optimal); bisection on theta.
double two_class_scale(const Problem& problem, const std::vector<int64_t>& counts) {
  struct Instance {
    double x1, x2, room;
  };
  std::vector<Instance> instances;
  for (size_t s = 0; s < counts.size(); ++s) {
    const Shape& shape = problem.shapes[s];
    if (counts[s] == 0) continue;
    instances.push_back(
        {shape.classes[0].requests_per_s, shape.classes[1].requests_per_s,
         static_cast<double>(counts[s]) * planned_utilisation(shape, problem.classes)});
  }
  std::sort(instances.begin(), instances.end(),
            [](const Instance& a, const Instance& b) { return a.x1 * b.x2 > b.x1 * a.x2; });
  const double rate1 = nominal_rate(problem.classes[0]);
  const double rate2 = nominal_rate(problem.classes[1]);
  double low = 0;
  double high = 1e6;
  for (int round = 0; round < 80; ++round) {
    const double theta = (low + high) / 2;
    double need1 = rate1 * theta;
    double served2 = 0;
    for (const Instance& i : instances) {
      const double time1 = i.x1 > 0 ? std::min(i.room, need1 / i.x1) : 0;
      need1 -= time1 * i.x1;
      served2 += (i.room - time1) * i.x2;
    }
    (need1 <= 1e-12 * theta && served2 >= rate2 * theta ? low : high) = theta;
  }
  return low;
}

double one_class_scale(const Problem& problem, const std::vector<int64_t>& counts) {
  double sum = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    sum += static_cast<double>(counts[s]) * problem.shapes[s].classes[0].requests_per_s *
           planned_utilisation(problem.shapes[s], problem.classes);
  }
  return sum / nominal_rate(problem.classes[0]);
}

double brute_force(const Problem& problem) {
  double best = 0;
  std::vector<int64_t> counts(problem.shapes.size(), 0);
  each_plan(problem, 0, 0, counts, [&] {
    best = std::max(best, problem.classes.size() == 1 ? one_class_scale(problem, counts)
                                                      : two_class_scale(problem, counts));
  });
  return best;
}

// --- random inventories of real devices and models ---

struct Drawn {
  Inventory inventory;
  std::vector<ModelChoice> models;
};

Drawn draw(Rng& rng, const perf::Catalogue& catalogue, size_t num_classes, int64_t most_devices) {
  const std::vector<std::string> devices{"A100 SXM 80", "H100 SXM", "H200 SXM", "L40S",
                                         "L4",          "RTX 4090", "MI300X",   "Ascend 910B3"};
  const std::vector<std::string> names{"Llama-3.1-8B", "Llama-3.1-70B", "Qwen3-32B",
                                       "Qwen3-30B-A3B", "gpt-oss-20b"};
  Drawn drawn;
  const int64_t num_kinds = rng.between(1, 2);
  for (int64_t i = 0; i < num_kinds; ++i) {
    drawn.inventory.machines.push_back(
        {"m" + std::to_string(i), rng.pick(devices), rng.between(1, most_devices), 0});
  }
  const bool one_model = rng.chance(0.5);
  for (size_t c = 0; c < num_classes; ++c) {
    RequestClass request_class{.name = "c" + std::to_string(c)};
    request_class.model = one_model && c > 0 ? drawn.inventory.classes[0].model : rng.pick(names);
    request_class.lengths =
        perf::WorkloadMoments::of_means(rng.uniform(50, 6000), rng.uniform(10, 800));
    request_class.requests_per_s = rng.uniform(0.5, 5);
    request_class.is_bulk = rng.chance(0.3);
    const bool is_known = std::any_of(drawn.models.begin(), drawn.models.end(),
                                      [&](const auto& m) { return m.name == request_class.model; });
    if (!is_known) {
      drawn.models.push_back({request_class.model,
                              catalogue.model(request_class.model, "test"),
                              {perf::find_quantisation("bf16", "test")}});
      if (rng.chance(0.4))
        drawn.models.back().quantisations.push_back(perf::find_quantisation("int4", "test"));
    }
    drawn.inventory.classes.push_back(std::move(request_class));
  }
  return drawn;
}

void expect_planner_equals_brute_force(uint64_t first, uint64_t count, size_t num_classes,
                                       int64_t most_devices) {
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  int with_answer = 0;
  for (uint64_t trial = first; trial < first + count; ++trial) {
    Rng rng(9, "planner", trial);
    const Drawn drawn = draw(rng, catalogue, num_classes, most_devices);
    std::vector<Shape> rejected;
    const PlanOptions options{.shapes = {.pipelines = num_classes == 1}};
    Problem all = make_problem(drawn.inventory, catalogue, drawn.models, options, rejected);
    // Pipelines across machines come in when a model fits no machine; brute force leaves them out.
    std::erase_if(all.shapes, [](const Shape& s) { return s.crosses_machines(); });
    Problem pruned = all;
    pruned.shapes = without_dominated(all.shapes, all.kinds);
    const double expected = brute_force(all);
    const double found = search(pruned).scale;
    ASSERT_NEAR(found, expected, 1e-6 * std::max(expected, 1.0)) << "trial " << trial;
    with_answer += expected > 0 ? 1 : 0;
  }
  EXPECT_GT(with_answer, static_cast<int>(count) / 3);
}

TEST(Planner, EqualsBruteForceOn350RandomInventoriesOfOneClassSeed9) {
  expect_planner_equals_brute_force(0, 350, 1, 6);
}

TEST(Planner, EqualsBruteForceOn150RandomInventoriesOfTwoClassesSeed9) {
  expect_planner_equals_brute_force(1000, 150, 2, 4);
}

// Forcing a kind to a losing shape is a plan of its own: brute force over the kind's devices with
// that shape alone must find the same scale, never above the plan's, and the reason's numbers must
// be true.
void expect_losers_are_true(uint64_t first, uint64_t count, size_t num_classes) {
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  int checked = 0;
  for (uint64_t trial = first; trial < first + count; ++trial) {
    Rng rng(10, "losers", trial);
    const Drawn drawn = draw(rng, catalogue, num_classes, 4);
    std::optional<ServingPlan> plan;
    try {
      plan = plan_serving(drawn.inventory, catalogue, drawn.models,
                          {.shapes = {.pipelines = false}}, "test");
    } catch (const Error&) {
      continue;  // a model fits nowhere
    }
    if (std::any_of(plan->problem.shapes.begin(), plan->problem.shapes.end(),
                    [](const Shape& s) { return s.crosses_machines(); }))
      continue;
    for (const Alternative& loser : plan->alternatives) {
      if (loser.problem == nullptr) continue;
      const double expected = brute_force(*loser.problem);
      ASSERT_NEAR(loser.scale, expected, 1e-6 * std::max(1.0, expected))
          << trial << " " << loser.text;
      ASSERT_LE(loser.scale, plan->selection.scale * (1 + 1e-6)) << trial << " " << loser.text;
      const Shape& forced = loser.problem->shapes.back();
      const bool ties = loser.scale >= plan->selection.scale * (1 - 1e-6);
      EXPECT_EQ(loser.reason.starts_with("a tie") || loser.reason.starts_with("not needed"), ties)
          << loser.text << ": " << loser.reason;
      if (loser.reason.find("unused") != std::string::npos) {
        EXPECT_NE(loser.problem->kinds[forced.kind].num_devices % forced.layout.devices(), 0)
            << loser.reason;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, static_cast<int>(count) / 2);
}

TEST(Losers, AreWhatBruteForceFindsWhenForced) {
  expect_losers_are_true(0, 60, 1);
  expect_losers_are_true(100, 40, 2);
}

// --- by hand ---

Shape simple(size_t kind, int64_t devices, std::vector<double> rates) {
  Shape shape{.kind = kind, .layout = {.tp = devices}};
  for (const double rate : rates) {
    shape.classes.emplace_back();
    shape.classes.back().requests_per_s = rate;
  }
  return shape;
}

MachineKind machines(int64_t devices, int64_t count, double price) {
  MachineKind kind{.num_devices = devices, .price_usd_h = price};
  for (int64_t i = 0; i < count; ++i) kind.machines.push_back("m" + std::to_string(i));
  return kind;
}

// 6 devices; shapes of 4 (rate 10) and 2 (rate 4): 4 + 2 gives 14, three of 2 give 12. Bulk:
// 0.95*14.
TEST(FillMachines, LeftOverDevicesTakeASmallerShape) {
  Problem problem{.kinds = {machines(6, 3, 0)},
                  .classes = {{.name = "all", .is_bulk = true}},
                  .shapes = {simple(0, 4, {10}), simple(0, 2, {4})}};
  const Selection selection = fill_machines(problem);
  EXPECT_THAT(selection.counts, testing::ElementsAre(3, 3));
  EXPECT_NEAR(selection.scale, 3 * 0.95 * 14, 1e-9);
}

// Cheap devices serve 1/s for 1 USD, big ones 3/s for 4: a load of 2.7/s with at most two cheap
// ones (1.9/s at 0.95) needs a big one: big alone carries 2.85/s for 4; that is cheaper than 2 + 4.
TEST(CostMode, BuysTheCheapestDevicesThatCarryTheLoad) {
  Problem problem{.kinds = {machines(1, 2, 1), machines(1, 2, 4)},
                  .classes = {{.name = "all", .requests_per_s = 2.7, .is_bulk = true}},
                  .shapes = {simple(0, 1, {1}), simple(1, 1, {3})},
                  .objective = Objective::Cost};
  const Selection selection = search(problem);
  EXPECT_TRUE(selection.is_feasible);
  EXPECT_THAT(selection.counts, testing::ElementsAre(0, 1));
  EXPECT_NEAR(selection.cost_usd_h, 4, 1e-9);
  problem.classes[0].requests_per_s = 100;
  EXPECT_FALSE(search(problem).is_feasible);
}

// Random shapes and prices. Cut after one node the plan is worse or equal, never beyond what it
// says, and can be run.
TEST(NodeLimits, ACutPlanSaysSoAndByHowMuchAnotherCouldBeBetterSeed4) {
  int cut_plans = 0;
  for (uint64_t trial = 0; trial < 12; ++trial) {
    Rng rng(4, "node limits", trial);
    Problem problem{.kinds = {machines(8, 2, 8), machines(8, 2, 13), machines(4, 3, 5)},
                    .objective = Objective::Cost};
    for (const char* name : {"a", "b", "c"})
      problem.classes.push_back({.name = name, .requests_per_s = rng.uniform(4, 9)});
    for (size_t kind = 0; kind < 3; ++kind) {
      for (const int64_t devices : {1, 2, 3, 4}) {
        const auto rate = [&] { return rng.uniform(0.3, 1.5) * static_cast<double>(devices); };
        problem.shapes.push_back(simple(kind, devices, {rate(), rate(), rate()}));
      }
    }
    const Selection whole = solve_program(problem);
    if (!whole.is_feasible) continue;
    EXPECT_TRUE(whole.is_proved);
    EXPECT_EQ(whole.gap, 0);
    const Selection cut = solve_program(problem, NodeLimits{.exact = 1});
    if (!cut.is_feasible) continue;
    EXPECT_FALSE(pack(problem, cut.counts).empty());
    EXPECT_GE(scale_of(problem, cut.counts), 1 - 1e-6);
    EXPECT_GE(cut.cost_usd_h, whole.cost_usd_h - 1e-6);
    EXPECT_EQ(solve_program(problem, NodeLimits{.exact = 1}).counts, cut.counts);
    if (cut.is_proved) continue;
    ++cut_plans;
    // The bound lies below the optimum: cost - gap * bound.
    EXPECT_LE(cut.cost_usd_h / (1 + cut.gap), whole.cost_usd_h + 1e-6);
  }
  EXPECT_GT(cut_plans, 3);
}

// Melange's finding: each class goes where it is cheap. A serves 10 short or 1 long, B 10 and 8;
// one instance each, rates 1:1. All short on A and all long on B: theta = min(9.5, 7.6), then A has
// room for more: A also... short 7.6 on A, long 7.6 on B is the optimum since A's long rate is 1:
// A: 7.6+e short and t long. With time u on A for long: long = 7.6 + u, short = 10*(0.95 - u):
// 7.6 + u = 9.5 - 10u, u = 0.1727, theta = 7.7727.
TEST(ClassShares, SendEachClassWhereItIsCheap) {
  Problem problem{
      .kinds = {machines(1, 1, 0), machines(1, 1, 0)},
      .classes = {{.name = "short", .is_bulk = true}, {.name = "long", .is_bulk = true}},
      .shapes = {simple(0, 1, {10, 1}), simple(1, 1, {10, 8})}};
  const Selection selection = search(problem);
  EXPECT_NEAR(selection.scale, 7.6 + 1.9 / 11, 1e-6);
  const auto shares = class_shares(problem, selection);
  EXPECT_NEAR(shares[0][0], 1, 1e-6);
  EXPECT_NEAR(shares[1][0], (1.9 / 11) / selection.scale, 1e-6);
  EXPECT_NEAR(shares[1][0] + shares[1][1], 1, 1e-9);
}

// Sizes 3 and 2 on machines of 4: device counts alone would allow 2x3 + 1x2 on 8 devices, but two
// 3s leave one device on each machine.
TEST(Pack, WholeMachinesBindEvenWhenDevicesWouldDo) {
  Problem problem{.kinds = {machines(4, 2, 0)},
                  .classes = {{.name = "a", .is_bulk = true}, {.name = "b", .is_bulk = true}},
                  .shapes = {simple(0, 3, {10, 0}), simple(0, 2, {0, 3})}};
  EXPECT_TRUE(pack(problem, {2, 1}).empty());
  const Selection selection = search(problem);
  const auto places = pack(problem, selection.counts);
  ASSERT_FALSE(places.empty());
  // One machine with a 3, the other with two 2s: theta = min(9.5, 5.7).
  EXPECT_THAT(selection.counts, testing::ElementsAre(1, 2));
  EXPECT_THAT(places[1][1].devices, testing::ElementsAre(2, 3));
}

}  // namespace
}  // namespace trex::plan
