#include "infer/generate.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "model/reference/model.h"

namespace trex::infer {
namespace {

model::ModelConfig tiny_config() {
  return model::config_from_json(
      Json::parse(
          R"({"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "head_dim": 8,
        "qk_rope_head_dim": 4, "q_lora_rank": 8, "o_groups": 2, "o_lora_rank": 4, "sliding_window": 6, "compress_ratios": [0, 4, 8],
        "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 8}, "max_position_embeddings": 128,
        "index_n_heads": 2, "index_head_dim": 8, "index_topk": 2, "n_routed_experts": 4, "num_experts_per_tok": 2,
        "moe_intermediate_size": 8, "num_hash_layers": 1, "routed_scaling_factor": 1.5, "swiglu_limit": 10, "initializer_range": 0.5})"),
      "tiny");
}

// Tensors this small gain nothing from threads.
class Generate : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

std::vector<Prompt> prompts() {
  std::vector<Prompt> all;
  Rng rng(3, "prompts");
  for (const size_t length : {5, 1, 17, 30, 8, 5, 2}) {
    Prompt prompt{.stream = all.size()};
    while (prompt.ids.size() < length) prompt.ids.push_back(static_cast<int32_t>(rng.below(40)));
    all.push_back(std::move(prompt));
  }
  return all;
}

std::vector<Completion> completions(const model::Parameters& parameters,
                                    const std::vector<Prompt>& of, const GenerateOptions& options) {
  std::vector<Completion> all(of.size());
  std::vector<int> times(of.size());
  generate(tiny_config(), parameters, of, options, [&](size_t i, Completion completion) {
    all[i] = std::move(completion);
    ++times[i];
  });
  for (const int count : times) EXPECT_EQ(count, 1);
  return all;
}

// Greedy decoding without any cache, a whole forward pass a token.
std::vector<int32_t> greedy_without_cache(const model::Parameters& parameters,
                                          std::vector<int32_t> ids, int64_t max_new, int32_t stop) {
  const at::NoGradGuard no_gradients;
  std::vector<int32_t> reply;
  while (static_cast<int64_t>(reply.size()) < max_new) {
    const auto token = torch::tensor(std::vector<int64_t>(ids.begin(), ids.end())).unsqueeze(0);
    const auto hidden =
        model::reference::forward(tiny_config(), parameters, model::batch_of_rows(token))
            .hidden_BSD;
    const auto next =
        static_cast<int32_t>(model::reference::logits(tiny_config(), parameters, hidden)[0][-1]
                                 .argmax()
                                 .item<int64_t>());
    if (next == stop) break;
    ids.push_back(next);
    reply.push_back(next);
  }
  return reply;
}

TEST_F(Generate, GreedyBatchEqualsDecodingAloneWithoutCache) {
  const auto parameters = model::make_parameters(tiny_config(), 11, torch::kFloat64);
  // A token that really comes up, so that sequences end at different steps.
  const auto free_run = completions(parameters, prompts(), {.max_new_tokens = 20});
  const int32_t stop = free_run[2].ids[7];
  const GenerateOptions options{.max_new_tokens = 20, .stop_ids = {stop}};
  const auto batched = completions(parameters, prompts(), options);
  int num_stopped = 0;
  for (size_t i = 0; i < batched.size(); ++i) {
    EXPECT_EQ(batched[i].ids, greedy_without_cache(parameters, prompts()[i].ids, 20, stop))
        << "prompt " << i;
    EXPECT_EQ(batched[i].finish, batched[i].ids.size() < 20 ? Finish::Stop : Finish::Length);
    num_stopped += batched[i].finish == Finish::Stop;
  }
  EXPECT_GT(num_stopped, 0);
}

TEST_F(Generate, BatchSizeDoesNotChangeSamples) {
  const auto parameters = model::make_parameters(tiny_config(), 11, torch::kFloat64);
  GenerateOptions options{
      .max_new_tokens = 25, .sampling = {.temperature = 0.8, .top_p = 0.9}, .seed = 5};
  const auto together = completions(parameters, prompts(), options);
  options.batch_size = 2;
  const auto in_pairs = completions(parameters, prompts(), options);
  for (size_t i = 0; i < together.size(); ++i)
    EXPECT_EQ(together[i].ids, in_pairs[i].ids) << "prompt " << i;
  options.seed = 6;
  EXPECT_NE(completions(parameters, prompts(), options)[0].ids, together[0].ids);
}

TEST_F(Generate, IdsBehindTheTokenizersAreNeverChosen) {
  const auto parameters = model::make_parameters(tiny_config(), 11, torch::kFloat64);
  const GenerateOptions options{
      .max_new_tokens = 30, .sampling = {.temperature = 5}, .num_token_ids = 3};
  for (const Completion& completion : completions(parameters, prompts(), options)) {
    for (const int32_t id : completion.ids) EXPECT_LT(id, 3);
  }
}

}  // namespace
}  // namespace trex::infer
