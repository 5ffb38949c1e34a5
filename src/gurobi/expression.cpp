#include "gurobi/expression.h"

#include <fmt/format.h>

#include <unordered_map>

#include "gurobi/core.h"

namespace trex::gurobi {
namespace {

void join_models(Linear& target, const Linear& other) {
  if (!target.core) target.core = other.core;
  if (other.core && other.core != target.core) throw Mistake{20001, "Variable not in model"};
}

// Python's text of a float: 2.0, 0.5, 1e-05.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

void append(std::string& text, double coefficient, const std::string& what) {
  if (!text.empty()) text += " + ";
  if (coefficient != 1) text += number_text(coefficient) + " ";
  text += what;
}

}  // namespace

void add_scaled(Linear& target, const Linear& other, double factor) {
  join_models(target, other);
  const size_t num_terms = other.terms.size();  // the two may be the same
  for (size_t i = 0; i < num_terms; ++i) {
    const solve::Term term = other.terms[i];
    target.terms.push_back({term.column, factor * term.coefficient});
  }
  target.constant += factor * other.constant;
}

void add_scaled(Quadratic& target, const Quadratic& other, double factor) {
  const size_t num_products = other.products.size();
  add_scaled(target.linear, other.linear, factor);
  for (size_t i = 0; i < num_products; ++i) {
    const Product term = other.products[i];
    target.products.push_back({term.a, term.b, factor * term.coefficient});
  }
}

Quadratic product(const Linear& a, const Linear& b) {
  Quadratic result;
  join_models(result.linear, a);
  join_models(result.linear, b);
  for (const solve::Term& left : a.terms) {
    for (const solve::Term& right : b.terms) {
      result.products.push_back({left.column, right.column, left.coefficient * right.coefficient});
    }
  }
  const auto add = [&](const Linear& linear, double factor) {
    if (factor == 0) return;
    for (const solve::Term& term : linear.terms) {
      result.linear.terms.push_back({term.column, factor * term.coefficient});
    }
  };
  add(a, b.constant);
  add(b, a.constant);
  result.linear.constant = a.constant * b.constant;
  return result;
}

std::vector<solve::Term> added_up(const std::vector<solve::Term>& terms) {
  std::unordered_map<int64_t, size_t> place;
  std::vector<solve::Term> sums;
  for (const solve::Term& term : terms) {
    const auto [found, added] = place.emplace(term.column, sums.size());
    if (added) sums.push_back({term.column, 0});
    sums[found->second].coefficient += term.coefficient;
  }
  std::erase_if(sums, [](const solve::Term& term) { return term.coefficient == 0; });
  return sums;
}

std::string text_of(const Linear& expression) {
  std::string text;
  if (expression.constant != 0 || expression.terms.empty()) text = number_text(expression.constant);
  for (const solve::Term& term : expression.terms) {
    append(text, term.coefficient,
           expression.core->variables[static_cast<size_t>(term.column)].name);
  }
  return text;
}

std::string text_of(const Quadratic& expression) {
  std::string products;
  for (const Product& term : expression.products) {
    const auto& variables = expression.linear.core->variables;
    const std::string& a = variables[static_cast<size_t>(term.a)].name;
    const std::string& b = variables[static_cast<size_t>(term.b)].name;
    append(products, term.coefficient, term.a == term.b ? a + " ^ 2" : a + " * " + b);
  }
  return text_of(expression.linear) + (products.empty() ? "" : " + [ " + products + " ]");
}

}  // namespace trex::gurobi
