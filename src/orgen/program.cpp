#include "orgen/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "orgen/expression.h"

namespace trex::orgen {
namespace {

NameTest variable_test(const Description& description) {
  return
      [&description](std::string_view name) { return description.find_variable(name) != nullptr; };
}

std::string printed(const Description& description, std::string_view expression,
                    std::string_view sum_word) {
  return expression_text(parse_expression(expression), sum_word, variable_test(description));
}

// A member as a dictionary key: names in quotes, numbers bare.
std::string key_text(const SetDecl& set, const std::string& member) {
  return set.is_numbered ? member : fmt::format("\"{}\"", member);
}

// {"Oats": 3, "Rice": 5}; a table becomes a dictionary of dictionaries.
std::string literal_text(const Description& description, const Instance& instance,
                         const std::vector<std::string>& sets, const double* values) {
  if (sets.empty()) return shortest(*values);
  const SetDecl& set = *description.find_set(sets[0]);
  const std::vector<std::string> inner(sets.begin() + 1, sets.end());
  size_t stride = 1;
  for (const std::string& name : inner) stride *= instance.size(name);
  std::vector<std::string> items;
  for (const std::string& member : instance.sets.at(set.name)) {
    items.push_back(fmt::format("{}: {}", key_text(set, member),
                                literal_text(description, instance, inner, values)));
    values += stride;
  }
  return "{" + joined(items, ", ") + "}";
}

// The set as the keys of the first dictionary that has them, else written out.
std::string set_text(const SetDecl& set, const Description& description, const Instance& instance,
                     const std::vector<std::string>& parameter_order) {
  for (const std::string& name : parameter_order) {
    const auto& sets = description.find_parameter(name)->sets;
    if (!sets.empty() && sets[0] == set.name) return fmt::format("list({})", name);
  }
  std::vector<std::string> keys;
  for (const std::string& member : instance.sets.at(set.name))
    keys.push_back(key_text(set, member));
  return "[" + joined(keys, ", ") + "]";
}

std::string variable_text(const VariableDecl& variable) {
  static constexpr std::string_view kTypes[] = {"CONTINUOUS", "INTEGER", "BINARY"};
  const bool is_binary = variable.domain == solve::Domain::Binary;
  const std::string upper = !variable.upper.empty() ? variable.upper
                            : is_binary             ? "1"
                                                    : "GRB.INFINITY";
  return fmt::format("{} = model.addVars({}, lb=0, ub={}, vtype=GRB.{}, name=\"{}\")",
                     variable.name, joined(variable.sets, ", "), upper,
                     kTypes[static_cast<int>(variable.domain)], variable.name);
}

std::string row_text(const Description& description, const RowDecl& row) {
  const std::string comparison =
      fmt::format("{} {} {}", printed(description, row.left, "gp.quicksum"), row.relation,
                  printed(description, row.right, "gp.quicksum"));
  const auto binders = parse_binders(row.binders);
  if (binders.empty()) return fmt::format("model.addConstr({}, name=\"{}\")", comparison, row.name);
  return fmt::format("model.addConstrs(({} {}), name=\"{}\")", comparison, binders_text(binders),
                     row.name);
}

std::string described_set(const SetDecl& set, const Instance& instance) {
  const auto& members = instance.sets.at(set.name);
  if (set.is_numbered) return fmt::format("{} {} = 1..{}", set.name, set.index, members.size());
  return fmt::format("{} {} = {}", set.name, set.index, joined(members, ", "));
}

std::string indexed_name(const std::string& name, const std::vector<std::string>& sets,
                         const Description& description) {
  std::vector<std::string> letters;
  for (const std::string& set : sets) letters.push_back(description.find_set(set)->index);
  return letters.empty() ? name : fmt::format("{}[{}]", name, joined(letters, ","));
}

std::string described_variable(const VariableDecl& variable, const Description& description) {
  const std::string name = indexed_name(variable.name, variable.sets, description);
  if (variable.domain == solve::Domain::Binary) {
    return fmt::format("{} in {{0, 1}}: {}", name, variable.meaning);
  }
  std::string upper;
  if (!variable.upper.empty()) {
    const auto& sets = description.find_parameter(variable.upper)->sets;
    upper = fmt::format(", at most {}", indexed_name(variable.upper, sets, description));
  }
  return fmt::format("{} >= 0{}, {}: {}", name, upper,
                     variable.domain == solve::Domain::Integer ? "whole" : "continuous",
                     variable.meaning);
}

}  // namespace

std::string program_text(const Description& description, const Instance& instance,
                         const std::vector<std::string>& parameter_order) {
  std::string text = "import gurobipy as gp\nfrom gurobipy import GRB\n\n";
  text += data_text(description, instance, parameter_order);
  for (const SetDecl& set : description.sets) {
    text +=
        fmt::format("{} = {}\n", set.name, set_text(set, description, instance, parameter_order));
  }
  text += "model = gp.Model()\n";
  for (const VariableDecl& variable : description.variables) text += variable_text(variable) + "\n";
  text += fmt::format("model.setObjective({}, GRB.{})\n",
                      printed(description, description.objective, "gp.quicksum"),
                      description.sense == solve::Sense::Minimize ? "MINIMIZE" : "MAXIMIZE");
  for (const RowDecl& row : description.rows) text += row_text(description, row) + "\n";
  text += "model.optimize()\n";
  text += "print(model.ObjVal if model.Status == GRB.OPTIMAL else model.Status)\n";
  return text;
}

std::string data_text(const Description& description, const Instance& instance,
                      const std::vector<std::string>& parameters) {
  std::string text;
  for (const std::string& name : parameters) {
    const ParameterDecl& parameter = *description.find_parameter(name);
    text += fmt::format(
        "{} = {}\n", name,
        literal_text(description, instance, parameter.sets, instance.values.at(name).data()));
  }
  return text;
}

std::string formulation_text(const Description& description, const Instance& instance) {
  std::string text = "Sets\n";
  for (const SetDecl& set : description.sets) {
    text += fmt::format("- {}\n", described_set(set, instance));
  }
  text += "Parameters\n";
  for (const ParameterDecl& parameter : description.parameters) {
    text += fmt::format("- {}: {}\n", indexed_name(parameter.name, parameter.sets, description),
                        parameter.unit);
  }
  text += "Variables\n";
  for (const VariableDecl& variable : description.variables) {
    text += fmt::format("- {}\n", described_variable(variable, description));
  }
  text += fmt::format("Objective\n- {} {} ({}): {}\n",
                      description.sense == solve::Sense::Minimize ? "minimise" : "maximise",
                      description.objective_meaning, description.objective_unit,
                      printed(description, description.objective, "sum"));
  text += "Constraints\n";
  for (const RowDecl& row : description.rows) {
    const std::string range = binders_text(parse_binders(row.binders));
    text += fmt::format(
        "- {}: {} {} {}{}{} ({})\n", row.name, printed(description, row.left, "sum"), row.relation,
        printed(description, row.right, "sum"), range.empty() ? "" : " ", range, row.meaning);
  }
  return text;
}

}  // namespace trex::orgen
