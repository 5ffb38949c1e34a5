// The gurobipy program and the formulation in words, both printed from a family's description.
#pragma once

#include <string>
#include <vector>

#include "orgen/family.h"

namespace trex::orgen {

// Pipeline stage R: a program for the tier-1 surface of gurobipy. Data stand in dictionaries keyed
// by the names in the text, parameters in `parameter_order` (that of the text); every variable has
// explicit bounds, every row a name; it prints the optimum, or the status when there is none.
// `description` is the variant's own or a changed copy of it.
std::string program_text(const Description& description, const Instance& instance,
                         const std::vector<std::string>& parameter_order);

// The program's lines of data alone: "cost = {"Oats": 3, "Rice": 5}", one line a parameter.
std::string data_text(const Description& description, const Instance& instance,
                      const std::vector<std::string>& parameters);

// Sets, parameters with units, variables, objective and constraints with their meaning.
std::string formulation_text(const Description& description, const Instance& instance);

}  // namespace trex::orgen
