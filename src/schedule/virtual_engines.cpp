#include "schedule/virtual_engines.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <sstream>

#include "base/check.h"
#include "schedule/scheduler.h"

namespace trex::schedule {
namespace {

enum class Kind { Arrival, FirstToken, Finish };

struct Event {
  double at_s;
  size_t order;  // of its making: equal times happen in that order
  Kind kind;
  size_t request;

  bool operator>(const Event& other) const {
    return std::pair(at_s, order) > std::pair(other.at_s, other.order);
  }
};

struct Engine {
  SimpleEngine spec;
  int64_t running = 0;
  std::deque<size_t> line{};
  double prompts_done_s = 0;
};

class Simulation {
 public:
  Simulation(const SchedulerSettings& settings, const std::vector<SimpleEngine>& engines,
             const std::vector<Arrival>& arrivals)
      : scheduler_(settings, specs(engines)),
        arrivals_(arrivals),
        flights_(arrivals.size()),
        first_s_(arrivals.size()),
        done_s_(arrivals.size()),
        served_(engines.size()) {
    for (const SimpleEngine& spec : engines) engines_.push_back({.spec = spec});
    for (size_t r = 0; r < arrivals.size(); ++r) add(arrivals[r].at_s, Kind::Arrival, r);
  }

  Outcome run(double window_s) {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      happen(event);
      while (auto departure = scheduler_.next_departure(event.at_s)) {
        TREX_CHECK(departure->flight, "request {} was refused", departure->request);
        begin(std::move(departure->flight), event.at_s);
      }
    }
    return outcome(window_s);
  }

 private:
  static std::vector<InstanceSpec> specs(const std::vector<SimpleEngine>& engines) {
    std::vector<InstanceSpec> specs;
    for (const SimpleEngine& engine : engines) specs.push_back(simple_instance("engine", engine));
    return specs;
  }

  void add(double at_s, Kind kind, size_t request) {
    events_.push({at_s, ++events_made_, kind, request});
  }

  void happen(const Event& event) {
    const size_t r = event.request;
    if (event.kind == Kind::Arrival) {
      Request request = simple_request(r, arrivals_[r].prompt_tokens);
      request.arrival_s = event.at_s;
      Admission admission = scheduler_.submit(request, event.at_s);
      TREX_CHECK(!admission.refusal, "request {} was refused", r);
      if (admission.flight) begin(std::move(admission.flight), event.at_s);
    } else if (event.kind == Kind::FirstToken) {
      flights_[r].first_token(event.at_s);
    } else {
      const InstanceIndex i = flights_[r].instance();
      done_s_[r] = event.at_s;
      ++served_[i];
      engines_[i].running -= 1;
      flights_[r].completed(arrivals_[r].output_tokens, event.at_s);
      take_from_line(engines_[i], event.at_s);
    }
  }

  void begin(InFlight flight, double now_s) {
    const size_t r = flight.request();
    Engine& engine = engines_[flight.instance()];
    flights_[r] = std::move(flight);
    engine.line.push_back(r);
    take_from_line(engine, now_s);
  }

  void take_from_line(Engine& engine, double now_s) {
    while (!engine.line.empty() && engine.running < engine.spec.slots) {
      const size_t r = engine.line.front();
      engine.line.pop_front();
      engine.running += 1;
      engine.prompts_done_s = std::max(now_s, engine.prompts_done_s) +
                              arrivals_[r].prompt_tokens / engine.spec.prompt_tokens_per_s;
      first_s_[r] = engine.prompts_done_s + engine.spec.token_s;
      add(first_s_[r], Kind::FirstToken, r);
      add(first_s_[r] + (arrivals_[r].output_tokens - 1) * engine.spec.token_s, Kind::Finish, r);
    }
  }

  // Linear between the two neighbours, as numpy's percentile.
  static double percentile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<size_t>(at);
    const size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - std::floor(at)) * (values[high] - values[low]);
  }

  Outcome outcome(double window_s) const {
    std::vector<double> latency, ttft;
    Outcome result;
    for (size_t r = 0; r < arrivals_.size(); ++r) {
      latency.push_back(done_s_[r] - arrivals_[r].at_s);
      ttft.push_back(first_s_[r] - arrivals_[r].at_s);
      result.mean_latency_s += latency.back() / static_cast<double>(arrivals_.size());
      result.mean_ttft_s += ttft.back() / static_cast<double>(arrivals_.size());
      result.done_per_s += done_s_[r] <= window_s ? 1 / window_s : 0;
      result.makespan_s = std::max(result.makespan_s, done_s_[r]);
    }
    result.p99_latency_s = percentile(latency, 0.99);
    result.p99_ttft_s = percentile(ttft, 0.99);
    result.served = served_;
    return result;
  }

  Scheduler scheduler_;
  const std::vector<Arrival>& arrivals_;
  std::vector<Engine> engines_;
  std::vector<InFlight> flights_;
  std::vector<double> first_s_, done_s_;
  std::vector<int> served_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  size_t events_made_ = 0;
};

}  // namespace

Outcome run_engines(const SchedulerSettings& settings, const std::vector<SimpleEngine>& engines,
                    const std::vector<Arrival>& arrivals, double window_s) {
  return Simulation(settings, engines, arrivals).run(window_s);
}

std::vector<Arrival> read_arrivals(const Path& file) {
  std::istringstream lines(read_file(file));
  std::vector<Arrival> arrivals;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    Arrival arrival;
    char comma;
    std::istringstream(line) >> arrival.at_s >> comma >> arrival.prompt_tokens >> comma >>
        arrival.output_tokens;
    arrivals.push_back(arrival);
  }
  return arrivals;
}

Outcome mean_of(const std::vector<Outcome>& outcomes) {
  Outcome mean;
  const auto count = static_cast<double>(outcomes.size());
  for (const Outcome& each : outcomes) {
    mean.mean_latency_s += each.mean_latency_s / count;
    mean.p99_latency_s += each.p99_latency_s / count;
    mean.mean_ttft_s += each.mean_ttft_s / count;
    mean.p99_ttft_s += each.p99_ttft_s / count;
    mean.done_per_s += each.done_per_s / count;
    mean.makespan_s += each.makespan_s / count;
  }
  return mean;
}

}  // namespace trex::schedule
