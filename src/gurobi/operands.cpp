#include "gurobi/operands.h"

#include <fmt/format.h>
#include <nanobind/operators.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "gurobi/features.h"

namespace nb = nanobind;

namespace trex::gurobi {
namespace {

const Var* as_var(nb::handle object) {
  static const nb::handle type = nb::type<Var>();
  return object.type().is(type) ? nb::inst_ptr<Var>(object) : nullptr;
}

const Linear* as_linear(nb::handle object) {
  static const nb::handle type = nb::type<Linear>();
  return object.type().is(type) ? nb::inst_ptr<Linear>(object) : nullptr;
}

const Quadratic* as_quadratic(nb::handle object) {
  static const nb::handle type = nb::type<Quadratic>();
  return object.type().is(type) ? nb::inst_ptr<Quadratic>(object) : nullptr;
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

std::optional<Linear> linear_of(nb::handle object) {
  Linear linear;
  if (!add_linear(linear, object, 1)) return {};
  return linear;
}

// a + factor * b
nb::object sum(nb::handle a, nb::handle b, double factor) {
  if (!as_quadratic(a) && !as_quadratic(b)) {
    Linear result;
    if (add_linear(result, a, 1) && add_linear(result, b, factor))
      return nb::cast(std::move(result));
    return not_implemented();
  }
  auto left = quadratic_of(a);
  const auto right = quadratic_of(b);
  if (!left || !right) return not_implemented();
  add_scaled(*left, *right, factor);
  return nb::cast(std::move(*left));
}

nb::object scaled(nb::handle object, double factor) {
  if (as_quadratic(object) == nullptr) {
    Linear result;
    add_linear(result, object, factor);
    return nb::cast(std::move(result));
  }
  Quadratic result;
  add_scaled(result, *as_quadratic(object), factor);
  return nb::cast(std::move(result));
}

nb::object times(nb::handle a, nb::handle b) {
  if (const auto factor = number_of(b)) return scaled(a, *factor);
  if (const auto factor = number_of(a)) return scaled(b, *factor);
  const auto left = linear_of(a), right = linear_of(b);
  if (left && right) {
    features().use_always("product of expressions");
    return nb::cast(product(*left, *right));
  }
  if (!quadratic_of(a) || !quadratic_of(b)) return not_implemented();
  throw Mistake{10024, "The product of three variables is not supported"};
}

nb::object divided(nb::handle a, nb::handle b) {
  const auto divisor = number_of(b);
  if (!divisor && (quadratic_of(b)))
    throw Mistake{10024, "Division by a variable is not supported"};
  if (!divisor) return not_implemented();
  if (*divisor == 0) {
    PyErr_SetString(PyExc_ZeroDivisionError, "division by zero");
    throw nb::python_error();
  }
  return scaled(a, 1 / *divisor);
}

nb::object power(nb::handle base, nb::handle exponent, nb::handle) {
  const auto number = number_of(exponent);
  if (!number) return not_implemented();
  if (*number == 1) return scaled(base, 1);
  const auto linear = linear_of(base);
  if (*number == 2 && linear) {
    features().use_always("product of expressions");
    return nb::cast(product(*linear, *linear));
  }
  throw Mistake{10024, fmt::format("The power {} of an expression is not supported", *number)};
}

// In place: two names may share the expression.
nb::object add_in_place(nb::handle target, nb::handle object, double factor) {
  if (const Quadratic* quadratic = as_quadratic(target)) {
    const auto other = quadratic_of(object);
    if (!other) return not_implemented();
    add_scaled(*const_cast<Quadratic*>(quadratic), *other, factor);
    return nb::borrow(target);
  }
  if (as_quadratic(object)) return sum(target, object, factor);
  if (!add_linear(*const_cast<Linear*>(as_linear(target)), object, factor))
    return not_implemented();
  return nb::borrow(target);
}

nb::object compared(nb::handle a, nb::handle b, char sense) {
  if (sense == '=' && (nb::isinstance<nb::list>(b) || nb::isinstance<nb::tuple>(b)) &&
      nb::len(b) == 2) {
    const auto low = number_of(b[0]), high = number_of(b[1]);
    auto expression = quadratic_of(a);
    if (!low || !high || !expression) return not_implemented();
    features().use_always("expression == [low, high]");
    return nb::cast(Comparison{std::move(*expression), 'r', *low, *high});
  }
  auto left = quadratic_of(a);
  const auto right = quadratic_of(b);
  if (!left || !right) return not_implemented();
  add_scaled(*left, *right, -1);
  return nb::cast(Comparison{.difference = std::move(*left), .sense = sense});
}

// The same operators for all three classes. Without < and > Python itself refuses them.
template <class Type>
void bind_operators(nb::class_<Type>& type) {
  const auto def = [&](const char* name, auto function) {
    type.def(name, function, nb::arg().none());
  };
  def("__add__", [](nb::handle a, nb::handle b) { return sum(a, b, 1); });
  def("__radd__", [](nb::handle a, nb::handle b) { return sum(b, a, 1); });
  def("__sub__", [](nb::handle a, nb::handle b) { return sum(a, b, -1); });
  def("__rsub__", [](nb::handle a, nb::handle b) { return sum(b, a, -1); });
  def("__mul__", [](nb::handle a, nb::handle b) { return times(a, b); });
  def("__rmul__", [](nb::handle a, nb::handle b) { return times(b, a); });
  def("__truediv__", [](nb::handle a, nb::handle b) { return divided(a, b); });
  def("__rtruediv__", [](nb::handle a, nb::handle b) { return divided(b, a); });
  def("__le__", [](nb::handle a, nb::handle b) { return compared(a, b, '<'); });
  def("__ge__", [](nb::handle a, nb::handle b) { return compared(a, b, '>'); });
  def("__eq__", [](nb::handle a, nb::handle b) { return compared(a, b, '='); });
  type.def("__pow__", &power, nb::arg().none(), nb::arg("modulus").none() = nb::none());
  type.def("__neg__", [](nb::handle a) { return scaled(a, -1); });
  type.def("__pos__", [](nb::handle a) { return scaled(a, 1); });
  type.def("__hash__", [](nb::handle a) {
    return static_cast<Py_hash_t>(reinterpret_cast<intptr_t>(a.ptr()) >> 4);
  });
  // numpy's scalars then leave the operation to us, instead of making arrays of objects.
  type.attr("__array_ufunc__") = nb::none();
}

template <class Type>
void bind_in_place(nb::class_<Type>& type) {
  type.def(
      "__iadd__", [](nb::handle a, nb::handle b) { return add_in_place(a, b, 1); },
      nb::arg().none());
  type.def(
      "__isub__", [](nb::handle a, nb::handle b) { return add_in_place(a, b, -1); },
      nb::arg().none());
  type.def(
      "__imul__", [](nb::handle a, nb::handle b) { return times(a, b); }, nb::arg().none());
  type.def(
      "__itruediv__", [](nb::handle a, nb::handle b) { return divided(a, b); }, nb::arg().none());
  type.def("__repr__", [](const Type& e) {
    return fmt::format("<gurobi.{}: {}>", std::is_same_v<Type, Linear> ? "LinExpr" : "QuadExpr",
                       text_of(e));
  });
  type.def("__str__", [](const Type& e) { return text_of(e); });
}

double value_of(const Linear& linear) {
  double value = linear.constant;
  for (const solve::Term& term : linear.terms) {
    const auto& values = linear.core->answer.values;
    const auto place = static_cast<size_t>(term.column);
    if (place >= values.size()) throw Mistake{10005, "Unable to retrieve attribute 'X'"};
    value += term.coefficient * values[place];
  }
  return value;
}

double value_of(const Quadratic& quadratic) {
  double value = value_of(quadratic.linear);
  for (const Product& term : quadratic.products) {
    const auto& values = quadratic.linear.core->answer.values;
    const auto a = static_cast<size_t>(term.a), b = static_cast<size_t>(term.b);
    if (std::max(a, b) >= values.size()) throw Mistake{10005, "Unable to retrieve attribute 'X'"};
    value += term.coefficient * values[a] * values[b];
  }
  return value;
}

// LinExpr(), LinExpr(3), LinExpr(x), LinExpr([2, 3], [x, y]), LinExpr([(2, x), (3, y)]).
void make_linear(Linear* self, nb::handle first, nb::handle variables) {
  features().use("LinExpr");
  new (self) Linear();
  if (first.is_none() || add_linear(*self, first, 1)) return;
  const auto add_term = [&](nb::handle coefficient, nb::handle variable) {
    const auto factor = number_of(coefficient);
    if (!factor || !as_var(variable) || !add_linear(*self, variable, *factor)) {
      throw Mistake{10003, "Invalid arguments to LinExpr constructor"};
    }
  };
  if (!nb::isinstance<nb::list>(first) && !nb::isinstance<nb::tuple>(first)) {
    throw Mistake{10003, "Unable to convert argument to an expression"};
  }
  if (variables.is_none()) {
    for (const nb::handle pair : first) add_term(pair[0], pair[1]);
    return;
  }
  size_t i = 0;
  for (const nb::handle coefficient : first) add_term(coefficient, variables[i++]);
}

void add_terms(Linear& self, nb::handle coefficients, nb::handle variables) {
  const auto single = number_of(coefficients);
  if (as_var(variables)) {
    if (!single || !add_linear(self, variables, *single))
      throw Mistake{10003, "Invalid arguments to addTerms"};
    return;
  }
  size_t i = 0;
  for (const nb::handle variable : variables) {
    const auto factor = single ? single : number_of(coefficients[i++]);
    if (!factor || !as_var(variable) || !add_linear(self, variable, *factor)) {
      throw Mistake{10003, "Invalid arguments to addTerms"};
    }
  }
}

// Adds in place, so that a long sum takes linear time.
nb::object quicksum(nb::iterable items) {
  features().use("quicksum");
  Linear linear;
  std::optional<Quadratic> quadratic;
  for (const nb::handle item : items) {
    if (!quadratic && add_linear(linear, item, 1)) continue;
    if (!quadratic) quadratic = Quadratic{.linear = std::move(linear), .products = {}};
    const auto other = quadratic_of(item);
    if (!other) {
      PyErr_Format(PyExc_TypeError,
                   "unsupported operand type(s) for +=: 'gurobipy.LinExpr' and '%s'",
                   Py_TYPE(item.ptr())->tp_name);
      throw nb::python_error();
    }
    add_scaled(*quadratic, *other, 1);
  }
  return quadratic ? nb::cast(std::move(*quadratic)) : nb::cast(std::move(linear));
}

}  // namespace

std::optional<double> number_of(nb::handle object) {
  PyObject* raw = object.ptr();
  if (PyFloat_Check(raw)) return PyFloat_AS_DOUBLE(raw);
  const PyNumberMethods* methods = Py_TYPE(raw)->tp_as_number;
  if (methods == nullptr || (methods->nb_float == nullptr && methods->nb_index == nullptr))
    return {};
  const double value = PyFloat_AsDouble(raw);
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();  // an array of more than one number, or too large an integer
  return {};
}

bool add_linear(Linear& target, nb::handle object, double factor) {
  if (const Var* var = as_var(object)) {
    if (!target.core) target.core = var->core;
    if (target.core != var->core) throw Mistake{20001, "Variable not in model"};
    target.terms.push_back({var->index, factor});
    return true;
  }
  if (const Linear* linear = as_linear(object)) {
    add_scaled(target, *linear, factor);
    return true;
  }
  const auto number = number_of(object);
  if (number) target.constant += factor * *number;
  return number.has_value();
}

std::optional<Quadratic> quadratic_of(nb::handle object) {
  if (const Quadratic* quadratic = as_quadratic(object)) return *quadratic;
  Quadratic quadratic;
  if (!add_linear(quadratic.linear, object, 1)) return {};
  return quadratic;
}

void bind_expressions(nb::module_& module) {
  nb::class_<Var> var(module, "Var");
  bind_operators(var);
  var.def("__repr__", [](const Var& v) { return fmt::format("<gurobi.Var {}>", v.data().name); });
  var.def("getAttr", &variable_attribute)
      .def("setAttr", &set_variable_attribute, nb::arg(), nb::arg().none());
  var.def("__getattr__", &variable_attribute);
  var.def("__setattr__", &set_variable_attribute, nb::arg(), nb::arg().none());
  var.def("sameAs",
          [](const Var& a, const Var& b) { return a.core == b.core && a.index == b.index; });
  var.def_prop_ro("index", [](const Var& v) { return v.index; });

  nb::class_<Constr> constr(module, "Constr");
  constr.def("__repr__",
             [](const Constr& c) { return fmt::format("<gurobi.Constr {}>", c.data().name); });
  constr.def("getAttr", &constraint_attribute)
      .def("setAttr", &set_constraint_attribute, nb::arg(), nb::arg().none());
  constr.def("__getattr__", &constraint_attribute);
  constr.def("__setattr__", &set_constraint_attribute, nb::arg(), nb::arg().none());
  constr.def("sameAs", [](const Constr& a, const Constr& b) {
    return a.core == b.core && a.index == b.index;
  });
  constr.def_prop_ro("index", [](const Constr& c) { return c.index; });

  nb::class_<Linear> linear(module, "LinExpr");
  linear.def("__init__", &make_linear, nb::arg("first").none() = nb::none(),
             nb::arg("variables").none() = nb::none());
  bind_operators(linear);
  bind_in_place(linear);
  linear.def(
      "add",
      [](nb::handle self, nb::handle other, double factor) { add_in_place(self, other, factor); },
      nb::arg(), nb::arg("mult") = 1.0);
  linear.def("addConstant", [](Linear& self, double constant) { self.constant += constant; });
  linear.def("addTerms", &add_terms);
  linear.def("clear", [](Linear& self) { self = {}; });
  linear.def("copy", [](const Linear& self) { return self; });
  linear.def("getConstant", [](const Linear& self) { return self.constant; });
  linear.def("getValue", [](const Linear& self) { return value_of(self); });
  linear.def("size", [](const Linear& self) { return self.terms.size(); });
  linear.def("getVar", [](const Linear& self, size_t i) {
    return Var{self.core, self.terms.at(i).column};
  });
  linear.def("getCoeff", [](const Linear& self, size_t i) { return self.terms.at(i).coefficient; });

  nb::class_<Quadratic> quadratic(module, "QuadExpr");
  quadratic.def(
      "__init__",
      [](Quadratic* self, nb::handle first) {
        const auto value =
            first.is_none() ? std::optional<Quadratic>(Quadratic{}) : quadratic_of(first);
        if (!value) throw Mistake{10003, "Unable to convert argument to an expression"};
        features().use("QuadExpr");
        new (self) Quadratic(*value);
      },
      nb::arg("first").none() = nb::none());
  bind_operators(quadratic);
  bind_in_place(quadratic);
  quadratic.def(
      "add",
      [](nb::handle self, nb::handle other, double factor) { add_in_place(self, other, factor); },
      nb::arg(), nb::arg("mult") = 1.0);
  quadratic.def("addConstant",
                [](Quadratic& self, double constant) { self.linear.constant += constant; });
  quadratic.def("clear", [](Quadratic& self) { self = {}; });
  quadratic.def("copy", [](const Quadratic& self) { return self; });
  quadratic.def("getValue", [](const Quadratic& self) { return value_of(self); });
  quadratic.def("getLinExpr", [](const Quadratic& self) { return self.linear; });
  quadratic.def("size", [](const Quadratic& self) { return self.products.size(); });

  nb::class_<Comparison> comparison(module, "TempConstr");
  comparison.def("__bool__", [](const Comparison&) -> bool {
    throw Mistake{10003, "Constraint has no bool value (are you trying \"lb <= expr <= ub\"?)"};
  });
  comparison.def("__rshift__", [](const Comparison&, nb::handle) {
    throw Mistake{10024, "Indicator constraints (>>) are not supported"};
  });
  module.def("quicksum", &quicksum);
}

}  // namespace trex::gurobi
