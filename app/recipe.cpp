#include "app/recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trex::app {
namespace {

constexpr std::string_view kRunTable = "run";
constexpr std::string_view kSet = "--set ";

const config::Table* find_table(const std::vector<config::Table>& tables, std::string_view name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const config::Table& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::string place(const Path& file, const config::Table& table) {
  return fmt::format("{}:{}", file.string(), table.line);
}

// The verb of a table, or of the nearest table that it is like.
std::string verb_of(const std::vector<config::Table>& tables, const config::Table& table,
                    const Path& file) {
  const config::Table* at = &table;
  for (size_t step = 0; step <= tables.size(); ++step) {
    const JsonObject values(at->values, place(file, *at), at->name);
    if (values.has("verb") || !values.has("like")) return values.string("verb");
    at = find_table(tables, values.string("like"));
    if (at == nullptr) {
      std::vector<std::string> names;
      for (const config::Table& other : tables) names.push_back(other.name);
      const std::string like = values.string("like");
      throw values.error("like", "the name of a table", in_quotes(like), did_you_mean(like, names));
    }
  }
  throw input_error(place(file, table), table.name + ".like", "no circle", in_quotes(at->name));
}

// Splits "stage.key=value" among the stages.
std::map<std::string, std::vector<std::string>> by_stage(
    const std::vector<config::Table>& tables, const std::vector<std::string>& overrides) {
  std::map<std::string, std::vector<std::string>> sorted;
  std::vector<std::string> names;
  for (const config::Table& table : tables) names.push_back(table.name);
  for (const std::string& text : overrides) {
    const size_t dot = text.find('.');
    const std::string stage = text.substr(0, dot);
    const bool known = std::find(names.begin(), names.end(), stage) != names.end();
    if (dot == std::string::npos || !known || stage == kRunTable) {
      throw usage_error("--set " + text.substr(0, text.find('=')), "STAGE.key=value",
                        in_quotes(text), did_you_mean(stage, names));
    }
    sorted[stage].push_back(text.substr(dot + 1));
  }
  return sorted;
}

std::vector<std::string> texts_in(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> texts;
  if (value.is_array()) {
    for (const Json& item : value) {
      if (item.is_string()) texts.push_back(item.get<std::string>());
    }
  }
  return texts;
}

bool is_inside(const Path& path, const Path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

// Sorts what the path settings name into folders of earlier stages and other files.
void find_inputs(const std::vector<config::Field>& fields, const std::vector<Stage>& earlier,
                 Stage& stage) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i].is_path) continue;
    for (const std::string& text : texts_in(stage.settings[i].value)) {
      const auto from = std::find_if(earlier.begin(), earlier.end(), [&](const Stage& other) {
        return is_inside(text, other.folder);
      });
      if (from == earlier.end()) {
        stage.files.emplace_back(text);
      } else if (std::find(stage.needs.begin(), stage.needs.end(), from->name) ==
                 stage.needs.end()) {
        stage.needs.push_back(from->name);
      }
    }
  }
}

// The settings of a stage. Errors name the stage too: the user wrote "--set stage.key=value", and
// a setting that is missing is missing in that stage.
std::vector<config::EffectiveValue> read_settings(const std::vector<config::Field>& fields,
                                                  const config::Source& source,
                                                  const std::string& stage) {
  try {
    return config::read_fields(fields, source);
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    if (parts.where.starts_with(kSet)) {
      parts.where.insert(kSet.size(), stage + ".");
    } else if (parts.where == source.file->string()) {
      parts.field = stage + "." + parts.field;
    }
    throw Error(std::move(parts));
  }
}

Stage read_stage(const Path& file, const Path& out, const config::Table& table,
                 const std::vector<config::Table>& tables, const std::vector<Stage>& earlier,
                 std::vector<std::string> overrides) {
  Stage stage{.name = table.name,
              .kind = &find_stage_kind(verb_of(tables, table, file), place(file, table)),
              .folder = out / table.name,
              .overrides = std::move(overrides)};
  const StageArguments arguments{
      .file = file, .stage = stage.name, .overrides = stage.overrides, .out = stage.folder};
  config::Source source = settings_source(arguments);
  source.folders.clear();
  for (const Stage& other : earlier) source.folders[other.name] = other.folder;
  const auto fields = stage.kind->fields();
  stage.settings = read_settings(fields, source, stage.name);
  find_inputs(fields, earlier, stage);
  return stage;
}

void read_run_table(const config::Table& table, Recipe& recipe) {
  const JsonObject run(table.values, place(recipe.file, table), table.name);
  run.expect_only({"title", "summary", "minutes"});
  recipe.title = run.string_or("title", recipe.title);
  recipe.summary = run.string_or("summary", "");
  if (!run.has("minutes")) return;
  const JsonObject minutes = run.object("minutes");
  for (Stage& stage : recipe.stages) {
    stage.usual_seconds = 60 * minutes.number_or(stage.name, 0);
  }
}

}  // namespace

const Stage* Recipe::find(std::string_view name) const {
  const auto found = std::find_if(stages.begin(), stages.end(),
                                  [&](const Stage& stage) { return stage.name == name; });
  return found == stages.end() ? nullptr : &*found;
}

Recipe read_recipe(const Path& file, const Path& out, const std::vector<std::string>& overrides) {
  const auto tables = config::tables_of(file);
  auto stage_overrides = by_stage(tables, overrides);
  Recipe recipe{.file = file, .title = file.stem().string(), .summary = {}, .stages = {}};
  for (const config::Table& table : tables) {
    if (table.name == kRunTable) continue;
    recipe.stages.push_back(read_stage(file, out, table, tables, recipe.stages,
                                       std::move(stage_overrides[table.name])));
  }
  if (recipe.stages.empty()) {
    throw input_error(file.string(), "", "at least one table with a verb", "none");
  }
  if (const auto* run = find_table(tables, kRunTable)) read_run_table(*run, recipe);
  return recipe;
}

Path usual_out(const Path& file) { return Path("runs") / file.stem(); }

}  // namespace trex::app
