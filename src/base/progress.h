// Progress of long work as events; a printer decides how they look. Library code is given a
// Progress and never prints itself.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/clock.h"

namespace trex {

// One piece of work at a time, from one thread.
class Progress {
 public:
  virtual ~Progress() = default;

  // `total` units of work, named by `unit` ("documents"); 0 when it is not known.
  virtual void started(const std::string& what, int64_t total, const std::string& unit) = 0;
  // `done` units in all so far; `note` is shown behind the numbers ("loss 2.31").
  virtual void advanced(int64_t done, const std::string& note = {}) = 0;
  virtual void finished(const std::string& summary = {}) = 0;
};

class NoProgress final : public Progress {
 public:
  void started(const std::string&, int64_t, const std::string&) override {}
  void advanced(int64_t, const std::string&) override {}
  void finished(const std::string&) override {}
};

// Prints: what, done of total, rate, time left. On a terminal it rewrites one line; otherwise it
// prints a line at most every ten seconds. `clock` must outlive it.
class PrintedProgress final : public Progress {
 public:
  PrintedProgress(std::FILE* out, bool is_terminal, const Clock& clock);
  ~PrintedProgress() override;  // work that an error cut short: what follows gets its own line
  PrintedProgress(const PrintedProgress&) = delete;
  PrintedProgress& operator=(const PrintedProgress&) = delete;

  void started(const std::string& what, int64_t total, const std::string& unit) override;
  void advanced(int64_t done, const std::string& note = {}) override;
  void finished(const std::string& summary = {}) override;

 private:
  std::string line(const std::string& note) const;

  std::FILE* out_;
  bool is_terminal_;
  const Clock& clock_;
  std::string what_, unit_;
  int64_t total_ = 0, done_ = 0, first_done_ = -1;
  bool is_line_open_ = false;
  double start_ = 0, first_advance_ = 0, last_print_ = 0;
};

// The printer for standard error, on the machine's clock.
std::unique_ptr<Progress> progress_on_stderr();

}  // namespace trex
