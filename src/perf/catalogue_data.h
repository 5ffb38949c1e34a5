// The text of data/devices/devices.json and data/models/models.json, put into the program by the
// build, so that it runs without its sources.
#pragma once

#include <string_view>

namespace trex::perf {

extern const std::string_view kShippedDevices;
extern const std::string_view kShippedModels;

}  // namespace trex::perf
