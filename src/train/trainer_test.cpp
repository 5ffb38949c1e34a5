#include "train/trainer.h"

#include <gmock/gmock.h>

#include <limits>
#include <memory>

#include "base/error.h"
#include "train/toy.h"

namespace trex::train {
namespace {

constexpr size_t kSeqLen = 24;

const SystemClock kClock;

TrainSettings toy_settings() {
  TrainSettings settings;
  settings.seq_len = kSeqLen;
  settings.data.sources = {"even", "odd"};
  settings.schedule = {.kind = "constant", .learning_rate = 1e-2};
  settings.loss = {.mtp = 0.3, .indexer = 0, .balance = 1e-3};
  return settings;
}

// Rows 0, 1, 2, ... with different numbers of targets, some with padding.
RowSource uneven_rows() {
  return [index = int64_t{0}]() mutable {
    const int64_t i = index++;
    const auto first = static_cast<int32_t>(4 + i % 5);
    return toy_row(i, {first, static_cast<int32_t>(kSeqLen) - first - static_cast<int32_t>(i % 4)},
                   kSeqLen, static_cast<int32_t>(i % 3));
  };
}

struct ToyTrainer {
  TrainSettings settings = toy_settings();
  model::ModelConfig config = toy_config();
  torch::Dtype dtype = torch::kFloat;
  RowSource next_row = uneven_rows();
  LossFunction compute_losses = reference_losses(config);

  ToyTrainer() = default;
  explicit ToyTrainer(const model::ModelConfig& other) : config(other) {}

  std::unique_ptr<Trainer> trainer() const {
    const auto precision = dtype == torch::kDouble ? torch::kDouble : torch::kFloat;
    return std::make_unique<Trainer>(
        Trainer::Parts{.settings = settings,
                       .config = config,
                       .values = model::make_parameters(config, 7, precision),
                       .dtype = dtype,
                       .next_row = next_row,
                       .num_steps = 1000,
                       .compute_losses = compute_losses,
                       .clock = kClock});
  }
};

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(Trainer, SplittingAStepIntoMicroBatchesDoesNotChangeTheGradient) {
  ToyTrainer whole;
  whole.dtype = torch::kDouble;
  whole.settings.micro_batch = 8;
  whole.settings.accumulation = 1;
  ToyTrainer split = whole;
  split.settings.micro_batch = 2;
  split.settings.accumulation = 4;
  const auto one = whole.trainer(), four = split.trainer();
  const StepReport a = one->step(), b = four->step();
  EXPECT_LT(largest_difference(one->parameters().gradient(), four->parameters().gradient()), 1e-13);
  EXPECT_GT(one->parameters().gradient().abs().max().item<double>(), 1e-3);
  EXPECT_NEAR(a.loss, b.loss, 1e-12);
  EXPECT_NEAR(a.next_token, b.next_token, 1e-12);
  EXPECT_NEAR(a.mtp, b.mtp, 1e-12);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.flops, b.flops);
}

TEST(Trainer, MicroBatchesSideBySideGiveTheSameGradientAndTheSameBytesEveryTime) {
  ToyTrainer serial;
  serial.dtype = torch::kDouble;
  serial.settings.micro_batch = 2;
  serial.settings.accumulation = 3;  // uneven: one lane has two of them, the other one
  ToyTrainer parallel = serial;
  parallel.settings.parallel_micro_batches = 2;
  const auto one = serial.trainer(), two = parallel.trainer(), again = parallel.trainer();
  for (int step = 0; step < 3; ++step) {
    const StepReport a = one->step(), b = two->step();
    again->step();
    EXPECT_NEAR(a.loss, b.loss, 1e-12);
    EXPECT_EQ(a.targets, b.targets);
    EXPECT_LT(largest_difference(one->parameters().gradient(), two->parameters().gradient()),
              1e-12);
    EXPECT_TRUE(torch::equal(two->parameters().master(), again->parameters().master()));
  }
  EXPECT_GT(one->parameters().gradient().abs().max().item<double>(), 1e-3);
}

TEST(Trainer, ColumnsThatAreAllPaddingAreLeftOutAndChangeNothing) {
  const auto config = toy_config();
  const auto values = model::make_parameters(config, 7, torch::kDouble);
  const auto longer = toy_row(0, {9, 6}, kSeqLen), shorter = toy_row(1, {11}, kSeqLen);
  const MicroBatch both = stacked({longer, shorter}), alone = stacked({shorter});
  EXPECT_EQ(both.batch.token_BS.sizes(), (std::vector<int64_t>{2, 15}));
  EXPECT_EQ(alone.batch.token_BS.sizes(), (std::vector<int64_t>{1, 11}));
  EXPECT_EQ(alone.source_BS.sizes(), alone.batch.token_BS.sizes());
  const auto hidden = [&](const MicroBatch& rows) {
    return model::reference::forward(config, values, rows.batch).hidden_BSD;
  };
  EXPECT_LT(largest_difference(hidden(both).slice(0, 1, 2).slice(1, 0, 11), hidden(alone)), 1e-13);
  EXPECT_EQ(stacked({toy_row(0, {}, kSeqLen)}).batch.token_BS.size(1), 1);
}

// The mean of the micro batches' means would weigh a token of a short answer more.
TEST(Trainer, LossIsTheMeanOverAllTargetsOfTheStep) {
  ToyTrainer setup;
  setup.settings.loss = {.mtp = 0, .indexer = 0, .balance = 0};
  setup.settings.micro_batch = 1;
  setup.settings.accumulation = 3;
  const auto config = setup.config;
  const auto values = model::make_parameters(config, 7, torch::kFloat);
  double sum = 0;
  int64_t targets = 0;
  RowSource rows = uneven_rows();
  for (int i = 0; i < 3; ++i) {
    const MicroBatch row = stacked({rows()});
    const auto hidden = model::reference::forward(config, values, row.batch).hidden_BSD;
    const auto logits = model::reference::logits(config, values, hidden).flatten(0, 1);
    const auto target = row.batch.target_BS.flatten();
    sum += at::cross_entropy_loss(logits, target, /*weight=*/{}, at::Reduction::Sum, -100)
               .item<double>();
    targets += (target != -100).sum().item<int64_t>();
  }
  const StepReport report = setup.trainer()->step();
  EXPECT_EQ(report.targets, targets);
  EXPECT_NEAR(report.next_token, sum / double(targets), 1e-5);
  EXPECT_NEAR(report.loss, report.next_token, 1e-6);
  EXPECT_EQ(report.sources[0].targets + report.sources[1].targets, targets);
  EXPECT_NEAR(report.sources[0].sum + report.sources[1].sum, sum, 1e-3);
}

TEST(Trainer, OverfitsOneBatchInBothPrecisions) {
  for (const torch::Dtype dtype : {torch::kFloat, torch::kBFloat16}) {
    ToyTrainer setup;
    setup.dtype = dtype;
    setup.settings.micro_batch = 2;
    setup.settings.loss.indexer = 1;
    setup.next_row = [index = int64_t{0}]() mutable {
      return toy_row(index++ % 2, {12, 12}, kSeqLen);
    };
    const auto trainer = setup.trainer();
    const double before = trainer->step().next_token;
    StepReport last;
    while (trainer->steps_done() < 150 && (last = trainer->step()).next_token > 0.02) {
    }
    EXPECT_GT(before, 3) << dtype;
    EXPECT_LT(last.next_token, 0.05) << dtype << " after " << last.step;
  }
}

TEST(Trainer, LossOnAnswersOnlyLeavesQuestionsUnlearnt) {
  ToyTrainer setup(shallow_toy_config());
  setup.settings.micro_batch = 1;
  setup.settings.loss = {.mtp = 0, .indexer = 0, .balance = 0};
  setup.next_row = [] { return toy_row(1, {24}, kSeqLen, /*answers_from=*/16); };
  const auto trainer = setup.trainer();
  for (int step = 0; step < 60; ++step) trainer->step();
  EXPECT_LT(trainer->evaluate(setup.next_row, 1), 0.1);
  EXPECT_GT(trainer->evaluate([] { return toy_row(1, {16}, kSeqLen); }, 1), 1);
}

TEST(Trainer, StopsBeforeTheWeightsChangeWhenALossIsNotFinite) {
  ToyTrainer setup;
  setup.compute_losses = [real = setup.compute_losses, calls = 0](const auto& parameters,
                                                                  const auto& batch,
                                                                  const auto& options) mutable {
    model::Losses losses = real(parameters, batch, options);
    if (++calls == 3) losses.total = losses.total * std::numeric_limits<double>::quiet_NaN();
    return losses;
  };
  const auto trainer = setup.trainer();
  trainer->step();
  trainer->step();
  const auto weights = trainer->parameters().master().clone();
  const auto moment = trainer->optimizer().first_moment().clone();
  EXPECT_THAT([&] { trainer->step(); },
              testing::ThrowsMessage<Error>(testing::AllOf(
                  testing::StartsWith("step 3: expected a finite loss and gradient; got loss nan, "
                                      "gradient norm nan"),
                  testing::HasSubstr("first bad gradient in "))));
  EXPECT_TRUE(torch::equal(trainer->parameters().master(), weights));
  EXPECT_TRUE(torch::equal(trainer->optimizer().first_moment(), moment));
  EXPECT_EQ(trainer->steps_done(), 2);
}

TEST(Trainer, AStepWithoutTargetsChangesNothing) {
  ToyTrainer setup;
  setup.next_row = [] { return toy_row(0, {24}, kSeqLen, /*answers_from=*/24); };
  const auto trainer = setup.trainer();
  const auto weights = trainer->parameters().master().clone();
  EXPECT_EQ(trainer->step().targets, 0);
  EXPECT_TRUE(torch::equal(trainer->parameters().master(), weights));
  EXPECT_EQ(trainer->optimizer().num_updates(), 0);
  EXPECT_EQ(trainer->steps_done(), 1);
}

TEST(Trainer, FrozenPartsStayBitIdentical) {
  ToyTrainer setup;
  setup.settings.train_router = false;
  setup.settings.loss = {.mtp = 0, .indexer = 0, .balance = 1e-3};
  const auto trainer = setup.trainer();
  const auto before = model::make_parameters(setup.config, 7, torch::kFloat);
  for (int step = 0; step < 3; ++step) trainer->step();
  int64_t num_frozen = 0, num_moved = 0;
  for (const auto& [name, tensor] : trainer->parameters().model().entries()) {
    const bool is_frozen = name.starts_with("mtp.") || name.find(".indexer.") != name.npos ||
                           name.find(".gate.") != name.npos;
    const bool is_same = torch::equal(tensor, before.at(name));
    if (is_frozen) {
      EXPECT_TRUE(is_same) << name;
      ++num_frozen;
    } else if (!is_same) {
      ++num_moved;
    }
  }
  EXPECT_GT(num_frozen, 20);
  EXPECT_GT(num_moved, 20);
}

TEST(Trainer, TwoRunsGiveTheSameBytes) {
  for (const torch::Dtype dtype : {torch::kFloat, torch::kBFloat16}) {
    ToyTrainer setup;
    setup.dtype = dtype;
    setup.settings.micro_batch = 2;
    setup.settings.accumulation = 2;
    setup.settings.loss.indexer = 1;
    const auto first = setup.trainer(), second = setup.trainer();
    for (int step = 0; step < 4; ++step) EXPECT_EQ(first->step().loss, second->step().loss);
    EXPECT_TRUE(torch::equal(first->parameters().master(), second->parameters().master()));
  }
}

}  // namespace
}  // namespace trex::train
