#include "infer/generate.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/check.h"
#include "base/rng.h"
#include "model/reference/decode.h"
#include "model/reference/model.h"

namespace trex::infer {
namespace {

using model::reference::DecodeState;

// Tokens of one prefill step over all sequences: what bounds memory.
constexpr int64_t kPrefillTokens = 8192;

// One of the sequences that take steps together.
struct Sequence {
  size_t prompt;
  Rng rng;
  Completion completion;
  bool is_finished = false;
};

class Batch {
 public:
  Batch(const model::ModelConfig& config, const model::Parameters& parameters,
        const std::vector<Prompt>& prompts, const GenerateOptions& options,
        std::span<const size_t> members, const std::function<void(size_t, Completion)>& done)
      : config_(config), parameters_(parameters), options_(options), done_(done) {
    for (const size_t i : members)
      sequences_.push_back({i, Rng(options.seed, "generate", prompts[i].stream), {}});
    prefill(prompts);
  }

  void run() {
    while (true) {
      take(sample_tokens_N(logit_NV(), options_.sampling, uniform_numbers()));
      const auto num_active = std::count_if(sequences_.begin(), sequences_.end(),
                                            [](const auto& s) { return !s.is_finished; });
      if (num_active == 0) return;
      // Dropping sequences copies the state: worth it when a quarter is idle.
      if (num_active * 4 <= static_cast<int64_t>(sequences_.size()) * 3) drop_finished();
      hidden_ND_ = extend(token_N_.unsqueeze(1), is_active_N_.to(torch::kInt64)).select(1, 0);
    }
  }

 private:
  torch::Tensor extend(const torch::Tensor& token_NS, const torch::Tensor& count_N) {
    return model::reference::extend_(config_, parameters_, state_, token_NS, count_N);
  }

  void prefill(const std::vector<Prompt>& prompts) {
    const auto num_sequences = static_cast<int64_t>(sequences_.size());
    auto length_N = torch::empty({num_sequences}, torch::kInt64);
    for (int64_t n = 0; n < num_sequences; ++n) {
      length_N[n] =
          static_cast<int64_t>(prompts[sequences_[static_cast<size_t>(n)].prompt].ids.size());
    }
    const int64_t longest = length_N.max().item<int64_t>();
    const auto token_NS = torch::zeros({num_sequences, longest}, torch::kInt64);
    for (int64_t n = 0; n < num_sequences; ++n) {
      const auto& ids = prompts[sequences_[static_cast<size_t>(n)].prompt].ids;
      std::copy(ids.begin(), ids.end(), token_NS.data_ptr<int64_t>() + n * longest);
    }
    const int64_t chunk = std::clamp<int64_t>(kPrefillTokens / num_sequences, 1, longest);
    state_ = DecodeState::make(config_, parameters_, num_sequences,
                               longest + options_.max_new_tokens, chunk);
    for (int64_t begin = 0; begin < longest; begin += chunk) {
      const int64_t size = std::min(chunk, longest - begin);
      const auto count_N = (length_N - begin).clamp(0, size);
      const auto hidden_NSD = extend(token_NS.narrow(1, begin, size), count_N);
      const auto last =
          (count_N - 1).clamp_min(0).view({-1, 1, 1}).expand({-1, 1, hidden_NSD.size(2)});
      const auto last_ND = hidden_NSD.gather(1, last).squeeze(1);
      hidden_ND_ =
          begin == 0 ? last_ND : torch::where(count_N.gt(0).unsqueeze(1), last_ND, hidden_ND_);
    }
  }

  torch::Tensor logit_NV() const {
    const auto logit = model::reference::logits(config_, parameters_, hidden_ND_);
    return options_.num_token_ids > 0 ? logit.slice(1, 0, options_.num_token_ids) : logit;
  }

  std::vector<double> uniform_numbers() {
    std::vector<double> numbers;
    for (Sequence& sequence : sequences_) numbers.push_back(sequence.rng.uniform());
    return numbers;
  }

  // Appends the new tokens and reports what they finish.
  void take(const torch::Tensor& token_N) {
    token_N_ = token_N;
    is_active_N_ = torch::zeros(token_N.sizes(), torch::kBool);
    for (size_t n = 0; n < sequences_.size(); ++n) {
      Sequence& sequence = sequences_[n];
      if (sequence.is_finished) continue;
      const auto token = static_cast<int32_t>(token_N.data_ptr<int64_t>()[n]);
      const bool stops = std::ranges::count(options_.stop_ids, token) > 0;
      if (!stops) sequence.completion.ids.push_back(token);
      const bool is_full =
          static_cast<int64_t>(sequence.completion.ids.size()) == options_.max_new_tokens;
      sequence.is_finished = stops || is_full;
      is_active_N_.data_ptr<bool>()[n] = !sequence.is_finished;
      if (!sequence.is_finished) continue;
      sequence.completion.finish = stops ? Finish::Stop : Finish::Length;
      done_(sequence.prompt, std::move(sequence.completion));
    }
  }

  void drop_finished() {
    const auto index = is_active_N_.nonzero().squeeze(1);
    state_ = state_.select(index);
    token_N_ = token_N_.index_select(0, index);
    is_active_N_ = is_active_N_.index_select(0, index);
    std::erase_if(sequences_, [](const Sequence& sequence) { return sequence.is_finished; });
  }

  const model::ModelConfig& config_;
  const model::Parameters& parameters_;
  const GenerateOptions& options_;
  const std::function<void(size_t, Completion)>& done_;
  std::vector<Sequence> sequences_;
  DecodeState state_;
  torch::Tensor hidden_ND_, token_N_, is_active_N_;
};

}  // namespace

void generate(const model::ModelConfig& config, const model::Parameters& parameters,
              const std::vector<Prompt>& prompts, const GenerateOptions& options,
              const std::function<void(size_t, Completion)>& done) {
  TREX_CHECK(options.max_new_tokens > 0 && options.batch_size > 0);
  const at::NoGradGuard no_gradients;
  std::vector<size_t> order(prompts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return prompts[a].ids.size() < prompts[b].ids.size();
  });
  const auto batch_size = static_cast<size_t>(options.batch_size);
  for (size_t begin = 0; begin < order.size(); begin += batch_size) {
    const auto members =
        std::span(order).subspan(begin, std::min(batch_size, order.size() - begin));
    Batch(config, parameters, prompts, options, members, done).run();
  }
}

}  // namespace trex::infer
