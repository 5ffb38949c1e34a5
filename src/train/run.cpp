#include "train/run.h"

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/types.h>

#include <cmath>
#include <memory>

#include "base/json.h"
#include "base/metrics.h"
#include "base/parallel_for.h"
#include "model/reference/model.h"
#include "report/event_file.h"
#include "train/checkpoints.h"
#include "train/peak_gflops.h"
#include "train/run_inputs.h"
#include "train/run_metrics.h"
#include "train/trainer.h"
#include "train/trainer_state.h"

namespace trex::train {
namespace {

torch::Dtype dtype_of(const TrainSettings& settings) {
  return settings.dtype == "bfloat16" ? torch::kBFloat16 : torch::kFloat32;
}

int num_threads(const TrainSettings& settings) {
  return static_cast<int>(settings.threads.value_or(num_cores()));
}

// The same bytes in every run: no operation whose result depends on the order of threads.
void use_deterministic_arithmetic(const TrainSettings& settings) {
  at::set_num_threads(num_threads(settings));
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);  // costs time, hides nothing
}

// The state of one call of run_training, with a method for each thing that happens in it.
class Run {
 public:
  Run(const TrainSettings& settings, const Path& out, const RunContext& context)
      : settings_(settings),
        out_(out),
        context_(context),
        checkpoints_(out, settings.keep_last),
        num_steps_(num_steps_of(settings)),
        identity_(run_identity(settings, num_steps_)) {}

  RunSummary train();

 private:
  void make_trainer();
  void open_outputs();
  void take_step();
  void write_metrics(const StepReport& report, bool evaluated);
  void save_checkpoint();
  void finish();
  bool is_due(int64_t every) const {
    return trainer_->steps_done() % every == 0 || trainer_->steps_done() == num_steps_;
  }

  const TrainSettings& settings_;
  Path out_;
  const RunContext& context_;
  Checkpoints checkpoints_;
  int64_t num_steps_;
  Json identity_;

  std::optional<data::Loader> loader_;
  std::unique_ptr<Trainer> trainer_;
  std::optional<data::Loader> eval_loader_;
  Json eval_start_;
  std::optional<MetricsWriter> metrics_;
  std::optional<report::EventFile> events_;
  RunSummary summary_;
  double seconds_ = 0;  // in steps of this process
  double step_tokens_ = 0, gflop_ = 0;
};

RunSummary Run::train() {
  make_trainer();
  open_outputs();
  context_.progress.started("train", num_steps_, "steps");
  context_.progress.advanced(trainer_->steps_done());
  bool stopped = false;
  while (trainer_->steps_done() < num_steps_ && !stopped) {
    take_step();
    stopped = context_.stop_requested();
    if (stopped || is_due(settings_.checkpoint_every)) save_checkpoint();
  }
  if (trainer_->steps_done() == num_steps_) finish();
  context_.progress.finished();
  return summary_;
}

void Run::make_trainer() {
  loader_ =
      data::Loader::open(settings_.data, settings_.seq_len, static_cast<uint64_t>(settings_.seed));
  const model::ModelConfig config = model_config_of(settings_, loader_->vocab_size());
  const auto newest = checkpoints_.latest();
  if (newest) {
    verify_manifest(*newest);
    check_same_run(*newest, identity_);
  }
  const std::optional<Path> weights = newest ? newest : settings_.init_from;
  const model::Parameters values =
      weights
          ? model::load_parameters(config, *weights, torch::kFloat32)
          : model::make_parameters(config, static_cast<uint64_t>(settings_.seed), torch::kFloat32);
  trainer_ = std::make_unique<Trainer>(Trainer::Parts{
      .settings = settings_,
      .config = config,
      .values = values,
      .dtype = dtype_of(settings_),
      .next_row = [this] { return loader_->next(); },
      .num_steps = num_steps_,
      .compute_losses =
          [config](const auto& parameters, const auto& batch, const auto& options) {
            return model::reference::compute_losses(config, parameters, batch, options);
          },
      .clock = context_.clock});
  if (newest) {
    summary_.totals = restore_state(*trainer_, *loader_, *newest);
    summary_.resumed_at = trainer_->steps_done();
    summary_.checkpoint = *newest;
  }
  if (!settings_.eval_sources.empty()) {
    eval_loader_ =
        data::Loader::open({.sources = settings_.eval_sources, .packing = settings_.data.packing},
                           settings_.seq_len, static_cast<uint64_t>(settings_.seed));
    eval_start_ = eval_loader_->position();
  }
}

void Run::open_outputs() {
  // What a killed run wrote behind its last checkpoint happens again.
  truncate_metrics(out_ / "metrics.jsonl", trainer_->steps_done());
  metrics_.emplace(out_ / "metrics.jsonl", context_.clock);
  events_ = report::EventFile::create(out_ / "tensorboard", context_.unix_seconds());
  summary_.num_steps = num_steps_;
  summary_.steps_done = trainer_->steps_done();
  summary_.peak_gflops = settings_.peak_gflops.value_or(0);
  if (summary_.peak_gflops == 0) {
    summary_.peak_gflops = measure_peak_gflops(dtype_of(settings_), context_.clock);
  }
  // The peak is that of all threads; from here on each micro batch has its share of them.
  const int lanes = static_cast<int>(settings_.parallel_micro_batches);
  at::set_num_threads(std::max(1, num_threads(settings_) / lanes));
}

void Run::take_step() {
  const StepReport report = trainer_->step();
  RunTotals& totals = summary_.totals;
  totals.tokens += report.tokens;
  totals.loss = report.loss;
  totals.next_token_loss = report.next_token;
  const bool evaluates = eval_loader_ && is_due(settings_.eval_every);
  if (evaluates) {
    eval_loader_->seek(eval_start_);
    totals.eval_loss =
        trainer_->evaluate([this] { return eval_loader_->next(); }, settings_.eval_rows);
  }
  seconds_ += report.seconds();
  step_tokens_ += double(report.tokens);
  gflop_ += report.flops * 1e-9;
  summary_.steps_done = report.step;
  summary_.tokens_per_second = step_tokens_ / seconds_;
  summary_.mfu = gflop_ / seconds_ / summary_.peak_gflops;
  if (evaluates || is_due(settings_.log_every)) write_metrics(report, evaluates);
}

void Run::write_metrics(const StepReport& report, bool evaluated) {
  const Speed speed = speed_of(report, summary_.peak_gflops);
  Metrics metrics = metrics_of(report, loader_->sources(), speed, summary_.totals.tokens);
  if (evaluated) metrics.emplace_back("eval_loss", *summary_.totals.eval_loss);
  metrics_->write(report.step, metrics);
  events_->scalars(report.step, context_.unix_seconds(), metrics);
  context_.progress.advanced(report.step, progress_note(report, speed));
}

void Run::save_checkpoint() {
  summary_.checkpoint = checkpoints_.write_step(trainer_->steps_done(), [this](const Path& folder) {
    save_weights(*trainer_, *settings_.tokenizer, folder);
    save_state(*trainer_, *loader_, identity_, summary_.totals, folder);
  });
}

void Run::finish() {
  summary_.checkpoint = checkpoints_.write_named("final", [this](const Path& folder) {
    save_weights(*trainer_, *settings_.tokenizer, folder);
  });
  const RunTotals& totals = summary_.totals;
  const auto rounded = [](double value) { return std::round(value * 1e6) / 1e6; };
  write_file(out_ / "summary.json",
             Json{{"version", 1},
                  {"steps", summary_.steps_done},
                  {"tokens", totals.tokens},
                  {"loss", num_steps_ > 0 ? Json(totals.loss) : Json()},
                  {"next_token_loss", num_steps_ > 0 ? Json(totals.next_token_loss) : Json()},
                  {"eval_loss", totals.eval_loss ? Json(*totals.eval_loss) : Json()},
                  {"tokens_per_second", rounded(summary_.tokens_per_second)},
                  {"mfu", rounded(summary_.mfu)},
                  {"peak_gflops", rounded(summary_.peak_gflops)}}
                     .dump(2) +
                 "\n");
}

}  // namespace

RunSummary run_training(const TrainSettings& settings, const Path& out, const RunContext& context) {
  use_deterministic_arithmetic(settings);
  return Run(settings, out, context).train();
}

}  // namespace trex::train
