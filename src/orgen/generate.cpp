#include "orgen/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/parallel_for.h"
#include "base/text.h"
#include "orgen/card.h"
#include "orgen/document.h"
#include "orgen/duplicates.h"

namespace trex::orgen {
namespace {

constexpr int64_t kRowsPerBlock = 100;
// A family that is rejected this often in a row is broken, not unlucky.
constexpr int64_t kMaxRejections = 200;

Kind kind_named(std::string_view name) {
  if (name == "documents") return Kind::Documents;
  return name == "questions" ? Kind::Questions : Kind::Excerpts;
}

Names names_named(const std::string& name) {
  if (name == "invented") return Names::Invented;
  return name == "mixed" ? Names::Mixed : Names::Real;
}

Plan plan_of(const GenerateSettings& settings) {
  Plan plan{.split = settings.split == "train" ? Split::Train : Split::Heldout,
            .kind = kind_named(settings.kind),
            .names = names_named(settings.names),
            .seed = static_cast<uint64_t>(settings.seed),
            .without_result = settings.without_result,
            .with_repair = settings.with_repair};
  const FamilyRegistry& registry = FamilyRegistry::instance();
  const auto names = registry.names();
  for (const std::string& name : settings.families.empty() ? names : settings.families) {
    const Family* family = registry.find(name);
    if (family == nullptr) {
      const std::string hint = did_you_mean(name, names);
      throw input_error("data generate", "families", "names of problem families", in_quotes(name),
                        hint.empty() ? "there are " + listed(names, 20) : hint);
    }
    plan.families.push_back(family);
  }
  for (const std::string& level : settings.levels) {
    plan.levels.push_back(level_named(level, "data generate", "levels"));
  }
  if (plan.levels.empty()) {
    throw input_error("data generate", "levels", "at least one level", "none");
  }
  return plan;
}

// What every row is held against.
struct Filters {
  std::unordered_set<uint64_t> avoided;
  Contamination contamination;
};

// Makes the rows of one block. The text of a block file: a line with the counts of rejections, then
// the rows.
class BlockMaker {
 public:
  BlockMaker(const Plan& plan, const Filters& filters) : plan_(plan), filters_(filters) {}

  std::string make(int64_t first_row, int64_t end_row) {
    std::string rows;
    for (int64_t row = first_row; row < end_row; ++row) rows += to_line(accepted(row).json) + "\n";
    Json counts = Json::object();
    for (const auto& [reason, count] : rejections_) counts[reason] = count;
    return to_line(Json{{"rejections", counts}}) + "\n" + rows;
  }

 private:
  Row accepted(int64_t row) {
    std::string last;
    for (int64_t attempt = 0; attempt < kMaxRejections; ++attempt) {
      Attempt made = make_row(plan_, {row, attempt});
      if (made.row) made.rejection = text_rejection(made.row->question);
      if (made.rejection.empty()) return std::move(*made.row);
      ++rejections_[made.rejection];
      last = made.rejection;
    }
    throw Error({.kind = ErrorKind::Failed,
                 .where = fmt::format("row {}", row),
                 .expected = fmt::format("a valid problem in {} attempts", kMaxRejections),
                 .got = "none; the last was rejected by " + last});
  }

  std::string text_rejection(const std::string& question) {
    const uint64_t hash = hash64(normalised_text(question));
    if (filters_.avoided.contains(hash)) return "avoided";
    if (filters_.contamination.resembles(question)) return "contaminated";
    return seen_.insert(hash).second ? "" : "duplicate";
  }

  const Plan& plan_;
  const Filters& filters_;
  std::unordered_set<uint64_t> seen_;
  std::map<std::string, int64_t> rejections_;
};

// Everything the rows depend on: blocks made with another key are of no use.
std::string key_of(GenerateSettings settings, const Shard& shard) {
  settings.workers.reset();
  ContentHasher hasher;
  for (const config::Field& field : config::fields_of(settings)) {
    if (field.is_path) continue;
    hasher.add(field.key);
    hasher.add(field.value().dump());
  }
  for (const auto* files : {&settings.avoid, &settings.benchmarks}) {
    hasher.add("files");
    for (const Path& file : *files) hasher.add(content_hash_of(file));
  }
  hasher.add(
      fmt::format("{}/{} {} {}", shard.index, shard.count, kRendererVersion, kLexiconVersion));
  return hasher.hex();
}

Path block_path(const Path& parts, int64_t block) {
  return parts / fmt::format("{:08}.jsonl", block);
}

// Makes the folder for blocks, emptied when what lies in it was made with other settings.
void prepare_parts(const Path& parts, const std::string& key) {
  const Path key_file = parts / "key";
  if (std::filesystem::exists(key_file) && read_file(key_file) == key) return;
  std::filesystem::remove_all(parts);
  write_file(key_file, key);
}

// Joins the blocks in order; with `drops_near` rows like an earlier one are left out.
Card join_blocks(const Path& parts, int64_t first, int64_t end, bool drops_near, const Path& file) {
  Card card;
  NearDuplicates near_duplicates;
  std::string text;
  for (int64_t block = first; block < end; ++block) {
    LineReader lines(block_path(parts, block));
    const auto counts = lines.next();
    for (const auto& [reason, count] : counts->value["rejections"].items()) {
      card.rejections[reason] += count.get<int64_t>();
    }
    while (const auto line = lines.next()) {
      const bool is_near = near_duplicates.add(line->object().string("question"));
      if (is_near && drops_near) {
        ++card.rejections["near_duplicate"];
        continue;
      }
      card.add(*line, is_near);
      text += line->text + "\n";
    }
  }
  write_file(file, text);
  card.content_hash = content_hash(text);
  return card;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto parts = split(text, '/');
  const auto index = parts.size() == 2 ? parse_integer(parts[0]) : std::nullopt;
  const auto count = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!index || !count || *index < 1 || *index > *count) {
    throw usage_error("--shard", "i/n with 1 <= i <= n", in_quotes(text));
  }
  return {*index - 1, *count};
}

GenerateReport generate(const GenerateSettings& settings, const Shard& shard, const Path& out,
                        Progress& progress) {
  const Plan plan = plan_of(settings);
  const Filters filters{text_hashes(settings.avoid), Contamination::read(settings.benchmarks)};
  const int64_t num_blocks = (settings.count + kRowsPerBlock - 1) / kRowsPerBlock;
  const int64_t first = num_blocks * shard.index / shard.count;
  const int64_t end = num_blocks * (shard.index + 1) / shard.count;
  const Path parts = out / "parts";
  std::filesystem::remove(out / "DONE");
  prepare_parts(parts, key_of(settings, shard));

  const auto row_at = [&](int64_t block) {
    return std::min(block * kRowsPerBlock, settings.count);
  };
  const int workers = static_cast<int>(settings.workers.value_or(num_cores()));
  progress.started("generate", row_at(end) - row_at(first), settings.kind);
  const int64_t batch = 4 * static_cast<int64_t>(workers);  // between two reports of progress
  for (int64_t start = first; start < end; start += batch) {
    const int64_t stop = std::min(start + batch, end);
    parallel_for(stop - start, workers, [&](int64_t i) {
      const Path path = block_path(parts, start + i);
      if (std::filesystem::exists(path)) return;
      write_file(path, BlockMaker(plan, filters).make(row_at(start + i), row_at(start + i + 1)));
    });
    progress.advanced(row_at(stop) - row_at(first));
  }

  const Path file = out / (settings.kind + ".jsonl");
  Card card = join_blocks(parts, first, end, settings.near_duplicates == "drop", file);
  write_card(card, settings, filters.contamination.num_questions(), out);
  mark_done(out);
  std::filesystem::remove_all(parts);
  progress.finished(fmt::format("{} {}, {} rejected", card.rows, settings.kind, card.rejected()));
  return {card.rows, card.rejected(), file};
}

}  // namespace trex::orgen
