// How long planning takes: 64 machines of 6 kinds with 3 models, and 1,000 machines.
//
// CPU seconds of the process, which a loaded machine does not stretch. Timed: shapes, pruning,
// program, packing and derived instance models, from inventory to plan, without alternatives and
// sensitivity (`full` rows: with them). Catalogue and traces are loaded before. Baseline in the
// same run: the naive plans (largest and smallest degree that fits) on the same machines.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "base/json.h"
#include "plan/serving_plan.h"

namespace trex::plan {
namespace {

Inventory inventory_of(int64_t num_machines) {
  const std::vector<std::pair<std::string, int64_t>> kinds{
      {"H100 SXM", 8}, {"A100 SXM 80", 8}, {"H200 SXM", 8}, {"L40S", 8}, {"L4", 4}, {"A100 40", 4}};
  Inventory inventory;
  for (int64_t i = 0; i < num_machines; ++i) {
    const auto& [device, count] = kinds[static_cast<size_t>(i) % kinds.size()];
    inventory.machines.push_back({fmt::format("m{}", i), device, count, 0});
  }
  const auto add = [&](const char* name, const char* model, double in, double out, double rate,
                       bool bulk) {
    RequestClass request_class{.name = name, .model = model};
    request_class.lengths = perf::WorkloadMoments::of_means(in, out);
    request_class.requests_per_s = rate;
    request_class.is_bulk = bulk;
    inventory.classes.push_back(request_class);
  };
  add("chat", "Llama-3.1-8B", 1155, 211, 100, false);
  add("code", "Qwen3-30B-A3B", 2048, 28, 60, false);
  add("papers", "Llama-3.1-70B", 2588, 291, 15, true);
  return inventory;
}

std::vector<ModelChoice> models_of(const perf::Catalogue& catalogue) {
  std::vector<ModelChoice> models;
  for (const char* name : {"Llama-3.1-8B", "Qwen3-30B-A3B", "Llama-3.1-70B"}) {
    models.push_back(
        {name,
         catalogue.model(name, "bench"),
         {perf::find_quantisation("bf16", "bench"), perf::find_quantisation("int4", "bench")}});
  }
  return models;
}

// Every machine runs the model of its turn with one degree: the smallest or the largest that works.
double naive_scale(const Problem& all, bool largest) {
  Problem naive = all;
  naive.shapes.clear();
  for (size_t k = 0; k < all.kinds.size(); ++k) {
    for (size_t m = 0; m < all.models.size(); ++m) {
      const Shape* chosen = nullptr;
      for (const Shape& shape : all.shapes) {
        if (shape.kind != k || shape.model != m || shape.layout.pp > 1 || shape.layout.ep > 1 ||
            shape.quantisation.name != "bf16")
          continue;
        if (chosen == nullptr ||
            (largest ? shape.layout.tp > chosen->layout.tp : shape.layout.tp < chosen->layout.tp))
          chosen = &shape;
      }
      if (chosen != nullptr) naive.shapes.push_back(*chosen);
    }
  }
  return search(naive).scale;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run(int64_t num_machines, bool full, double limit_s) {
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  const Inventory inventory = inventory_of(num_machines);
  const auto models = models_of(catalogue);
  const PlanOptions options{.num_alternatives = full ? size_t{10} : size_t{0}};
  std::vector<double> seconds;
  ServingPlan plan;
  for (int round = 0; round < 5; ++round) {
    const double start = cpu_seconds();
    plan = plan_serving(inventory, catalogue, models, options, "bench");
    seconds.push_back(cpu_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  std::vector<Shape> rejected;
  const Problem all = make_problem(inventory, catalogue, models, options, rejected);
  const Json line{{"bench", "plan"},
                  {"machines", num_machines},
                  {"full", full},
                  {"median_cpu_s", seconds[2]},
                  {"least_s", seconds[0]},
                  {"most_s", seconds[4]},
                  {"limit_s", limit_s},
                  {"shapes", plan.shapes_considered},
                  {"instances", plan.instances.size()},
                  {"scale", plan.selection.scale},
                  {"proved", plan.selection.is_proved},
                  {"naive_largest_degree_scale", naive_scale(all, true)},
                  {"naive_smallest_degree_scale", naive_scale(all, false)}};
  fmt::print("{}\n", to_line(line));
  std::fflush(stdout);
}

}  // namespace
}  // namespace trex::plan

int main() {
  trex::plan::run(64, false, 1);
  trex::plan::run(1000, false, 10);
  trex::plan::run(64, true, 1);
  trex::plan::run(1000, true, 10);
}
