#include "checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "checkpoint/dtypes.h"

namespace trex::checkpoint {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

struct Range {
  uint64_t begin, end;
};

std::string_view header_of(std::string_view bytes, const std::string& where) {
  if (bytes.size() < kLengthBytes) {
    throw input_error(where, "", "a safetensors file (8 bytes of header length)",
                      fmt::format("{} bytes", bytes.size()));
  }
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  if (length > kMaxHeaderBytes) {
    throw input_error(where, "header length", fmt::format("at most {} bytes", kMaxHeaderBytes),
                      std::to_string(length), "is it a safetensors file?");
  }
  if (length > bytes.size() - kLengthBytes) {
    throw input_error(where, "header length",
                      fmt::format("at most the {} bytes that follow", bytes.size() - kLengthBytes),
                      std::to_string(length), "the file is cut off or not a safetensors file");
  }
  return bytes.substr(kLengthBytes, length);
}

// Parsed with its own callback: a JSON object silently keeps one of two equal keys.
Json parse_header(std::string_view header, const std::string& where) {
  std::vector<std::string> seen;
  const auto refuse_duplicates = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key) seen.push_back(value.get<std::string>());
    return true;
  };
  Json json;
  try {
    json = Json::parse(header, refuse_duplicates);
  } catch (const Json::exception& error) {
    throw input_error(where, "header", "JSON", error.what());
  }
  if (!json.is_object()) throw input_error(where, "header", "a JSON object", json_kind(json));
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) throw input_error(where, *twice, "one entry in the header", "two");
  return json;
}

std::vector<int64_t> read_shape(const JsonObject& object) {
  const auto shape = object.integers("shape");
  uint64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent < 0) throw object.error("shape", "extents of at least 0", std::to_string(extent));
    const auto size = static_cast<uint64_t>(extent);
    if (size != 0 &&
        count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / 16 / size) {
      throw object.error("shape", "fewer than 2^59 elements", to_line(object.json()["shape"]));
    }
    count *= size;
  }
  return shape;
}

Range read_range(const JsonObject& object, uint64_t data_bytes) {
  const auto offsets = object.integers("data_offsets");
  const bool is_range = offsets.size() == 2 && offsets[0] >= 0 && offsets[0] <= offsets[1] &&
                        static_cast<uint64_t>(offsets[1]) <= data_bytes;
  if (!is_range) {
    throw object.error("data_offsets",
                       fmt::format("[begin, end] within {} bytes of data", data_bytes),
                       to_line(object.json()["data_offsets"]));
  }
  return {static_cast<uint64_t>(offsets[0]), static_cast<uint64_t>(offsets[1])};
}

TensorSpec read_spec(const std::string& name, const JsonObject& object) {
  object.expect_only({"dtype", "shape", "data_offsets"});
  const std::string dtype_text = object.string("dtype");
  const auto dtype = dtype_of(dtype_text);
  if (!dtype) throw object.error("dtype", "one of " + dtype_names(), in_quotes(dtype_text));
  return {.name = name, .dtype = *dtype, .shape = read_shape(object)};
}

Metadata read_metadata(const Json& json, const std::string& where) {
  if (!json.is_object()) throw input_error(where, "__metadata__", "an object", json_kind(json));
  Metadata metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string())
      throw input_error(where, "__metadata__." + key, "a string", json_kind(value));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const Path& path) {
  SafetensorsFile file;
  file.where_ = path.string();
  if (path.extension() == ".zst") {
    auto bytes = std::make_shared<const std::string>(read_file(path));
    file.owner_ = bytes;
    file.parse(*bytes);
  } else {
    auto mapping = std::make_shared<const MappedFile>(MappedFile::open(path));
    file.owner_ = mapping;
    file.parse(mapping->bytes());
  }
  return file;
}

void SafetensorsFile::parse(std::string_view bytes) {
  const std::string_view header = header_of(bytes, where_);
  data_ = bytes.substr(kLengthBytes + header.size());
  const Json json = parse_header(header, where_);

  struct Placed {
    TensorSpec spec;
    Range range;
  };
  std::vector<Placed> placed;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") {
      metadata_ = read_metadata(value, where_);
      continue;
    }
    const JsonObject object(value, where_, name);
    TensorSpec spec = read_spec(name, object);
    const Range range = read_range(object, data_.size());
    if (range.end - range.begin != static_cast<uint64_t>(spec.num_bytes())) {
      throw input_error(where_, name, fmt::format("{} bytes for {}", spec.num_bytes(), spec.text()),
                        fmt::format("{} bytes", range.end - range.begin));
    }
    placed.push_back({std::move(spec), range});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
  });

  uint64_t end = 0;
  for (Placed& next : placed) {
    if (next.range.begin != end) {
      throw input_error(
          where_, next.spec.name, fmt::format("data that begins at byte {}", end),
          fmt::format("{} at byte {}", next.range.begin < end ? "an overlap" : "a gap",
                      next.range.begin));
    }
    end = next.range.end;
    entries_[next.spec.name] = {specs_.size(), next.range.begin};
    specs_.push_back(std::move(next.spec));
  }
  if (end != data_.size()) {
    throw input_error(where_, "", fmt::format("{} bytes of data", end),
                      fmt::format("{} bytes", data_.size()));
  }
}

torch::Tensor SafetensorsFile::read(std::string_view name) const {
  const auto found = entries_.find(std::string(name));
  if (found == entries_.end()) {
    throw input_error(where_, std::string(name), "a tensor of this name", "none");
  }
  const TensorSpec& spec = specs_[found->second.spec_index];
  const auto tensor = torch::empty(spec.shape, torch::TensorOptions().dtype(spec.dtype));
  if (tensor.numel() > 0) {
    std::memcpy(tensor.data_ptr(), data_.data() + found->second.begin, tensor.nbytes());
  }
  return tensor;
}

}  // namespace trex::checkpoint
