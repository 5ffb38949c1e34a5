// The compiled half of the package gurobipy: models, expressions, solving, files and reports.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "base/files.h"
#include "gurobi/core.h"
#include "gurobi/features.h"
#include "gurobi/operands.h"
#include "gurobi/report.h"
#include "solve/lp_writer.h"
#include "solve/mps.h"

namespace nb = nanobind;

namespace trex::gurobi {
namespace {

void raise_gurobi_error(int code, const std::string& message) {
  const nb::object type = nb::module_::import_("gurobipy._errors").attr("GurobiError");
  const nb::object error = type(code, message);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Mistake& mistake) {
      raise_gurobi_error(mistake.code, mistake.message);
    } catch (const Error& error) {
      raise_gurobi_error(error.kind() == ErrorKind::Input ? 10024 : 10016, error.what());
    }
  });
}

Quadratic expect_expression(nb::handle object) {
  auto expression = quadratic_of(object);
  if (!expression) throw Mistake{10003, "Unable to convert argument to an expression"};
  return std::move(*expression);
}

// addConstr: a comparison, or what is left of one between plain numbers.
Constr add_constraint(const std::shared_ptr<Core>& core, nb::handle constraint,
                      const std::string& name) {
  if (nb::isinstance<Comparison>(constraint)) {
    const auto& comparison = nb::cast<const Comparison&>(constraint);
    const auto& owner = comparison.difference.linear.core;
    if (owner && owner != core) throw Mistake{20001, "Variable not in model"};
    return {core, core->add_constraint(comparison, name)};
  }
  const bool is_numpy_bool =
      nb::cast<std::string>(nb::str(constraint.type().attr("__name__"))).substr(0, 4) == "bool";
  if (!is_numpy_bool) throw Mistake{10003, "Invalid value for Model.addConstr"};
  features().use_always("truth value as constraint");
  const int truth = PyObject_IsTrue(constraint.ptr());
  if (truth < 0) throw nb::python_error();
  return {core, core->add_truth(truth == 1, name)};
}

Constr add_range(const std::shared_ptr<Core>& core, nb::handle expression, double lower,
                 double upper, const std::string& name) {
  return {core, core->add_constraint({expect_expression(expression), 'r', lower, upper}, name)};
}

void optimize(Core& core, double seconds, double gap) {
  {
    const nb::gil_scoped_release others_may_run;
    core.optimize({.seconds = seconds, .relative_gap = gap});
  }
  report_optimize(core);
}

void bind_features(nb::module_& module) {
  module.def("use_feature", [](const std::string& name) { features().use(name); });
  module.def("use_feature_always", [](const std::string& name) { features().use_always(name); });
  module.def("begin_feature", [](const std::string& name) { features().begin(name); });
  module.def("end_feature", [] { features().end(); });
  module.def("pause_features", [] { return features().pause(); });
  module.def("resume_features", [](int depth) { features().resume(depth); });
}

void bind_core(nb::module_& module) {
  nb::class_<Core> core(module, "Core");
  core.def(nb::init<>());
  core.def("copy", [](const Core& self) { return std::make_shared<Core>(self); });
  core.def_rw("name", &Core::name);
  core.def_rw("objective_constant", &Core::objective_constant);
  core.def_prop_rw(
      "maximize", [](const Core& c) { return c.sense == solve::Sense::Maximize; },
      [](Core& c, bool yes) {
        c.sense = yes ? solve::Sense::Maximize : solve::Sense::Minimize;
        c.changed = true;
      });
  core.def("add_variable", [](const std::shared_ptr<Core>& self, double lower, double upper,
                              double objective, const std::string& type, const std::string& name) {
    return Var{self, self->add_variable({.name = name,
                                         .lower = lower,
                                         .upper = upper,
                                         .objective = objective,
                                         .type = type.size() == 1 ? type[0] : '?'})};
  });
  core.def("add_constraint", &add_constraint);
  core.def("add_range", &add_range);
  core.def("set_objective", [](const std::shared_ptr<Core>& self, nb::handle object) {
    const Quadratic expression = expect_expression(object);
    if (expression.linear.core && expression.linear.core != self)
      throw Mistake{20001, "Variable not in model"};
    self->set_objective(expression);
  });
  core.def("objective", [](const std::shared_ptr<Core>& self) -> nb::object {
    Linear linear{.core = self, .terms = {}, .constant = self->objective_constant};
    for (size_t j = 0; j < self->variables.size(); ++j) {
      const Variable& variable = self->variables[j];
      if (variable.objective != 0 && !variable.removed)
        linear.terms.push_back({static_cast<int64_t>(j), variable.objective});
    }
    if (self->objective_products.empty()) return nb::cast(std::move(linear));
    return nb::cast(Quadratic{std::move(linear), self->objective_products});
  });
  core.def("row", [](const std::shared_ptr<Core>& self, const Constr& row) {
    return Linear{self, row.data().terms, 0};
  });
  core.def("set_coefficient", [](Core& self, const Constr& row, const Var& var, double value) {
    auto& terms = row.data().terms;
    std::erase_if(terms, [&](const solve::Term& term) { return term.column == var.index; });
    if (value != 0) terms.push_back({var.index, value});
    self.changed = true;
  });
  core.def("remove_variable",
           [](Core& self, const Var& var) { var.data().removed = self.changed = true; });
  core.def("remove_constraint",
           [](Core& self, const Constr& row) { row.data().removed = self.changed = true; });
  core.def("is_removed", [](const Core&, const Var& var) { return var.data().removed; });
  core.def("is_removed", [](const Core&, const Constr& row) { return row.data().removed; });
  core.def("variable", [](const std::shared_ptr<Core>& self, int64_t index) {
    return Var{self, index};
  });
  core.def("constraint", [](const std::shared_ptr<Core>& self, int64_t index) {
    return Constr{self, index};
  });
  core.def_prop_ro("num_all_variables", [](const Core& self) { return self.variables.size(); });
  core.def("update", &Core::update);
  core.def("optimize", &optimize);
  core.def("reset", [](Core& self) { self.answer = {}; });
  core.def_prop_ro("num_variables", &Core::num_variables);
  core.def_prop_ro("num_constraints", &Core::num_constraints);
  core.def_prop_ro("num_nonzeros", &Core::num_nonzeros);
  core.def_prop_ro("num_products", [](const Core& self) { return self.objective_products.size(); });
  core.def_prop_ro("status", [](const Core& self) { return static_cast<int>(self.answer.status); });
  core.def_prop_ro("value", [](const Core& self) { return self.answer.objective; });
  core.def_prop_ro("bound", [](const Core& self) { return self.answer.bound; });
  core.def_prop_ro("seconds", [](const Core& self) { return self.answer.seconds; });
  core.def_prop_ro("nodes", [](const Core& self) { return self.answer.nodes; });
  core.def("write_mps", [](const Core& self, const std::string& file) {
    write_file(file, solve::to_mps(self.problem()));
  });
  core.def("write_lp", [](const Core& self, const std::string& file) {
    write_file(file, solve::to_lp(self.problem()));
  });
}

}  // namespace

NB_MODULE(_core, module) {
  // Variables and their model keep each other alive until the process ends.
  nb::set_leak_warnings(false);
  translate_errors();
  bind_expressions(module);
  bind_core(module);
  bind_features(module);
  module.def("open_reports", &open_reports);
  module.def("report_end", &report_end, nb::arg("name").none(), nb::arg("model").none(),
             nb::arg("unsupported"));
}

}  // namespace trex::gurobi
