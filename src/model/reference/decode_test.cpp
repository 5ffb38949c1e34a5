#include "model/reference/decode.h"

#include <gtest/gtest.h>

#include <numeric>

#include "model/golden.h"
#include "model/reference/model.h"

namespace trex::model::reference {
namespace {

torch::Tensor tokens(const std::string& name, int64_t rows, int64_t length) {
  return ((golden::uniform(name, {rows, length}) + 1) * 32).floor().to(torch::kInt64);
}

torch::Tensor logits_of_forward(const Parameters& parameters, const torch::Tensor& token_BS,
                                const ModelConfig& config = golden::config()) {
  return logits(config, parameters,
                forward(config, parameters, batch_of_rows(token_BS)).hidden_BSD);
}

// Logits of one row, taken in chunks of the given sizes.
torch::Tensor logits_in_chunks(const Parameters& parameters, const torch::Tensor& token_1S,
                               const std::vector<int64_t>& chunks, int64_t max_chunk,
                               const ModelConfig& config = golden::config()) {
  auto state = DecodeState::make(config, parameters, 1, token_1S.size(1), max_chunk);
  std::vector<torch::Tensor> pieces;
  int64_t begin = 0;
  for (const int64_t size : chunks) {
    const auto hidden =
        extend_(config, parameters, state, token_1S.narrow(1, begin, size), torch::full({1}, size));
    pieces.push_back(logits(config, parameters, hidden));
    begin += size;
  }
  return torch::cat(pieces, 1);
}

class DecodeOfLength : public testing::TestWithParam<int64_t> {};

TEST_P(DecodeOfLength, PrefillThenStepsEqualsForward) {
  const at::NoGradGuard no_gradients;
  const int64_t prefill = GetParam();
  const auto token_1S = tokens("decode", 1, 41);
  std::vector<int64_t> chunks(static_cast<size_t>(41 - prefill), 1);
  chunks.insert(chunks.begin(), prefill);
  for (const auto dtype : {torch::kFloat64, torch::kFloat32}) {
    const auto parameters = golden::parameters(dtype);
    const double tolerance = dtype == torch::kFloat64 ? 1e-10 : 2e-5;
    EXPECT_LT(golden::max_difference(logits_in_chunks(parameters, token_1S, chunks, prefill),
                                     logits_of_forward(parameters, token_1S)),
              tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Prefills, DecodeOfLength,
                         testing::Values(1, 3, 4, 5, 7, 8, 9, 12, 16, 17));

TEST(Decode, AnyChunksEqualForward) {
  const at::NoGradGuard no_gradients;
  const auto parameters = golden::parameters(torch::kFloat64);
  const auto token_1S = tokens("chunks", 1, 61);
  const auto expected = logits_of_forward(parameters, token_1S);
  const std::vector<std::vector<int64_t>> divisions = {
      {61}, {30, 31}, {1, 2, 3, 5, 7, 11, 13, 17, 2}, {9, 9, 9, 9, 9, 9, 7}};
  for (const auto& chunks : divisions) {
    const int64_t largest = *std::max_element(chunks.begin(), chunks.end());
    EXPECT_LT(
        golden::max_difference(logits_in_chunks(parameters, token_1S, chunks, largest), expected),
        1e-10);
    EXPECT_LT(golden::max_difference(logits_in_chunks(parameters, token_1S, chunks, 61), expected),
              1e-10);
  }
}

TEST(Decode, LayersMayHaveWindowsOfTheirOwn) {
  const at::NoGradGuard no_gradients;
  const auto parameters = golden::parameters(torch::kFloat64);
  const auto token_1S = tokens("windows", 1, 45);
  ModelConfig config = golden::config();
  const auto num_windows = static_cast<size_t>(config.num_hidden_layers + 1);
  config.sliding_windows.assign(num_windows, config.sliding_window);
  EXPECT_TRUE(torch::equal(logits_of_forward(parameters, token_1S, config),
                           logits_of_forward(parameters, token_1S)));
  config.sliding_windows[0] = 3;
  config.sliding_windows[1] = 40;
  const auto expected = logits_of_forward(parameters, token_1S, config);
  EXPECT_GT(golden::max_difference(expected, logits_of_forward(parameters, token_1S)), 1e-4);
  EXPECT_LT(golden::max_difference(
                logits_in_chunks(parameters, token_1S, {20, 1, 9, 1, 1, 13}, 20, config), expected),
            1e-10);
}

// Sequences of different lengths, right-padded, take chunks together; garbage stands behind each
// count.
TEST(Decode, SequencesTogetherEqualSequencesAlone) {
  const at::NoGradGuard no_gradients;
  const auto parameters = golden::parameters(torch::kFloat64);
  const std::vector<std::vector<int64_t>> counts = {
      {1, 9, 1, 1, 4}, {9, 1, 1, 0, 9}, {5, 9, 0, 1, 1}, {8, 8, 8, 1, 8}};
  const auto token_NS = tokens("together", 4, 40);
  auto state = DecodeState::make(golden::config(), parameters, 4, 34, 9);
  std::vector<std::vector<torch::Tensor>> pieces(4);
  std::vector<int64_t> lengths(4, 0);
  for (size_t step = 0; step < 5; ++step) {
    const bool is_single = step == 2 || step == 3;
    auto chunk_NS = torch::full({4, is_single && step == 3 ? 1 : 9}, 63);
    auto count_N = torch::zeros({4}, torch::kInt64);
    for (size_t n = 0; n < 4; ++n) {
      const int64_t count = counts[n][step];
      chunk_NS[static_cast<int64_t>(n)]
          .narrow(0, 0, count)
          .copy_(token_NS[static_cast<int64_t>(n)].narrow(0, lengths[n], count));
      count_N[static_cast<int64_t>(n)] = count;
      lengths[n] += count;
    }
    const auto hidden_NSD = extend_(golden::config(), parameters, state, chunk_NS, count_N);
    for (size_t n = 0; n < 4; ++n)
      pieces[n].push_back(hidden_NSD[static_cast<int64_t>(n)].narrow(0, 0, counts[n][step]));
  }
  for (int64_t n = 0; n < 4; ++n) {
    const auto alone = logits_of_forward(
        parameters, token_NS.narrow(0, n, 1).narrow(1, 0, lengths[static_cast<size_t>(n)]))[0];
    const auto together =
        logits(golden::config(), parameters, torch::cat(pieces[static_cast<size_t>(n)]));
    EXPECT_LT(golden::max_difference(together, alone), 1e-10) << "sequence " << n;
  }
}

TEST(Decode, SelectedSequencesGoOnAsBefore) {
  const at::NoGradGuard no_gradients;
  const auto parameters = golden::parameters(torch::kFloat64);
  const auto token_NS = tokens("select", 3, 30);
  auto state = DecodeState::make(golden::config(), parameters, 3, 30, 20);
  extend_(golden::config(), parameters, state, token_NS.narrow(1, 0, 20), torch::full({3}, 20));
  auto part = state.select(torch::tensor({2, 0}));
  std::vector<torch::Tensor> pieces;
  for (int64_t t = 20; t < 30; ++t) {
    const auto token = torch::stack({token_NS[2].narrow(0, t, 1), token_NS[0].narrow(0, t, 1)});
    pieces.push_back(extend_(golden::config(), parameters, part, token, torch::full({2}, 1)));
  }
  const auto got = logits(golden::config(), parameters, torch::cat(pieces, 1));
  EXPECT_LT(golden::max_difference(
                got[0], logits_of_forward(parameters, token_NS.narrow(0, 2, 1))[0].slice(0, 20)),
            1e-10);
  EXPECT_LT(golden::max_difference(
                got[1], logits_of_forward(parameters, token_NS.narrow(0, 0, 1))[0].slice(0, 20)),
            1e-10);
}

}  // namespace
}  // namespace trex::model::reference
