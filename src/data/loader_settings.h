// Which token shards a training run reads, in which proportions, and how rows are filled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"

namespace trex::data {

struct LoaderSettings {
  std::vector<Path> sources;
  std::vector<double> weights;
  std::string packing = "concatenate";

  template <class Visitor>
  void describe(Visitor&& visit) {
    visit("sources", sources,
          "Token shards (.tokens) or folders of them, each one source of the blend.");
    visit("weights", weights,
          "Share of rows from each source, in the order of sources; empty: by size, so that all "
          "sources end their epochs together.",
          config::above(0.0));
    visit("packing", packing,
          "How rows are filled: concatenate cuts documents at the end of a row (CPT); fit packs "
          "whole documents (SFT).",
          config::one_of({"concatenate", "fit"}));
  }
};

}  // namespace trex::data
