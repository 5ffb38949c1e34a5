#include "orgen/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.h"
#include "orgen/agree.h"
#include "orgen/described_model.h"
#include "solve/evaluate.h"
#include "solve/verify.h"

namespace trex::orgen {
namespace {

using MaybeFinding = std::optional<Finding>;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

MaybeFinding check_sets(const Instance& instance) {
  for (const SetDecl& set : instance.variant->description.sets) {
    std::vector<std::string> members = instance.sets.at(set.name);
    if (members.empty()) return Finding{"sets", set.name + " is empty"};
    std::sort(members.begin(), members.end());
    if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
      return Finding{"sets", set.name + " has a member twice"};
    }
  }
  return {};
}

MaybeFinding check_parameters(const Instance& instance) {
  const Description& description = instance.variant->description;
  bool is_varied = false;
  for (const ParameterDecl& parameter : description.parameters) {
    const auto found = instance.values.find(parameter.name);
    if (found == instance.values.end())
      return Finding{"parameters", parameter.name + " is missing"};
    size_t expected = 1;
    for (const std::string& set : parameter.sets) expected *= instance.size(set);
    if (found->second.size() != expected) {
      return Finding{"parameters", fmt::format("{} has {} values for {} keys", parameter.name,
                                               found->second.size(), expected)};
    }
    for (const double value : found->second) {
      if (!(value >= parameter.low && value <= parameter.high) || std::signbit(value)) {
        return Finding{"parameter_range", fmt::format("{} = {}", parameter.name, shortest(value))};
      }
      is_varied |= value != found->second[0];
    }
  }
  if (!is_varied) return Finding{"all_equal", "every parameter is constant"};
  return {};
}

MaybeFinding check_numbers(const Problem& problem) {
  const Instance& instance = problem.instance;
  std::vector<double> expected;
  for (const auto& [name, values] : instance.values) {
    expected.insert(expected.end(), values.begin(), values.end());
  }
  const auto period = instance.words.find("period");
  std::vector<double> found =
      numbers_in(problem.statement.text, period == instance.words.end() ? "" : period->second);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  if (expected == found) return {};
  const auto [data, text] =
      std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  return Finding{"text_numbers",
                 fmt::format("{} in the data, {} in the text",
                             data == expected.end() ? "nothing more" : shortest(*data),
                             text == found.end() ? "nothing more" : shortest(*text))};
}

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

MaybeFinding check_names(const Problem& problem) {
  for (const SetDecl& set : problem.instance.variant->description.sets) {
    if (set.is_numbered) continue;
    for (const std::string& member : problem.instance.sets.at(set.name)) {
      if (!has_word(problem.statement.text, member)) {
        return Finding{"text_names", member + " is not in the text"};
      }
    }
  }
  return {};
}

MaybeFinding check_wording(const Problem& problem) {
  const std::string& text = problem.statement.text;
  const auto is_control = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return Finding{"template", "a control character"};
  }
  const size_t hole = text.find_first_of("{}<>()|");
  if (hole != std::string::npos) return Finding{"template", text.substr(hole, 20)};
  if (text.find("  ") != std::string::npos) return Finding{"template", "two blanks"};
  if (has_word(text, problem.instance.family->name)) {
    return Finding{"template", "the family's name is in the text"};
  }
  return {};
}

constexpr double kWidestCoefficients = 1e7;
constexpr double kLargestOverData = 1e4;  // a big-M is a large number of the data, not 1e9

// Rows that a solver's tolerances can tell apart.
MaybeFinding check_coefficients(const Problem& problem) {
  double smallest = solve::kInfinity, largest = 0, largest_datum = 1;
  for (const solve::Entry& entry : problem.model.matrix) {
    if (entry.value == 0) continue;
    smallest = std::min(smallest, std::abs(entry.value));
    largest = std::max(largest, std::abs(entry.value));
  }
  for (const auto& [name, values] : problem.instance.values) {
    for (const double value : values) largest_datum = std::max(largest_datum, std::abs(value));
  }
  if (largest <= smallest * kWidestCoefficients && largest <= kLargestOverData * largest_datum) {
    return {};
  }
  return Finding{"coefficient_range",
                 fmt::format("{} to {}", shortest(smallest), shortest(largest))};
}

MaybeFinding check_witness(const Problem& problem) {
  const auto values = witness_values(problem.instance, problem.model);
  if (!values) return Finding{"witness", "it names no column of the model"};
  if (const auto violation = solve::verify_feasible(problem.model, *values)) {
    return Finding{"witness", to_string(*violation)};
  }
  return {};
}

bool is_linear_program(const solve::Model& model) { return !model.has_integers(); }

// Whether some row holds with equality at its finite bound.
bool has_tight_row(const Problem& problem) {
  const auto activities = solve::activities_at(problem.model, problem.solution.values);
  for (size_t i = 0; i < activities.size(); ++i) {
    const solve::Row& row = problem.model.rows[i];
    const double slack =
        std::min(std::abs(activities[i] - row.lower), std::abs(activities[i] - row.upper));
    if (slack <= 1e-6 * std::max(1.0, std::abs(activities[i]))) return true;
  }
  return false;
}

int64_t num_moved(const Problem& problem) {
  int64_t moved = 0;
  for (size_t i = 0; i < problem.model.columns.size(); ++i) {
    moved += problem.solution.values[i] > problem.model.columns[i].lower + 1e-9 ? 1 : 0;
  }
  return moved;
}

}  // namespace

std::vector<double> numbers_in(std::string_view text, std::string_view period) {
  std::vector<double> numbers;
  for (size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
      for (++end; end < text.size() && is_digit(text[end]);) ++end;
    }
    const bool is_in_name = i > 0 && is_word(text[i - 1]);
    const std::string_view before = trimmed(text.substr(0, i));
    const bool is_period = !period.empty() && before.size() < i && before.ends_with(period);
    if (!is_in_name && !is_period) numbers.push_back(*parse_real(text.substr(i, end - i)));
    i = end;
  }
  return numbers;
}

std::optional<std::vector<double>> witness_values(const Instance& instance,
                                                  const solve::Model& model) {
  std::vector<double> values(model.columns.size(), 0.0);
  for (const auto& [name, value] : instance.witness) {
    const auto column = std::find_if(model.columns.begin(), model.columns.end(),
                                     [&](const solve::Column& c) { return c.name == name; });
    if (column == model.columns.end()) return std::nullopt;
    values[static_cast<size_t>(column - model.columns.begin())] = value;
  }
  return values;
}

std::optional<Finding> check_statement(const Problem& problem) {
  const Instance& instance = problem.instance;
  if (auto finding = check_sets(instance)) return finding;
  if (auto finding = check_parameters(instance)) return finding;
  if (problem.statement.parameter_order.size() != instance.variant->description.parameters.size()) {
    return Finding{"text_parameters", "a parameter is not told"};
  }
  if (auto finding = check_numbers(problem)) return finding;
  if (auto finding = check_names(problem)) return finding;
  if (auto finding = check_wording(problem)) return finding;
  if (auto finding = check_coefficients(problem)) return finding;
  const solve::Model described = described_model(instance.variant->description, instance);
  if (auto difference = first_difference(problem.model, described)) {
    return Finding{"model_agreement", *difference};
  }
  return check_witness(problem);
}

std::optional<Finding> check_answer(const Problem& problem) {
  const solve::Model& model = problem.model;
  if (const auto violation = solve::verify(model, problem.solution)) {
    return Finding{"verify", to_string(*violation)};
  }
  if (is_linear_program(model)) {
    if (const auto violation = solve::verify_optimal(model, problem.solution)) {
      return Finding{"duality", to_string(*violation)};
    }
  }
  const double sign = model.sense == solve::Sense::Minimize ? 1 : -1;
  const double witness = solve::objective_at(model, *witness_values(problem.instance, model));
  const double objective = problem.solution.objective;
  if (sign * (objective - witness) > 1e-6 * std::max(1.0, std::abs(objective))) {
    return Finding{"witness", "it is better than the optimum"};
  }
  const auto columns = static_cast<int64_t>(model.columns.size());
  if (num_moved(problem) < std::clamp<int64_t>((columns + 9) / 10, 1, 2)) {
    return Finding{"trivial", "nearly every variable is at its lower bound"};
  }
  // Whole numbers rarely meet a limit exactly, so this is asked of LPs only.
  if (is_linear_program(model) && !has_tight_row(problem)) {
    return Finding{"no_tight_row", "no constraint limits the optimum"};
  }
  return {};
}

}  // namespace trex::orgen
