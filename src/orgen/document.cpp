#include "orgen/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "orgen/mutate.h"
#include "orgen/program.h"
#include "orgen/solve_fully.h"

namespace trex::orgen {
namespace {

constexpr int kEngineVersion = 1;
constexpr int64_t kMaxSolutionItems = 20;
constexpr int64_t kMaxAttempts = 1 << 20;  // positions of the random streams never overlap

std::string stream(const Plan& plan, std::string_view purpose) {
  return fmt::format("orgen/{}/{}", purpose, to_string(plan.split));
}

// Families in turn, then variants, then levels, then kinds of names.
InstanceRequest request_at(const Plan& plan, int64_t row) {
  const auto turn = [&row](size_t count) {
    const auto size = static_cast<int64_t>(count);
    const int64_t position = row % size;
    row /= size;
    return static_cast<size_t>(position);
  };
  InstanceRequest request{.family = plan.families[turn(plan.families.size())], .split = plan.split};
  request.variant = request.family->variants[turn(request.family->variants.size())].name;
  request.level = plan.levels[turn(plan.levels.size())];
  request.with_invented_names =
      plan.names == Names::Invented || (plan.names == Names::Mixed && turn(2) == 1);
  return request;
}

std::string document_id(const Plan& plan, const InstanceRequest& request,
                        const Position& position) {
  const std::string key = fmt::format(
      "{}/{}/{}/{}/{}/{}/{}/{}/{}/{}", kEngineVersion, kRendererVersion, kLexiconVersion,
      request.family->name, request.family->version, request.variant, to_string(request.level),
      stream(plan, request.with_invented_names ? "id/invented" : "id"), plan.seed,
      position.row * kMaxAttempts + position.attempt);
  return fmt::format("{}-{}", request.family->name, content_hash(key).substr(0, 16));
}

std::string solution_text(const Problem& problem) {
  std::vector<std::string> items;
  int64_t left_out = 0;
  for (size_t i = 0; i < problem.model.columns.size(); ++i) {
    const double value = problem.solution.values[i];
    if (value < 1e-9) continue;
    if (static_cast<int64_t>(items.size()) == kMaxSolutionItems) {
      ++left_out;
      continue;
    }
    items.push_back(fmt::format("{} = {:.6g}", problem.model.columns[i].name, value));
  }
  return joined(items, ", ") + (left_out > 0 ? fmt::format(" and {} more", left_out) : "");
}

std::string code_block(const std::string& program) { return "```python\n" + program + "```\n"; }

// Statement, formulation, program, result, check note.
std::string document_text(const Plan& plan, const Problem& problem, Rng& shape) {
  const Description& description = problem.instance.variant->description;
  std::string text =
      problem.statement.text + "\n\n" + formulation_text(description, problem.instance) + "\n";
  const bool has_result = !shape.chance(plan.without_result);
  if (shape.chance(plan.with_repair)) {
    if (const auto wrong = draw_wrong_attempt(problem, shape)) {
      text += fmt::format("First attempt\n{}It {}. Check: {}.\n\nRepaired program\n",
                          code_block(wrong->program), wrong->outcome, wrong->diagnosis);
    }
  }
  text += code_block(problem.program);
  if (!has_result) return text;
  text += fmt::format("Result: {} is {} {}. Plan: {}.\n", description.objective_meaning,
                      shortest(problem.solution.objective), description.objective_unit,
                      solution_text(problem));
  text += fmt::format("Check: all {} constraints and all bounds hold, and the optimum is proven.\n",
                      problem.model.rows.size());
  return text;
}

Json model_json(const solve::Model& model) {
  int64_t whole = 0, binary = 0;
  for (const solve::Column& column : model.columns) {
    whole += column.domain == solve::Domain::Integer ? 1 : 0;
    binary += column.domain == solve::Domain::Binary ? 1 : 0;
  }
  return Json{{"columns", model.columns.size()},
              {"integer", whole},
              {"binary", binary},
              {"rows", model.rows.size()},
              {"nonzeros", model.matrix.size()}};
}

Json place_fields(const Plan& plan, const Problem& problem, const std::string& id) {
  const Instance& instance = problem.instance;
  return Json{{"id", id},
              {"family", instance.family->name},
              {"variant", instance.variant->name},
              {"domain", instance.domain->name},
              {"level", to_string(instance.level)},
              {"split", to_string(plan.split)}};
}

Json common_fields(const Plan& plan, const Problem& problem, const std::string& id) {
  Json json = place_fields(plan, problem, id);
  json["question"] = problem.statement.text;
  json["program"] = problem.program;
  json["answer"] = problem.solution.objective;
  return json;
}

Json messages_json(const std::string& question, const std::string& reply) {
  return Json::array({Json{{"role", "user"}, {"content", question}},
                      Json{{"role", "assistant"}, {"content", reply}}});
}

Json row_json(const Plan& plan, const Problem& problem, const std::string& id,
              const Position& position) {
  Json json = common_fields(plan, problem, id);
  if (plan.kind == Kind::Questions) {
    json["messages"] = messages_json(problem.statement.text, code_block(problem.program));
    return json;
  }
  Rng shape(plan.seed, stream(plan, "shape"),
            static_cast<uint64_t>(position.row * kMaxAttempts + position.attempt));
  json["text"] = document_text(plan, problem, shape);
  json["formulation"] = formulation_text(problem.instance.variant->description, problem.instance);
  json["solution"] = solution_text(problem);
  json["language"] = "en";
  json["data_interface"] = "inline";
  json["model"] = model_json(problem.model);
  json["provenance"] = Json{{"engine", kEngineVersion},
                            {"family", problem.instance.family->version},
                            {"renderer", kRendererVersion},
                            {"lexicon", kLexiconVersion},
                            {"seed", plan.seed},
                            {"row", position.row},
                            {"attempt", position.attempt},
                            {"licence", "Apache-2.0"}};
  return json;
}

// Passages that follow one another, at least one of which tells data: one in half of the cases, two
// in half of the others, and so on.
std::vector<Passage> draw_passages(const std::vector<Passage>& all, Rng& shape) {
  const auto tells = [](const Passage& passage) { return !passage.parameters.empty(); };
  for (;;) {
    size_t count = 1;
    while (count < all.size() && shape.chance(0.5)) ++count;
    const auto last_start = static_cast<int64_t>(all.size() - count);
    const auto first = all.begin() + shape.between(0, last_start);
    const auto end = first + static_cast<std::ptrdiff_t>(count);
    if (std::any_of(first, end, tells)) return {first, end};
  }
}

Row excerpt(const Plan& plan, const Problem& problem, const std::string& id, Rng& shape) {
  std::vector<std::string> texts, parameters;
  for (const Passage& passage : draw_passages(problem.statement.passages, shape)) {
    texts.push_back(passage.text);
    parameters.insert(parameters.end(), passage.parameters.begin(), passage.parameters.end());
  }
  const std::string text = joined(texts, " ");
  const std::string lines =
      data_text(problem.instance.variant->description, problem.instance, parameters);
  Json json = place_fields(plan, problem, id);
  json["question"] = text;
  json["program"] = lines;
  json["messages"] = messages_json(text, lines);
  return Row{text, std::move(json)};
}

// Stages before the solver: instance, text, model, program, and the checks on them.
Draft state_problem(const InstanceRequest& request, Rng& data, Rng& wording) {
  Draft draft{.problem = {.instance = make_instance(request, data)}};
  Problem& problem = draft.problem;
  problem.statement = render_statement(problem.instance, wording);
  problem.model = problem.instance.variant->formulate(problem.instance);
  problem.program = program_text(problem.instance.variant->description, problem.instance,
                                 problem.statement.parameter_order);
  draft.finding = check_statement(problem);
  return draft;
}

}  // namespace

Draft draft_problem(const InstanceRequest& request, Rng& data, Rng& wording) {
  Draft draft = state_problem(request, data, wording);
  if (draft.finding) return draft;
  Problem& problem = draft.problem;
  solve::Solved solved = solve_fully(problem.model);
  if (solved.outcome != solve::Outcome::Optimal) {
    draft.finding = Finding{"solver", std::string(to_string(solved.outcome))};
    return draft;
  }
  problem.solution = std::move(*solved.best);
  draft.finding = check_answer(problem);
  return draft;
}

Attempt make_row(const Plan& plan, const Position& position) {
  const auto index = static_cast<uint64_t>(position.row * kMaxAttempts + position.attempt);
  const InstanceRequest request = request_at(plan, position.row);
  Rng data(plan.seed, stream(plan, "data"), index);
  Rng wording(plan.seed, stream(plan, "wording"), index);
  const std::string id = document_id(plan, request, position);
  const bool is_excerpt = plan.kind == Kind::Excerpts;  // says nothing of the optimum
  const Draft draft =
      is_excerpt ? state_problem(request, data, wording) : draft_problem(request, data, wording);
  if (draft.finding) return Attempt{.rejection = draft.finding->check};
  if (is_excerpt) {
    Rng shape(plan.seed, stream(plan, "shape"), index);
    return Attempt{.row = excerpt(plan, draft.problem, id, shape)};
  }
  return Attempt{
      .row = Row{draft.problem.statement.text, row_json(plan, draft.problem, id, position)}};
}

}  // namespace trex::orgen
