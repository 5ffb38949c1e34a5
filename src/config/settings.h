// Settings, described once. A settings struct is plain fields with defaults and one `describe`:
//
//   struct TrainSettings {
//     int64_t seq_len = 4096;
//     std::optional<double> peak_gflops;          // "auto" in a file
//     Required<Path> tokenizer;                   // no default: must be given
//     OptimizerSettings optimizer;                // a nested table [optimizer]
//
//     template <class Visitor>
//     void describe(Visitor&& visit) {
//       visit("seq_len", seq_len, "Tokens in one packed sequence.", in_range(1, 1 << 20));
//       visit("peak_gflops", peak_gflops, "Peak of one core.", at_least(0.0));
//       visit("tokenizer", tokenizer, "tokenizer.json to use.");
//       visit("optimizer", optimizer, "AdamW.");
//     }
//   };
//
// That one walk serves reading TOML, `--set`, range checks, help, the effective settings that a
// run writes down, and docs/settings.md. Order of strength: default, file, --set. Unknown and
// duplicate keys are errors that name the nearest known key.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

namespace trex::config {

// A field without a default.
template <class T>
struct Required {
  T value{};
  bool is_set = false;

  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
};

// What values a field admits. Numbers: an interval. Strings: a list of words.
struct Bounds {
  std::optional<double> low, high;
  bool low_excluded = false;
  std::vector<std::string> words;

  std::string text() const;  // "1 to 1048576", "at least 0", "one of cpt, sft"; empty if any value
};

Bounds in_range(double low, double high);
Bounds at_least(double low);
Bounds above(double low);
Bounds one_of(std::vector<std::string> words);

// A value as TOML or --set gave it, before it is known which type the field wants.
struct RawValue;

// One leaf of a settings struct, with its type erased. Refers to the struct, which must outlive it.
struct Field {
  std::string key;       // "optimizer.beta1"
  std::string sentence;  // what it is for
  std::string type;  // "whole number", "number", "text", "path", "true or false", "duration", ...
  Bounds bounds;
  bool is_path = false;
  std::function<void(const RawValue&, const std::string& where)> read;  // throws Input
  std::function<Json()> value;    // current value; null for auto or unset
  std::function<bool()> missing;  // required and not set
};

// Where an effective value came from.
struct EffectiveValue {
  std::string key;
  Json value;
  std::string origin;  // "default", "or-tiny.toml:12", "--set"
};

struct Source {
  std::optional<Path> file;  // TOML
  // Tables to read ("train", "instance.fast"), later ones winning; none: the top of the file.
  std::vector<std::string> sections;
  std::vector<std::string> overrides;  // "key=value", keys relative to the section
  // Keys and inner tables of the table that belong to somebody else (a recipe's `verb`), ignored
  // here.
  std::vector<std::string> foreign_keys;
  // Replaces {name} in path fields by the folder of that name (a recipe's stages).
  std::map<std::string, Path> folders;
};

// Implementation behind load(): fills the fields and says where each value came from.
std::vector<EffectiveValue> read_fields(std::vector<Field> fields, const Source& source);

// The key=value lines of `trex config show`, also what a run writes to settings.toml.
std::string effective_text(const std::vector<EffectiveValue>& values);

// One row of a generated settings page.
std::string markdown_table(const std::vector<Field>& fields);

// Lines for --help: key, default, sentence, bounds.
std::string help_text(const std::vector<Field>& fields);

// All tables of a TOML file in the order in which they are written, with the line of each.
// Throws Input for a file that is not TOML. Values at the top are not listed.
struct Table {
  std::string name;
  int64_t line;
  Json values;  // the table as JSON
};
std::vector<Table> tables_of(const Path& file);

// The fields of a settings struct; defined in config/describe.h.
template <class Settings>
std::vector<Field> fields_of(Settings& settings);

// Reads `settings` from a file and overrides. Throws Input (file) or Usage (--set).
template <class Settings>
std::vector<EffectiveValue> load(Settings& settings, const Source& source) {
  return read_fields(fields_of(settings), source);
}

}  // namespace trex::config

#include "config/describe.h"
