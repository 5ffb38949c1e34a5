// Attributes of variables and constraints by name, in any case, as Gurobi has them.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <unordered_map>

#include "base/text.h"
#include "gurobi/features.h"
#include "gurobi/operands.h"

namespace nb = nanobind;

namespace trex::gurobi {
namespace {

[[noreturn]] void raise_attribute_error(const std::string& message) {
  PyErr_SetString(PyExc_AttributeError, message.c_str());
  throw nb::python_error();
}

[[noreturn]] void unknown(const char* type, const std::string& name) {
  raise_attribute_error(fmt::format("'gurobipy.{}' object has no attribute '{}'", type, name));
}

// A value of the answer. Without one the attribute cannot be read, so that hasattr() says no.
nb::object from_answer(const std::vector<double>& values, int64_t index, const std::string& name) {
  const auto place = static_cast<size_t>(index);
  if (place >= values.size())
    raise_attribute_error(fmt::format("Unable to retrieve attribute '{}'", name));
  return nb::cast(values[place]);
}

double expect_number(nb::handle value, const std::string& name) {
  const auto number = number_of(value);
  if (!number) throw Mistake{10003, fmt::format("Invalid value for attribute '{}'", name)};
  return *number;
}

using VariableGetter = std::function<nb::object(const Var&, const std::string&)>;

const std::unordered_map<std::string, VariableGetter>& variable_getters() {
  static const std::unordered_map<std::string, VariableGetter> kGetters = {
      {"varname", [](const Var& v, const std::string&) { return nb::cast(v.data().name); }},
      {"lb", [](const Var& v, const std::string&) { return nb::cast(v.data().lower); }},
      {"ub", [](const Var& v, const std::string&) { return nb::cast(v.data().upper); }},
      {"obj", [](const Var& v, const std::string&) { return nb::cast(v.data().objective); }},
      {"vtype",
       [](const Var& v, const std::string&) { return nb::cast(std::string(1, v.data().type)); }},
      {"x", [](const Var& v,
               const std::string& n) { return from_answer(v.core->answer.values, v.index, n); }},
      {"xn", [](const Var& v,
                const std::string& n) { return from_answer(v.core->answer.values, v.index, n); }},
      {"rc",
       [](const Var& v, const std::string& n) {
         return from_answer(v.core->answer.reduced_costs, v.index, n);
       }},
      {"unbdray", [](const Var& v,
                     const std::string& n) { return from_answer(v.core->answer.ray, v.index, n); }},
  };
  return kGetters;
}

nb::object slack(const Constr& c, const std::string& name) {
  const nb::object activity = from_answer(c.core->answer.activities, c.index, name);
  return nb::cast(c.data().right - nb::cast<double>(activity));
}

using ConstraintGetter = std::function<nb::object(const Constr&, const std::string&)>;

const std::unordered_map<std::string, ConstraintGetter>& constraint_getters() {
  static const std::unordered_map<std::string, ConstraintGetter> kGetters = {
      {"constrname", [](const Constr& c, const std::string&) { return nb::cast(c.data().name); }},
      {"rhs", [](const Constr& c, const std::string&) { return nb::cast(c.data().right); }},
      {"sense", [](const Constr& c,
                   const std::string&) { return nb::cast(std::string(1, c.data().sense)); }},
      {"pi",
       [](const Constr& c, const std::string& n) {
         return from_answer(c.core->answer.row_duals, c.index, n);
       }},
      {"farkasdual",
       [](const Constr& c, const std::string& n) {
         return from_answer(c.core->answer.farkas, c.index, n);
       }},
      {"slack", slack},
  };
  return kGetters;
}

}  // namespace

nb::object variable_attribute(const Var& var, const std::string& name) {
  const auto getter = variable_getters().find(lower_case(name));
  if (getter == variable_getters().end()) unknown("Var", name);
  features().use("Var." + name);
  return getter->second(var, name);
}

void set_variable_attribute(const Var& var, const std::string& name, nb::handle value) {
  const std::string key = lower_case(name);
  Variable& variable = var.data();
  features().use("Var." + name);
  // Starts and hints steer the search of a solver that proves its answer; they cannot change it.
  if (key == "start" || key == "pstart" || key == "varhintval" || key == "varhintpri" ||
      key == "branchpriority")
    return;
  if (key == "lb") {
    variable.lower = expect_number(value, name);
  } else if (key == "ub") {
    variable.upper = expect_number(value, name);
  } else if (key == "obj") {
    variable.objective = expect_number(value, name);
  } else if (key == "vtype") {
    const auto type = nb::cast<std::string>(value);
    var.core->set_type(var.index, type.size() == 1 ? type[0] : '?');
  } else if (key == "varname") {
    variable.name = nb::cast<std::string>(value);
  } else {
    unknown("Var", name);
  }
  var.core->changed = true;
}

nb::object constraint_attribute(const Constr& constr, const std::string& name) {
  const auto getter = constraint_getters().find(lower_case(name));
  if (getter == constraint_getters().end()) unknown("Constr", name);
  features().use("Constr." + name);
  return getter->second(constr, name);
}

void set_constraint_attribute(const Constr& constr, const std::string& name, nb::handle value) {
  const std::string key = lower_case(name);
  Constraint& constraint = constr.data();
  features().use("Constr." + name);
  if (key == "lazy") return;  // says when a solver looks at a row, not what it means
  if (key == "rhs") {
    constraint.right = expect_number(value, name);
  } else if (key == "sense") {
    const auto sense = nb::cast<std::string>(value);
    if (sense.empty() || std::string("<>=").find(sense[0]) == std::string::npos) {
      throw Mistake{10003, fmt::format("Invalid sense '{}'", sense)};
    }
    constraint.sense = sense[0];
  } else if (key == "constrname") {
    constraint.name = nb::cast<std::string>(value);
  } else {
    unknown("Constr", name);
  }
  constr.core->changed = true;
}

}  // namespace trex::gurobi
