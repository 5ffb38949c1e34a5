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
  // Choices of another pass ("layers.1.gate.indices", "layers.1.indexer.selected") to take instead
  // of making them: in a narrow dtype other experts and entries win, and nothing is comparable.
  std::map<std::string, torch::Tensor> forced;
};

// Does nothing without a probe.
inline void report(Probe* probe, const std::string& name, const torch::Tensor& value) {
  if (probe != nullptr) probe->values[name] = value.detach();
}

// The forced choice of this name; undefined when there is none.
inline torch::Tensor forced_choice(const Probe* probe, const std::string& name) {
  if (probe == nullptr) return {};
  const auto found = probe->forced.find(name);
  return found == probe->forced.end() ? torch::Tensor() : found->second;
}

}  // namespace trex::model::reference
