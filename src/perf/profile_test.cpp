#include "perf/profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"

namespace trex::perf {
namespace {

using testing::HasSubstr;

// The engine of these tests: 20 ms, 0.2 ms a sequence, 0.5 us a token of context, 40 us a prompt
// token, 2 ns a pair.
double engine_s(double sequences, double context, double prompt, double cached = 0) {
  const double pairs = prompt * (cached + prompt / 2);
  return 20e-3 + 0.2e-3 * sequences + 0.5e-6 * sequences * context + 40e-6 * prompt + 2e-9 * pairs;
}

// The minimal profile of section 5.7: prompts alone, streams at several concurrencies, long
// contexts.
std::string minimal_profile() {
  std::string lines;
  for (const double prompt : {128.0, 1024.0, 2048.0}) {
    lines +=
        fmt::format("{{\"prompt_tokens\": {}, \"seconds\": {}}}\n", prompt, engine_s(0, 0, prompt));
  }
  for (const double sequences : {1.0, 8.0, 32.0, 128.0}) {
    lines += fmt::format("{{\"sequences\": {}, \"context\": 192, \"seconds\": {}}}\n", sequences,
                         engine_s(sequences, 192, 0));
  }
  for (const double context : {4096.0, 16384.0}) {
    lines += fmt::format("{{\"sequences\": 16, \"context\": {}, \"seconds\": {}}}\n", context,
                         engine_s(16, context, 0));
  }
  return lines + fmt::format(
                     "{{\"sequences\": 16, \"context\": 512, \"prompt_tokens\": 1024, "
                     "\"cached_tokens\": 512, \"seconds\": {}}}\n",
                     engine_s(16, 512, 1024, 512));
}

const Deployment kLlama{"Llama-3.1-8B", "A100 SXM 80", "bf16", {}};

class ProfileTest : public testing::Test {
 protected:
  Path file(const std::string& text) const {
    write_file(folder_.path() / "profile.jsonl", text);
    return folder_.path() / "profile.jsonl";
  }

  ProfileFit fit(const std::string& text, const ProfileOptions& options = {}) const {
    return fit_profile(load_profile(file(text), options.chunk_tokens), kLlama, Catalogue::shipped(),
                       options, "profile.jsonl");
  }

  std::string message_of(const std::string& text, const ProfileOptions& options = {}) const {
    try {
      fit(text, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
};

TEST_F(ProfileTest, TheMinimalProfileGivesTheEnginesCoefficients) {
  const ProfileFit found = fit(minimal_profile());
  const IterationCoefficients& time = found.measured.model.time;
  EXPECT_NEAR(time.base_s, 20e-3, 0.02 * 20e-3);
  EXPECT_NEAR(time.per_sequence_s[0], 0.2e-3, 0.02 * 0.2e-3);
  EXPECT_NEAR(time.per_context_token_s, 0.5e-6, 0.02 * 0.5e-6);
  EXPECT_NEAR(time.prompt_s(2048), engine_s(0, 0, 2048) - 20e-3, 0.02 * 90e-3);
  EXPECT_LT(found.measured.error.worst, 0.02);
  EXPECT_TRUE(found.measured.model.evidence.calibrated);
}

// Four chunks: 4 x 20 ms, and the whole prompt's tokens and pairs.
TEST_F(ProfileTest, APromptOfSeveralChunksIsTheMeanOfItsIterations) {
  const double seconds = 4 * 20e-3 + 40e-6 * 8192 + 2e-9 * 8192 * 4096;
  const Profile profile = load_profile(
      file(fmt::format("{{\"prompt_tokens\": 8192, \"seconds\": {}}}\n", seconds)), 2048);
  EXPECT_DOUBLE_EQ(profile.samples[0].prompt_tokens, 2048);
  EXPECT_DOUBLE_EQ(profile.samples[0].prompt_pairs, 8192.0 * 4096 / 4);
  EXPECT_DOUBLE_EQ(profile.samples[0].seconds, seconds / 4);
  EXPECT_EQ(profile.longest_context, 8192);
}

TEST_F(ProfileTest, LimitsReachTwiceWhatWasMeasured) {
  EXPECT_EQ(fit(minimal_profile()).measured.model.max_sequences, 256);  // measured 128
  EXPECT_EQ(fit(minimal_profile()).measured.model.max_context, 2 * 16384);
  EXPECT_THAT(message_of(minimal_profile(), {.max_sequences = 300}),
              HasSubstr("profile.jsonl: --max-sequences: expected at most 256, twice what was "
                        "measured; got 300"));
  EXPECT_THAT(
      message_of(minimal_profile(), {.max_context = 40'000}),
      HasSubstr("--max-context: expected at most 32768, twice what was measured; got 40000"));
}

TEST_F(ProfileTest, WhatCannotBeFittedIsNamed) {
  EXPECT_THAT(message_of(""), HasSubstr("at least one measurement; got none"));
  EXPECT_THAT(message_of("{\"sequences\": 1, \"context\": 9, \"seconds\": -1}\n"),
              HasSubstr("profile.jsonl:1: seconds: expected above 0; got -1"));
  EXPECT_THAT(message_of("{\"sequences\": -1, \"context\": 9, \"seconds\": 1}\n"),
              HasSubstr("profile.jsonl:1: sequences: expected at least 0; got -1"));
  EXPECT_THAT(message_of("{\"sequences\": 1, \"seconds\": 1}\n"),
              HasSubstr("profile.jsonl:1: context: expected"));
  EXPECT_THAT(message_of("{\"seconds\": 1}\n"),
              HasSubstr("sequences or prompt_tokens above 0; got neither"));
  EXPECT_THAT(message_of("{\"sequences\": 4, \"context\": 9, \"seconds\": 1}\n"),
              HasSubstr("sequences: expected measurements at two values or more; got 4 only"));
  EXPECT_THAT(message_of("{\"prompt_tokens\": 4, \"seconds\": NaN}\n"),
              HasSubstr("profile.jsonl:1"));
}

TEST_F(ProfileTest, TheFileReadsBack) {
  const MeasuredModel measured = fit(minimal_profile()).measured;
  write_file(folder_.path() / "fitted.json", to_json(measured).dump(2));
  const MeasuredModel again = load_measured(folder_.path() / "fitted.json");
  EXPECT_EQ(to_json(again).dump(), to_json(measured).dump());
  EXPECT_EQ(again.deployment.text(), "Llama-3.1-8B bf16 TP1 on A100 SXM 80");
}

}  // namespace
}  // namespace trex::perf
