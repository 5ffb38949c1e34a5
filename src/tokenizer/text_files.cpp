#include "tokenizer/text_files.h"

#include "base/error.h"
#include "base/text.h"

namespace trex::tokenizer {
namespace {

bool is_jsonl(const Path& path) {
  const std::string name = path.filename().string();
  if (name == "metrics.jsonl") return false;  // a run's own, beside its results
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.zst");
}

void add_messages(const JsonObject& row, const std::string& field,
                  std::vector<std::string>& texts) {
  for (const JsonObject& message : row.objects(field)) {
    for (const char* part : {"reasoning_content", "content"}) {
      if (message.has(part) && !message.json().at(part).is_null()) {
        texts.push_back(message.string(part));
      }
    }
  }
}

}  // namespace

std::vector<Path> jsonl_files(const std::vector<Path>& inputs) {
  std::vector<Path> files;
  for (const Path& input : inputs) {
    if (!std::filesystem::exists(input)) {
      throw environment_error(input.string(), "a file or folder", "nothing");
    }
    const size_t before = files.size();
    for (const Path& file : files_below(input)) {
      if (is_jsonl(file) || file == input) files.push_back(file);
    }
    if (files.size() == before) {
      throw input_error(input.string(), "", "files that end in .jsonl or .jsonl.zst", "none");
    }
  }
  return files;
}

std::vector<std::string> texts_of(const JsonObject& row, const std::vector<std::string>& fields) {
  std::vector<std::string> texts;
  bool found = false;
  for (const std::string& field : fields) {
    if (!row.has(field)) continue;
    found = true;
    if (row.json().at(field).is_array()) {
      add_messages(row, field, texts);
    } else {
      texts.push_back(row.string(field));
    }
  }
  if (!found) {
    throw input_error(row.where(), "", "one of the fields " + listed(fields), "none of them");
  }
  return texts;
}

}  // namespace trex::tokenizer
