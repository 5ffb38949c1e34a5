// trex perf fit: the instance model of a measured engine, for trex plan serve and trex simulate.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "base/error.h"
#include "perf/profile.h"

namespace trex::app {
namespace {

struct FitArguments {
  Path profile;
  std::vector<Path> catalogue_files;
  perf::Deployment deployment{.quantisation = "bf16"};
  perf::ProfileOptions options;
  std::string kv = "bf16";
  bool json = false;
  Path out;
};

void add_options(CLI::App& options, FitArguments& a) {
  const auto degree = CLI::Range(1, 1024);
  perf::Layout& layout = a.deployment.layout;
  options
      .add_option("profile", a.profile, "Measurements, one a line (docs/formats.md, \"Profile\")")
      ->required();
  options
      .add_option("--model", a.deployment.model,
                  "What was measured: model of the catalogue, a config.json or a .gguf file")
      ->required();
  options.add_option("--device", a.deployment.device, "What was measured: device of the catalogue")
      ->required();
  options.add_option("--catalogue", a.catalogue_files,
                     "Your own devices or models, JSON; repeatable");
  options.add_option("--quantisation", a.deployment.quantisation, "How weights were stored")
      ->capture_default_str();
  options.add_option("--kv", a.kv, "Cache elements: bf16 or fp8")
      ->check(CLI::IsMember({"bf16", "fp8"}))
      ->capture_default_str();
  options.add_option("--tp", layout.tp, "Tensor-parallel devices")
      ->check(degree)
      ->capture_default_str();
  options.add_option("--pp", layout.pp, "Pipeline stages")->check(degree)->capture_default_str();
  options.add_option("--dp", layout.dp, "Attention replicas (mixtures of experts)")
      ->check(degree)
      ->capture_default_str();
  options.add_option("--ep", layout.ep, "Expert-parallel ranks")
      ->check(degree)
      ->capture_default_str();
  options
      .add_option("--chunk-tokens", a.options.chunk_tokens,
                  "Most tokens of one iteration of the engine")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  options
      .add_option("--max-sequences", a.options.max_sequences,
                  "Most sequences at once; default: twice what was measured, at most 256")
      ->check(CLI::Range(1, 65536));
  options
      .add_option("--max-context", a.options.max_context,
                  "Tokens of the longest sequence; default: twice what was measured, or what fits")
      ->check(CLI::Range(2, 1 << 24));
  options.add_flag("--json", a.json, "The fitted instance model as JSON");
  options.add_option("--out", a.out, "File for the fitted instance model");
}

std::string error_text(const perf::FitError& error) {
  return fmt::format("median {:.1f} %, p90 {:.1f} %, worst {:.1f} %", 100 * error.median,
                     100 * error.p90, 100 * error.worst);
}

std::string slopes_text(const perf::IterationCoefficients& time, bool bends) {
  const auto row = [](double seconds, const std::string& what) {
    return fmt::format("  {:>12.4f} ms  {}\n", 1e3 * seconds, what);
  };
  if (!bends) return row(time.per_sequence_s[0], "for each decoding sequence");
  static constexpr const char* kRanges[] = {"up to 8", "from 8 to 32", "from 32 to 128",
                                            "beyond 128"};
  std::string text;
  for (size_t i = 0; i < time.per_sequence_s.size(); ++i)
    text += row(time.per_sequence_s[i], fmt::format("for each decoding sequence {}", kRanges[i]));
  return text;
}

std::string report_text(const perf::Profile& profile, const perf::ProfileFit& fit) {
  const perf::InstanceModel& model = fit.measured.model;
  const perf::IterationCoefficients& time = model.time;
  std::string text = fmt::format("{}: {} measurements\nan iteration takes\n",
                                 fit.measured.deployment.text(), profile.samples.size());
  text += fmt::format("  {:>12.4f} ms  always\n", 1e3 * time.base_s) +
          slopes_text(time, fit.report.bends);
  text += fmt::format(
      "  {:>12.4f} us  for each token of their contexts\n  {:>12.4f} us  for each token of a "
      "prompt\n",
      1e6 * time.per_context_token_s, 1e6 * time.per_prompt_token_s);
  text += fmt::format("  {:>12.4f} ns  for each pair of a prompt token and one before it\n\n",
                      1e9 * time.per_prompt_pair_s);
  const perf::FitError& error = fit.measured.error;
  text += fmt::format("error: {}, at measurement {}; R2 {:.4f}\n", error_text(error),
                      error.worst_index + 1, fit.report.r_squared);
  if (fit.report.on_held_out.num_samples > 0) {
    text += fmt::format("error of {} measurements that the fit did not see: {}\n",
                        fit.report.on_held_out.num_samples, error_text(fit.report.on_held_out));
  }
  text += fmt::format("without them the operator model would be off by {:.1f} % (median)\n",
                      100 * fit.operator_model_error);
  return text + fmt::format(
                    "good for {} sequences at once and contexts of {} tokens; measured up to {:g} "
                    "and {:g}\n",
                    model.max_sequences, model.max_context, model.sampled_batch,
                    model.sampled_context);
}

}  // namespace

int cmd_perf_fit(const Arguments& arguments) {
  CLI::App options("The instance model of a measured engine, for trex plan serve and trex simulate",
                   "trex perf fit");
  FitArguments a;
  add_options(options, a);
  if (!parse_arguments(options, arguments)) return 0;
  perf::Catalogue catalogue = perf::Catalogue::shipped();
  for (const Path& file : a.catalogue_files) catalogue.add_file(file);
  a.options.kv_element_bytes = a.kv == "fp8" ? 1 : 2;
  const perf::Profile profile = perf::load_profile(a.profile, a.options.chunk_tokens);
  const perf::ProfileFit fit =
      perf::fit_profile(profile, a.deployment, catalogue, a.options, a.profile.string());
  const std::string json = perf::to_json(fit.measured).dump(2) + "\n";
  if (!a.out.empty()) write_file(a.out, json);
  fmt::print("{}", a.json ? json : report_text(profile, fit));
  return 0;
}

}  // namespace trex::app
