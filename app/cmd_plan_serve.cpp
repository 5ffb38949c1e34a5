// trex plan serve: what to run on an inventory of unlike machines.
#include <fmt/format.h>
#include <algorithm>

#include "app/commands.h"
#include "base/error.h"
#include "base/text.h"
#include "base/text_table.h"
#include "plan/check.h"
#include "plan/duty_window.h"
#include "plan/launch.h"
#include "plan/plan_json.h"
#include "plan/plan_page.h"

namespace trex::app {
namespace {

struct PlanArguments {
  Path inventory;
  std::vector<Path> catalogue_files, measured;
  std::string model;
  std::string trace;
  std::vector<std::string> quantisations{"bf16"};
  std::string kv = "bf16";
  std::string objective = "throughput";
  std::optional<double> requests_per_s, first_token_ms, per_token_ms;
  int64_t max_context = 8192;
  int64_t max_sequences = 256;
  bool across_machines = false;
  bool explain = false;
  bool check = false;
  plan::CheckOptions check_options;
  Path current, observed;
  bool json = false;
  Path out;
};

void add_options(CLI::App& options, PlanArguments& a) {
  options.add_option("inventory", a.inventory, "Machines, and perhaps classes of requests, TOML")
      ->required();
  options.add_option(
      "--model", a.model,
      "Model of the one class: catalogue name (trex perf list), config.json or .gguf");
  options.add_option("--trace", a.trace,
                     "Lengths and arrivals of the one class: shipped name or file");
  options.add_option("--catalogue", a.catalogue_files,
                     "Your own devices or models, JSON; repeatable");
  options.add_option("--quantisation", a.quantisations, "Allowed ones, with commas")
      ->delimiter(',')
      ->capture_default_str();
  options.add_option("--kv", a.kv, "Cache elements: bf16 or fp8")
      ->check(CLI::IsMember({"bf16", "fp8"}))
      ->capture_default_str();
  options.add_option("--objective", a.objective, "throughput or cost")
      ->check(CLI::IsMember({"throughput", "cost"}))
      ->capture_default_str();
  options.add_option("--requests-per-s", a.requests_per_s, "Rate of the one class");
  options.add_option("--first-token-ms", a.first_token_ms,
                     "Most milliseconds to the first token, of the one class");
  options.add_option("--per-token-ms", a.per_token_ms,
                     "Most milliseconds for each later token, of the one class");
  options.add_option("--max-context", a.max_context, "Tokens of the longest sequence")
      ->check(CLI::Range(16, 1 << 24))
      ->capture_default_str();
  options.add_option("--max-sequences", a.max_sequences, "Most sequences at once in an instance")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  options.add_flag("--across-machines", a.across_machines, "Also pipelines over several machines");
  options.add_flag("--explain", a.explain, "Memory, time and launch lines of each choice");
  options.add_flag("--check", a.check,
                   "Simulate the best plans on the classes' traces: the best goodput is the plan, "
                   "unless intervals overlap");
  options.add_option("--check-seeds", a.check_options.seeds, "Runs of each plan")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  options
      .add_option("--check-requests", a.check_options.requests,
                  "Requests of a class and run; 0: enough to fill the instances, 2000 to 20000")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  options.add_option("--current", a.current,
                     "plan.json of what runs now: what should change, and for how much");
  options.add_option("--observed", a.observed,
                     "Requests of the last minutes: plan for their rates and lengths, and advise "
                     "after five minutes that agree");
  options.add_option("--measured", a.measured,
                     "Instance model of a measured engine, from trex perf fit; repeatable. "
                     "Pipelines across machines use one of the same pipeline, or one of the whole "
                     "model on every kind of machine in them, by each stage's share");
  options.add_flag("--json", a.json, "The plan as JSON");
  options.add_option("--out", a.out, "Folder for plan.json, plan.html and gateway.toml");
}

void expect_positive(const char* option, const std::optional<double>& value) {
  if (value && !(*value > 0 && *value <= 1e9))
    throw usage_error(option, "a number above 0, at most 1e9", shortest(*value));
}

// The one class of --model and --trace, or the file's own.
void add_class(const PlanArguments& a, plan::Inventory& inventory) {
  if (inventory.classes.empty()) {
    if (a.model.empty())
      throw usage_error("--model", "a model, or [[class]] tables in the inventory", "none");
    const std::string trace = a.trace.empty() ? a.observed.string() : a.trace;
    if (trace.empty())
      throw usage_error("--trace", "a trace, or [[class]] tables in the inventory", "none");
    plan::RequestClass request_class =
        plan::class_of_trace(trace, a.model, a.trace.empty() ? "--observed" : "--trace");
    request_class.requests_per_s = a.requests_per_s.value_or(0);
    if (a.first_token_ms) request_class.limits.first_token_s = *a.first_token_ms * 1e-3;
    if (a.per_token_ms) request_class.limits.per_token_s = *a.per_token_ms * 1e-3;
    inventory.classes.push_back(request_class);
  } else if (!a.model.empty() || !a.trace.empty() || a.requests_per_s || a.first_token_ms ||
             a.per_token_ms) {
    throw usage_error("--model, --trace, --requests-per-s, --first-token-ms, --per-token-ms",
                      "none of them when the inventory has [[class]] tables", "some",
                      "put them into the tables");
  }
  const bool has_rates = inventory.classes[0].requests_per_s > 0;
  if (a.objective == "cost" && !has_rates && a.observed.empty()) {
    throw usage_error("--objective cost", "requests_per_s of every class", "none",
                      "give --requests-per-s");
  }
}

std::vector<plan::ModelChoice> models_of(const PlanArguments& a, const plan::Inventory& inventory,
                                         const perf::Catalogue& catalogue) {
  std::vector<perf::Quantisation> allowed;
  for (const std::string& name : a.quantisations) {
    allowed.push_back(perf::find_quantisation(name, "--quantisation"));
    if (std::count(a.quantisations.begin(), a.quantisations.end(), name) > 1)
      throw usage_error("--quantisation", "each once", in_quotes(name) + " twice");
  }
  std::vector<plan::ModelChoice> models;
  for (const plan::RequestClass& c : inventory.classes) {
    const bool is_known =
        std::any_of(models.begin(), models.end(), [&](const auto& m) { return m.name == c.model; });
    const std::string where =
        a.model.empty() ? a.inventory.string() + ": class " + c.name : "--model";
    if (!is_known) models.push_back({c.model, catalogue.model(c.model, where), allowed});
  }
  return models;
}

plan::PlanOptions plan_options_of(const PlanArguments& a) {
  plan::PlanOptions options{
      .objective = a.objective == "cost" ? plan::Objective::Cost : plan::Objective::Throughput,
      .across_machines = a.across_machines};
  for (const Path& file : a.measured)
    options.shapes.measured.push_back(
        std::make_shared<const perf::MeasuredModel>(perf::load_measured(file)));
  options.shapes.limits.max_context = a.max_context;
  options.shapes.limits.max_sequences = a.max_sequences;
  options.shapes.limits.kv_element_bytes = a.kv == "fp8" ? 1 : 2;
  return options;
}

// What runs now against the plan, and what the last minutes say of it.
void add_duties(const PlanArguments& a, const plan::ServingPlan& plan,
                const simulate::Trace& observed, Json& json, std::string& text) {
  const std::string name = a.current.string();
  const plan::DutyDiff diff = plan::diff_duties(plan, parse_json(read_file(a.current), name), name);
  json["duties"] = plan::duties_json(diff);
  text += plan::duties_table(diff);
  if (a.observed.empty()) {
    text += plan::scale_hint(diff);
    return;
  }
  const plan::DutyWindow window = plan::window_of(plan, diff, observed);
  json["duties"]["observed"] = plan::window_json(window);
  text += plan::window_table(window);
}

}  // namespace

int cmd_plan_serve(const Arguments& arguments) {
  CLI::App options("A deployment for unlike machines: instances, layouts, router weights",
                   "trex plan serve");
  options.footer(
      "The inventory: docs/formats.md; examples/inventory.toml is one. In short\n"
      "  [[machine]]\n  name = \"a\"\n  device = \"H100 SXM\"\n  count = 8");
  PlanArguments a;
  add_options(options, a);
  if (!parse_arguments(options, arguments)) return 0;
  expect_positive("--requests-per-s", a.requests_per_s);
  expect_positive("--first-token-ms", a.first_token_ms);
  expect_positive("--per-token-ms", a.per_token_ms);
  if (!a.observed.empty() && a.current.empty())
    throw usage_error("--observed", "--current beside it: the plan.json of what runs", "none");

  perf::Catalogue catalogue = perf::Catalogue::shipped();
  for (const Path& file : a.catalogue_files) catalogue.add_file(file);
  plan::Inventory inventory = plan::load_inventory(a.inventory, catalogue);
  add_class(a, inventory);
  simulate::Trace observed;
  if (!a.observed.empty()) {
    observed = simulate::load_trace(simulate::find_trace(a.observed.string(), "--observed"));
    inventory.classes =
        plan::observed_classes(std::move(inventory.classes), observed, a.observed.string());
  }
  const auto models = models_of(a, inventory, catalogue);
  plan::ServingPlan plan =
      plan::plan_serving(inventory, catalogue, models, plan_options_of(a), a.inventory.string());
  if (a.check) plan::decide_by_simulation(plan, a.check_options, *progress_on_stderr());
  Json json = plan::to_json(plan);
  std::string text = plan::table_of(plan, a.explain, columns_of_stdout());
  if (!a.current.empty()) add_duties(a, plan, observed, json, text);
  if (!a.out.empty()) {
    write_file(a.out / "plan.json", json.dump(2) + "\n");
    write_file(a.out / "gateway.toml", plan::gateway_config(plan));
    write_file(a.out / "plan.html", plan::page_of(plan));
  }
  fmt::print("{}", a.json ? json.dump(2) + "\n" : text);
  return 0;
}

}  // namespace trex::app
