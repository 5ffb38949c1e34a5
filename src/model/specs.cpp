// The inventory of tensors (deepseek-v4.md 4.1).
#include <fmt/format.h>

#include "model/parameters.h"

namespace trex::model {
namespace {

class Inventory {
 public:
  Inventory(const ModelConfig& config, torch::Dtype dtype)
      : c_(config), dtype_(dtype), small_dtype_(c10::promoteTypes(dtype, torch::kFloat32)) {}

  std::vector<checkpoint::TensorSpec> all() {
    weight("embed.weight", {c_.vocab_size, c_.hidden_size});
    if (!c_.tie_word_embeddings) weight("head.weight", {c_.vocab_size, c_.hidden_size});
    weight("norm.weight", {c_.hidden_size});
    head_mix("");
    for (int64_t l = 0; l < c_.num_hidden_layers; ++l) block(l);
    for (int64_t l = c_.num_hidden_layers; l < c_.num_blocks(); ++l) mtp_block(l);
    return std::move(specs_);
  }

 private:
  using Shape = std::vector<int64_t>;

  void weight(const std::string& name, Shape shape) {
    specs_.push_back({name, dtype_, std::move(shape)});
  }
  // Tensors that stay in float32 in every checkpoint and in training (4.4).
  void small(const std::string& name, Shape shape) {
    specs_.push_back({name, small_dtype_, std::move(shape)});
  }

  void head_mix(const std::string& prefix) {
    small(prefix + "hc_head_fn", {c_.hc_mult, c_.hc_mult * c_.hidden_size});
    small(prefix + "hc_head_base", {c_.hc_mult});
    small(prefix + "hc_head_scale", {1});
  }

  void hyper_connection(const std::string& site) {
    const int64_t n = c_.hc_mult;
    small(site + "_fn", {(2 + n) * n, n * c_.hidden_size});
    small(site + "_base", {(2 + n) * n});
    small(site + "_scale", {3});
  }

  void compressor(const std::string& prefix, AttentionKind kind, int64_t dim) {
    const int64_t overlap = kind == AttentionKind::Csa ? 2 : 1;
    const int64_t ratio = kind == AttentionKind::Csa ? c_.csa_ratio : c_.hca_ratio;
    small(prefix + "ape", {ratio, overlap * dim});
    weight(prefix + "wkv.weight", {overlap * dim, c_.hidden_size});
    weight(prefix + "wgate.weight", {overlap * dim, c_.hidden_size});
    weight(prefix + "norm.weight", {dim});
  }

  void attention(const std::string& prefix, AttentionKind kind) {
    const int64_t heads_width = c_.num_attention_heads * c_.head_dim;
    weight(prefix + "wq_a.weight", {c_.q_lora_rank, c_.hidden_size});
    weight(prefix + "q_norm.weight", {c_.q_lora_rank});
    weight(prefix + "wq_b.weight", {heads_width, c_.q_lora_rank});
    weight(prefix + "wkv.weight", {c_.head_dim, c_.hidden_size});
    weight(prefix + "kv_norm.weight", {c_.head_dim});
    small(prefix + "attn_sink", {c_.num_attention_heads});
    weight(prefix + "wo_a.weight", {c_.o_groups * c_.o_lora_rank, heads_width / c_.o_groups});
    weight(prefix + "wo_b.weight", {c_.hidden_size, c_.o_groups * c_.o_lora_rank});
    if (kind == AttentionKind::Sliding) return;
    compressor(prefix + "compressor.", kind, c_.head_dim);
    if (kind == AttentionKind::Hca) return;
    weight(prefix + "indexer.wq_b.weight", {c_.index_n_heads * c_.index_head_dim, c_.q_lora_rank});
    weight(prefix + "indexer.weights_proj.weight", {c_.index_n_heads, c_.hidden_size});
    compressor(prefix + "indexer.compressor.", kind, c_.index_head_dim);
  }

  void expert(const std::string& prefix) {
    weight(prefix + "w1.weight", {c_.moe_intermediate_size, c_.hidden_size});
    weight(prefix + "w2.weight", {c_.hidden_size, c_.moe_intermediate_size});
    weight(prefix + "w3.weight", {c_.moe_intermediate_size, c_.hidden_size});
  }

  void experts(const std::string& prefix, bool routes_by_hash) {
    weight(prefix + "gate.weight", {c_.n_routed_experts, c_.hidden_size});
    if (routes_by_hash) {
      specs_.push_back(
          {prefix + "gate.tid2eid", torch::kInt64, {c_.vocab_size, c_.num_experts_per_tok}});
    } else {
      small(prefix + "gate.bias", {c_.n_routed_experts});
    }
    for (int64_t e = 0; e < c_.n_routed_experts; ++e)
      expert(fmt::format("{}experts.{}.", prefix, e));
    expert(prefix + "shared_experts.");
  }

  void block(int64_t l) {
    const std::string prefix = block_prefix(c_, l);
    hyper_connection(prefix + "hc_attn");
    hyper_connection(prefix + "hc_ffn");
    weight(prefix + "attn_norm.weight", {c_.hidden_size});
    weight(prefix + "ffn_norm.weight", {c_.hidden_size});
    attention(prefix + "attn.", c_.attention_kind(l));
    experts(prefix + "ffn.", c_.routes_by_hash(l));
  }

  void mtp_block(int64_t l) {
    block(l);
    const std::string prefix = block_prefix(c_, l);
    weight(prefix + "e_proj.weight", {c_.hidden_size, c_.hidden_size});
    weight(prefix + "h_proj.weight", {c_.hidden_size, c_.hidden_size});
    for (const char* norm : {"enorm", "hnorm", "norm"})
      weight(prefix + norm + ".weight", {c_.hidden_size});
    head_mix(prefix);
  }

  const ModelConfig& c_;
  torch::Dtype dtype_, small_dtype_;
  std::vector<checkpoint::TensorSpec> specs_;
};

}  // namespace

std::string block_prefix(const ModelConfig& config, int64_t block) {
  return block < config.num_hidden_layers
             ? fmt::format("layers.{}.", block)
             : fmt::format("mtp.{}.", block - config.num_hidden_layers);
}

std::vector<checkpoint::TensorSpec> expected_specs(const ModelConfig& config, torch::Dtype dtype) {
  return Inventory(config, dtype).all();
}

}  // namespace trex::model
