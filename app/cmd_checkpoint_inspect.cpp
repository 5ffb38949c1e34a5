// trex checkpoint inspect: the tensors of a checkpoint folder, and what the model behind them is.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "base/json.h"
#include "base/text.h"
#include "checkpoint/weights.h"
#include "model/config.h"
#include "model/parameter_counts.h"

namespace trex::app {
namespace {

Json tensors_json(const std::vector<checkpoint::TensorSpec>& specs) {
  Json tensors = Json::array();
  for (const auto& spec : specs) {
    tensors.push_back({{"name", spec.name}, {"type", spec.text()}, {"bytes", spec.num_bytes()}});
  }
  return tensors;
}

void print_table(const Json& report) {
  size_t width = 0;
  for (const Json& tensor : report["tensors"])
    width = std::max(width, tensor["name"].get<std::string>().size());
  for (const Json& tensor : report["tensors"]) {
    fmt::print("{:<{}}  {}\n", tensor["name"].get<std::string>(), width,
               tensor["type"].get<std::string>());
  }
  fmt::print("\n{} tensors, {}\n", report["tensors"].size(),
             readable_bytes(report["bytes"].get<double>()));
  if (!report.contains("parameters")) return;
  const Json& count = report["parameters"];
  fmt::print("parameters   {} ({} in the MTP block)\n", count["total"].get<int64_t>(),
             count["mtp"].get<int64_t>());
  fmt::print("activated    {} a token, without the MTP block\n", count["activated"].get<int64_t>());
  fmt::print("\n{}\n", report["config"].dump(2));
}

}  // namespace

int cmd_checkpoint_inspect(const Arguments& arguments) {
  CLI::App options("The tensors of a checkpoint folder, and what the model behind them is",
                   "trex checkpoint inspect");
  Path folder;
  bool as_json = false;
  options.add_option("folder", folder, "Folder with model.safetensors or its shards")->required();
  options.add_flag("--json", as_json, "One JSON object instead of a table");
  if (!parse_arguments(options, arguments)) return 0;

  const auto specs = checkpoint::WeightFolder::open(folder).specs();
  Json report = {{"tensors", tensors_json(specs)}};
  int64_t bytes = 0;
  for (const auto& spec : specs) bytes += spec.num_bytes();
  report["bytes"] = bytes;
  if (std::filesystem::exists(folder / "config.json")) {
    const auto config = model::read_config(folder / "config.json");
    const auto count = model::count_parameters(config);
    report["parameters"] = {
        {"total", count.total}, {"mtp", count.mtp}, {"activated", count.activated}};
    report["config"] = model::to_json(config);
  }
  if (as_json) {
    fmt::print("{}\n", to_line(report));
  } else {
    print_table(report);
  }
  return 0;
}

}  // namespace trex::app
