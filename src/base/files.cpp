#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/compress.h"
#include "base/error.h"
#include "base/hash.h"

namespace trex {
namespace {

namespace fs = std::filesystem;

// Closes on scope exit.
class Descriptor {
 public:
  Descriptor(const Path& path, int flags, const char* expected)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) throw system_error(path.string(), expected, errno);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

void write_all(int descriptor, std::string_view bytes, const Path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw system_error(path.string(), "room to write", errno);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void sync_folder_of(const Path& path) {
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY, "a folder");
  ::fsync(descriptor.get());  // not every file system can; the rename itself is atomic without it
}

size_t size_of(const Descriptor& descriptor, const Path& path) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw system_error(path.string(), "a file", errno);
  if (S_ISDIR(status.st_mode)) throw environment_error(path.string(), "a file", "a folder");
  return static_cast<size_t>(status.st_size);
}

std::string read_plain_file(const Path& path) {
  const Descriptor descriptor(path, O_RDONLY, "a readable file");
  std::string bytes(size_of(descriptor, path), '\0');
  size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + 65536);  // pipes have no size
    const ssize_t got = ::read(descriptor.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(path.string(), "a readable file", errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

// Old bytes or new ones: a file aside, on the disk before it takes the name.
void replace_file(const Path& path, std::string_view bytes) {
  if (path.has_parent_path()) make_folders(path.parent_path());
  Path aside = path;
  aside += fmt::format(".{}.tmp", ::getpid());
  try {
    const Descriptor descriptor(aside, O_WRONLY | O_CREAT | O_TRUNC, "a writable folder");
    write_all(descriptor.get(), bytes, aside);
    if (::fsync(descriptor.get()) != 0) throw system_error(aside.string(), "room to write", errno);
    if (::rename(aside.c_str(), path.c_str()) != 0) {
      throw system_error(path.string(), "a path that can be replaced", errno);
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw;
  }
  sync_folder_of(path);
}

}  // namespace

std::string read_file(const Path& path) {
  std::string bytes = read_plain_file(path);
  return path.extension() == ".zst" ? decompressed(bytes, path.string()) : bytes;
}

void write_file(const Path& path, std::string_view bytes) {
  if (path.extension() == ".zst") {
    replace_file(path, compressed(bytes));
  } else {
    replace_file(path, bytes);
  }
}

void mark_done(const Path& folder) { write_file(folder / "DONE", ""); }

bool is_done(const Path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / "DONE", unreadable);
}

void make_folders(const Path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder)) {
    throw environment_error(folder.string(), "a folder that can be made", error.message());
  }
}

std::vector<Path> files_below(const Path& folder) try {
  if (!fs::exists(folder)) throw environment_error(folder.string(), "a file or folder", "nothing");
  if (!fs::is_directory(folder)) return {folder};
  std::vector<Path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
} catch (const fs::filesystem_error& error) {
  throw environment_error(error.path1().string(), "a readable folder", error.code().message());
}

std::string content_hash_of(const Path& path) {
  ContentHasher hasher;
  const bool is_folder = fs::is_directory(path);
  for (const Path& file : files_below(path)) {
    if (is_folder) hasher.add(fs::relative(file, path).string());
    hasher.add(MappedFile::open(file).bytes());
  }
  return hasher.hex();
}

Journal Journal::open(const Path& path) {
  if (path.has_parent_path()) make_folders(path.parent_path());
  Descriptor descriptor(path, O_WRONLY | O_CREAT | O_APPEND, "a writable journal");
  const MappedFile old = MappedFile::open(path);
  const size_t last_newline = old.bytes().rfind('\n');
  const size_t whole = last_newline == std::string::npos ? 0 : last_newline + 1;
  if (whole != old.bytes().size() &&
      ::ftruncate(descriptor.get(), static_cast<off_t>(whole)) != 0) {
    throw system_error(path.string(), "a writable journal", errno);
  }
  return Journal(descriptor.release(), path);
}

Journal::Journal(Journal&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::append(std::string_view line) {
  TREX_CHECK(line.find('\n') == std::string_view::npos, "a record of {} is two lines",
             path_.string());
  std::string record(line);
  record += '\n';
  write_all(descriptor_, record, path_);
}

void Journal::sync() {
  if (::fsync(descriptor_) != 0) throw system_error(path_.string(), "room to write", errno);
}

MappedFile MappedFile::open(const Path& path) {
  const Descriptor descriptor(path, O_RDONLY, "a readable file");
  const size_t size = size_of(descriptor, path);
  if (size == 0) return MappedFile(nullptr, 0);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
  if (address == MAP_FAILED) throw system_error(path.string(), "a file that can be mapped", errno);
  return MappedFile(address, size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "trex-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw system_error(pattern, "a writable temporary folder", errno);
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace trex
