// Measurements of a running engine, and the instance model that is fitted to them (heterogeneous
// serving, sections 5.7 and 14.2): profile -> fit -> plan and simulate.
//
// A profile is a file of JSON lines, one measurement a line (docs/formats.md, "Profile"):
//   {"sequences": 32, "context": 1024, "seconds": 0.0131}    32 sequences of 1,024 tokens got one
//   token each
//   {"prompt_tokens": 4096, "seconds": 0.21}                 a prompt alone, until its first token
//   {"sequences": 16, "context": 512, "prompt_tokens": 2048, "cached_tokens": 512, "seconds": 0.09}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "perf/catalogue.h"
#include "perf/deployment.h"
#include "perf/fit.h"

namespace trex::perf {

// What was measured.
struct Deployment {
  std::string model;         // a catalogue name
  std::string device;        // a catalogue name
  std::string quantisation;  // "bf16"
  Layout layout;

  std::string text() const;  // "Llama-3.1-8B bf16 TP1 on H100 SXM"
};

// An instance model with what it is a model of. The file is an instance model with two keys more.
struct MeasuredModel {
  Deployment deployment;
  InstanceModel model;
  FitError error;  // on all measurements
};

struct Profile {
  std::vector<IterationSample> samples;
  double longest_context = 0;  // tokens of the longest sequence that was measured
};

struct ProfileOptions {
  double kv_element_bytes = 2;
  int64_t chunk_tokens = 2048;  // most tokens of one iteration of the measured engine
  // Nothing: as far as the measurements reach (twice of them), and the memory holds.
  std::optional<int64_t> max_sequences;
  std::optional<int64_t> max_context;
};

struct ProfileFit {
  MeasuredModel measured;
  FitReport report;
  double operator_model_error = 0;  // median, of the same measurements, without any fit
};

// The measurements of a file. One whose prompt exceeds `chunk_tokens` took several iterations and
// becomes the mean one: the model is linear. Throws Input at file:line for a key that is unknown,
// absent, negative or not a number.
Profile load_profile(const Path& path, int64_t chunk_tokens);

// Throws Input at `where` for measurements that cannot determine the coefficients (one batch, one
// context or one prompt length only), that do not fit (with the residuals), for limits beyond twice
// what was measured, and for a deployment that the model or the device does not allow.
ProfileFit fit_profile(const Profile& profile, const Deployment& deployment,
                       const Catalogue& catalogue, const ProfileOptions& options,
                       const std::string& where);

Json to_json(const MeasuredModel& measured);

// Throws Input for a file that is malformed or an instance model that does not say what was
// measured.
MeasuredModel load_measured(const Path& path);

}  // namespace trex::perf
