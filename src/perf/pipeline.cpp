#include "perf/pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace trex::perf {

PipelineModel::PipelineModel(std::vector<OperatorModel> stages, std::vector<StageLink> links,
                             std::vector<IterationSeconds> factors)
    : stages_(std::move(stages)), links_(std::move(links)), factors_(std::move(factors)) {
  TREX_CHECK(!stages_.empty() && links_.size() + 1 == stages_.size());
  TREX_CHECK(factors_.empty() || factors_.size() == stages_.size());
}

double PipelineModel::stage_seconds(size_t i, const Iteration& iteration) const {
  return stages_[i].seconds(iteration) * (factors_.empty() ? 1 : factors_[i](iteration));
}

double PipelineModel::transfers_s(double num_tokens) const {
  double seconds = 0;
  for (size_t i = 0; i < links_.size(); ++i) {
    seconds += links_[i].latency_s + stages_[i].boundary_bytes(num_tokens) / links_[i].bytes_per_s;
  }
  return seconds;
}

double PipelineModel::seconds(const Iteration& iteration) const {
  if (stages_.size() == 1) return stage_seconds(0, iteration);
  const double count = static_cast<double>(stages_.size());
  Iteration plain{.num_decoding = iteration.num_decoding / count,
                  .context_each = iteration.context_each};
  Iteration mixed = plain;
  mixed.chunks = iteration.chunks;
  double slowest = 0;
  double slowest_mixed = 0;
  double way = transfers_s(plain.num_decoding);
  for (size_t i = 0; i < stages_.size(); ++i) {
    const double plain_s = plain.num_decoding > 0 ? stage_seconds(i, plain) : 0;
    const double mixed_s = iteration.chunks.empty() ? plain_s : stage_seconds(i, mixed);
    slowest = std::max(slowest, plain_s);
    slowest_mixed = std::max(slowest_mixed, mixed_s);
    way += plain_s;
  }
  const double period = (count - 1) * slowest + slowest_mixed;
  return std::max(period, way + slowest_mixed - slowest);
}

double PipelineModel::prompt_seconds(double prompt_tokens, int64_t chunk_tokens) const {
  const double num_chunks = std::ceil(prompt_tokens / static_cast<double>(chunk_tokens));
  const double each = prompt_tokens / num_chunks;
  double total = 0;
  double last_slowest = 0;
  for (double i = 0; i < num_chunks; ++i) {
    const PromptChunk chunk{i * each, each};
    last_slowest = 0;
    for (size_t s = 0; s < stages_.size(); ++s) {
      last_slowest = std::max(last_slowest, stage_seconds(s, {.chunks = {&chunk, 1}}));
    }
    total += last_slowest;
  }
  return total + static_cast<double>(stages_.size() - 1) * last_slowest + transfers_s(each);
}

Placement place(const ModelSpec& model, const DeviceSpec& device, const Quantisation& quantisation,
                const Layout& layout, const EngineLimits& limits) {
  std::vector<OperatorModel> stages;
  MemoryBudget tightest;
  double least = 0;
  for (const StageRange& range : stage_ranges(equal_layers(model.num_layers, layout.pp))) {
    stages.emplace_back(model, device, quantisation, layout, limits, range);
    const MemoryBudget memory = memory_budget(model, device, quantisation, layout, limits, range);
    const double sequences = memory.kv_bytes / memory.kv.bytes(limits.max_context);
    if (stages.size() == 1 || sequences < least) tightest = memory, least = sequences;
  }
  std::vector<StageLink> links(stages.size() - 1, link_within(device));
  return {PipelineModel(std::move(stages), std::move(links)), tightest};
}

std::vector<int64_t> equal_layers(int64_t num_layers, int64_t stages) {
  std::vector<int64_t> layers(static_cast<size_t>(stages), num_layers / stages);
  for (int64_t i = 0; i < num_layers % stages; ++i) ++layers[static_cast<size_t>(i)];
  return layers;
}

StageLink link_within(const DeviceSpec& device) {
  const auto* link = device.fastest_link("machine");
  return {link != nullptr ? link->bytes_per_s : 32e9, 10e-6};
}

IterationSeconds PipelineModel::function() const {
  return [this](const Iteration& iteration) { return seconds(iteration); };
}

bool PipelineModel::calibrated() const {
  return !factors_.empty() || std::all_of(stages_.begin(), stages_.end(),
                                          [](const OperatorModel& s) { return s.calibrated(); });
}

std::vector<int64_t> balance_layers(const std::vector<double>& seconds_per_layer,
                                    const std::vector<int64_t>& most_layers, int64_t num_layers) {
  const size_t count = seconds_per_layer.size();
  const auto columns = static_cast<size_t>(num_layers) + 1;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  // best[i][n]: smallest slowest time of the first i stages holding n layers; chosen: of stage i.
  std::vector<std::vector<double>> best(count + 1, std::vector<double>(columns, kNever));
  std::vector<std::vector<int64_t>> chosen(count + 1, std::vector<int64_t>(columns, 0));
  best[0][0] = 0;
  for (size_t i = 1; i <= count; ++i) {
    for (size_t n = 1; n < columns; ++n) {
      const auto most = std::min<int64_t>(most_layers[i - 1], static_cast<int64_t>(n));
      for (int64_t own = 1; own <= most; ++own) {
        const double slowest = std::max(best[i - 1][n - static_cast<size_t>(own)],
                                        static_cast<double>(own) * seconds_per_layer[i - 1]);
        if (slowest < best[i][n]) best[i][n] = slowest, chosen[i][n] = own;
      }
    }
  }
  if (best[count][columns - 1] == kNever) return {};
  std::vector<int64_t> layers(count);
  auto left = columns - 1;
  for (size_t i = count; i > 0; --i) {
    layers[i - 1] = chosen[i][left];
    left -= static_cast<size_t>(layers[i - 1]);
  }
  return layers;
}

std::vector<StageRange> stage_ranges(const std::vector<int64_t>& layers) {
  std::vector<StageRange> ranges;
  int64_t first = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    ranges.push_back({first, layers[i], i + 1 == layers.size(), i == 0});
    first += layers[i];
  }
  return ranges;
}

}  // namespace trex::perf
