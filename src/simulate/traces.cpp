#include "simulate/traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/process.h"
#include "base/text.h"
#include "simulate/event_queue.h"

namespace trex::simulate {
namespace {

constexpr int64_t kMooncakeBlockTokens = 512;
constexpr int64_t kMostTokens = 1'000'000'000;

const std::vector<std::pair<std::string, std::string>>& shipped_files() {
  static const std::vector<std::pair<std::string, std::string>> kFiles{
      {"azure-code-2023", "azure_llm_2023_code.csv.zst"},
      {"azure-conv-2023", "azure_llm_2023_conv.csv.zst"},
      {"mooncake-conversation", "mooncake_conversation.jsonl.zst"},
      {"mooncake-synthetic", "mooncake_synthetic.jsonl.zst"},
      {"sharegpt", "sharegpt_lengths.csv.zst"},
      {"alpaca", "alpaca_lengths.csv.zst"},
      {"arxiv-sum", "arxiv_summarization_lengths.csv.zst"},
  };
  return kFiles;
}

// Which columns of a CSV header mean what; -1 where there is none.
struct Columns {
  int arrival = -1, prompt = -1, output = -1, request_class = -1, tenant = -1;
  bool arrival_is_date = false;
  bool zero_output_failed = false;
};

int position(const std::vector<std::string>& header, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end()) return static_cast<int>(found - header.begin());
  }
  return -1;
}

Columns columns_of(const std::vector<std::string>& header, const std::string& where) {
  Columns columns;
  columns.arrival_is_date = position(header, {"TIMESTAMP"}) >= 0;
  columns.zero_output_failed = position(header, {"Response tokens"}) >= 0;
  columns.arrival = position(header, {"TIMESTAMP", "Timestamp", "arrival_s"});
  columns.prompt = position(header, {"ContextTokens", "Request tokens", "prompt_tokens",
                                     "input_tokens", "num_prefill_tokens"});
  columns.output = position(
      header, {"GeneratedTokens", "Response tokens", "output_tokens", "num_decode_tokens"});
  columns.request_class = position(header, {"class"});
  columns.tenant = position(header, {"tenant", "Session ID"});
  for (const auto& [column, name] :
       {std::pair{columns.prompt, "prompt_tokens"}, std::pair{columns.output, "output_tokens"}}) {
    if (column < 0) {
      throw input_error(where, "header",
                        fmt::format("a column {} (or another trace's name for it)", name),
                        in_quotes(joined(header, ",")));
    }
  }
  return columns;
}

// Days since 1970-01-01 of a civil date (Howard Hinnant's days_from_civil).
int64_t days_of(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = year / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

// "+01:30", "-07:00", "Z" or nothing, in seconds east of Greenwich.
std::optional<int64_t> seconds_of_zone(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  if (text.size() != 6 || text[3] != ':') return std::nullopt;
  const auto hours = parse_integer(text.substr(1, 2)), minutes = parse_integer(text.substr(4, 2));
  if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

// "2023-11-16 18:15:46.6805900", also with T and a zone suffix of 2024's files ("+00:00").
std::optional<double> seconds_of_date(std::string_view text) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  std::string_view seconds = text.substr(17);
  const size_t end = std::min(seconds.find_first_of("+-Z"), seconds.size());
  const auto zone = seconds_of_zone(seconds.substr(end));
  seconds = seconds.substr(0, end);
  const auto year = parse_integer(text.substr(0, 4)), month = parse_integer(text.substr(5, 2)),
             day = parse_integer(text.substr(8, 2)), hour = parse_integer(text.substr(11, 2)),
             minute = parse_integer(text.substr(14, 2));
  const auto second = parse_real(seconds);
  if (!year || !month || !day || !hour || !minute || !second || !zone) return std::nullopt;
  const auto is_within = [](double value, double low, double high) {
    return value >= low && value < high;
  };
  const int64_t days = days_of(*year, *month, 1);
  const int64_t next_month =
      *month == 12 ? days_of(*year + 1, 1, 1) : days_of(*year, *month + 1, 1);
  if (*month < 1 || *month > 12 || *day < 1 || *day > next_month - days || *hour < 0 ||
      *hour > 23 || *minute < 0 || *minute > 59 || !is_within(*second, 0, 61)) {
    return std::nullopt;
  }
  return static_cast<double>((days + *day - 1) * 86400 + *hour * 3600 + *minute * 60 - *zone) +
         *second;
}

int64_t token_count(const std::string& where, const std::string& field, std::string_view text) {
  const auto count = parse_integer(trimmed(text));
  if (!count || *count < 0 || *count > kMostTokens) {
    throw input_error(where, field, fmt::format("a whole number of tokens, 0 to {}", kMostTokens),
                      trimmed(text).empty() ? "nothing" : in_quotes(text));
  }
  return *count;
}

// Puts requests in, holding times to their order and shifting them to start at 0.
class Collector {
 public:
  explicit Collector(Trace& trace) : trace_(trace) {}

  // `time` is the arrival as the file writes it.
  void add(TraceRequest request, const std::string& time, const std::string& where) {
    if (request.lengths.prompt_tokens < 1) {
      throw input_error(where, "prompt_tokens", "at least 1",
                        std::to_string(request.lengths.prompt_tokens));
    }
    if (trace_.has_arrivals) {
      if (!std::isfinite(request.arrival_s)) {
        throw input_error(where, "arrival", "a finite time", time);
      }
      if (!first_s_) first_s_ = request.arrival_s;
      request.arrival_s -= *first_s_;
      if (request.arrival_s < last_s_) {
        throw input_error(where, "arrival",
                          fmt::format("a time not before the one above, {}", last_time_), time,
                          "sort the trace by time");
      }
      if (request.arrival_s >= kLongest_s) {
        throw input_error(where, "arrival",
                          fmt::format("at most {:.0e} s after the first one", kLongest_s), time);
      }
      last_s_ = request.arrival_s;
      last_time_ = time;
    }
    trace_.requests.push_back(std::move(request));
  }

 private:
  Trace& trace_;
  std::optional<double> first_s_;
  double last_s_ = 0;
  std::string last_time_;
};

double arrival_of(const Columns& columns, std::string_view text, const std::string& where) {
  const auto seconds = columns.arrival_is_date ? seconds_of_date(text) : parse_real(text);
  if (!seconds || !std::isfinite(*seconds)) {
    throw input_error(where, "arrival",
                      columns.arrival_is_date ? "a time like 2023-11-16 18:15:46.68"
                                              : "a finite number of seconds",
                      text.empty() ? "nothing" : in_quotes(text));
  }
  return *seconds;
}

// The cells of a line, without blanks and quotes around them. No column that is read has commas.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells = split(line, ',');
  for (std::string& cell : cells) {
    std::string_view bare = trimmed(cell);
    if (bare.size() >= 2 && bare.front() == '"' && bare.back() == '"')
      bare = trimmed(bare.substr(1, bare.size() - 2));
    cell = std::string(bare);
  }
  return cells;
}

void read_csv(std::string_view text, const std::string& name, Trace& trace) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto lines = split(text, '\n');
  if (trimmed(text).empty())
    throw input_error(name, "", "a header and at least one request", "an empty file");
  const auto header = cells_of(lines[0]);
  const Columns columns = columns_of(header, name + ":1");
  trace.has_arrivals = columns.arrival >= 0;
  Collector collector(trace);
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", name, i + 1);
    const auto cells = cells_of(line);
    if (cells.size() != header.size()) {
      throw input_error(where, "", fmt::format("{} columns as in the header", header.size()),
                        std::to_string(cells.size()));
    }
    const auto cell = [&](int column) { return cells[static_cast<size_t>(column)]; };
    TraceRequest request;
    request.lengths.prompt_tokens =
        token_count(where, header[static_cast<size_t>(columns.prompt)], cell(columns.prompt));
    request.lengths.output_tokens =
        token_count(where, header[static_cast<size_t>(columns.output)], cell(columns.output));
    if (trace.has_arrivals) request.arrival_s = arrival_of(columns, cell(columns.arrival), where);
    if (columns.request_class >= 0) request.request_class = cell(columns.request_class);
    if (columns.tenant >= 0) request.tenant = cell(columns.tenant);
    if (columns.zero_output_failed && request.lengths.output_tokens == 0) {
      ++trace.failed_requests;
      continue;
    }
    collector.add(std::move(request), trace.has_arrivals ? cell(columns.arrival) : "", where);
  }
}

TraceRequest request_of(const JsonObject& object, bool is_mooncake) {
  const auto count = [&](const char* key) {
    const int64_t value = object.integer(key);
    if (value < 0 || value > kMostTokens) {
      throw object.error(key, fmt::format("a whole number of tokens, 0 to {}", kMostTokens),
                         std::to_string(value));
    }
    return value;
  };
  TraceRequest request;
  if (is_mooncake) {
    request.arrival_s = object.number("timestamp") * 1e-3;
    request.lengths = {count("input_length"), count("output_length")};
    if (object.has("hash_ids")) request.prefix_blocks = object.integers("hash_ids");
    return request;
  }
  request.arrival_s = object.number("arrival_s");
  request.lengths = {count("prompt_tokens"), count("output_tokens")};
  request.request_class = object.string_or("class", "");
  request.tenant = object.string_or("tenant", "");
  return request;
}

void read_json_lines(const Path& path, Trace& trace) {
  trace.has_arrivals = true;
  LineReader reader(path);
  Collector collector(trace);
  bool is_mooncake = false;
  while (const auto line = reader.next()) {
    const JsonObject object = line->object();
    // The first line tells which format the file has.
    if (trace.requests.empty()) is_mooncake = object.has("timestamp") || object.has("input_length");
    if (is_mooncake) trace.block_tokens = kMooncakeBlockTokens;
    collector.add(request_of(object, is_mooncake),
                  shortest(object.number(is_mooncake ? "timestamp" : "arrival_s")), line->where);
  }
}

}  // namespace

std::vector<perf::RequestLengths> Trace::lengths() const {
  std::vector<perf::RequestLengths> all;
  all.reserve(requests.size());
  for (const TraceRequest& request : requests) all.push_back(request.lengths);
  return all;
}

Trace load_trace(const Path& path) {
  Trace trace;
  Path plain = path;
  if (plain.extension() == ".zst") plain = plain.stem();
  trace.name = plain.stem().string();
  if (plain.extension() == ".jsonl") {
    read_json_lines(path, trace);
  } else if (plain.extension() == ".csv") {
    read_csv(read_file(path), path.string(), trace);
  } else {
    throw input_error(path.string(), "", "a trace: .csv or .jsonl, perhaps .zst",
                      in_quotes(path.filename().string()));
  }
  if (trace.requests.empty()) throw input_error(path.string(), "", "at least one request", "none");
  return trace;
}

std::vector<std::string> shipped_traces() {
  std::vector<std::string> names;
  for (const auto& [name, file] : shipped_files()) names.push_back(name);
  return names;
}

Path find_trace(const std::string& name_or_path, const std::string& where) {
  if (std::filesystem::exists(name_or_path)) return name_or_path;
  for (const auto& [name, file] : shipped_files()) {
    if (name != name_or_path) continue;
    for (Path folder = program_folder(); folder.has_relative_path();
         folder = folder.parent_path()) {
      if (const Path found = folder / "data" / "traces" / file; std::filesystem::exists(found))
        return found;
    }
    throw environment_error(
        where, fmt::format("data/traces/{} beside the program or above it", file), "none");
  }
  const auto names = shipped_traces();
  const std::string hint = did_you_mean(name_or_path, names);
  throw input_error(where, "trace", "a file, or one of " + listed(names), in_quotes(name_or_path),
                    hint);
}

ArrivalStatistics arrival_statistics(const Trace& trace) {
  const auto& requests = trace.requests;
  if (!trace.has_arrivals || requests.size() < 3 || trace.duration_s() <= 0) return {};
  const double num_gaps = static_cast<double>(requests.size() - 1);
  const double mean = trace.duration_s() / num_gaps;
  double squares = 0;
  for (size_t i = 1; i < requests.size(); ++i) {
    const double gap = requests[i].arrival_s - requests[i - 1].arrival_s - mean;
    squares += gap * gap;
  }
  return {1 / mean, squares / num_gaps / (mean * mean)};
}

}  // namespace trex::simulate
