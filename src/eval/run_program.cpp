#include "eval/run_program.h"

#include <fmt/format.h>

#include <random>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace trex::eval {
namespace {

// Enough that nobody guesses it; from the system, because a seed would make it known.
std::string fresh_secret() {
  std::random_device device;
  std::string secret;
  for (int i = 0; i < 4; ++i) secret += fmt::format("{:08x}", device());
  return secret;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

bool imports(const std::string& code, const std::string& module) {
  return code.find("import " + module) != std::string::npos ||
         code.find("from " + module) != std::string::npos;
}

// A line of the channel as an end report; nothing when it is something else.
std::optional<EndReport> parse_end_report(const std::string& line, const std::string& secret) {
  const Json value = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  try {
    const JsonObject object(value, "report");
    if (object.string("secret") != secret || object.string("event") != "end") return std::nullopt;
    EndReport report;
    if (value.contains("features")) report.features = object.strings("features");
    if (value.contains("unsupported")) report.unsupported = object.strings("unsupported");
    if (!value.contains("name") || value["name"].is_null()) return report;
    report.model_name = object.string("name");
    report.status = object.integer("status");
    if (value.contains("objective") && value["objective"].is_number()) {
      report.objective = object.number("objective");
    }
    return report;
  } catch (const Error&) {
    return std::nullopt;  // a program that knows the secret wrote nonsense: no report
  }
}

}  // namespace

std::string prepared(const std::string& code) {
  std::string source = code;
  replace_all(source, "data.json", std::string(sandbox::kWorkFolder) + "/data.json");
  std::string front;
  if (!imports(source, "gurobipy")) front += "import gurobipy as gp\n";
  if (!imports(source, "json")) front += "import json\n";
  return front + source;
}

std::optional<EndReport> find_end_report(const std::string& reports, const std::string& secret) {
  const auto lines = split(reports, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (auto report = parse_end_report(*line, secret)) return report;
  }
  return std::nullopt;
}

ProgramRun run_program(const std::string& code, const std::string& data_file,
                       const GradeLimits& limits) {
  const Path python = sandbox::built_file("python/trex_driver.py").parent_path();
  const std::string secret = fresh_secret();
  const sandbox::Program program{
      .arguments = {sandbox::kPython, "-sPB", (python / "trex_driver.py").string(), "main.py"},
      .files = {{"main.py", prepared(code)}, {"data.json", data_file}},
      .mounts = {{python, python.string()}, {TREX_HIGHS_FOLDER, TREX_HIGHS_FOLDER}},
      .secret = secret};
  using std::chrono::ceil, std::chrono::seconds;
  ProgramRun run{
      .execution = sandbox::run(
          program, {.wall = limits.time, .cpu = ceil<seconds>(limits.time) + seconds(1)}),
      .end = {}};
  run.end = find_end_report(run.execution.report, secret);
  return run;
}

}  // namespace trex::eval
