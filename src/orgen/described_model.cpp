#include "orgen/described_model.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/check.h"
#include "base/text.h"
#include "orgen/expression.h"

namespace trex::orgen {
namespace {

using solve::kInfinity;

// A number plus a sum of columns.
struct Linear {
  double constant = 0;
  std::map<int64_t, double> terms;

  void add(const Linear& other, double factor) {
    constant += factor * other.constant;
    for (const auto& [column, value] : other.terms) terms[column] += factor * value;
  }
};

// Bound letters and the positions (0, 1, ...) they stand for.
using Bindings = std::map<std::string, int64_t, std::less<>>;

class Evaluator {
 public:
  Evaluator(const Description& description, const Instance& instance)
      : description_(description), instance_(instance) {}

  solve::Model model() {
    solve::Model model;
    model.name = instance_.family->name;
    model.sense = description_.sense;
    for (const VariableDecl& variable : description_.variables) add_columns(model, variable);
    const Linear objective = value_of(parse_expression(description_.objective), {});
    model.offset = objective.constant;
    for (const auto& [column, value] : objective.terms) {
      model.columns[static_cast<size_t>(column)].objective = value;
    }
    for (const RowDecl& row : description_.rows) add_rows(model, row);
    return model;
  }

 private:
  void add_columns(solve::Model& model, const VariableDecl& variable) {
    std::vector<Binder> binders;
    for (const std::string& set : variable.sets) binders.push_back({fmt::format("#{}", set), set});
    first_column_[variable.name] = static_cast<int64_t>(model.columns.size());
    for_each(binders, {}, [&](const Bindings& bound) {
      const bool is_binary = variable.domain == solve::Domain::Binary;
      double upper = is_binary ? 1 : kInfinity;
      if (!variable.upper.empty()) {
        const auto& limits = instance_.values.at(variable.upper);
        upper =
            limits.size() == 1
                ? limits[0]
                : limits[model.columns.size() - static_cast<size_t>(first_column_[variable.name])];
      }
      model.add_column({.name = name_of(variable.name, binders, bound),
                        .domain = variable.domain,
                        .lower = 0,
                        .upper = upper});
    });
  }

  void add_rows(solve::Model& model, const RowDecl& row) {
    const auto binders = parse_binders(row.binders);
    const Expression left = parse_expression(row.left);
    const Expression right = parse_expression(row.right);
    for_each(binders, {}, [&](const Bindings& bound) {
      Linear sum = value_of(left, bound);
      sum.add(value_of(right, bound), -1);
      std::vector<solve::Term> terms;
      for (const auto& [column, value] : sum.terms) terms.push_back({column, value});
      const double side = -sum.constant;
      model.add_row(name_of(row.name, binders, bound), terms,
                    row.relation == "<=" ? -kInfinity : side,
                    row.relation == ">=" ? kInfinity : side);
    });
  }

  // Calls `body` for every combination of members, the last binder running fastest.
  void for_each(const std::vector<Binder>& binders, const Bindings& outer,
                const std::function<void(const Bindings&)>& body, size_t depth = 0) const {
    if (depth == binders.size()) return body(outer);
    const Binder& binder = binders[depth];
    Bindings bound = outer;
    const auto size = static_cast<int64_t>(instance_.size(binder.set));
    for (int64_t i = binder.skips_first ? 1 : 0; i < size; ++i) {
      bound[binder.letter] = i;
      for_each(binders, bound, body, depth + 1);
    }
  }

  std::string name_of(const std::string& name, const std::vector<Binder>& binders,
                      const Bindings& bound) const {
    std::vector<std::string> members;
    for (const Binder& binder : binders) {
      members.push_back(
          instance_.sets.at(binder.set)[static_cast<size_t>(bound.at(binder.letter))]);
    }
    return members.empty() ? name : fmt::format("{}[{}]", name, joined(members, ","));
  }

  // Row-major position of a reference in the product of its sets.
  int64_t position_of(const Expression& reference, const std::vector<std::string>& sets,
                      const Bindings& bound) const {
    TREX_CHECK(reference.indices.size() == sets.size(), "{}: {} indices for {} sets",
               reference.name, reference.indices.size(), sets.size());
    int64_t position = 0;
    for (size_t i = 0; i < sets.size(); ++i) {
      const Index& index = reference.indices[i];
      const auto size = static_cast<int64_t>(instance_.size(sets[i]));
      const int64_t member =
          (index.is_fixed ? *parse_integer(index.letter) - 1 : bound.find(index.letter)->second) -
          index.offset;
      TREX_CHECK(member >= 0 && member < size, "{}: index {} leaves {}", reference.name,
                 index.letter, sets[i]);
      position = position * size + member;
    }
    return position;
  }

  Linear reference_value(const Expression& e, const Bindings& bound) const {
    if (const VariableDecl* variable = description_.find_variable(e.name)) {
      const int64_t column = first_column_.at(e.name) + position_of(e, variable->sets, bound);
      return Linear{.terms = {{column, 1.0}}};
    }
    const ParameterDecl* parameter = description_.find_parameter(e.name);
    TREX_CHECK(parameter != nullptr, "\"{}\" is not declared", e.name);
    const int64_t position = position_of(e, parameter->sets, bound);
    return Linear{.constant = instance_.values.at(e.name)[static_cast<size_t>(position)]};
  }

  Linear value_of(const Expression& e, const Bindings& bound) const {
    switch (e.kind) {
      case Expression::Kind::Number:
        return Linear{.constant = e.number};
      case Expression::Kind::Reference:
        return reference_value(e, bound);
      case Expression::Kind::Sum: {
        Linear total;
        for_each(e.binders, bound,
                 [&](const Bindings& inner) { total.add(value_of(e.operands[0], inner), 1); });
        return total;
      }
      case Expression::Kind::Add:
      case Expression::Kind::Subtract: {
        Linear total = value_of(e.operands[0], bound);
        total.add(value_of(e.operands[1], bound), e.kind == Expression::Kind::Add ? 1 : -1);
        return total;
      }
      case Expression::Kind::Multiply: {
        const Linear left = value_of(e.operands[0], bound);
        const Linear right = value_of(e.operands[1], bound);
        TREX_CHECK(left.terms.empty() || right.terms.empty(), "a product of two variables");
        Linear product;
        product.add(left.terms.empty() ? right : left,
                    left.terms.empty() ? left.constant : right.constant);
        return product;
      }
    }
    return {};
  }

  const Description& description_;
  const Instance& instance_;
  std::map<std::string, int64_t> first_column_;
};

}  // namespace

solve::Model described_model(const Description& description, const Instance& instance) {
  return Evaluator(description, instance).model();
}

}  // namespace trex::orgen
