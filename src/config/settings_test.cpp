#include "config/settings.h"

#include <gmock/gmock.h>

namespace trex::config {
namespace {

struct Inner {
  double beta = 0.9;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("beta", beta, "Decay.", in_range(0, 1));
  }
};

struct Sample {
  int64_t seq_len = 4096;
  std::optional<double> peak_gflops;
  Required<Path> tokenizer;
  std::string mode = "cpt";
  std::vector<int64_t> layers{1, 2};
  std::chrono::milliseconds every{600'000};
  Inner inner;

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("seq_len", seq_len, "Tokens in one packed sequence.", in_range(1, 1 << 20));
    visit("peak_gflops", peak_gflops, "Peak of one core.", above(0));
    visit("tokenizer", tokenizer, "The tokenizer file.");
    visit("mode", mode, "What the loss counts.", one_of({"cpt", "sft"}));
    visit("layers", layers, "Some layers.");
    visit("every", every, "Wall time between checkpoints.", at_least(1));
    visit("inner", inner, "Nested.");
  }
};

class SettingsTest : public testing::Test {
 protected:
  Source source(const std::string& toml, std::vector<std::string> overrides = {}) {
    write_file(folder_.path() / "s.toml", toml);
    return {.file = folder_.path() / "s.toml",
            .sections = {"t"},
            .overrides = std::move(overrides),
            .foreign_keys = {"verb"},
            .folders = {{"tok", "/runs/tok"}}};
  }

  std::string refusal(const std::string& toml, std::vector<std::string> overrides = {}) {
    Sample sample;
    try {
      load(sample, source(toml, std::move(overrides)));
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string prefix = folder_.path().string() + "/";
      if (text.starts_with(prefix)) text.erase(0, prefix.size());
      return text;
    }
    return "accepted";
  }

  TemporaryFolder folder_;
};

TEST_F(SettingsTest, OverridesAreStrongerThanTheFileAndTheFileThanDefaults) {
  Sample sample;
  const auto values = load(
      sample,
      source("[t]\nverb = \"train\"\ntokenizer = \"{tok}/t.json\"\nseq_len = 8\ninner.beta = 0.5\n",
             {"seq_len=16", "layers=3,4,5"}));
  EXPECT_EQ(sample.seq_len, 16);
  EXPECT_EQ(sample.inner.beta, 0.5);
  EXPECT_EQ(sample.tokenizer->string(), "/runs/tok/t.json");
  EXPECT_THAT(sample.layers, testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(values[0].origin, "--set");
  EXPECT_EQ(values[3].origin, "default");
  EXPECT_THAT(values[2].origin, testing::EndsWith("s.toml:3"));
}

TEST_F(SettingsTest, AnOverridesListMayStandInBrackets) {
  Sample sample;
  load(sample, source("[t]\ntokenizer = \"x\"\n", {"layers=[3, 4, 5]"}));
  EXPECT_THAT(sample.layers, testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(refusal("[t]\ntokenizer = \"x\"\n", {"layers=[3, 4"}),
              testing::StartsWith("--set layers:"));
}

TEST_F(SettingsTest, RefusalsNamePlaceExpectationAndValue) {
  EXPECT_EQ(
      refusal("[t]\nseq_lem = 8\n"),
      "s.toml:2: t.seq_lem: expected a known setting; got \"seq_lem\" (did you mean \"seq_len\"?)");
  EXPECT_EQ(refusal("[t]\nseq_len = 0\n"), "s.toml:2: t.seq_len: expected 1 to 1048576; got 0");
  EXPECT_EQ(refusal("[t]\nseq_len = \"long\"\n"),
            "s.toml:2: t.seq_len: expected a whole number; got \"long\"");
  EXPECT_EQ(refusal("[t]\nseq_len = nan\n"),
            "s.toml:2: t.seq_len: expected a whole number; got nan");
  EXPECT_EQ(refusal("[t]\ntokenizer = \"x\"\ninner.beta = nan\n"),
            "s.toml:3: t.inner.beta: expected 0 to 1; got nan");
  EXPECT_EQ(refusal("[t]\ntokenizer = \"x\"\npeak_gflops = -inf\n"),
            "s.toml:3: t.peak_gflops: expected more than 0; got -inf");
  EXPECT_EQ(refusal("[t]\ntokenizer = \"x\"\nmode = \"cptt\"\n"),
            "s.toml:3: t.mode: expected one of cpt, sft; got \"cptt\" (did you mean \"cpt\"?)");
  EXPECT_EQ(refusal("[t]\ntokenizer = \"x\"\n", {"every=5 parsecs"}),
            "--set every: expected a duration such as \"500ms\", \"30s\", \"10m\" or \"2h\"; got "
            "\"5 parsecs\"");
  EXPECT_EQ(refusal("[t]\ntokenizer = \"x\"\n", {"inner.betta=1"}),
            "--set inner.betta: expected a known setting; got \"inner.betta\" (did you mean "
            "\"inner.beta\"?)");
  EXPECT_EQ(refusal("[t]\nseq_len = 8\n"),
            "s.toml: tokenizer: expected path; got nothing (The tokenizer file.)");
  EXPECT_THAT(refusal("[t]\nseq_len = = 8\n"), testing::StartsWith("s.toml:2:"));
}

TEST_F(SettingsTest, AutoLeavesAnOptionalUnset) {
  Sample sample;
  sample.peak_gflops = 5;
  load(sample, source("[t]\ntokenizer = \"x\"\npeak_gflops = \"auto\"\n"));
  EXPECT_FALSE(sample.peak_gflops.has_value());
}

TEST_F(SettingsTest, TablesComeInTheOrderOfTheFile) {
  write_file(folder_.path() / "order.toml", "[b.z]\ny = 1\nx = 2\n[a]\n[b.m]\n");
  const auto tables = tables_of(folder_.path() / "order.toml");
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].values.dump(), R"({"z":{"y":1,"x":2},"m":{}})");
  EXPECT_EQ(tables[1].name, "a");
}

}  // namespace
}  // namespace trex::config
