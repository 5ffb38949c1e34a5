#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "base/parallel_for.h"

namespace trex::train {
namespace {

Error diverged(const StepReport& report) {
  std::string got = fmt::format("loss {}, gradient norm {}", report.loss, report.grad_norm.total);
  if (!report.grad_norm.first_bad.empty()) {
    got += fmt::format(", first bad gradient in {}", report.grad_norm.first_bad);
  }
  return Error({.kind = ErrorKind::Failed,
                .where = fmt::format("step {}", report.step),
                .expected = "a finite loss and gradient",
                .got = got,
                .hint = "the weights are unchanged; a lower schedule.learning_rate may help"});
}

model::LossOptions loss_options(const TrainSettings& settings, const model::ModelConfig& config) {
  return {.mtp_weight = config.num_nextn_predict_layers > 0 ? settings.loss.mtp : 0,
          .indexer_weight = settings.loss.indexer,
          .balance_weight = settings.loss.balance,
          .num_micro_batches = settings.accumulation};
}

FlopOptions flop_options(const TrainSettings& settings) {
  return {.indexer = settings.loss.indexer > 0 ? PartUse::Trained : PartUse::ForwardOnly,
          .mtp = settings.loss.mtp > 0 ? PartUse::Trained : PartUse::Absent};
}

}  // namespace

bool is_trained(std::string_view name, const TrainSettings& settings) {
  if (!model::is_trained(name)) return false;
  if (settings.loss.mtp == 0 && name.starts_with("mtp.")) return false;
  // No gradient reaches the indexer without its own loss, and decay alone would shrink it.
  if (settings.loss.indexer == 0 && name.find(".indexer.") != name.npos) return false;
  return settings.train_router || name.find(".ffn.gate.") == name.npos;
}

Trainer::Trainer(Parts parts)
    : settings_(parts.settings),
      config_(parts.config),
      loss_options_(loss_options(parts.settings, parts.config)),
      compute_losses_(std::move(parts.compute_losses)),
      next_row_(std::move(parts.next_row)),
      schedule_(parts.settings.schedule, parts.num_steps),
      parameters_(
          parts.values, model::expected_specs(parts.config, parts.dtype),
          [&parts](std::string_view name) { return is_trained(name, parts.settings); },
          parts.settings.parallel_micro_batches),
      optimizer_(parts.settings.optimizer, parameters_),
      flops_(parts.config, parts.settings.seq_len, flop_options(parts.settings)),
      clock_(parts.clock),
      num_steps_(parts.num_steps) {}

StepReport Trainer::step() {
  StepReport report{.step = steps_done_ + 1, .learning_rate = schedule_.at(steps_done_)};
  Stopwatch data_time(clock_);
  const Window window = next_window(next_row_, settings_.accumulation, settings_.micro_batch);
  report.tokens = window.tokens;
  report.targets = window.targets.next_token;
  report.data_seconds = data_time.seconds();

  Stopwatch model_time(clock_);
  compute_gradients(window, report);
  report.load = load_balance(config_, expert_load_LE_);
  report.model_seconds = model_time.seconds();

  Stopwatch optimizer_time(clock_);
  report.grad_norm = gradient_norm(parameters_);
  report.clip_factor = clip_factor(report.grad_norm.total, settings_.max_grad_norm);
  if (!std::isfinite(report.loss) || !std::isfinite(report.grad_norm.total)) throw diverged(report);
  if (report.targets > 0) {
    optimizer_.step(report.learning_rate, report.clip_factor);
    if (settings_.train_router) {
      update_router_bias(config_, parameters_.model(), expert_load_LE_,
                         settings_.router_bias_speed);
    }
  }
  report.optimizer_seconds = optimizer_time.seconds();
  ++steps_done_;
  return report;
}

// Lane k takes every num_lanes-th micro batch, and parts and gradients are added up in a fixed
// order: which thread is faster never shows in the result.
void Trainer::compute_gradients(const Window& window, StepReport& report) {
  parameters_.zero_gradients();
  expert_load_LE_ = torch::zeros({config_.num_blocks(), config_.n_routed_experts}, torch::kInt64);
  const auto num_lanes = static_cast<size_t>(settings_.parallel_micro_batches);
  std::vector<Part> parts(window.micro_batches.size());
  parallel_for(settings_.parallel_micro_batches, static_cast<int>(num_lanes), [&](int64_t lane) {
    for (size_t i = static_cast<size_t>(lane); i < parts.size(); i += num_lanes) {
      parts[i] = backward(window.micro_batches[i], window, parameters_.lane(lane));
    }
  });
  parameters_.reduce_gradients();
  report.sources.resize(settings_.data.sources.size());
  for (const Part& part : parts) add(part, report);
}

Trainer::Part Trainer::backward(const MicroBatch& micro_batch, const Window& window,
                                GradientLane& lane) const {
  Part part{.flops = flops_.training(micro_batch.batch)};
  if (window.targets.next_token == 0) return part;
  model::LossOptions options = loss_options_;
  options.num_targets = window.targets;
  const model::Losses losses = compute_losses_(lane.model, micro_batch.batch, options);
  losses.total.backward();
  lane.collect_gradients();
  part.loss = losses.total.item<double>();
  part.next_token = losses.next_token.item<double>();
  part.mtp = losses.mtp.item<double>();
  part.indexer = losses.indexer.item<double>();
  part.balance = losses.balance.item<double>();
  part.expert_load_LE = losses.expert_load_LE;
  part.sources = source_losses(micro_batch, losses.token_loss_BS);
  return part;
}

std::vector<SourceLoss> Trainer::source_losses(const MicroBatch& micro_batch,
                                               const torch::Tensor& token_loss_BS) const {
  std::vector<SourceLoss> losses(settings_.data.sources.size());
  const torch::Tensor has_target_BS = micro_batch.batch.target_BS != model::kNoTarget;
  for (size_t i = 0; i < losses.size(); ++i) {
    const auto mine_BS = has_target_BS & (micro_batch.source_BS == static_cast<int64_t>(i));
    losses[i].targets = mine_BS.sum().item<int64_t>();
    losses[i].sum = token_loss_BS.masked_select(mine_BS).sum(torch::kDouble).item<double>();
  }
  return losses;
}

void Trainer::add(const Part& part, StepReport& report) {
  report.flops += part.flops;
  if (!part.expert_load_LE.defined()) return;
  report.loss += part.loss;
  report.next_token += part.next_token;
  report.mtp += part.mtp;
  report.indexer += part.indexer;
  report.balance += part.balance;
  for (size_t i = 0; i < report.sources.size(); ++i) {
    report.sources[i].sum += part.sources[i].sum;
    report.sources[i].targets += part.sources[i].targets;
  }
  // The MTP block is the last one, and has no row when it does not run.
  expert_load_LE_.narrow(0, 0, part.expert_load_LE.size(0)).add_(part.expert_load_LE);
}

double Trainer::evaluate(const RowSource& next_row, int64_t rows) const {
  at::NoGradGuard no_grad;
  double sum = 0;
  int64_t targets = 0;
  for (int64_t done = 0; done < rows; done += settings_.micro_batch) {
    const Window window = next_window(next_row, 1, std::min(settings_.micro_batch, rows - done));
    const model::Losses losses =
        compute_losses_(parameters_.model(), window.micro_batches[0].batch,
                        {.mtp_weight = 0, .indexer_weight = 0, .balance_weight = 0});
    sum += losses.token_loss_BS.sum(torch::kDouble).item<double>();
    targets += window.targets.next_token;
  }
  return targets == 0 ? 0 : sum / double(targets);
}

}  // namespace trex::train
