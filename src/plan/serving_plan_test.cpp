#include "plan/serving_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "config/toml.h"
#include "plan/launch.h"
#include "plan/plan_json.h"

namespace trex::plan {
namespace {

using testing::HasSubstr;

Inventory one_machine(const std::string& device, int64_t count, const std::string& model) {
  Inventory inventory;
  inventory.machines.push_back({"box", device, count, 0});
  RequestClass request_class{.name = "all", .model = model};
  request_class.lengths = perf::WorkloadMoments::of_means(1155, 211);  // Azure conversation means
  inventory.classes.push_back(request_class);
  return inventory;
}

std::vector<ModelChoice> choice(const std::string& model,
                                std::vector<std::string> quantisations = {"bf16"}) {
  ModelChoice result{model, perf::Catalogue::shipped().model(model, "test"), {}};
  for (const auto& name : quantisations)
    result.quantisations.push_back(perf::find_quantisation(name, "test"));
  return {result};
}

ServingPlan plan_of(const Inventory& inventory, std::vector<ModelChoice> models,
                    const PlanOptions& options = {}) {
  return plan_serving(inventory, perf::Catalogue::shipped(), std::move(models), options,
                      "test.toml");
}

// Section 8.5: requests/s of a machine of eight devices by tensor-parallel degree; 0: does not run.
struct TableRow {
  const char* model;
  const char* device;
  double by_tp[4];  // 1, 2, 4, 8
  int64_t best_tp;
};

const TableRow kTable[] = {
    {"Llama-3.1-70B", "A100 SXM 80", {0, 0, 8.73, 7.37}, 4},
    {"Llama-3.1-70B", "H100 SXM", {0, 0, 23.2, 18.7}, 4},
    {"Llama-3.1-70B", "H200 SXM", {0, 27.4, 23.5, 19.0}, 2},
    {"Llama-3.1-8B", "H100 SXM", {213, 180, 143, 104}, 1},
    {"Llama-3.1-8B", "L40S", {59, 40, 22, 11}, 1},
    {"Llama-3.1-8B", "L4", {4.7, 15.0, 11.3, 6.8}, 2},
};

class WorkedTable : public testing::TestWithParam<TableRow> {};

TEST_P(WorkedTable, IsReproducedWithinTwoPercent) {
  const TableRow& row = GetParam();
  const perf::Catalogue catalogue = perf::Catalogue::shipped();
  const Inventory inventory = one_machine(row.device, 8, row.model);
  const auto kinds = kinds_of(inventory, catalogue);
  const auto shapes =
      shapes_of(kinds[0], 0, choice(row.model)[0], 0, inventory.classes, {.pipelines = false});
  ASSERT_EQ(shapes.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const double machine = shapes[i].classes[0].closed_form.requests_per_s * 8 /
                           static_cast<double>(shapes[i].layout.tp);
    // The table prints two or three digits, so half a unit of the last one comes on top.
    const double printed = row.by_tp[i] >= 30 ? 0.5 : row.by_tp[i] >= 10 ? 0.05 : 0.05;
    EXPECT_NEAR(machine, row.by_tp[i], 0.02 * row.by_tp[i] + (row.by_tp[i] > 0 ? printed : 0))
        << shapes[i].text();
  }
  const ServingPlan plan = plan_of(inventory, choice(row.model), {.shapes = {.pipelines = false}});
  for (const PlannedInstance& instance : plan.instances)
    EXPECT_EQ(plan.problem.shapes[instance.shape].layout.tp, row.best_tp);
}

INSTANTIATE_TEST_SUITE_P(Section85, WorkedTable, testing::ValuesIn(kTable));

TEST(ServingPlan, EveryDeviceIsUsedOnceAndTheSharesSumToOne) {
  Inventory inventory = one_machine("H100 SXM", 8, "Llama-3.1-70B");
  inventory.machines.push_back({"small", "L40S", 4, 0});
  inventory.machines.push_back({"small-2", "L40S", 4, 0});
  const ServingPlan plan = plan_of(inventory, choice("Llama-3.1-70B", {"bf16", "int4"}));
  std::set<std::pair<std::string, int64_t>> used;
  double share = 0;
  for (const PlannedInstance& instance : plan.instances) {
    for (const int64_t id : instance.devices)
      EXPECT_TRUE(used.insert({instance.machines[0], id}).second);
    share += instance.class_share[0];
    EXPECT_GT(instance.weight, 0);
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_LE(plan.alternatives.size(), 10u);
  for (const Alternative& a : plan.alternatives) {
    EXPECT_FALSE(a.reason.empty());
    EXPECT_LE(a.scale, plan.selection.scale * (1 + 1e-9)) << a.text;
  }
  EXPECT_EQ(plan.sensitivity.size(), 2u);
  for (const Sensitivity& s : plan.sensitivity) {
    EXPECT_LE(s.unchanged_scale, s.scale * (1 + 1e-9));
    EXPECT_LT(s.scale, plan.selection.scale);
  }
}

TEST(ServingPlan, AModelThatFitsNowhereSaysByHowMuchAndWhatWouldHelp) {
  try {
    plan_of(one_machine("L4", 2, "Llama-3.1-70B"), choice("Llama-3.1-70B"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    // 2 x 24 GB against 141 GB of weights.
    EXPECT_THAT(error.what(), HasSubstr("test.toml: model: expected a machine that can hold "
                                        "Llama-3.1-70B; got on 2x L4 the nearest"));
    EXPECT_THAT(error.what(), HasSubstr("GB more a device"));
    EXPECT_THAT(error.what(), HasSubstr("would make it fit"));
  }
}

TEST(ServingPlan, ALimitThatNoShapeKeepsIsNamed) {
  Inventory inventory = one_machine("L4", 8, "Llama-3.1-8B");
  inventory.classes[0].limits.per_token_s = 1e-3;
  try {
    plan_of(inventory, choice("Llama-3.1-8B"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ms a token even when idle, limit 1 ms"));
  }
}

TEST(ServingPlan, APerTokenLimitShrinksTheBatch) {
  Inventory inventory = one_machine("A100 SXM 80", 8, "Llama-3.1-8B");
  inventory.classes[0].limits.per_token_s = 25e-3;
  const ServingPlan plan = plan_of(inventory, choice("Llama-3.1-8B"));
  const Shape& shape = plan.problem.shapes[plan.instances[0].shape];
  EXPECT_LE(shape.classes[0].per_token_s, 25e-3);
  EXPECT_LT(shape.limits.max_sequences, 256);
}

TEST(ServingPlan, RatesBeyondTheInventoryAreRefusedInCostMode) {
  Inventory inventory = one_machine("L4", 8, "Llama-3.1-8B");
  inventory.machines[0].price_usd_h = 4;
  inventory.classes[0].requests_per_s = 1000;
  try {
    plan_of(inventory, choice("Llama-3.1-8B"), {.objective = Objective::Cost});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("expected rates that the inventory can serve; got 1 % of them at most"));
  }
}

// One H100 machine for 24 USD/h serves 8B faster than the L4 machine for 4, which is cheaper a
// request: the plan buys L4s, and what loses is told by its price, the cheapest first.
TEST(ServingPlan, LosersOfCostModeShowTheirPrice) {
  Inventory inventory = one_machine("L4", 8, "Llama-3.1-8B");
  inventory.machines[0].price_usd_h = 4;
  inventory.machines.push_back({"fast", "H100 SXM", 8, 24});
  inventory.classes[0].requests_per_s = 10;
  const ServingPlan plan =
      plan_of(inventory, choice("Llama-3.1-8B"), {.objective = Objective::Cost});
  ASSERT_FALSE(plan.alternatives.empty());
  bool was_possible = true;
  double last = plan.selection.cost_usd_h;
  for (const Alternative& a : plan.alternatives) {
    EXPECT_TRUE(was_possible || a.problem == nullptr) << a.text;
    was_possible = a.problem != nullptr;
    if (!was_possible) continue;
    EXPECT_GE(a.cost_usd_h, last * (1 - 1e-9)) << a.text;
    // The price is what its devices cost: 0.5 an L4, 3 an H100.
    double price = 0;
    for (size_t s = 0; s < a.problem->shapes.size(); ++s) {
      const Shape& shape = a.problem->shapes[s];
      price += (a.problem->kinds[shape.kind].device.name == "L4" ? 0.5 : 3.0) *
               static_cast<double>(shape.layout.devices() * a.selection.counts[s]);
    }
    EXPECT_NEAR(a.cost_usd_h, price, 1e-9) << a.text;
    last = a.cost_usd_h;
  }
  EXPECT_GT(last, plan.selection.cost_usd_h);
  const std::string table = table_of(plan, false);
  EXPECT_THAT(table, HasSubstr("USD/h of the whole plan"));
  EXPECT_THAT(table, HasSubstr(fmt::format("{:.2f} |", last)));
}

TEST(ServingPlan, TheCheapestMachinesNeedAPriceEach) {
  Inventory inventory = one_machine("L4", 8, "Llama-3.1-8B");
  inventory.machines[0].has_price = false;
  inventory.classes[0].requests_per_s = 1;
  try {
    plan_of(inventory, choice("Llama-3.1-8B"), {.objective = Objective::Cost});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("price_usd_h: expected a price of every machine"));
  }
}

// 70B in bf16 fits no L40S machine of two; three such machines hold it as a pipeline.
TEST(ServingPlan, APipelineAcrossMachinesIsTriedWhenNoMachineHoldsTheModel) {
  Inventory inventory = one_machine("L40S", 2, "Llama-3.1-70B");
  inventory.machines.push_back({"second", "L40S", 2, 0});
  inventory.machines.push_back({"third", "A100 SXM 80", 2, 0});
  const ServingPlan plan = plan_of(inventory, choice("Llama-3.1-70B"));
  ASSERT_EQ(plan.instances.size(), 1u);
  const Shape& shape = plan.problem.shapes[plan.instances[0].shape];
  EXPECT_TRUE(shape.crosses_machines());
  int64_t layers = 0;
  for (size_t i = 0; i < shape.stage_layers.size(); ++i) layers += shape.stage_layers[i];
  EXPECT_EQ(layers, 80);
  const auto lines = launch_lines(plan, plan.instances[0]);
  EXPECT_THAT(lines[0].command, HasSubstr("VLLM_PP_LAYER_PARTITION="));
}

TEST(Launch, LinesNameTheDevicesAndTheLimits) {
  const ServingPlan plan = plan_of(one_machine("H100 SXM", 8, "Llama-3.1-70B"),
                                   choice("Llama-3.1-70B"), {.shapes = {.pipelines = false}});
  const auto lines = launch_lines(plan, plan.instances[1]);
  EXPECT_EQ(lines[0].command,
            "CUDA_VISIBLE_DEVICES=4,5,6,7 vllm serve Llama-3.1-70B --served-model-name "
            "Llama-3.1-70B --port 8001 --tensor-parallel-size 4 --max-num-seqs 256 "
            "--max-num-batched-tokens 2048 --max-model-len 8192 --gpu-memory-utilization 0.9 "
            "--dtype bfloat16");
  EXPECT_THAT(lines[1].command,
              HasSubstr("sglang.launch_server --model-path Llama-3.1-70B --served-model-name "
                        "Llama-3.1-70B --host 0.0.0.0 --port 8001 --tp 4"));
  EXPECT_EQ(lines[3].command, "");
}

// The engine turned out half as fast as its operator model: the plan believes the measurements.
TEST(ServingPlan, MeasurementsWinOverTheOperatorModel) {
  const Inventory inventory = one_machine("H100 SXM", 1, "Llama-3.1-8B");
  const ServingPlan modelled = plan_of(inventory, choice("Llama-3.1-8B"));
  perf::MeasuredModel measured{.deployment = {"Llama-3.1-8B", "H100 SXM", "bf16", {}},
                               .model = modelled.instances[0].model.at_speed(0.5)};
  PlanOptions options;
  options.shapes.measured.push_back(std::make_shared<const perf::MeasuredModel>(measured));
  const ServingPlan plan = plan_of(inventory, choice("Llama-3.1-8B"), options);
  EXPECT_NEAR(plan.selection.scale, modelled.selection.scale / 2,
              0.1 * modelled.selection.scale / 2);
  EXPECT_EQ(plan.instances[0].model.time.base_s, measured.model.time.base_s);
  EXPECT_THAT(table_of(plan, false), HasSubstr("  measured\n"));
  measured.deployment.layout.tp = 2;
  options.shapes.measured[0] = std::make_shared<const perf::MeasuredModel>(measured);
  EXPECT_THAT([&] { plan_of(inventory, choice("Llama-3.1-8B"), options); },
              testing::ThrowsMessage<Error>(
                  HasSubstr("test.toml: --measured: expected a deployment that this inventory")));
}

TEST(Launch, AGgufModelIsLlamacppsAndTheGatewayKnowsIt) {
  const ServingPlan plan =
      plan_of(one_machine("L4", 1, "Llama-3.1-8B"), choice("Llama-3.1-8B", {"q4_k_m"}));
  const auto lines = launch_lines(plan, plan.instances[0]);
  EXPECT_EQ(lines[0].command, "");
  EXPECT_THAT(lines[2].command, HasSubstr("llama-server -m Llama-3.1-8B.q4_k_m.gguf --alias "
                                          "Llama-3.1-8B --host 0.0.0.0 --port 8000 -ngl 999 -np "));
  EXPECT_THAT(gateway_config(plan), HasSubstr("engine = \"llamacpp\""));
}

TEST(GatewayConfig, IsTomlWithATableForEveryInstance) {
  const ServingPlan plan =
      plan_of(one_machine("H100 SXM", 8, "Llama-3.1-8B"), choice("Llama-3.1-8B"));
  const TemporaryFolder folder;
  write_file(folder.path() / "gateway.toml", gateway_config(plan));
  for (const config::TomlLeaf& leaf : config::toml_leaves(folder.path() / "gateway.toml", "")) {
    if (leaf.key != "instances") continue;
    ASSERT_EQ(leaf.value.size(), plan.instances.size());
    EXPECT_NEAR(leaf.value[0]["weight"].get<double>(), plan.instances[0].weight, 1e-3);
    return;
  }
  FAIL() << "no instances";
}

TEST(PlanJson, CarriesEveryInstanceWithAModelThatReadsBack) {
  const ServingPlan plan = plan_of(one_machine("L4", 8, "Llama-3.1-8B"), choice("Llama-3.1-8B"));
  const Json json = to_json(plan);
  ASSERT_EQ(json["instances"].size(), plan.instances.size());
  const auto& model = json["instances"][0]["instance_model"];
  EXPECT_EQ(perf::instance_model_from_json(JsonObject(model, "plan.json")).name,
            plan.instances[0].model.name);
  EXPECT_FALSE(json["calibrated"].get<bool>());  // no measured tables for the L4
}

}  // namespace
}  // namespace trex::plan
