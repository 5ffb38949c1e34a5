#include "train/run_metrics.h"

#include <fmt/format.h>

namespace trex::train {

Speed speed_of(const StepReport& report, double peak_gflops) {
  const double gflops = report.flops * 1e-9 / report.seconds();
  return {.tokens_per_second = double(report.tokens) / report.seconds(),
          .gflops = gflops,
          .mfu = gflops / peak_gflops};
}

Metrics metrics_of(const StepReport& report, std::span<const data::SourceState> sources,
                   const Speed& speed, int64_t tokens) {
  Metrics metrics{{"loss", report.loss},
                  {"next_token_loss", report.next_token},
                  {"mtp_loss", report.mtp},
                  {"indexer_loss", report.indexer},
                  {"balance_loss", report.balance}};
  for (size_t i = 0; i < report.sources.size(); ++i) {
    const auto& [sum, targets] = report.sources[i];
    if (targets > 0) metrics.emplace_back("source_loss/" + sources[i].name, sum / double(targets));
  }
  metrics.insert(metrics.end(), {{"learning_rate", report.learning_rate},
                                 {"grad_norm", report.grad_norm.total},
                                 {"clip_factor", report.clip_factor}});
  for (const auto& [kind, norm] : report.grad_norm.by_kind) {
    metrics.emplace_back("grad_norm/" + kind, norm);
  }
  for (const auto& source : sources) {
    metrics.emplace_back("epochs/" + source.name, source.epochs_taken);
  }
  metrics.insert(metrics.end(), {{"tokens", double(tokens)},
                                 {"step_tokens", double(report.tokens)},
                                 {"step_targets", double(report.targets)},
                                 {"worst_load_max_over_mean", report.load.worst_max_over_mean},
                                 {"load_max_over_mean", report.load.mean_max_over_mean},
                                 {"dead_experts", double(report.load.dead_experts)},
                                 {"tokens_per_second", speed.tokens_per_second},
                                 {"gflops", speed.gflops},
                                 {"mfu", speed.mfu},
                                 {"step_seconds", report.seconds()},
                                 {"data_seconds", report.data_seconds},
                                 {"model_seconds", report.model_seconds},
                                 {"optimizer_seconds", report.optimizer_seconds}});
  return metrics;
}

std::string progress_note(const StepReport& report, const Speed& speed) {
  return fmt::format("loss {:.3f}, {:.0f} tokens/s, {:.1f} % of peak", report.loss,
                     speed.tokens_per_second, 100 * speed.mfu);
}

}  // namespace trex::train
