// One instance as a chain of stages, possibly of one: the operator models of its stages and the
// links between them (heterogeneous serving, section 5.5, "Pipeline parallel").
//
// In steady state `stages` micro-batches of b/stages sequences circulate; the slowest stage sets
// the period. Immutable; any thread.
#pragma once

#include <vector>

#include "perf/operator_model.h"
#include "perf/throughput.h"

namespace trex::perf {

struct StageLink {
  double bytes_per_s = 0;
  double latency_s = 10e-6;
};

class PipelineModel {
 public:
  // `links[i]` lies between stage i and i + 1. `factors`, one a stage or none, multiply a stage's
  // times: what was measured over what the operator model says.
  PipelineModel(std::vector<OperatorModel> stages, std::vector<StageLink> links,
                std::vector<IterationSeconds> factors = {});

  // Time in which every decoding sequence gets one token: the sum over micro-batches of the slowest
  // stage, or a token's own way through all stages if that takes longer. Chunks ride in one
  // micro-batch.
  double seconds(const Iteration& iteration) const;

  // A prompt alone, cut into chunks of `chunk_tokens` that follow one another through the stages:
  // (m + stages - 1) times the slowest stage.
  double prompt_seconds(double prompt_tokens, int64_t chunk_tokens) const;

  const std::vector<OperatorModel>& stages() const { return stages_; }
  IterationSeconds function() const;  // refers to this object
  bool calibrated() const;

 private:
  double transfers_s(double num_tokens) const;
  double stage_seconds(size_t i, const Iteration& iteration) const;

  std::vector<OperatorModel> stages_;
  std::vector<StageLink> links_;
  std::vector<IterationSeconds> factors_;
};

// One instance on devices of one machine.
struct Placement {
  PipelineModel pipeline;
  MemoryBudget memory;  // of the stage with the least room
};

// Equal stages, the first ones a layer longer when they do not divide. The layout must suit the
// model (layout_problem).
Placement place(const ModelSpec& model, const DeviceSpec& device, const Quantisation& quantisation,
                const Layout& layout, const EngineLimits& limits);

// Layers of equal stages, the first ones one longer when they do not divide.
std::vector<int64_t> equal_layers(int64_t num_layers, int64_t stages);

// The link between the stages of one machine: its fastest, or PCIe.
StageLink link_within(const DeviceSpec& device);

// Layers for each stage so that the slowest is as fast as possible, when stage i takes
// `seconds_per_layer[i]` a layer and holds at most `most_layers[i]`. Empty if they cannot hold
// `num_layers` together. Dynamic programming; stages may be unlike. Every stage gets a layer.
std::vector<int64_t> balance_layers(const std::vector<double>& seconds_per_layer,
                                    const std::vector<int64_t>& most_layers, int64_t num_layers);

// Ranges of consecutive layers with those counts: the first holds the embedding, the last the head.
std::vector<StageRange> stage_ranges(const std::vector<int64_t>& layers);

}  // namespace trex::perf
