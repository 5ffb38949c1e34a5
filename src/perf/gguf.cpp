#include "perf/gguf.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>
#include <variant>

#include "base/error.h"
#include "base/text.h"

namespace trex::perf {
namespace {

// Value types of the format.
enum class Type : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

// Little-endian reader over the mapped file; every read is checked.
class Reader {
 public:
  Reader(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string string() {
    const auto size = number<uint64_t>();
    return std::string(take(size));
  }

  std::string_view take(uint64_t size) {
    if (size > bytes_.size() - position_) {
      throw input_error(where_, fmt::format("byte {}", position_),
                        fmt::format("{} more bytes", size),
                        fmt::format("{} to the end of the file", bytes_.size() - position_));
    }
    const std::string_view part = bytes_.substr(position_, size);
    position_ += size;
    return part;
  }

  const std::string& where() const { return where_; }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
  std::string where_;
};

struct Value {
  std::optional<int64_t> integer;  // whole numbers, or the first of an array of them
  std::string text;
  uint64_t array_size = 0;
};

Value read_value(Reader& reader, Type type) {
  switch (type) {
    case Type::U8:
      return {reader.number<uint8_t>(), "", 0};
    case Type::I8:
      return {reader.number<int8_t>(), "", 0};
    case Type::U16:
      return {reader.number<uint16_t>(), "", 0};
    case Type::I16:
      return {reader.number<int16_t>(), "", 0};
    case Type::U32:
      return {reader.number<uint32_t>(), "", 0};
    case Type::I32:
      return {reader.number<int32_t>(), "", 0};
    case Type::U64:
      return {static_cast<int64_t>(reader.number<uint64_t>()), "", 0};
    case Type::I64:
      return {reader.number<int64_t>(), "", 0};
    case Type::F32:
      reader.take(4);
      return {};
    case Type::F64:
      reader.take(8);
      return {};
    case Type::Bool:
      reader.take(1);
      return {};
    case Type::String:
      return {std::nullopt, reader.string(), 0};
    case Type::Array:
      break;
    default:
      throw input_error(reader.where(), "metadata", "a value type from 0 to 12",
                        std::to_string(static_cast<uint32_t>(type)));
  }
  const auto item_type = static_cast<Type>(reader.number<uint32_t>());
  if (item_type == Type::Array) {
    throw input_error(reader.where(), "metadata", "no list of lists", "one");
  }
  Value list{std::nullopt, "", reader.number<uint64_t>()};
  for (uint64_t i = 0; i < list.array_size; ++i) {
    const Value item = read_value(reader, item_type);
    if (i == 0) list.integer = item.integer;
  }
  return list;
}

using Metadata = std::map<std::string, Value>;

int64_t integer_of(const Metadata& metadata, const std::string& where, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end() || !found->second.integer) {
    throw input_error(where, key, "a whole number in the metadata", "none");
  }
  return *found->second.integer;
}

int64_t integer_or(const Metadata& metadata, const std::string& key, int64_t fallback) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? fallback : found->second.integer.value_or(fallback);
}

Metadata read_metadata(Reader& reader) {
  if (reader.take(4) != "GGUF") {
    throw input_error(reader.where(), "", "a GGUF file", "other first bytes");
  }
  if (const auto version = reader.number<uint32_t>(); version < 2 || version > 3) {
    throw input_error(reader.where(), "version", "2 or 3", std::to_string(version));
  }
  reader.number<uint64_t>();  // tensors
  const auto num_keys = reader.number<uint64_t>();
  Metadata metadata;
  for (uint64_t i = 0; i < num_keys; ++i) {
    const std::string key = reader.string();
    const auto type = static_cast<Type>(reader.number<uint32_t>());
    metadata[key] = read_value(reader, type);
  }
  return metadata;
}

ModelSpec model_of(const Metadata& metadata, const std::string& where) {
  const auto architecture = metadata.find("general.architecture");
  if (architecture == metadata.end()) {
    throw input_error(where, "general.architecture", "text in the metadata", "none");
  }
  const std::string arch = architecture->second.text + ".";
  const auto need = [&](const char* key) { return integer_of(metadata, where, arch + key); };
  const auto maybe = [&](const char* key, int64_t fallback) {
    return integer_or(metadata, arch + key, fallback);
  };
  ModelSpec model;
  const auto name = metadata.find("general.name");
  model.name = name == metadata.end() ? Path(where).stem().string() : name->second.text;
  model.source = where;
  model.num_layers = need("block_count");
  model.hidden = need("embedding_length");
  model.num_heads = need("attention.head_count");
  model.num_kv_heads = maybe("attention.head_count_kv", model.num_heads);
  model.head_dim =
      maybe("attention.key_length", model.hidden / std::max<int64_t>(model.num_heads, 1));
  model.ffn = maybe("feed_forward_length", 0);
  model.max_context = maybe("context_length", 0);
  model.num_experts = maybe("expert_count", 0);
  model.top_k = maybe("expert_used_count", 0);
  model.expert_ffn = maybe("expert_feed_forward_length", model.ffn);
  model.shared_experts = maybe("expert_shared_count", 0);
  model.dense_layers = model.is_moe() ? maybe("leading_dense_block_count", 0) : 0;
  const auto tokens = metadata.find("tokenizer.ggml.tokens");
  const int64_t listed =
      tokens == metadata.end() ? 0 : static_cast<int64_t>(tokens->second.array_size);
  model.vocab = maybe("vocab_size", listed);
  if (const int64_t kv_rank = maybe("attention.kv_lora_rank", 0); kv_rank > 0) {
    const int64_t rope = need("rope.dimension_count");
    const int64_t key_length = maybe("attention.key_length_mla", model.head_dim);
    model.attention = AttentionKind::Latent;
    model.num_kv_heads = 1;
    model.latent = {maybe("attention.q_lora_rank", 0), kv_rank, key_length - rope, rope,
                    maybe("attention.value_length_mla", need("attention.value_length"))};
    model.head_dim = key_length;
  }
  return model;
}

}  // namespace

ModelSpec model_from_gguf(const Path& path) {
  const MappedFile file = MappedFile::open(path);
  Reader reader(file.bytes(), path.string());
  ModelSpec model = model_of(read_metadata(reader), path.string());
  validate(model, path.string());
  return model;
}

}  // namespace trex::perf
