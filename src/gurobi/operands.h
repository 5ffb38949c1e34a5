// What a Python object is to an expression: a number, a variable or an expression.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "gurobi/core.h"
#include "gurobi/expression.h"

namespace trex::gurobi {

// Handles as Python holds them.
struct Var {
  std::shared_ptr<Core> core;
  int64_t index;

  Variable& data() const { return core->variables[static_cast<size_t>(index)]; }
};

struct Constr {
  std::shared_ptr<Core> core;
  int64_t index;

  Constraint& data() const { return core->constraints[static_cast<size_t>(index)]; }
};

// A number as Python and numpy know it (bool, int64, float64 and their like); not text, not arrays.
std::optional<double> number_of(nanobind::handle object);

// Nothing when the object is no expression.
std::optional<Quadratic> quadratic_of(nanobind::handle object);

// Adds factor * object to `target` without an expression in between. False, with `target` as it
// was, when the object is neither number, variable nor linear expression.
bool add_linear(Linear& target, nanobind::handle object, double factor);

// The operators of Var, LinExpr and QuadExpr, and the classes themselves.
void bind_expressions(nanobind::module_& module);

// Attributes by name, in any case; throw AttributeError or GurobiError.
nanobind::object variable_attribute(const Var& var, const std::string& name);
void set_variable_attribute(const Var& var, const std::string& name, nanobind::handle value);
nanobind::object constraint_attribute(const Constr& constr, const std::string& name);
void set_constraint_attribute(const Constr& constr, const std::string& name,
                              nanobind::handle value);

}  // namespace trex::gurobi
