// The optimisation model that a description and an instance's data define, made by evaluating the
// index expressions: what the printed program builds when it runs. Independent of formulate().
#pragma once

#include "orgen/family.h"
#include "solve/model.h"

namespace trex::orgen {

// Pipeline stage R, as a model. `description` is the variant's own or a changed copy of it.
// Columns are named "buy[Oats]", rows "need[Protein]" or, when single, "capacity".
solve::Model described_model(const Description& description, const Instance& instance);

}  // namespace trex::orgen
