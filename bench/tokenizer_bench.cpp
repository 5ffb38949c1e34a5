// Speed of tokenizer encoding on one thread.
//
//   tokenizer_bench TOKENIZER.json TEXT_FILE...
//
// Timed: Encoder::encode over the documents of a file (cut at the first line end after 16 KiB), the
// piece cache warm from one pass before. Not timed: reading files, loading the tokenizer. Before
// any timing the documents are decoded again and must give the text. One JSON line a file: median
// of nine passes and their spread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/utf8.h"

namespace {

using namespace trex;

constexpr size_t kDocumentBytes = 16 << 10;
constexpr int kPasses = 9;

std::vector<std::string> documents_of(const std::string& text) {
  std::vector<std::string> documents;
  for (size_t begin = 0; begin < text.size();) {
    const size_t newline = text.find('\n', std::min(begin + kDocumentBytes, text.size()));
    const size_t end = newline == std::string::npos ? text.size() : newline + 1;
    documents.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return documents;
}

size_t encode_all(tokenizer::Encoder& encoder, const std::vector<std::string>& documents) {
  size_t num_tokens = 0;
  std::vector<int32_t> ids;
  for (const std::string& document : documents) {
    ids.clear();
    encoder.encode(document, ids);
    num_tokens += ids.size();
  }
  return num_tokens;
}

void check(const tokenizer::Tokenizer& tokenizer, tokenizer::Encoder& encoder,
           const std::vector<std::string>& documents, const std::string& file) {
  for (const std::string& document : documents) {
    const std::string read = tokenizer::with_replacements(document);
    if (tokenizer.decode(encoder.encode(document)) != read) {
      throw Error({.where = file, .expected = "the text again after decoding", .got = "another"});
    }
  }
}

Json measure(const tokenizer::Tokenizer& tokenizer, const Path& file) {
  const std::string text = read_file(file);
  const auto documents = documents_of(text);
  tokenizer::Encoder encoder(tokenizer);
  check(tokenizer, encoder, documents, file.string());
  const SystemClock clock;
  std::vector<double> seconds;
  size_t num_tokens = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Stopwatch watch(clock);
    num_tokens = encode_all(encoder, documents);
    seconds.push_back(watch.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[kPasses / 2], megabytes = static_cast<double>(text.size()) / 1e6;
  return {{"bench", "tokenizer_encode"},
          {"who", "trex"},
          {"file", file.filename().string()},
          {"megabytes", megabytes},
          {"tokens", num_tokens},
          {"seconds", median},
          {"spread", (seconds[kPasses - 2] - seconds[1]) / median},
          {"megabytes_per_second", megabytes / median}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: tokenizer_bench TOKENIZER.json TEXT_FILE...\n");
    return 2;
  }
  try {
    const auto tokenizer = tokenizer::Tokenizer::load(argv[1]);
    for (int i = 2; i < argc; ++i) fmt::print("{}\n", to_line(measure(tokenizer, argv[i])));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
  return 0;
}
