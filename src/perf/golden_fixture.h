// The deployments of the golden values (heterogeneous serving, section 5.8), for tests.
#pragma once

#include <cstdint>
#include <string>

#include "perf/catalogue.h"
#include "perf/operator_model.h"

namespace trex::perf {

// A catalogue model in bf16 on tp catalogue devices, one stage, with the limits of section 5.8.
struct GoldenDeployment {
  GoldenDeployment(const std::string& model_name, const std::string& device_name, int64_t tp)
      : catalogue(Catalogue::shipped()),
        model(catalogue.model(model_name, "test")),
        device(catalogue.device(device_name, "test")),
        layout{.tp = tp},
        time(model, device, bf16(), layout, limits, whole_model(model)),
        budget(memory_budget(model, device, bf16(), layout, limits, whole_model(model))) {}

  static const Quantisation& bf16() { return find_quantisation("bf16", "test"); }

  Catalogue catalogue;
  ModelSpec model;
  DeviceSpec device;
  Layout layout;
  EngineLimits limits;
  OperatorModel time;
  MemoryBudget budget;
};

}  // namespace trex::perf
