// Speed of the reference model at the size of the demonstration: training (forward, all losses,
// backward; no optimiser) and batched greedy generation. Inside the timed window: whole passes over
// a batch that is already in memory, after one warm-up pass. Prints JSON lines; the first is
// checked to be finite before anything is timed.
//
//   reference_model_bench [train|generate|profile-train|profile-generate] [THREADS]
//
// A profile prints the operations by their own time, without what they call: of one training pass,
// or of the prompts.
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/rng.h"
#include "infer/generate.h"
#include "model/parameter_counts.h"
#include "model/reference/model.h"

namespace {

using namespace trex;

constexpr int64_t kRows = 8, kLength = 512;

model::ModelConfig demo_config() {
  return model::config_from_json(
      Json::parse(
          R"({"vocab_size": 2048, "hidden_size": 192, "num_hidden_layers": 5, "num_nextn_predict_layers": 1,
        "num_attention_heads": 4, "head_dim": 64, "qk_rope_head_dim": 16, "q_lora_rank": 96, "o_groups": 2, "o_lora_rank": 64,
        "sliding_window": 512, "compress_ratios": [0, 4, 16, 4, 16, 0], "max_position_embeddings": 4096,
        "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 16},
        "index_n_heads": 4, "index_head_dim": 32, "index_topk": 32, "n_routed_experts": 8, "num_experts_per_tok": 2,
        "moe_intermediate_size": 256, "num_hash_layers": 2, "routed_scaling_factor": 1.5, "swiglu_limit": 10,
        "tie_word_embeddings": true})"),
      "demo");
}

std::vector<int64_t> random_tokens(int64_t count) {
  Rng rng(1, "bench");
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<int64_t>(rng.below(2048)));
  return tokens;
}

struct TrainBench {
  model::ModelConfig config = demo_config();
  model::Parameters parameters = model::make_parameters(config, 1, torch::kFloat32);
  model::Batch batch =
      model::batch_of_rows(torch::tensor(random_tokens(kRows * kLength)).view({kRows, kLength}));
  model::LossOptions options;

  TrainBench() { model::require_gradients(parameters); }

  // Seconds of the forward pass and of the backward pass.
  std::pair<double, double> pass() {
    const SystemClock clock;
    const Stopwatch watch(clock);
    const auto losses = model::reference::compute_losses(config, parameters, batch, options);
    const double forward = watch.seconds();
    losses.total.backward();
    const double both = watch.seconds();
    TREX_CHECK(losses.total.isfinite().item<bool>());
    for (const auto& entry : parameters.entries()) entry.tensor.mutable_grad().reset();
    return {forward, both - forward};
  }
};

void bench_train(bool everything) {
  TrainBench bench;
  if (!everything) bench.options = {.mtp_weight = 0, .indexer_weight = 0};
  bench.pass();
  std::vector<std::pair<double, double>> passes;
  for (int i = 0; i < 7; ++i) passes.push_back(bench.pass());
  std::sort(passes.begin(), passes.end(),
            [](auto a, auto b) { return a.first + a.second < b.first + b.second; });
  const auto total = [&](size_t i) { return passes[i].first + passes[i].second; };
  const double tokens = kRows * kLength;
  const auto count = model::count_parameters(bench.config);
  fmt::print(
      "{{\"bench\": \"train\", \"losses\": \"{}\", \"tokens_per_second\": {:.0f}, \"fastest\": "
      "{:.0f}, \"slowest\": {:.0f}, "
      "\"forward_s\": {:.3f}, \"backward_s\": {:.3f}, \"parameters\": {}, \"activated\": {}, "
      "\"threads\": {}}}\n",
      everything ? "all" : "next token", tokens / total(3), tokens / total(0), tokens / total(6),
      passes[3].first, passes[3].second, count.total, count.activated, at::get_num_threads());
}

void bench_generate(size_t num_prompts) {
  const auto config = demo_config();
  const auto parameters = model::make_parameters(config, 1, torch::kFloat32);
  const auto tokens = random_tokens(300 * 300);
  std::vector<infer::Prompt> prompts(num_prompts);
  for (size_t i = 0; i < prompts.size(); ++i) {
    prompts[i].ids.assign(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                          tokens.begin() + static_cast<std::ptrdiff_t>(i + 200 + i % 100));
  }
  const SystemClock clock;
  const Stopwatch watch(clock);
  infer::generate(config, parameters, prompts, {.max_new_tokens = 250},
                  [](size_t, const infer::Completion&) {});
  fmt::print(
      "{{\"bench\": \"generate\", \"prompts\": {}, \"prompt_tokens\": \"200-299\", \"new_tokens\": "
      "250, \"seconds\": {:.1f}, "
      "\"tokens_per_second\": {:.0f}, \"threads\": {}}}\n",
      num_prompts, watch.seconds(), static_cast<double>(num_prompts) * 250 / watch.seconds(),
      at::get_num_threads());
}

// Own time of each operation: what it took less what the operations inside it took.
struct OpTime {
  double seconds = 0;
  int64_t calls = 0;
};
std::mutex op_times_mutex;
std::map<std::string, OpTime> op_times;  // guarded by op_times_mutex
thread_local std::vector<double> inner_seconds;

struct OpStart : at::ObserverContext {
  double at = SystemClock().seconds();
};

std::unique_ptr<at::ObserverContext> on_op_start(const at::RecordFunction&) {
  inner_seconds.push_back(0);
  return std::make_unique<OpStart>();
}

void on_op_end(const at::RecordFunction& function, at::ObserverContext* context) {
  const double whole = SystemClock().seconds() - static_cast<OpStart*>(context)->at;
  const double own = whole - inner_seconds.back();
  inner_seconds.pop_back();
  if (!inner_seconds.empty()) inner_seconds.back() += whole;
  const std::scoped_lock lock(op_times_mutex);
  OpTime& time = op_times[function.name()];
  time.seconds += own;
  ++time.calls;
}

void print_profile(const std::function<void()>& work) {
  at::addGlobalCallback(at::RecordFunctionCallback(on_op_start, on_op_end));
  work();
  std::vector<std::pair<std::string, OpTime>> rows(op_times.begin(), op_times.end());
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  double total = 0;
  for (const auto& row : rows) total += row.second.seconds;
  for (size_t i = 0; i < std::min<size_t>(rows.size(), 40); ++i) {
    fmt::print("{:5.1f} %  {:8.1f} ms  {:6} calls  {}\n", 100 * rows[i].second.seconds / total,
               1e3 * rows[i].second.seconds, rows[i].second.calls, rows[i].first);
  }
}

void profile_train() {
  TrainBench bench;
  bench.pass();
  print_profile([&] { bench.pass(); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "train";
  at::set_num_threads(argc > 2 ? std::stoi(argv[2]) : 2);
  if (what == "train") {
    bench_train(/*everything=*/true);
    bench_train(/*everything=*/false);
  } else if (what == "generate") {
    bench_generate(300);
  } else if (what == "profile-train") {
    profile_train();
  } else if (what == "profile-generate") {
    print_profile([] { bench_generate(96); });
  }
}
