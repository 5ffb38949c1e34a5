// Files that survive kill -9: written aside and renamed, or append-only journals whose last line
// may be torn. All functions throw Environment errors that name the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trex {

using Path = std::filesystem::path;

// The whole file. A name that ends in .zst is decompressed (zstd); a damaged one is an Input error.
std::string read_file(const Path& path);

// Writes `path` so that a reader sees the old bytes or the new ones, never a part: a temporary
// file beside it, fsync, rename. Makes missing parent folders. Compresses when the name ends in
// .zst.
void write_file(const Path& path, std::string_view bytes);

// The marker that completes a set of files: an empty file DONE in the folder.
void mark_done(const Path& folder);
bool is_done(const Path& folder);

void make_folders(const Path& folder);

// Regular files below `folder` (or `folder` itself if it is a file), sorted by path.
std::vector<Path> files_below(const Path& folder);

// Content key of a file, or of all files below a folder with their relative names.
std::string content_hash_of(const Path& path);

// An append-only file of lines. Opening it cuts off a torn last line (one without a newline), so
// that a record is either whole or absent. One writer at a time; not thread-safe.
class Journal {
 public:
  static Journal open(const Path& path);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;

  // Appends the line and its newline with one write. `line` must not contain a newline.
  void append(std::string_view line);

  // Waits until everything appended is on the disk.
  void sync();

 private:
  Journal(int descriptor, Path path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_;
  Path path_;
};

// A read-only mapping of a file, valid as long as this object lives.
class MappedFile {
 public:
  static MappedFile open(const Path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }

 private:
  MappedFile(void* address, size_t size) : address_(address), size_(size) {}
  void* address_;
  size_t size_;
};

// A folder of its own under the system's temporary folder, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const Path& path() const { return path_; }

 private:
  Path path_;
};

}  // namespace trex
