// What there is to deploy on, and what is to be served: the planner's input (heterogeneous serving,
// section 8.1). Read from a TOML file (docs/formats.md, "Inventory"):
//
//   [network]
//   gigabytes_per_s = 25            # between machines
//
//   [[machine]]
//   name = "rack-a"                 # copies > 1: rack-a-1, rack-a-2, ...
//   device = "H100 SXM"
//   count = 8
//   copies = 2
//   price_usd_h = 24.0              # of the whole machine; default: list price of its devices
//
//   [[class]]                       # optional; --trace and --model make one class without it
//   name = "chat"
//   model = "Llama-3.1-70B"
//   trace = "azure-conv-2023"       # or mean_input, mean_output
//   requests_per_s = 12.0
//   first_token_ms = 1000           # limits, optional
//   per_token_ms = 80
//   bulk = false
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "perf/catalogue.h"
#include "perf/workload.h"

namespace trex::plan {

struct Machine {
  std::string name;
  std::string device;  // its catalogue name
  int64_t num_devices = 0;
  double price_usd_h = 0;  // of all its devices
  bool has_price = true;   // stated, or a list price
};

struct Limits {
  std::optional<double> first_token_s;  // TTFT
  std::optional<double> per_token_s;    // TPOT
};

struct RequestClass {
  std::string name;
  std::string model;  // catalogue name or path
  perf::WorkloadMoments lengths;
  std::string trace;          // where the lengths come from; empty: stated as means
  double requests_per_s = 0;  // 0: not stated; only the ratio of classes counts then
  double arrival_cv2 = 1;
  bool is_bulk = false;  // no one waits for it: may fill an instance to 95 %
  Limits limits;
  int64_t longest_tokens = 0;  // prompt and output of the longest request
};

struct Network {
  double bytes_per_s = 12.5e9;
  double latency_s = 10e-6;
};

struct Inventory {
  std::vector<Machine> machines;
  std::vector<RequestClass> classes;
  Network network;
};

// Throws Input at file:line for an unknown device or key (with the nearest), a name used twice, a
// count that cannot be, a price below 0, lengths given twice or not at all, NaN anywhere.
Inventory load_inventory(const Path& file, const perf::Catalogue& catalogue);

// A class from a trace by name or path. The trace's rate and burstiness become the class's.
RequestClass class_of_trace(const std::string& trace, const std::string& model,
                            const std::string& where);

// Throws Input at `where` when classes contradict: some with a rate and some without, two of one
// name.
void validate(const Inventory& inventory, const std::string& where);

}  // namespace trex::plan
