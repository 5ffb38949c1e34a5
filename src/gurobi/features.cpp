#include "gurobi/features.h"

namespace trex::gurobi {

Features& features() {
  static Features the_features;
  return the_features;
}

}  // namespace trex::gurobi
