// How to start a planned instance on a real engine, and what the gateway has to know about it.
#pragma once

#include <string>
#include <vector>

#include "plan/serving_plan.h"

namespace trex::plan {

struct LaunchLine {
  std::string engine;   // "vllm", "sglang", "llamacpp", "trex"
  std::string command;  // empty if that engine cannot run it
  std::string reason;   // why not
};

// 8000 and up on each machine. `instance` is one of plan.instances itself.
int64_t port_of(const ServingPlan& plan, const PlannedInstance& instance);

// One line an engine.
std::vector<LaunchLine> launch_lines(const ServingPlan& plan, const PlannedInstance& instance);

// What the gateway calls the first engine that can run it; "openai" when none of ours can.
std::string engine_of(const ServingPlan& plan, const PlannedInstance& instance);

// gateway.toml: an [[instances]] table each, with capability and limits, and the classes'
// priorities.
std::string gateway_config(const ServingPlan& plan);

}  // namespace trex::plan
