#include "data/token_shard.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"

namespace trex::data {
namespace {

static_assert(std::endian::native == std::endian::little, "the file format is little-endian");

constexpr char kMagic[8] = {'T', 'R', 'E', 'X', 'T', 'O', 'K', 'S'};
constexpr uint32_t kVersion = 1;
constexpr uint32_t kHasLabels = 1;

// The first bytes of the file. Behind it: index, tokens, labels if any, about (JSON).
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t flags;
  uint32_t vocab_size;
  uint32_t reserved;
  uint64_t num_documents;
  uint64_t num_tokens;
  uint64_t about_bytes;
  uint64_t body_checksum;    // XXH3-64 of everything behind the header
  uint64_t header_checksum;  // XXH3-64 of the header before this field
};
static_assert(sizeof(Header) == 64);

uint64_t checksum_of(const Header& header) {
  return hash64({reinterpret_cast<const char*>(&header), offsetof(Header, header_checksum)});
}

template <class T>
void append(std::string& bytes, const std::vector<T>& items) {
  bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
}

Header read_header(std::string_view bytes, const std::string& where) {
  Header header;
  if (bytes.size() < sizeof header) {
    throw input_error(where, "", fmt::format("a token shard of at least {} bytes", sizeof header),
                      fmt::format("{} bytes", bytes.size()));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
    throw input_error(where, "", "a token shard", "a file of another kind");
  }
  if (header.version != kVersion) {
    throw input_error(where, "version", fmt::format("{}", kVersion),
                      fmt::format("{}", header.version));
  }
  if (header.header_checksum != checksum_of(header)) {
    throw input_error(where, "header", "the checksum written with it",
                      "another: the file is damaged");
  }
  return header;
}

// Sizes are checked one by one, so that no product or sum can overflow.
void check_size(const Header& header, size_t file_bytes, const std::string& where) {
  const uint64_t body = file_bytes - sizeof(Header);
  const uint64_t per_token = (header.flags & kHasLabels) != 0 ? 5 : 4;
  const bool fits =
      header.num_documents < body / 8 && header.num_tokens <= body / per_token &&
      header.about_bytes <= body &&
      (header.num_documents + 1) * 8 + header.num_tokens * per_token + header.about_bytes == body;
  if (!fits) {
    throw input_error(
        where, "",
        fmt::format("{} documents and {} tokens", header.num_documents, header.num_tokens),
        fmt::format("{} bytes: the file is cut or damaged", file_bytes));
  }
}

void check_index(const uint64_t* ends, const Header& header, const std::string& where) {
  bool is_right = ends[0] == 0 && ends[header.num_documents] == header.num_tokens;
  for (uint64_t i = 0; i < header.num_documents; ++i) is_right = is_right && ends[i] < ends[i + 1];
  if (!is_right) {
    throw input_error(where, "index",
                      fmt::format("increasing offsets from 0 to {}", header.num_tokens), "others");
  }
}

}  // namespace

TokenShardWriter::TokenShardWriter(int32_t vocab_size, bool has_labels)
    : vocab_size_(vocab_size), has_labels_(has_labels) {}

void TokenShardWriter::add(std::span<const int32_t> tokens, std::span<const uint8_t> labels) {
  TREX_CHECK(!tokens.empty());
  TREX_CHECK(labels.size() == (has_labels_ ? tokens.size() : 0), "{} labels for {} tokens",
             labels.size(), tokens.size());
  for (const int32_t id : tokens) {
    TREX_CHECK(id >= 0 && id < vocab_size_, "token {} of {}", id, vocab_size_);
  }
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  ends_.push_back(tokens_.size());
}

void TokenShardWriter::write(const Path& path, const Json& about) const {
  const std::string about_text = to_line(about);
  std::string bytes(sizeof(Header), '\0');
  append(bytes, ends_);
  append(bytes, tokens_);
  append(bytes, labels_);
  bytes += about_text;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.flags = has_labels_ ? kHasLabels : 0;
  header.vocab_size = static_cast<uint32_t>(vocab_size_);
  header.num_documents = static_cast<uint64_t>(num_documents());
  header.num_tokens = tokens_.size();
  header.about_bytes = about_text.size();
  header.body_checksum = hash64(std::string_view(bytes).substr(sizeof header));
  header.header_checksum = checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  write_file(path, bytes);
}

TokenShard TokenShard::open(const Path& path) {
  TokenShard shard(MappedFile::open(path));
  const std::string where = path.string();
  const std::string_view bytes = shard.file_.bytes();
  const Header header = read_header(bytes, where);
  check_size(header, bytes.size(), where);
  if (hash64(bytes.substr(sizeof header)) != header.body_checksum) {
    throw input_error(where, "", "the checksum in its header", "another: the file is damaged");
  }
  shard.vocab_size_ = static_cast<int32_t>(header.vocab_size);
  shard.num_documents_ = static_cast<int64_t>(header.num_documents);
  shard.num_tokens_ = static_cast<int64_t>(header.num_tokens);
  shard.checksum_ = header.body_checksum;
  const char* at = bytes.data() + sizeof header;
  shard.ends_ = reinterpret_cast<const uint64_t*>(at);
  check_index(shard.ends_, header, where);
  at += (header.num_documents + 1) * sizeof(uint64_t);
  shard.tokens_ = reinterpret_cast<const int32_t*>(at);
  at += header.num_tokens * sizeof(int32_t);
  if ((header.flags & kHasLabels) != 0) {
    shard.labels_ = reinterpret_cast<const uint8_t*>(at);
    at += header.num_tokens;
  }
  shard.about_ = parse_json({at, header.about_bytes}, where);
  return shard;
}

int64_t TokenShard::length(int64_t document) const {
  TREX_CHECK(document >= 0 && document < num_documents_);
  return static_cast<int64_t>(ends_[document + 1] - ends_[document]);
}

DocumentView TokenShard::document(int64_t document) const {
  const auto size = static_cast<size_t>(length(document));
  DocumentView view{.tokens = {tokens_ + ends_[document], size}};
  if (labels_ != nullptr) view.labels = {labels_ + ends_[document], size};
  return view;
}

}  // namespace trex::data
