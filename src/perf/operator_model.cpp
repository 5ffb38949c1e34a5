#include "perf/operator_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trex::perf {
namespace {

// Slowest expert-parallel rank over the mean, without redundant experts (section 5.5: 1.2 to 2).
constexpr double kExpertImbalance = 1.3;

double as_double(int64_t value) { return static_cast<double>(value); }

// Attention work per token of a prompt and token of its past, in FLOP: 4*n_q*d, or its MLA form.
double attention_flop(const ModelSpec& model) {
  if (model.attention == AttentionKind::Latent) {
    const LatentSizes& s = model.latent;
    return 2 * as_double(model.num_heads) * as_double(s.nope_dim + s.rope_dim + s.value_dim);
  }
  return 4 * as_double(model.num_heads) * as_double(model.head_dim);
}

// Pairs of (new token, visible token) of a chunk under a sliding window.
double windowed_pairs(const PromptChunk& chunk, double window) {
  const double end = chunk.processed + chunk.tokens;
  if (end <= window) return chunk.pairs();
  if (chunk.processed >= window) return chunk.tokens * window;
  const double growing = window - chunk.processed;
  return growing * (chunk.processed + growing / 2) + (chunk.tokens - growing) * window;
}

const KernelEfficiency& moe_efficiency(const Efficiency& efficiency,
                                       const Quantisation& quantisation) {
  if (quantisation.arithmetic != Arithmetic::Fp8) return efficiency.moe_half;
  return quantisation.block_scaled ? efficiency.moe_fp8_block : efficiency.moe_fp8;
}

size_t ratio_index(int64_t ratio) { return ratio == 0 ? 0 : ratio == 4 ? 1 : 2; }

}  // namespace

std::string_view to_string(Operator op) {
  static constexpr std::array<std::string_view, kNumOperators> kNames{
      "linear layers",   "experts",         "prompt attention", "decode attention",
      "tensor parallel", "expert parallel", "overhead"};
  return kNames[static_cast<size_t>(op)];
}

std::string_view OperatorTime::bound() const {
  if (total_s <= 0) return "-";
  const double most = std::max({compute_s, memory_s, fixed_s, communication_s});
  if (most == compute_s) return "compute";
  if (most == memory_s) return "memory";
  return most == communication_s ? "communication" : "latency";
}

double IterationTime::total_s() const {
  double sum = 0;
  for (const OperatorTime& op : operators) sum += op.total_s;
  return sum;
}

double touched_experts(double num_experts, double top_k, double num_tokens) {
  return num_experts * (1 - std::pow(1 - top_k / num_experts, num_tokens));
}

double remote_ranks(int64_t ep, int64_t num_experts, int64_t top_k) {
  // C(E - E/ep, k) / C(E, k): no expert of the token on a given rank.
  const int64_t elsewhere = num_experts - num_experts / ep;
  double none = 1;
  for (int64_t i = 0; i < top_k; ++i) {
    none *= std::max(0.0, as_double(elsewhere - i)) / as_double(num_experts - i);
  }
  return as_double(ep - 1) * (1 - none);
}

OperatorModel::OperatorModel(const ModelSpec& model, const DeviceSpec& device,
                             const Quantisation& quantisation, const Layout& layout,
                             const EngineLimits& limits, const StageRange& stage)
    : model_(model), device_(device), quantisation_(quantisation), layout_(layout), stage_(stage) {
  const auto peak = device.peak_flops(quantisation.arithmetic);
  const auto half = device.peak_flops(Arithmetic::Half);
  if (!peak || !half) {
    throw input_error(device.name, "quantisation", "an arithmetic that the device has",
                      "\"" + quantisation.name + "\"",
                      "choose another quantisation, such as fp16 or int4");
  }
  if (const auto problem = layout_problem(model, layout)) {
    throw input_error(model.name, "layout", "a layout that suits the model",
                      layout.text() + ": " + *problem);
  }
  peak_ = *peak;
  half_peak_ = *half;
  bandwidth_ = device.memory_bandwidth.value;
  // Measured for keys and values by heads; latent and compressed caches have kernels of their own.
  is_fp8_cache_ = limits.kv_element_bytes < 2 && model.attention != AttentionKind::Latent &&
                  model.attention != AttentionKind::Compressed;
  all_reduce_ = all_reduce_of(device, layout.tp);
  const double h = as_double(model.hidden);
  for (int64_t layer = stage.first_layer; layer < stage.first_layer + stage.num_layers; ++layer) {
    dense_parameters_ += attention_parameters(model, layer);
    if (model.is_moe() && layer >= model.dense_layers) {
      dense_parameters_ += h * as_double(model.num_experts);
      moe_layers_ += 1;
    } else {
      dense_parameters_ += (model.gated_ffn ? 3 : 2) * h * as_double(model.ffn);
    }
    if (model.attention == AttentionKind::Compressed) {
      layers_by_ratio_[ratio_index(model.compressed.layer_ratios[static_cast<size_t>(layer)])] += 1;
    }
  }
  head_parameters_ = stage.has_head ? as_double(model.vocab) * h : 0;
  kv_ = kv_of(model, limits.kv_element_bytes)
            .scaled(as_double(stage.num_layers) / as_double(model.num_layers));
}

OperatorTime OperatorModel::linear(double num_tokens, double rows) const {
  const Efficiency& efficiency = device_.efficiency;
  const double dp = as_double(layout_.dp);
  const double tp = as_double(layout_.tp);
  OperatorTime time;
  time.compute_s =
      (2 * dense_parameters_ * num_tokens + 2 * head_parameters_ * rows) / dp /
      (tp * peak_ * gemm_compute_share(efficiency, quantisation_.arithmetic, num_tokens / dp));
  time.memory_s = (dense_parameters_ * quantisation_.weight_bytes +
                   head_parameters_ * quantisation_.embedding_bytes) /
                  (tp * bandwidth_ * gemm_stream_share(efficiency, quantisation_.arithmetic));
  time.total_s = std::max(time.compute_s, time.memory_s);
  return time;
}

OperatorTime OperatorModel::experts(double num_tokens) const {
  OperatorTime time;
  if (moe_layers_ == 0 || num_tokens <= 0) return time;
  const Efficiency& efficiency = device_.efficiency;
  const KernelEfficiency& kernel = moe_efficiency(efficiency, quantisation_);
  const double ep = as_double(layout_.ep);
  const double moe_tp = as_double(layout_.moe_tp());
  const double slowest = layout_.ep > 1 ? kExpertImbalance : 1.0;
  const double on_rank = as_double(model_.num_experts) / ep;
  const double touched =
      touched_experts(as_double(model_.num_experts), as_double(model_.top_k), num_tokens) / ep;
  const double size = 3 * as_double(model_.hidden) * as_double(model_.expert_ffn);
  const double shared = as_double(model_.shared_experts);
  const double attention_ranks = as_double(layout_.tp);
  const double stream = bandwidth_ * kernel.stream;
  const double compute = peak_ * kernel.compute;
  time.fixed_s = moe_layers_ * (efficiency.moe_layer_s + efficiency.moe_expert_s * on_rank);
  time.memory_s = moe_layers_ * size *
                  (touched * quantisation_.expert_bytes / (moe_tp * stream) +
                   shared * quantisation_.weight_bytes / (attention_ranks * stream));
  time.compute_s = moe_layers_ * 2 * size * num_tokens *
                   (as_double(model_.top_k) * slowest / ep / (moe_tp * compute) +
                    shared / as_double(layout_.dp) / (attention_ranks * compute));
  time.total_s = time.fixed_s + time.memory_s + time.compute_s;
  return time;
}

OperatorTime OperatorModel::prompt_attention(std::span<const PromptChunk> chunks) const {
  OperatorTime time;
  const double share = as_double(stage_.num_layers) / as_double(model_.num_layers);
  const double full = share * as_double(model_.num_layers - model_.windowed_layers);
  const double windowed = share * as_double(model_.windowed_layers);
  const double ranks = as_double(layout_.tp * layout_.dp);
  for (const PromptChunk& chunk : chunks) {
    double flop = 0;
    if (model_.attention == AttentionKind::Compressed) {
      // Window pairs everywhere; compressed pairs of CSA are capped by the indexer's top k.
      const CompressedSizes& s = model_.compressed;
      const double seen = chunk.processed + chunk.tokens / 2;
      const double csa = std::min(as_double(s.indexer_top_k), seen / 4);
      const double all_layers = layers_by_ratio_[0] + layers_by_ratio_[1] + layers_by_ratio_[2];
      const double pairs =
          all_layers * windowed_pairs(chunk, as_double(s.window)) +
          chunk.tokens * (layers_by_ratio_[1] * csa + layers_by_ratio_[2] * seen / 128);
      const double indexer = layers_by_ratio_[1] * chunk.tokens * 2 * seen / 4 *
                             as_double(s.indexer_heads * s.indexer_dim);
      flop = attention_flop(model_) * pairs + indexer;
    } else {
      flop = attention_flop(model_) *
             (full * chunk.pairs() + windowed * windowed_pairs(chunk, as_double(model_.window)));
    }
    const double reach = prompt_attention_share(device_.efficiency, chunk.processed + chunk.tokens,
                                                static_cast<double>(chunks.size()));
    time.compute_s += flop / (ranks * half_peak_ * reach);
  }
  time.total_s = time.compute_s;
  return time;
}

OperatorTime OperatorModel::decode_attention(const Iteration& iteration) const {
  OperatorTime time;
  const double batch = iteration.num_decoding / as_double(layout_.dp);
  if (batch <= 0) return time;
  const Efficiency& efficiency = device_.efficiency;
  const double heads = as_double(model_.num_heads) / as_double(layout_.tp);
  const double layer_s = is_fp8_cache_ ? efficiency.fp8_kv_layer_s : efficiency.decode_layer_s;
  const double stream = is_fp8_cache_ ? efficiency.fp8_kv_stream : efficiency.kv_stream;
  time.fixed_s =
      as_double(stage_.num_layers) * (layer_s + efficiency.decode_sequence_s * batch * heads / 64);
  const double bytes = batch * kv_.mean_bytes(iteration.context_each);
  time.memory_s = bytes / (as_double(kv_shards(model_, layout_.tp)) * bandwidth_ * stream);
  time.total_s = time.fixed_s + time.memory_s;
  return time;
}

OperatorTime OperatorModel::tensor_parallel(double num_tokens) const {
  OperatorTime time;
  if (layout_.tp <= 1 || num_tokens <= 0) return time;
  const double calls = 2 * as_double(stage_.num_layers);
  const double bytes = num_tokens / as_double(layout_.dp) * as_double(model_.hidden) * 2;
  time.fixed_s = calls * all_reduce_.alpha_s;
  time.communication_s = calls * all_reduce_.beta_s_per_byte * bytes;
  time.total_s = time.fixed_s + time.communication_s;
  return time;
}

OperatorTime OperatorModel::expert_parallel(double num_tokens) const {
  OperatorTime time;
  if (layout_.ep <= 1 || moe_layers_ == 0 || num_tokens <= 0) return time;
  const AlphaBeta link = all_reduce_of(device_, layout_.ep);
  const double tokens_of_rank = num_tokens / as_double(layout_.tp * layout_.dp);
  // k' counts remote ranks only, so all of these bytes cross a link.
  const double sent = tokens_of_rank * remote_ranks(layout_.ep, model_.num_experts, model_.top_k) *
                      as_double(model_.hidden);
  const double dispatch_bytes = quantisation_.arithmetic == Arithmetic::Fp8 ? 1 : 2;
  const double rate = effective_bandwidth(device_, layout_.ep);
  time.fixed_s = moe_layers_ * 2 * link.alpha_s;
  time.communication_s = moe_layers_ * sent * (dispatch_bytes + 2) / rate;
  time.total_s = time.fixed_s + time.communication_s;
  return time;
}

double OperatorModel::boundary_bytes(double num_tokens) const {
  return num_tokens * as_double(model_.hidden) * 2;
}

IterationTime OperatorModel::iteration(const Iteration& iteration) const {
  double prompt_tokens = 0;
  for (const PromptChunk& chunk : iteration.chunks) prompt_tokens += chunk.tokens;
  const double tokens = iteration.num_decoding + prompt_tokens;
  IterationTime time;
  time.of(Operator::Linear) = linear(tokens, iteration.num_decoding + iteration.finished_prompts());
  time.of(Operator::Experts) = experts(tokens);
  time.of(Operator::PromptAttention) = prompt_attention(iteration.chunks);
  time.of(Operator::DecodeAttention) = decode_attention(iteration);
  time.of(Operator::TensorParallel) = tensor_parallel(tokens);
  time.of(Operator::ExpertParallel) = expert_parallel(tokens);
  OperatorTime& overhead = time.of(Operator::Overhead);
  overhead.fixed_s =
      device_.step_overhead_s + device_.layer_overhead_s * as_double(stage_.num_layers);
  overhead.total_s = overhead.fixed_s;
  return time;
}

}  // namespace trex::perf
