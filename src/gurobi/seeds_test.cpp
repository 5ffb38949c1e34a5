// The programs of data/or/sft_seeds, run as their authors wrote them, against what the real
// gurobipy found: status and objective, taken from the reports of the driver.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <mutex>
#include <regex>
#include <thread>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"

namespace trex::gurobi {
namespace {

const char* const kBilinear =
    "gurobipy._errors.GurobiError: Model.addConstr: quadratic constraints are not supported";

// What the solver does not do yet: objectives and rows that are not convex, and powers. A seed that
// starts to work must leave this list.
const std::map<std::string, std::string>& unsupported_seeds() {
  static const std::map<std::string, std::string> kSeeds = {
      {"public_seed_0166ee2d901bd94c",
       "gurobipy._errors.GurobiError: model \"advertising_allocation\": objective: expected a "
       "concave "
       "quadratic objective to maximise; got one that is not concave"},
      {"public_seed_2f349bb7a3c55a6a",
       "gurobipy._errors.GurobiError: model \"aviary_area_maximization\": objective: expected a "
       "concave "
       "quadratic objective to maximise; got one that is not concave"},
      {"public_seed_0d0f563312364b82",
       "gurobipy._errors.GurobiError: Model.addGenConstrPow is not supported"},
      {"public_seed_56bd950712014d2d", kBilinear},
      {"public_seed_7b12d57c252fd128", kBilinear},
      {"public_seed_96e05147c8ed3f55", kBilinear},
  };
  return kSeeds;
}

struct Seed {
  std::string id, program;
  std::map<std::string, std::string> files;
};

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const size_t start = text.find(open);
  if (start == std::string::npos) return text;
  const size_t from = start + open.size();
  return text.substr(from, text.find(close, from) - from);
}

Seed seed_of(const JsonObject& row) {
  Seed seed{.id = row.string("id"),
            .program = between(row.string("answer"), "<python>", "</python>"),
            .files = {}};
  const std::string problem = row.string("problem");
  static const std::regex kHeading("### (\\S+)\\n+```[a-z]*\\n");
  for (std::sregex_iterator match(problem.begin(), problem.end(), kHeading), end; match != end;
       ++match) {
    const auto from = static_cast<size_t>(match->position() + match->length());
    seed.files[(*match)[1]] = problem.substr(from, problem.find("\n```", from) - from + 1);
  }
  return seed;
}

// The `end` report of a run, or the end of what it wrote to standard error.
struct Outcome {
  std::string error;
  Json report;
};

// A shell gives the program its descriptors, as the sandbox does.
Outcome run_seed(const Seed& seed) {
  const TemporaryFolder folder;
  for (const auto& [name, bytes] : seed.files) write_file(folder.path() / name, bytes);
  make_folders(folder.path() / "output");
  // Some seeds build their model and leave the solving to their reader.
  write_file(folder.path() / "main.py", seed.program +
                                            R"(
_model = globals().get('model', globals().get('m'))
if _model.Status == 1: _model.optimize()
)");
  write_file(folder.path() / "secret", seed.id);
  const std::string driver = TREX_BINARY_DIR "/python/trex_driver.py";
  const ProcessResult run = run_process(
      {.arguments = {"/bin/sh", "-c", "exec /usr/bin/python3 -sPB \"$0\" main.py 3>report 4<secret",
                     driver},
       .folder = folder.path(),
       .time_limit = std::chrono::seconds(60)});
  if (!run.succeeded()) {
    const std::string text = run.errors.substr(0, run.errors.find_last_not_of('\n') + 1);
    return {.error = text.substr(text.rfind('\n') + 1), .report = {}};
  }
  Outcome outcome;
  LineReader lines(folder.path() / "report");
  while (auto line = lines.next()) outcome.report = line->value;
  if (outcome.report.value("secret", "") != seed.id || outcome.report.value("event", "") != "end") {
    outcome.error = "no report";
  }
  return outcome;
}

std::string difference(const Json& ours, const JsonObject& gurobi) {
  const int status = ours["status"].is_number() ? ours["status"].get<int>() : 0;
  if (gurobi.string("status") != "optimal") {
    return status == 3 ? "" : "status " + std::to_string(status) + ", expected infeasible";
  }
  if (status != 2) return "status " + std::to_string(status) + ", expected optimal";
  const double expected = gurobi.number("objective"), got = ours["objective"].get<double>();
  if (std::abs(got - expected) <= 1e-6 * std::max(1.0, std::abs(expected))) return "";
  return fmt::format("objective {}, expected {}", got, expected);
}

TEST(Seeds, GiveWhatTheRealPackageGives) {
  const Path data = Path(TREX_SOURCE_DIR) / "data/or/sft_seeds";
  std::map<std::string, Json> expected;
  LineReader audit(data / "gurobi.jsonl.zst");
  while (auto line = audit.next()) expected[line->object().string("id")] = line->value;
  std::vector<Seed> seeds;
  LineReader rows(data / "public_seed.jsonl.zst");
  while (auto line = rows.next()) seeds.push_back(seed_of(line->object()));
  ASSERT_EQ(seeds.size(), 200u);

  std::map<std::string, std::string> failures;
  std::mutex mutex;
  size_t next = 0;
  const auto work = [&] {
    while (true) {
      std::unique_lock lock(mutex);
      if (next == seeds.size()) return;
      const Seed& seed = seeds[next++];
      lock.unlock();
      const Outcome outcome = run_seed(seed);
      const std::string failure =
          outcome.error.empty()
              ? difference(outcome.report, JsonObject(expected.at(seed.id), seed.id))
              : outcome.error;
      lock.lock();
      if (!failure.empty()) failures[seed.id] = failure;
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(failures, unsupported_seeds());
}

}  // namespace
}  // namespace trex::gurobi
