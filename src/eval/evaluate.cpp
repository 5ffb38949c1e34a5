#include "eval/evaluate.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/parallel_for.h"
#include "base/text.h"
#include "eval/verdict.h"

namespace trex::eval {
namespace {

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json verdict_json(const Verdict& verdict) {
  return {{"correct", verdict.is_correct()}, {"reason", to_string(verdict.reason)}};
}

Json run_json(const ProgramRun& run) {
  const sandbox::Execution& execution = run.execution;
  return {{"ending", sandbox::to_string(execution.ending)},
          {"exit_code", execution.exit_code},
          {"signal", execution.signal},
          {"wall_seconds", execution.wall_seconds},
          {"cpu_seconds", execution.cpu_seconds},
          {"peak_memory_bytes", execution.peak_memory_bytes},
          {"memory_limited_together", execution.memory_limited_together},
          {"features", run.end ? Json(run.end->features) : Json::array()},
          {"unsupported", run.end ? Json(run.end->unsupported) : Json::array()}};
}

Json make_record(const EvaluateRequest& request, size_t row) {
  const Item& item = request.items[row];
  const Reply& reply = request.replies.at(item.id);
  const Verdict unasked{.reason = Reason::NoReply};
  Graded graded{.verdict = unasked, .strict = unasked, .code = {}, .rule = {}, .run = {}};
  if (reply.text) graded = request.benchmark.grade(item, *reply.text, request.limits);
  const Verdict& verdict = graded.verdict;
  return {{"benchmark", request.benchmark.name},
          {"row", row},
          {"id", item.id},
          {"family", item.family},
          {"flags", item.flags},
          {"prompt_hash", content_hash(to_line(request.benchmark.prompt(item)))},
          {"model", reply.model.empty() ? Json(nullptr) : Json(reply.model)},
          {"seed", reply.seed},
          {"reply", value_or_null(reply.text)},
          {"finish_reason", reply.finish_reason},
          {"usage", reply.usage},
          {"code", graded.code},
          {"extractor_rule", graded.rule},
          {"label", item.label},
          {"value", value_or_null(verdict.value)},
          {"status", value_or_null(verdict.status)},
          {"correct", verdict.is_correct()},
          {"reason", to_string(verdict.reason)},
          {"detail", verdict.detail},
          {"strict", verdict_json(graded.strict)},
          {"run", graded.run ? run_json(*graded.run) : Json(nullptr)},
          {"code_version", request.code_version}};
}

// What a record needs for the summary, checked.
void check_record(const JsonObject& record) {
  record.string("id");
  record.boolean("correct");
  parse_reason(record.string("reason"), record.where());
  if (!record.has("run") || record.json().at("run").is_null()) return;
  const JsonObject run = record.object("run");
  for (const char* list : {"features", "unsupported"}) {
    if (run.has(list)) run.strings(list);
  }
}

// Finished rows of an earlier run, by id. A later line about a row replaces an earlier one.
std::map<std::string, Json> read_records(const Path& file) {
  std::map<std::string, Json> records;
  if (!std::filesystem::exists(file)) return records;
  LineReader lines(file);
  while (const auto line = lines.next()) {
    const JsonObject record = line->object();
    check_record(record);
    if (record.string("reason") != to_string(Reason::NoReply))
      records[record.string("id")] = line->value;
  }
  return records;
}

// Hands finished records from the workers to the one thread that writes them down.
class Finished {
 public:
  void push(size_t index, Json record) {
    {
      const std::lock_guard lock(mutex_);
      queue_.emplace_back(index, std::move(record));
    }
    changed_.notify_one();
  }
  void close(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      error_ = error;
      is_closed_ = true;
    }
    changed_.notify_one();
  }
  // Nothing when the workers have ended; rethrows what ended them.
  std::optional<std::pair<size_t, Json>> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !queue_.empty() || is_closed_; });
    if (queue_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return std::nullopt;
    }
    auto front = std::move(queue_.front());
    queue_.pop_front();
    return front;
  }

 private:
  std::mutex mutex_;  // guards the three below
  std::deque<std::pair<size_t, Json>> queue_;
  std::exception_ptr error_;
  bool is_closed_ = false;
  std::condition_variable changed_;
};

// Grades the items at `missing` and calls `write` with each, in the order in which they finish.
template <class Write>
void grade_all(const EvaluateRequest& request, const std::vector<size_t>& missing, Write&& write) {
  Finished finished;
  std::jthread workers([&] {
    try {
      parallel_for(static_cast<int64_t>(missing.size()), request.workers, [&](int64_t i) {
        const size_t index = missing[static_cast<size_t>(i)];
        finished.push(index, make_record(request, index));
      });
      finished.close(nullptr);
    } catch (...) {
      finished.close(std::current_exception());
    }
  });
  while (auto next = finished.pop()) write(next->first, std::move(next->second));
}

}  // namespace

Evaluation evaluate(const EvaluateRequest& request, Progress& progress) {
  const SystemClock clock;
  const Stopwatch watch(clock);
  Journal journal = Journal::open(request.records);  // cuts off a torn last line
  const auto recorded = read_records(request.records);
  Evaluation evaluation{.records = std::vector<Json>(request.items.size())};
  std::vector<size_t> missing;
  for (size_t i = 0; i < request.items.size(); ++i) {
    const auto found = recorded.find(request.items[i].id);
    if (found == recorded.end()) {
      missing.push_back(i);
    } else {
      evaluation.records[i] = found->second;
    }
  }
  const auto total = static_cast<int64_t>(request.items.size());
  int64_t done = total - static_cast<int64_t>(missing.size());
  int64_t num_correct = 0;
  progress.started("grading", total, "programs");
  progress.advanced(done);
  grade_all(request, missing, [&](size_t index, Json record) {
    journal.append(to_line(record));
    journal.sync();
    if (record["correct"] == true) ++num_correct;
    evaluation.records[index] = std::move(record);
    ++evaluation.num_graded;
    progress.advanced(++done, std::to_string(num_correct) + " correct");
  });
  progress.finished();
  evaluation.seconds = watch.seconds();
  return evaluation;
}

void check_manifest(const Path& file, const Json& manifest) {
  if (!std::filesystem::exists(file)) {
    write_file(file, manifest.dump(2) + "\n");
    return;
  }
  const Json old = parse_json(read_file(file), file.string());
  const JsonObject recorded(old, file.string());
  for (const auto& [key, value] : manifest.items()) {
    const Json before = recorded.has(key) ? old.at(key) : Json(nullptr);
    if (before == value) continue;
    throw input_error(file.string(), key,
                      before.dump() + ", as this folder's records were made with", value.dump(),
                      "use another --out, or remove the folder");
  }
}

}  // namespace trex::eval
