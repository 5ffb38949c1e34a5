// Pass@1 and what it is made of.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/json.h"

namespace trex::eval {

// The 95 % Wilson score interval of a share of `num_correct` in `num_items`; [0, 1] for no items.
std::pair<double, double> wilson_interval(int64_t num_correct, int64_t num_items);

struct Score {
  int64_t num_items = 0;
  int64_t num_correct = 0;

  double pass_at_1() const;  // 0 for no items
  Json json() const;         // num_items, num_correct, pass_at_1, interval_95
};

struct Summary {
  Score all;
  Score unflagged;                        // rows without audit flags
  bool has_flags = false;                 // whether any row has one
  std::map<std::string, Score> families;  // empty when the benchmark has none
  std::map<std::string, int64_t> reasons;
  std::map<std::string, int64_t> features;     // programs that used each part of our gurobipy
  std::map<std::string, int64_t> unsupported;  // programs that called what it does not have
  int64_t num_with_value = 0;                  // programs that came to an optimum
  int64_t num_cut_off = 0;                     // replies that ended at the token limit
};

// Over records of evaluate(), which have been checked.
Summary summarise(std::span<const Json> records);

// summary.json's content without the run's own fields (docs/formats.md).
Json to_json(const Summary& summary);

// A table for people.
std::string table_of(const std::string& benchmark, const Summary& summary);

}  // namespace trex::eval
