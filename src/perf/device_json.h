// One entry of a devices file (docs/formats.md, "Devices").
#pragma once

#include "base/json.h"
#include "perf/device.h"

namespace trex::perf {

// `efficiency` and `all_reduce` are the tables that entries name. Throws Input.
DeviceSpec device_from_json(const JsonObject& entry, const Json& efficiency,
                            const Json& all_reduce);

}  // namespace trex::perf
