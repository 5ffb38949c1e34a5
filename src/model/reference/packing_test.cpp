// What a token may see: its own document, up to itself.
#include <gtest/gtest.h>

#include <cmath>

#include "model/golden.h"
#include "model/reference/model.h"

namespace trex::model::reference {
namespace {

torch::Tensor tokens(const std::string& name, int64_t length) {
  return ((golden::uniform(name, {1, length}) + 1) * 32).floor().to(torch::kInt64);
}

// One row of documents, then padding with the given token.
Batch packed(const std::vector<torch::Tensor>& documents, int64_t num_padding,
             int64_t padding_token) {
  std::vector<torch::Tensor> token, target, document, position;
  for (size_t i = 0; i < documents.size(); ++i) {
    const Batch alone = batch_of_rows(documents[i]);
    token.push_back(alone.token_BS);
    target.push_back(alone.target_BS);
    document.push_back(torch::full_like(alone.token_BS, static_cast<int64_t>(i)));
    position.push_back(alone.position_BS);
  }
  token.push_back(torch::full({1, num_padding}, padding_token));
  target.push_back(torch::full({1, num_padding}, kNoTarget));
  document.push_back(torch::full({1, num_padding}, kPadding));
  position.push_back(torch::arange(num_padding).unsqueeze(0));
  return {torch::cat(token, 1), torch::cat(target, 1), torch::cat(document, 1),
          torch::cat(position, 1)};
}

TEST(Packing, DocumentsTogetherEqualDocumentsAlone) {
  const ModelConfig config = golden::config();
  const auto together = golden::parameters(torch::kFloat64),
             alone = golden::parameters(torch::kFloat64);
  require_gradients(together);
  require_gradients(alone);
  // Lengths around windows of 4 and 8; the second starts where no window of the row would.
  const std::vector<torch::Tensor> documents = {tokens("doc.0", 21), tokens("doc.1", 34),
                                                tokens("doc.2", 3), tokens("doc.3", 16)};
  const Batch batch = packed(documents, 9, 5);
  const auto counts = count_targets(batch);
  EXPECT_EQ(counts.next_token, 20 + 33 + 2 + 15);
  EXPECT_EQ(counts.mtp, 19 + 32 + 1 + 14);

  const LossOptions options{.indexer_weight = 0, .num_targets = counts};
  const Losses joint = compute_losses(config, together, batch, options);
  joint.total.backward();
  double total = 0;
  int64_t begin = 0;
  auto load_LE = torch::zeros_like(joint.expert_load_LE);
  for (const auto& document : documents) {
    const Losses single = compute_losses(config, alone, batch_of_rows(document), options);
    single.total.backward();
    total += single.total.item<double>();
    load_LE += single.expert_load_LE;
    EXPECT_LT(golden::max_difference(joint.token_loss_BS.narrow(1, begin, document.size(1)),
                                     single.token_loss_BS),
              1e-10);
    begin += document.size(1);
  }
  EXPECT_NEAR(joint.total.item<double>(), total, 1e-10);
  EXPECT_TRUE(torch::equal(joint.expert_load_LE, load_LE));
  for (const auto& [name, tensor] : together.entries()) {
    if (!tensor.grad().defined()) continue;
    EXPECT_LT(golden::max_difference(tensor.grad(), alone.at(name).grad()), 1e-10) << name;
  }
}

TEST(Packing, IndexerLossOfDocumentsTogetherIsTheirMeanByRows) {
  const ModelConfig config = golden::config();
  const auto parameters = golden::parameters(torch::kFloat64);
  const std::vector<torch::Tensor> documents = {tokens("doc.0", 21), tokens("doc.1", 34)};
  const LossOptions options;
  double expected = 0;
  for (const auto& document : documents) {  // the first three tokens see no window of four
    expected += compute_losses(config, parameters, batch_of_rows(document), options)
                    .indexer.item<double>() *
                static_cast<double>(document.size(1) - 3) / (21 - 3 + 34 - 3);
  }
  EXPECT_NEAR(
      compute_losses(config, parameters, packed(documents, 11, 1), options).indexer.item<double>(),
      expected, 1e-12);
}

TEST(Packing, MicroBatchesAddUpToOneBatch) {
  const ModelConfig config = golden::config();
  const auto parameters = golden::parameters(torch::kFloat64);
  const Batch first = packed({tokens("doc.0", 21)}, 13, 0),
              second = packed({tokens("doc.1", 34)}, 0, 0);
  const auto both = [](const torch::Tensor& a, const torch::Tensor& b) {
    return torch::cat({a, b});
  };
  const Batch all{both(first.token_BS, second.token_BS), both(first.target_BS, second.target_BS),
                  both(first.document_BS, second.document_BS),
                  both(first.position_BS, second.position_BS)};
  LossOptions options{.indexer_weight = 0, .balance_weight = 0.5};
  const double whole = compute_losses(config, parameters, all, options).total.item<double>();
  options.num_targets = count_targets(all);
  options.num_micro_batches = 2;
  const double parts = compute_losses(config, parameters, first, options).total.item<double>() +
                       compute_losses(config, parameters, second, options).total.item<double>();
  EXPECT_NEAR(whole, parts, 1e-12);
}

TEST(Packing, PaddingChangesNothing) {
  const at::NoGradGuard no_gradients;
  const ModelConfig config = golden::config();
  const auto parameters = golden::parameters(torch::kFloat64);
  const auto document = tokens("doc.1", 34);
  const auto one =
      forward(config, parameters, packed({document}, 14, 3)).hidden_BSD.narrow(1, 0, 34);
  const auto other =
      forward(config, parameters, packed({document}, 14, 60)).hidden_BSD.narrow(1, 0, 34);
  EXPECT_LT(golden::max_difference(one, other), 1e-12);
  EXPECT_LT(
      golden::max_difference(one, forward(config, parameters, batch_of_rows(document)).hidden_BSD),
      1e-12);
}

// Not bit for bit: a token that goes to another expert changes the shape of the products that
// others are in.
TEST(Causality, NothingBeforeAChangedTokenChanges) {
  const at::NoGradGuard no_gradients;
  const ModelConfig config = golden::config();
  const auto parameters = golden::parameters(torch::kFloat64);
  const auto token_1S = tokens("causal", 48);
  const auto before = forward(config, parameters, batch_of_rows(token_1S), {.with_mtp = true});
  for (const int64_t changed : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 46}) {
    const auto other_1S = token_1S.clone();
    other_1S[0][changed] = (token_1S[0][changed] + 1).remainder(64);
    const auto after = forward(config, parameters, batch_of_rows(other_1S), {.with_mtp = true});
    EXPECT_LT(golden::max_difference(before.hidden_BSD.narrow(1, 0, changed),
                                     after.hidden_BSD.narrow(1, 0, changed)),
              1e-12)
        << changed;
    // Position i of the MTP block knows token i + 1.
    EXPECT_LT(golden::max_difference(before.mtp_hidden_BSD.narrow(1, 0, changed - 1),
                                     after.mtp_hidden_BSD.narrow(1, 0, changed - 1)),
              1e-12);
    EXPECT_GT(golden::max_difference(before.hidden_BSD[0][changed], after.hidden_BSD[0][changed]),
              1e-3);
  }
}

}  // namespace
}  // namespace trex::model::reference
