#include "app/run_state.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"

namespace trex::app {
namespace {

Path record_path(const Stage& stage) { return stage.folder / "stage.json"; }

std::string key_of(const Stage& stage, const std::map<std::string, std::string>& earlier) {
  ContentHasher hasher;
  hasher.add(kVersion);
  hasher.add(stage.kind->verb);
  for (const config::EffectiveValue& value : stage.settings) {
    hasher.add(value.key);
    hasher.add(to_line(value.value));
  }
  for (const Path& file : stage.files) hasher.add(content_hash_of(file));
  for (const std::string& need : stage.needs) hasher.add(earlier.at(need));
  return hasher.hex();
}

}  // namespace

std::optional<StageRecord> read_record(const Stage& stage) {
  const Path path = record_path(stage);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Json json = parse_json(read_file(path), path.string());
  const JsonObject record(json, path.string());
  return StageRecord{record.string("key"), record.boolean("done"), record.number("seconds")};
}

void write_record(const Stage& stage, const StageRecord& record) {
  write_file(
      record_path(stage),
      to_line(Json{{"key", record.key}, {"done", record.is_done}, {"seconds", record.seconds}}) +
          "\n");
}

std::map<std::string, std::string> stage_keys(const Recipe& recipe) {
  std::map<std::string, std::string> keys;
  for (const Stage& stage : recipe.stages) {
    try {
      keys[stage.name] = key_of(stage, keys);
    } catch (const Error& error) {
      throw error.at(recipe.file.string() + ": [" + stage.name + "]");
    }
  }
  return keys;
}

StageStep next_step(const Stage& stage, const std::string& key) {
  const auto record = read_record(stage);
  if (!record || record->key != key) return StageStep::Start;
  return record->is_done ? StageStep::Skip : StageStep::Continue;
}

}  // namespace trex::app
