// The golden numbers printed in deepseek-v4.md 7.3: 29 tokens of T0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/golden.h"
#include "model/reference/model.h"

namespace trex::model::reference {
namespace {

using testing::ElementsAre;

const LossOptions kAllLosses{.mtp_weight = 0.3, .indexer_weight = 1, .balance_weight = 0};

// A forward and backward pass that all tests of this file share.
struct Run {
  ModelConfig config = golden::config();
  Parameters parameters = golden::parameters(torch::kFloat64);
  Batch batch = golden::batch_29();
  Probe probe;
  ForwardOutput output;
  torch::Tensor logits_SV, mtp_logits_SV;
  Losses losses;

  Run() {
    output = forward(config, parameters, batch,
                     {.with_mtp = true, .with_indexer_loss = true, .probe = &probe});
    logits_SV = logits(config, parameters, output.hidden_BSD)[0];
    mtp_logits_SV = logits(config, parameters, output.mtp_hidden_BSD)[0];
    require_gradients(parameters);
    losses = compute_losses(config, parameters, batch, kAllLosses);
    losses.total.backward();
  }
};

const Run& run() {
  static const Run kRun;
  return kRun;
}

std::vector<double> first_four(const torch::Tensor& row) {
  const auto wide = row.detach().to(torch::kFloat64).contiguous();
  return {wide.data_ptr<double>(), wide.data_ptr<double>() + 4};
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

TEST(SpecGolden, StreamsAfterEachBlock) {
  struct Row {
    double sum, squares;
    std::vector<double> channel_0;
  };
  const std::vector<Row> rows = {
      {107.2801996, 1245.510268, {0.521582104, 0.521582104, 0.521582104, 0.521582104}},
      {-49.84778632, 3408.805033, {0.606400933, 0.591107077, 0.559992339, 0.613473455}},
      {-486.6968858, 4927.691602, {0.752469174, 0.583609826, 0.869317067, 1.03989717}},
      {-655.5682247, 6738.585602, {0.0810227982, 0.500947595, 0.618079997, 0.524237998}},
      {-941.7012141, 8865.980821, {0.74441172, 0.689294927, 0.67647991, 0.726892804}}};
  for (size_t l = 0; l < rows.size(); ++l) {
    const auto& stream_SND = run().probe.values.at("streams." + std::to_string(l));
    EXPECT_NEAR(stream_SND.sum().item<double>(), rows[l].sum, 1e-6) << "block " << l;
    EXPECT_NEAR(stream_SND.square().sum().item<double>(), rows[l].squares, 1e-6) << "block " << l;
    expect_near(first_four(stream_SND[28].select(1, 0)), rows[l].channel_0, 1e-8);
  }
}

TEST(SpecGolden, Logits) {
  const auto& logits_SV = run().logits_SV;
  expect_near(first_four(logits_SV[0]), {-0.439684866, 1.14987069, -0.9999006041, 1.193746335},
              1e-8);
  expect_near(first_four(logits_SV[3]), {-1.151715431, 1.561577057, -0.2950486925, 0.05537597538},
              1e-8);
  expect_near(first_four(logits_SV[8]), {0.01127389907, 0.1966863859, -0.686630602, 1.233997661},
              1e-8);
  expect_near(first_four(logits_SV[15]), {0.04621720802, 0.3113666059, 0.2390971901, 0.7990615104},
              1e-8);
  expect_near(first_four(logits_SV[28]), {0.2475668343, 1.022452252, 0.1310875523, 1.730149473},
              1e-8);
  EXPECT_NEAR(logits_SV.sum().item<double>(), 45.6331382451, 1e-8);
  EXPECT_NEAR(logits_SV.abs().sum().item<double>(), 1528.19060937, 1e-8);
}

TEST(SpecGolden, MtpLogits) {
  expect_near(first_four(run().mtp_logits_SV[0]),
              {-1.111032872, -0.4193557819, -0.5644764183, 0.5837516792}, 1e-8);
  expect_near(first_four(run().mtp_logits_SV[26]),
              {0.7043948891, -1.480845123, 1.525380465, -0.2747696401}, 1e-8);
}

std::set<int64_t> true_places(const torch::Tensor& mask) {
  const auto index = mask.nonzero().flatten().contiguous();
  return {index.data_ptr<int64_t>(), index.data_ptr<int64_t>() + index.numel()};
}

std::set<int64_t> values_of(const torch::Tensor& row) {
  const auto flat = row.contiguous();
  return {flat.data_ptr<int64_t>(), flat.data_ptr<int64_t>() + flat.numel()};
}

TEST(SpecGolden, SelectedWindowsAndExperts) {
  const auto& values = run().probe.values;
  const auto& windows_1 = values.at("layers.1.indexer.selected");
  const auto& windows_3 = values.at("layers.3.indexer.selected");
  EXPECT_THAT(true_places(windows_1[0][28]), ElementsAre(2, 3, 6));
  EXPECT_THAT(true_places(windows_1[0][15]), ElementsAre(1, 2, 3));
  EXPECT_THAT(true_places(windows_3[0][28]), ElementsAre(1, 3, 5));
  EXPECT_THAT(true_places(windows_3[0][15]), ElementsAre(0, 1, 3));
  EXPECT_THAT(values_of(values.at("layers.1.gate.indices")[28]), ElementsAre(1, 4));
  EXPECT_THAT(values_of(values.at("layers.2.gate.indices")[28]), ElementsAre(0, 5));
  EXPECT_THAT(values_of(values.at("layers.3.gate.indices")[28]), ElementsAre(5, 6));
  EXPECT_THAT(values_of(values.at("layers.1.gate.indices")[15]), ElementsAre(1, 5));
  EXPECT_THAT(values_of(values.at("layers.2.gate.indices")[15]), ElementsAre(0, 6));
  EXPECT_THAT(values_of(values.at("layers.3.gate.indices")[15]), ElementsAre(0, 7));
}

TEST(SpecGolden, Losses) {
  const Losses& losses = run().losses;
  EXPECT_NEAR(losses.next_token.item<double>(), 4.43244020773, 1e-10);
  EXPECT_NEAR(losses.mtp.item<double>(), 4.68509964724, 1e-10);
  EXPECT_NEAR(run().probe.values.at("layers.1.indexer.kl").item<double>(), 0.086260866635, 1e-11);
  EXPECT_NEAR(run().probe.values.at("layers.3.indexer.kl").item<double>(), 0.117677888637, 1e-11);
  EXPECT_NEAR(losses.total.item<double>(), 6.04190885718, 1e-10);
  EXPECT_NEAR(losses.token_loss_BS.sum().item<double>() / 28, 4.43244020773, 1e-10);
}

struct GradientRow {
  const char* name;
  double norm, first;
};

// First elements at the first site are zero up to eps and left out (the note below the table
// of 7.3).
constexpr double kNearZero = 0;
const GradientRow kGradients[] = {
    {"embed.weight", 1.77921331, -0.0406506332},
    {"head.weight", 1.13495306, 0.0325905805},
    {"norm.weight", 0.21928854, -0.00581209728},
    {"hc_head_fn", 0.0489769536, -0.0014203884},
    {"hc_head_scale", 0.00513815055, 0.00513815055},
    {"layers.0.hc_attn_fn", 0.997185912, kNearZero},
    {"layers.0.hc_attn_base", 0.0853931076, kNearZero},
    {"layers.0.hc_attn_scale", 0.0726267106, kNearZero},
    {"layers.2.hc_ffn_fn", 0.362792654, -0.00418398153},
    {"layers.0.attn.wq_a.weight", 2.69550457, -0.0763343401},
    {"layers.0.attn.q_norm.weight", 0.420575243, -0.133306654},
    {"layers.1.attn.wq_b.weight", 0.787351571, -0.015011117},
    {"layers.1.attn.wkv.weight", 1.16114897, -0.00159645195},
    {"layers.1.attn.kv_norm.weight", 0.221141051, -0.0694281334},
    {"layers.0.attn.attn_sink", 0.0390840922, 0.010076082},
    {"layers.1.attn.attn_sink", 0.0382214032, -0.00198679443},
    {"layers.1.attn.wo_a.weight", 1.01524863, -0.00861942916},
    {"layers.1.attn.wo_b.weight", 0.841978198, -0.00371040187},
    {"layers.1.attn.compressor.wkv.weight", 0.740310156, 0.000979960263},
    {"layers.1.attn.compressor.wgate.weight", 0.354460611, 0.0140689476},
    {"layers.1.attn.compressor.ape", 0.0557684782, -0.000293783366},
    {"layers.1.attn.compressor.norm.weight", 0.105101458, -0.00231125095},
    {"layers.2.attn.compressor.wkv.weight", 0.328327559, -0.00486250745},
    {"layers.2.attn.compressor.ape", 0.0250683215, 0.00116829428},
    {"layers.1.attn.indexer.wq_b.weight", 0.188684492, -0.000480624},
    {"layers.1.attn.indexer.weights_proj.weight", 0.168156247, -0.00537413609},
    {"layers.1.attn.indexer.compressor.wkv.weight", 0.211465063, -0.00122318756},
    {"layers.1.attn.indexer.compressor.wgate.weight", 0.173651386, -0.000699412223},
    {"layers.1.attn.indexer.compressor.ape", 0.0324535932, -0.00129289574},
    {"layers.1.attn.indexer.compressor.norm.weight", 0.0359138887, 0.00200379144},
    {"layers.0.ffn.gate.weight", 0.28931868, 0.0162877157},
    {"layers.1.ffn.gate.weight", 0.112660887, 0.00600951799},
    {"layers.1.ffn.experts.3.w1.weight", 0.156956042, 0},
    {"layers.1.ffn.experts.3.w2.weight", 0.126297325, -0.0130018159},
    {"layers.1.ffn.experts.3.w3.weight", 0.107869694, -0.0251500163},
    {"layers.1.ffn.shared_experts.w1.weight", 0.585779314, -0.0600676756},
    {"mtp.0.e_proj.weight", 0.295019308, -0.00417643535},
    {"mtp.0.h_proj.weight", 0.270738612, 0.0157721426},
    {"mtp.0.enorm.weight", 0.0568305427, 0.00944944578},
    {"mtp.0.hnorm.weight", 0.0611558907, 0.0048874532},
    {"mtp.0.hc_head_fn", 0.0269653157, 0.000602068353},
    {"mtp.0.norm.weight", 0.0752787473, -0.0106499672},
    {"mtp.0.attn.wkv.weight", 0.127944853, -0.0114594404},
};

TEST(SpecGolden, Gradients) {
  for (const GradientRow& row : kGradients) {
    const auto gradient = run().parameters.at(row.name).grad();
    ASSERT_TRUE(gradient.defined()) << row.name;
    EXPECT_NEAR(gradient.norm().item<double>(), row.norm, 1e-8)
        << row.name;  // printed with nine digits
    const double tolerance =
        std::string_view(row.name).starts_with("layers.0.hc_attn") ? 1e-5 : 1e-9;
    EXPECT_NEAR(gradient.flatten()[0].item<double>(), row.first, tolerance) << row.name;
  }
}

TEST(SpecGolden, GradientNormOverAllParameters) {
  double squares = 0;
  for (const auto& [name, tensor] : run().parameters.entries()) {
    if (!is_trained(name)) {
      EXPECT_FALSE(tensor.grad().defined()) << name;
    } else if (tensor.grad().defined()) {
      squares += tensor.grad().square().sum().item<double>();
    }
  }
  EXPECT_NEAR(std::sqrt(squares), 7.71331831026, 1e-9);
}

}  // namespace
}  // namespace trex::model::reference
