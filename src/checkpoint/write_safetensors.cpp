// Writing safetensors files, tensor by tensor, so that memory holds no second copy of a shard.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "base/check.h"
#include "base/error.h"
#include "base/json.h"
#include "checkpoint/dtypes.h"
#include "checkpoint/safetensors.h"

namespace trex::checkpoint {
namespace {

// A file that appears under its name only when everything has been written.
class PendingFile {
 public:
  explicit PendingFile(const Path& path) : path_(path), temporary_(path.string() + ".tmp") {
    if (path.has_parent_path()) make_folders(path.parent_path());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) throw system_error(temporary_.string(), "to create a file", errno);
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!is_committed_) ::unlink(temporary_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw system_error(temporary_.string(), "to write the file", errno);
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }

  void commit() {
    if (::fsync(descriptor_) != 0)
      throw system_error(temporary_.string(), "to reach the disk", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw system_error(path_.string(), "to rename a finished file to this name", errno);
    }
    is_committed_ = true;
  }

 private:
  Path path_, temporary_;
  int descriptor_ = -1;
  bool is_committed_ = false;
};

std::string header_bytes(std::span<const NamedTensor> tensors, const Metadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  int64_t offset = 0;
  std::set<std::string_view> names;
  for (const NamedTensor& entry : tensors) {
    TREX_CHECK(names.insert(entry.name).second, "two tensors named {}", entry.name);
    const int64_t end = offset + static_cast<int64_t>(entry.tensor.nbytes());
    header[std::string(entry.name)] = {{"dtype", dtype_name(entry.tensor.scalar_type())},
                                       {"shape", entry.tensor.sizes().vec()},
                                       {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // data begins at a multiple of 8
  std::string bytes;
  for (size_t i = 0; i < 8; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return bytes + text;
}

}  // namespace

void write_safetensors(const Path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  PendingFile file(path);
  file.write(header_bytes(tensors, metadata));
  for (const NamedTensor& entry : tensors) {
    const auto flat = entry.tensor.detach().cpu().contiguous();
    if (flat.numel() > 0) file.write({static_cast<const char*>(flat.data_ptr()), flat.nbytes()});
  }
  file.commit();
}

}  // namespace trex::checkpoint
