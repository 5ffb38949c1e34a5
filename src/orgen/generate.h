// `trex data generate`: rows in blocks, on several threads, so that the bytes do not depend on the
// number of threads, shards or interruptions.
//
// A block is 100 consecutive rows, made in order by one thread; each row depends on the settings
// and its number alone, except that a text already in its block is drawn again. Finished blocks
// wait in OUT/parts/ and are joined at the end: a killed run keeps them. Shard i of n makes a range
// of whole blocks, and the rows of all shards in order are the rows of the whole.
#pragma once

#include "base/files.h"
#include "base/progress.h"
#include "orgen/generate_settings.h"

namespace trex::orgen {

// Part `index` (from 0) of `count`.
struct Shard {
  int64_t index = 0;
  int64_t count = 1;
};

// Reads "i/n" with 1 <= i <= n, as a command line gives it. Throws Usage.
Shard parse_shard(const std::string& text);

struct GenerateReport {
  int64_t rows = 0;
  int64_t rejected = 0;
  Path file;
};

// Writes OUT/documents.jsonl or questions.jsonl, card.json, card.md and DONE. A folder with blocks
// of the same settings is continued; blocks of other settings are thrown away. Throws Input for an
// unknown family or level, Failed when a row is rejected again and again.
GenerateReport generate(const GenerateSettings& settings, const Shard& shard, const Path& out,
                        Progress& progress);

}  // namespace trex::orgen
