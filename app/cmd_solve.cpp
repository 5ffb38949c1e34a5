// trex solve: the proven answer to a model in a file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "solve/model_json.h"
#include "solve/mps.h"
#include "solve/solve.h"
#include "solve/verify.h"

namespace trex::app {
namespace {

using solve::Model;
using solve::Outcome;
using solve::Solved;

// What the verifier says, as a sentence. Throws when an answer does not hold.
std::string verified(const Model& model, const Solved& solved) {
  const auto expect = [](const std::optional<solve::Violation>& violation) {
    if (!violation) return;
    throw Error({.kind = ErrorKind::Failed,
                 .where = "verification",
                 .expected = "an answer that holds",
                 .got = solve::to_string(*violation)});
  };
  if (solved.best) expect(solve::verify(model, *solved.best));
  if (solved.outcome == Outcome::Infeasible && solved.farkas.empty()) {
    return "infeasibility was proven by branching; there is no certificate to check";
  }
  if (solved.outcome == Outcome::Infeasible) {
    expect(solve::verify_infeasible(model, solved.farkas));
    return "the certificate contradicts every point within the bounds";
  }
  if (solved.outcome == Outcome::Unbounded) {
    expect(solve::verify_unbounded(model, solved.ray));
    return "the ray improves the objective and breaks no row or bound";
  }
  if (!solved.best) return "there is nothing to check";
  if (solved.outcome == Outcome::LimitReached || model.has_integers()) {
    return "bounds, integrality, rows and objective hold";
  }
  expect(solve::verify_optimal(model, *solved.best));
  return "bounds, rows and objective hold, and the duals prove the optimum";
}

std::string model_line(const Model& model) {
  const auto integers = std::count_if(
      model.columns.begin(), model.columns.end(),
      [](const solve::Column& column) { return column.domain != solve::Domain::Continuous; });
  return fmt::format("{} of {} columns ({} integer), {} rows, {} nonzeros",
                     model.sense == solve::Sense::Minimize ? "minimize" : "maximize",
                     model.columns.size(), integers, model.rows.size(), model.matrix.size());
}

// Entries of `values` that are not zero, with their names.
template <class Items>
std::vector<std::pair<std::string, double>> nonzeros(const Items& items,
                                                     const std::vector<double>& values) {
  std::vector<std::pair<std::string, double>> found;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) > 1e-9) found.emplace_back(items[i].name, values[i]);
  }
  return found;
}

void print_table(const std::string& title,
                 const std::vector<std::pair<std::string, double>>& entries) {
  size_t width = title.size();
  for (const auto& [name, value] : entries) width = std::max(width, name.size());
  fmt::print("\n{:<{}}  {:>14}\n", title, width, "value");
  for (const auto& [name, value] : entries) fmt::print("{:<{}}  {:>14.8g}\n", name, width, value);
}

void print_text(const Model& model, const Solved& solved, const std::string& check) {
  fmt::print("model      {}\nstatus     {}\n", model_line(model), solve::to_string(solved.outcome));
  if (solved.best) fmt::print("objective  {}\n", shortest(solved.best->objective));
  if (std::isfinite(solved.best_bound)) fmt::print("bound      {}\n", shortest(solved.best_bound));
  if (solved.best) print_table("column", nonzeros(model.columns, solved.best->values));
  if (!solved.farkas.empty())
    print_table("row of the certificate", nonzeros(model.rows, solved.farkas));
  if (!solved.ray.empty()) print_table("column of the ray", nonzeros(model.columns, solved.ray));
  fmt::print("\nverified   {}\n", check);
}

Json named(const std::vector<std::pair<std::string, double>>& entries) {
  Json object = Json::object();
  for (const auto& [name, value] : entries) object[name] = value;
  return object;
}

void print_json(const Model& model, const Solved& solved, const std::string& check) {
  Json json = {
      {"status", solve::to_string(solved.outcome)}, {"objective", nullptr}, {"bound", nullptr}};
  if (solved.best) json["objective"] = solved.best->objective;
  if (std::isfinite(solved.best_bound)) json["bound"] = solved.best_bound;
  if (solved.best) json["values"] = named(nonzeros(model.columns, solved.best->values));
  if (solved.best) json["row_duals"] = named(nonzeros(model.rows, solved.best->row_duals));
  if (!solved.farkas.empty()) json["certificate"] = named(nonzeros(model.rows, solved.farkas));
  if (!solved.ray.empty()) json["ray"] = named(nonzeros(model.columns, solved.ray));
  json["verified"] = check;
  json["nodes"] = solved.nodes;
  json["seconds"] = solved.seconds;
  fmt::print("{}\n", to_line(json));
}

}  // namespace

int cmd_solve(const Arguments& arguments) {
  CLI::App options("The proven answer to an LP, MILP or convex QP", "trex solve");
  Path file, mps;
  double seconds = 60;
  bool as_json = false;
  options.add_option("file", file, "The model: .mps or .json, also with .zst behind it")
      ->required();
  options.add_option("--time-limit", seconds, "Seconds to spend (60)");
  options.add_flag("--json", as_json, "The answer as one JSON object");
  options.add_option("--write-mps", mps, "Also write the model to this file in MPS format");
  if (!parse_arguments(options, arguments)) return 0;
  if (!(seconds > 0 && seconds <= 1e6)) {
    throw usage_error("--time-limit", "seconds above 0, at most 1000000", shortest(seconds));
  }

  const Model model = solve::read_model(file);
  if (!mps.empty()) write_file(mps, solve::to_mps(model));
  const Solved solved = solve::solve(
      model, {.time = std::chrono::milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000)))});
  const std::string check = verified(model, solved);
  (as_json ? print_json : print_text)(model, solved, check);
  return solved.outcome == Outcome::LimitReached ? 1 : 0;
}

}  // namespace trex::app
