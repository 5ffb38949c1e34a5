// Intermediate values of a forward pass, for tests and for looking inside a model.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

namespace trex::model::reference {

// Keeps (detached) every value that the forward pass reports, by name: "layers.1.indexer.scores",
// "streams.2". The names are those of the golden files' README.
struct Probe {
  std::map<std::string, torch::Tensor> values;
};

// Does nothing without a probe.
inline void report(Probe* probe, const std::string& name, const torch::Tensor& value) {
  if (probe != nullptr) probe->values[name] = value.detach();
}

}  // namespace trex::model::reference
