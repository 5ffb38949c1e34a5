#include "simulate/traces.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"

namespace trex::simulate {
namespace {

Trace shipped(const std::string& file) {
  return load_trace(Path(TREX_SOURCE_DIR) / "data/traces" / file);
}

class TraceFile : public testing::Test {
 protected:
  std::string message(const std::string& name, const std::string& text) {
    const Path path = folder_.path() / name;
    write_file(path, text);
    try {
      load_trace(path);
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder_.path().string().size() + 1);
    }
    return "accepted";
  }
  Trace load(const std::string& name, const std::string& text) {
    write_file(folder_.path() / name, text);
    return load_trace(folder_.path() / name);
  }
  TemporaryFolder folder_;
};

// Rows, means and rates: statistics of data/traces/README.md, made by another program.
TEST(ShippedTraces, HaveTheirPublishedStatistics) {
  struct Row {
    const char* file;
    size_t rows;
    double mean_in, mean_out, rate, cv;
  };
  const Row rows[] = {
      {"azure_llm_2023_code.csv.zst", 8'819, 2047.8, 27.9, 2.57, 13.2},
      {"azure_llm_2023_conv.csv.zst", 19'366, 1154.7, 211.1, 5.53, 1.09},
      {"mooncake_conversation.jsonl.zst", 12'031, 12'035, 342.6, 3.40, -1},
      {"arxiv_summarization_lengths.csv.zst", 28'257, 2588, 291, 0, -1},
      {"sharegpt_lengths.csv.zst", 82'814, 74.1, 228.6, 0, -1},
      {"alpaca_lengths.csv.zst", 47'379, 13.9, 48.3, 0, -1},
  };
  for (const Row& row : rows) {
    const Trace trace = shipped(row.file);
    const auto moments = perf::WorkloadMoments::of(trace.lengths());
    const ArrivalStatistics arrivals = arrival_statistics(trace);
    EXPECT_EQ(trace.requests.size(), row.rows) << row.file;
    EXPECT_NEAR(moments.mean_input, row.mean_in, 0.06 + row.mean_in * 2e-4) << row.file;
    EXPECT_NEAR(moments.mean_output, row.mean_out, 0.06 + row.mean_out * 2e-3) << row.file;
    EXPECT_NEAR(arrivals.requests_per_s, row.rate, 0.006) << row.file;
    if (row.cv > 0) {
      EXPECT_NEAR(std::sqrt(arrivals.gap_cv2), row.cv, 0.05) << row.file;
    }
  }
}

// "block 0 is shared by every request ... 182,790 of 288,500 block references are distinct".
TEST(ShippedTraces, MooncakeKeepsItsSharedPrefixes) {
  const Trace trace = shipped("mooncake_conversation.jsonl.zst");
  EXPECT_EQ(trace.block_tokens, 512);
  size_t references = 0;
  for (const TraceRequest& request : trace.requests) {
    ASSERT_EQ(request.prefix_blocks.at(0), 0);
    references += request.prefix_blocks.size();
  }
  EXPECT_EQ(references, 288'500u);
}

TEST(ShippedTraces, TheFourEngineArrivalsAreOurOwnFormat) {
  const Trace trace = shipped("four_engines/requests_seed1.csv.zst");
  EXPECT_EQ(trace.requests.size(), 1'038u);
  EXPECT_EQ(trace.requests[0].lengths.prompt_tokens, 983);
}

TEST_F(TraceFile, BurstGptFailuresAreLeftOutAndCounted) {
  const Trace trace = load("burst.csv",
                           "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response "
                           "tokens,Total tokens,Log Type\n"
                           "5,7,1.5,ChatGPT,472,18,490,Conversation log\n"
                           "45,8,2,GPT-4,100,0,100,API log\n"
                           "118,9,4,GPT-4,1087,230,1317,Conversation log");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.failed_requests, 1);
  EXPECT_EQ(trace.requests[1].arrival_s, 113);
  EXPECT_EQ(trace.requests[1].lengths.output_tokens, 230);
  EXPECT_EQ(trace.requests[1].tenant, "9");
}

// 2024-02-28 23:59:59.5 to 2024-03-01 00:00:00.25 crosses a leap day: 86,400.75 s.
TEST_F(TraceFile, DatesCountLeapDaysAndZones) {
  const Trace trace =
      load("azure.csv",
           "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 23:59:59.500000+00:00,1,1\n"
           "2024-03-01 00:00:00.250000+00:00,2,2\n");
  EXPECT_NEAR(trace.requests[1].arrival_s, 86'400.75, 1e-6);
}

// 18:15 two hours east of Greenwich is 16:15 there, 19:15 at 03:30 west of it 22:45.
TEST_F(TraceFile, ZonesAreCounted) {
  const Trace trace =
      load("zones.csv",
           "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:00+02:00,1,1\n"
           "2023-11-16T16:16:00Z,1,1\n2023-11-16 19:15:00.5-03:30,2,2\n");
  EXPECT_EQ(trace.requests[1].arrival_s, 60);
  EXPECT_EQ(trace.requests[2].arrival_s, 6.5 * 3600 + 0.5);
  EXPECT_THAT(
      message("day.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-29 18:15:00,1,1\n"),
      testing::HasSubstr("expected a time like"));
}

TEST_F(TraceFile, QuotesAndAByteOrderMarkAreNoPartOfNames) {
  const Trace trace =
      load("quoted.csv",
           "\xEF\xBB\xBF\"arrival_s\",\"prompt_tokens\",output_tokens\r\n1,\"10\",5\r\n3,20,6\r\n");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_TRUE(trace.has_arrivals);
  EXPECT_EQ(trace.requests[0].lengths.prompt_tokens, 10);
  EXPECT_EQ(trace.requests[1].arrival_s, 2);
}

TEST_F(TraceFile, FaultsAreNamedWithTheirLine) {
  const std::string header = "arrival_s,prompt_tokens,output_tokens\n";
  EXPECT_EQ(message("a.csv", header + "1,10,5\n0.5,10,5\n"),
            "a.csv:3: arrival: expected a time not before the one above, 1; got 0.5 (sort the "
            "trace by time)");
  EXPECT_EQ(
      message("a.csv", header + "1,-10,5\n"),
      "a.csv:2: prompt_tokens: expected a whole number of tokens, 0 to 1000000000; got \"-10\"");
  EXPECT_EQ(
      message("a.csv", header + "1,,5\n"),
      "a.csv:2: prompt_tokens: expected a whole number of tokens, 0 to 1000000000; got nothing");
  EXPECT_EQ(message("a.csv", header + "1,10\n"),
            "a.csv:2: expected 3 columns as in the header; got 2");
  EXPECT_EQ(message("a.csv", header + "nan,10,5\n"),
            "a.csv:2: arrival: expected a finite number of seconds; got \"nan\"");
  EXPECT_EQ(message("a.csv", header + "1,0,5\n"),
            "a.csv:2: prompt_tokens: expected at least 1; got 0");
  EXPECT_EQ(message("a.csv", header), "a.csv: expected at least one request; got none");
  EXPECT_EQ(message("a.csv", "arrival_s,prompt_tokens\n1,2\n"),
            "a.csv:1: header: expected a column output_tokens (or another trace's name for it); "
            "got \"arrival_s,prompt_tokens\"");
  EXPECT_EQ(message("a.jsonl", "{\"timestamp\": 1, \"input_length\": 5}\n"),
            "a.jsonl:1: output_length: expected a whole number; got nothing");
  EXPECT_EQ(message("a.txt", "x"),
            "a.txt: expected a trace: .csv or .jsonl, perhaps .zst; got \"a.txt\"");
}

TEST(FindTrace, AnUnknownNameGetsTheNearest) {
  try {
    find_trace("azure-conv-2032", "--trace");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"azure-conv-2023\"?"));
  }
}

}  // namespace
}  // namespace trex::simulate
