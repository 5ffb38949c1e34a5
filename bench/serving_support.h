// What the serving experiments share: clusters, runs, and rows that are printed as JSON lines and,
// at the end, as one Markdown table for each experiment.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "simulate/cluster_file.h"
#include "simulate/summary.h"

namespace trex::bench {

using Instances = std::vector<simulate::SimulatedInstance>;

// Llama-3.1-8B in bf16 on each device, behind an engine like vLLM.
Instances cluster_of(const std::vector<std::string>& devices);
// One instance by its settings.
simulate::SimulatedInstance instance_of(const simulate::InstanceSettings& settings,
                                        const std::string& name);

// Engines with a constant time per token of each sequence.
struct SlotNumbers {
  double token_ms;
  int64_t slots;
  double prompt_tokens_per_s;
};
Instances slot_cluster(const std::vector<SlotNumbers>& engines);

// The first instance's model, `ratio` times slower.
simulate::SimulatedInstance slower(const simulate::SimulatedInstance& instance, double ratio);

struct Setup {
  Instances instances;
  simulate::Workload workload;
  std::string policy;
  uint64_t seed = 1;
  std::vector<simulate::Fault> faults;
  std::function<void(schedule::SchedulerSettings&)> change;
};
struct Ran {
  simulate::Summary summary;
  simulate::SimulationResult result;
  double capacity_per_s = 0;
};
Ran run(const Setup& setup);

inline constexpr int kSeeds = 5;
inline constexpr int64_t kRequests = 4000;

// Lengths drawn from a trace, arrivals as the settings say (Poisson in place of the recorded ones).
simulate::Workload drawn(const std::string& trace, simulate::ArrivalSettings settings,
                         uint64_t seed);
// A batch that nobody waits for: its requests are of the bulk class.
simulate::Workload offline(const std::string& trace, uint64_t seed, int64_t requests = kRequests);

std::string percent(double share);  // "+12.3 %"
std::vector<std::pair<std::string, double>> online_numbers(const Ran& ran);

// Sum of what the instances sustain on those lengths.
double capacity(Instances instances, const std::vector<perf::RequestLengths>& lengths);

const simulate::Trace& shipped(const std::string& name);

// Means over seeds of one row's numbers, and rows whose target was missed.
class Report {
 public:
  // Numbers of one run; runs of the same experiment, case and policy are seeds of one row.
  void add(const std::string& experiment, const std::string& situation, const std::string& policy,
           const std::vector<std::pair<std::string, double>>& numbers);
  double mean(const std::string& experiment, const std::string& situation,
              const std::string& policy, const std::string& number) const;
  // One number of each seed.
  const std::vector<double>& values(const std::string& experiment, const std::string& situation,
                                    const std::string& policy, const std::string& number) const;
  // A statement that should hold, with what was measured.
  void expect(const std::string& experiment, const std::string& statement, bool holds,
              const std::string& measured);
  // A published number that should be met within 15 %, or the reason why it is not.
  void compare(const std::string& experiment, const std::string& what, double published,
               double measured, const std::string& reason);

  void print_json_lines() const;
  void print_markdown() const;
  bool all_hold() const;

 private:
  struct Row {
    std::string experiment, situation, policy;
    std::vector<std::string> names;
    std::map<std::string, std::vector<double>> values;
  };
  struct Statement {
    std::string experiment, text, measured;
    bool holds;
  };
  Row* find(const std::string& experiment, const std::string& situation, const std::string& policy);
  std::vector<Row> rows_;
  std::vector<Statement> statements_;
};

// The unlike clusters of table 9.4.
struct Cluster {
  const char* name;
  std::vector<std::string> devices;
};
const std::vector<Cluster>& clusters_of_table94();
inline constexpr const char* kOnlineExperiment = "H2/H3, online";

// The online numbers of section 9.4 beside ours, of unlike_clusters() before
// (serving_published.cpp).
void compare_with_published(Report& report);

// The experiments, one function each.
void four_engines(Report& report);
void paper_pair(Report& report);           // H1
void unlike_clusters(Report& report);      // H2, H3, table 9.4 (serving_clusters.cpp)
void wrong_speeds(Report& report);         // H4
void drift(Report& report);                // H4
void wrong_prompt_speeds(Report& report);  // H4
void bursts(Report& report);               // H5
void shared_prefixes(Report& report);      // H6 (serving_prefixes.cpp)
void mixed_classes(Report& report);        // H7
void fairness(Report& report);             // H8
void unlike_strengths(Report& report);     // H10

}  // namespace trex::bench
