#include "train/checkpoints.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"

namespace trex::train {
namespace {

constexpr std::string_view kStepPrefix = "step_";
constexpr std::string_view kUnfinished = ".unfinished";
constexpr int64_t kManifestVersion = 1;

std::string checksum(const Path& file) { return content_hash(MappedFile::open(file).bytes()); }

void write_manifest(const Path& folder) {
  Json files = Json::array();
  for (const Path& file : files_below(folder)) {
    files.push_back({{"name", file.lexically_relative(folder).string()},
                     {"bytes", std::filesystem::file_size(file)},
                     {"xxh3_128", checksum(file)}});
  }
  write_file(folder / "manifest.json",
             Json{{"version", kManifestVersion}, {"files", files}}.dump(2) + "\n");
}

// Makes a rename inside `folder` last.
void sync_folder(const Path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  const bool ok = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!ok) throw system_error(folder.string(), "a folder that can be synced", error);
}

// A folder that is being removed no longer counts as complete.
void remove_checkpoint(const Path& folder) {
  std::error_code error;
  std::filesystem::remove(folder / "DONE", error);
  std::filesystem::remove_all(folder, error);
  if (error) throw environment_error(folder.string(), "a folder to remove", error.message());
}

bool is_step_folder(const Path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(kStepPrefix) && !name.ends_with(kUnfinished);
}

}  // namespace

Checkpoints::Checkpoints(Path run, int64_t keep_last)
    : run_(std::move(run)), keep_last_(keep_last) {
  make_folders(run_);
  std::vector<Path> unfinished;
  for (const auto& entry : std::filesystem::directory_iterator(run_)) {
    const Path& folder = entry.path();
    const bool is_ours = is_step_folder(folder) || folder.filename() == "final";
    if (entry.is_directory() &&
        (folder.string().ends_with(kUnfinished) || (is_ours && !is_done(folder)))) {
      unfinished.push_back(folder);
    }
  }
  for (const Path& folder : unfinished) remove_checkpoint(folder);
}

std::vector<Path> Checkpoints::complete_steps() const {
  std::vector<std::pair<int64_t, Path>> steps;
  for (const auto& entry : std::filesystem::directory_iterator(run_)) {
    if (!entry.is_directory() || !is_step_folder(entry.path()) || !is_done(entry.path())) continue;
    const std::string name = entry.path().filename().string();
    if (const auto step = parse_integer(name.substr(kStepPrefix.size()))) {
      steps.emplace_back(*step, entry.path());
    }
  }
  std::sort(steps.begin(), steps.end());
  std::vector<Path> folders;
  for (auto& [step, folder] : steps) folders.push_back(std::move(folder));
  return folders;
}

std::optional<Path> Checkpoints::latest() const {
  const auto steps = complete_steps();
  return steps.empty() ? std::nullopt : std::optional(steps.back());
}

Path Checkpoints::write_step(int64_t step, const std::function<void(const Path&)>& fill) {
  const Path folder = write_named(fmt::format("{}{:06d}", kStepPrefix, step), fill);
  remove_old();
  return folder;
}

Path Checkpoints::write_named(const std::string& name,
                              const std::function<void(const Path&)>& fill) {
  const Path folder = run_ / name;
  const Path unfinished = run_ / (name + std::string(kUnfinished));
  std::filesystem::remove_all(unfinished);
  make_folders(unfinished);
  fill(unfinished);
  write_manifest(unfinished);
  mark_done(unfinished);
  sync_folder(unfinished);
  if (std::filesystem::exists(folder)) remove_checkpoint(folder);
  std::error_code error;
  std::filesystem::rename(unfinished, folder, error);
  if (error) throw environment_error(folder.string(), "a folder to rename to", error.message());
  sync_folder(run_);
  return folder;
}

void Checkpoints::remove_old() const {
  const auto steps = complete_steps();
  const auto num_old = static_cast<int64_t>(steps.size()) - keep_last_;
  for (int64_t i = 0; i < num_old; ++i) remove_checkpoint(steps[static_cast<size_t>(i)]);
}

void verify_manifest(const Path& folder) {
  const Path path = folder / "manifest.json";
  const Json json = parse_json(read_file(path), path.string());
  const JsonObject manifest(json, path.string());
  if (manifest.integer("version") != kManifestVersion) {
    throw manifest.error("version", std::to_string(kManifestVersion),
                         std::to_string(manifest.integer("version")));
  }
  for (const JsonObject& entry : manifest.objects("files")) {
    const Path file = folder / entry.string("name");
    if (!std::filesystem::exists(file)) {
      throw input_error(file.string(), "", "a file of this checkpoint", "nothing");
    }
    const auto size = static_cast<int64_t>(std::filesystem::file_size(file));
    if (size != entry.integer("bytes")) {
      throw input_error(file.string(), "", fmt::format("{} bytes", entry.integer("bytes")),
                        fmt::format("{} bytes", size));
    }
    if (checksum(file) != entry.string("xxh3_128")) {
      throw input_error(file.string(), "", "the bytes that manifest.json describes",
                        "others of the same length", "the file is damaged");
    }
  }
}

}  // namespace trex::train
