// trex perf list: the devices and models that the other commands know by name.
#include <fmt/format.h>

#include "app/commands.h"
#include "perf/catalogue.h"
#include "perf/deployment.h"

namespace trex::app {
namespace {

std::string devices_text(const perf::Catalogue& catalogue) {
  std::string text = fmt::format("{:<22} {:>8} {:>8} {:>12} {:>8}  {}\n", "device", "GB", "GB/s",
                                 "bf16 TFLOP/s", "USD/h", "kernels");
  for (const perf::DeviceSpec& device : catalogue.devices()) {
    const auto bf16 = device.peak_flops(perf::Arithmetic::Bf16);
    text += fmt::format("{:<22} {:>8.0f} {:>8.0f} {:>12} {:>8}  {}\n", device.name,
                        device.memory_bytes.value * 1e-9, device.memory_bandwidth.value * 1e-9,
                        bf16 ? fmt::format("{:.0f}", *bf16 * 1e-12) : "-",
                        device.price ? fmt::format("{:.2f}", device.price->low_usd_h) : "-",
                        device.calibrated() ? "measured" : "UNCALIBRATED");
  }
  return text;
}

std::string models_text(const perf::Catalogue& catalogue) {
  std::string text =
      fmt::format("\n{:<24} {:>10} {:>10} {:>7}\n", "model", "parameters", "active", "layers");
  for (const perf::ModelSpec& model : catalogue.models()) {
    text += fmt::format("{:<24} {:>9.1f}e9 {:>8.1f}e9 {:>7}\n", model.name,
                        perf::count_parameters(model).total() * 1e-9,
                        perf::active_parameters(model) * 1e-9, model.num_layers);
  }
  return text;
}

}  // namespace

int cmd_perf_list(const Arguments& arguments) {
  CLI::App options("Devices and models of the catalogue", "trex perf list");
  std::vector<Path> catalogue_files;
  options.add_option("--catalogue", catalogue_files,
                     "Your own devices or models, JSON; repeatable");
  if (!parse_arguments(options, arguments)) return 0;
  perf::Catalogue catalogue = perf::Catalogue::shipped();
  for (const Path& file : catalogue_files) catalogue.add_file(file);
  fmt::print("{}{}", devices_text(catalogue), models_text(catalogue));
  return 0;
}

}  // namespace trex::app
