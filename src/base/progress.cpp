#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace trex {
namespace {

constexpr double kSecondsBetweenLines = 10;
constexpr double kSecondsBetweenRewrites = 0.1;

const SystemClock kSystemClock;

std::string readable_rate(double rate) {
  return rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
}

}  // namespace

PrintedProgress::PrintedProgress(std::FILE* out, bool is_terminal, const Clock& clock)
    : out_(out), is_terminal_(is_terminal), clock_(clock) {}

PrintedProgress::~PrintedProgress() {
  if (!is_line_open_) return;
  std::fputc('\n', out_);
  std::fflush(out_);
}

void PrintedProgress::started(const std::string& what, int64_t total, const std::string& unit) {
  what_ = what;
  total_ = total;
  unit_ = unit;
  done_ = 0;
  first_done_ = -1;
  start_ = clock_.seconds();
  last_print_ = is_terminal_ ? start_ - kSecondsBetweenRewrites : start_;
}

std::string PrintedProgress::line(const std::string& note) const {
  std::string text = total_ > 0 ? fmt::format("{}: {}/{} {}", what_, done_, total_, unit_)
                                : fmt::format("{}: {} {}", what_, done_, unit_);
  // The first event may report work of an earlier run; the rate counts from there.
  const double elapsed = clock_.seconds() - first_advance_;
  const int64_t fresh = done_ - first_done_;
  if (first_done_ >= 0 && fresh > 0 && elapsed > 0) {
    const double rate = static_cast<double>(fresh) / elapsed;
    text += fmt::format(", {} {}/s", readable_rate(rate), unit_);
    if (total_ > done_) {
      text +=
          fmt::format(", {} left", readable_duration(static_cast<double>(total_ - done_) / rate));
    }
  }
  if (!note.empty()) text += ", " + note;
  return text;
}

void PrintedProgress::advanced(int64_t done, const std::string& note) {
  done_ = done;
  const double now = clock_.seconds();
  if (first_done_ < 0) {
    first_done_ = done;
    first_advance_ = now;
  }
  const double wait = is_terminal_ ? kSecondsBetweenRewrites : kSecondsBetweenLines;
  if (now - last_print_ < wait) return;
  last_print_ = now;
  is_line_open_ = is_terminal_;
  fmt::print(out_, "{}{}{}", is_terminal_ ? "\r\x1b[K" : "", line(note), is_terminal_ ? "" : "\n");
  std::fflush(out_);
}

void PrintedProgress::finished(const std::string& summary) {
  is_line_open_ = false;
  const std::string text = summary.empty() ? fmt::format("{} {}", done_, unit_) : summary;
  fmt::print(out_, "{}{}: {} in {}\n", is_terminal_ ? "\r\x1b[K" : "", what_, text,
             readable_duration(clock_.seconds() - start_));
  std::fflush(out_);
}

std::unique_ptr<Progress> progress_on_stderr() {
  return std::make_unique<PrintedProgress>(stderr, ::isatty(STDERR_FILENO) == 1, kSystemClock);
}

}  // namespace trex
