// search() for the plan itself: where the optimum is not proved at once it looks further around the linear relaxation,
// which what-if questions (losers, sensitivity) need not pay for.
#pragma once

#include "plan/search.h"

namespace trex::plan {

Selection search_thoroughly(const Problem& problem);

}  // namespace trex::plan
