// The commands, one cmd_<verb>.cpp each. They take what stands behind the verb on the command line,
// return the exit code and throw trex::Error.
#pragma once

#include "app/command.h"

namespace trex::app {


}  // namespace trex::app
