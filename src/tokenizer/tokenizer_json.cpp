#include "tokenizer/tokenizer_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "tokenizer/byte_alphabet.h"

namespace trex::tokenizer {
namespace {

using Element = simdjson::dom::element;
using TokenIds = std::unordered_map<std::string_view, int32_t>;  // by alphabet text

constexpr int64_t kMostTokens = 1 << 24;

// Reads typed members and names them in errors.
struct Reader {
  std::string where;

  [[noreturn]] void refuse(const std::string& field, const std::string& expected,
                           const std::string& got) const {
    throw input_error(where, field, expected, got);
  }

  static std::string shown(const Element& value) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return in_quotes(text);
    const std::string json = simdjson::minify(value);
    return json.size() > 60 ? json.substr(0, 57) + "..." : json;
  }

  Element member(const Element& object, std::string_view key, const std::string& field) const {
    Element value;
    if (object[key].get(value) != simdjson::SUCCESS) refuse(field, "a value", "nothing");
    return value;
  }

  template <class T>
  T as(const Element& value, const std::string& field, const char* expected) const {
    T out;
    if (value.get(out) != simdjson::SUCCESS) refuse(field, expected, shown(value));
    return out;
  }

  std::string_view text(const Element& value, const std::string& field) const {
    return as<std::string_view>(value, field, "a string");
  }

  int32_t id(const Element& value, const std::string& field) const {
    const auto number = as<int64_t>(value, field, "a token id");
    if (number < 0 || number >= kMostTokens) {
      refuse(field, fmt::format("a token id below {}", kMostTokens), fmt::format("{}", number));
    }
    return static_cast<int32_t>(number);
  }

  bool truth(const Element& object, std::string_view key, bool fallback,
             const std::string& field) const {
    Element value;
    if (object[key].get(value) != simdjson::SUCCESS) return fallback;
    return as<bool>(value, field, "true or false");
  }

  // Refuses a member that is there and is neither null nor false nor an empty string.
  void expect_off(const Element& object, std::string_view key, const std::string& field) const {
    Element value;
    if (object[key].get(value) != simdjson::SUCCESS || value.is_null()) return;
    bool truth_value = true;
    if (value.get(truth_value) == simdjson::SUCCESS && !truth_value) return;
    std::string_view text_value = "x";
    if (value.get(text_value) == simdjson::SUCCESS && text_value.empty()) return;
    refuse(field, "nothing", shown(value));
  }

  void expect_type(const Element& object, std::string_view type, const std::string& field) const {
    const Element value = member(object, "type", field + ".type");
    if (text(value, field + ".type") != type)
      refuse(field + ".type", in_quotes(type), shown(value));
  }
};

void check_normalizer(const Reader& reader, const Element& root) {
  Element normalizer;
  if (root["normalizer"].get(normalizer) != simdjson::SUCCESS || normalizer.is_null()) return;
  reader.expect_type(normalizer, "Sequence", "normalizer");
  const auto parts = reader.as<simdjson::dom::array>(
      reader.member(normalizer, "normalizers", "normalizer.normalizers"), "normalizer.normalizers",
      "a list");
  if (parts.size() != 0) reader.refuse("normalizer", "no normalizer", Reader::shown(normalizer));
}

// Only ids' text matters, so of the post-processors only those that add no tokens are admitted.
void check_post_processor(const Reader& reader, const Element& root) {
  Element post;
  if (root["post_processor"].get(post) != simdjson::SUCCESS || post.is_null()) return;
  reader.expect_type(post, "ByteLevel", "post_processor");
}

std::string split_pattern(const Reader& reader, const Element& part, const std::string& field) {
  const Element pattern = reader.member(part, "pattern", field + ".pattern");
  const Element behavior = reader.member(part, "behavior", field + ".behavior");
  if (reader.text(behavior, field + ".behavior") != "Isolated") {
    reader.refuse(field + ".behavior", "\"Isolated\"", Reader::shown(behavior));
  }
  if (reader.truth(part, "invert", false, field + ".invert")) {
    reader.refuse(field + ".invert", "false", "true");
  }
  return std::string(reader.text(reader.member(pattern, "Regex", field + ".pattern.Regex"),
                                 field + ".pattern.Regex"));
}

std::vector<std::string> read_patterns(const Reader& reader, const Element& root) {
  const Element pre = reader.member(root, "pre_tokenizer", "pre_tokenizer");
  reader.expect_type(pre, "Sequence", "pre_tokenizer");
  const auto parts = reader.as<simdjson::dom::array>(
      reader.member(pre, "pretokenizers", "pre_tokenizer.pretokenizers"),
      "pre_tokenizer.pretokenizers", "a list");
  std::vector<std::string> patterns;
  const size_t count = parts.size();
  if (count == 0) reader.refuse("pre_tokenizer.pretokenizers", "ByteLevel at the end", "nothing");
  size_t i = 0;
  for (const Element part : parts) {
    const std::string field = fmt::format("pre_tokenizer.pretokenizers[{}]", i);
    if (++i < count) {
      reader.expect_type(part, "Split", field);
      patterns.push_back(split_pattern(reader, part, field));
      continue;
    }
    reader.expect_type(part, "ByteLevel", field);
    reader.expect_off(part, "add_prefix_space", field + ".add_prefix_space");
    if (reader.truth(part, "use_regex", true, field + ".use_regex")) {
      reader.refuse(field + ".use_regex", "false", "true");
    }
  }
  return patterns;
}

std::vector<AddedToken> read_added(const Reader& reader, const Element& root) {
  std::vector<AddedToken> added;
  Element list;
  if (root["added_tokens"].get(list) != simdjson::SUCCESS) return added;
  for (const Element item : reader.as<simdjson::dom::array>(list, "added_tokens", "a list")) {
    const std::string field = fmt::format("added_tokens[{}]", added.size());
    AddedToken token;
    token.id = reader.id(reader.member(item, "id", field + ".id"), field + ".id");
    token.content =
        reader.text(reader.member(item, "content", field + ".content"), field + ".content");
    if (token.content.empty()) reader.refuse(field + ".content", "some text", "\"\"");
    token.special = reader.truth(item, "special", false, field + ".special");
    token.normalized = reader.truth(item, "normalized", !token.special, field + ".normalized");
    for (const char* off : {"single_word", "lstrip", "rstrip"}) {
      reader.expect_off(item, off, fmt::format("{}.{}", field, off));
    }
    added.push_back(std::move(token));
  }
  return added;
}

void put_token(const Reader& reader, Definition& definition, std::vector<bool>& used, int32_t id,
               std::string bytes, const std::string& field) {
  const auto index = static_cast<size_t>(id);
  if (index >= used.size()) {
    reader.refuse(field, fmt::format("ids 0 to {} without gaps", used.size() - 1),
                  fmt::format("id {}", id));
  }
  if (used[index] && definition.tokens[index] != bytes) {
    reader.refuse(field, fmt::format("one token for id {}", id),
                  in_quotes(definition.tokens[index]) + " and " + in_quotes(bytes));
  }
  used[index] = true;
  definition.tokens[index] = std::move(bytes);
}

// Fills definition.tokens from the vocabulary and the added tokens.
TokenIds read_tokens(const Reader& reader, const Element& model, Definition& definition) {
  const auto vocab = reader.as<simdjson::dom::object>(reader.member(model, "vocab", "model.vocab"),
                                                      "model.vocab", "an object");
  TokenIds ids;
  for (const auto& field : vocab) {
    ids.emplace(field.key,
                reader.id(field.value, fmt::format("model.vocab[{}]", in_quotes(field.key))));
  }
  std::unordered_map<int32_t, std::string_view> added_contents;
  size_t total = ids.size();
  for (const AddedToken& token : definition.added) {
    added_contents.emplace(token.id, token.content);
    if (!ids.contains(token.content)) ++total;
  }
  definition.tokens.assign(total, "");
  std::vector<bool> used(total);
  for (const auto& [text, id] : ids) {
    const std::string field = fmt::format("model.vocab[{}]", in_quotes(text));
    const auto added = added_contents.find(id);
    if (added != added_contents.end() && added->second == text) continue;
    auto bytes = from_alphabet(text);
    if (!bytes) reader.refuse(field, "characters of the byte alphabet", in_quotes(text));
    put_token(reader, definition, used, id, std::move(*bytes), field);
  }
  for (const AddedToken& token : definition.added) {
    put_token(reader, definition, used, token.id, token.content,
              fmt::format("added_tokens {}", in_quotes(token.content)));
  }
  const auto gap = std::find(used.begin(), used.end(), false);
  if (gap != used.end()) {
    reader.refuse("model.vocab", fmt::format("ids 0 to {} without gaps", total - 1),
                  fmt::format("no token {}", gap - used.begin()));
  }
  return ids;
}

std::pair<std::string_view, std::string_view> read_pair(const Reader& reader, const Element& merge,
                                                        const std::string& field) {
  std::string_view text;
  if (merge.get(text) == simdjson::SUCCESS) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) {
      reader.refuse(field, "two tokens with a space between them", in_quotes(text));
    }
    return {text.substr(0, space), text.substr(space + 1)};
  }
  const auto pair = reader.as<simdjson::dom::array>(merge, field, "two tokens");
  if (pair.size() != 2) reader.refuse(field, "two tokens", Reader::shown(merge));
  return {reader.text(pair.at(0).value_unsafe(), field),
          reader.text(pair.at(1).value_unsafe(), field)};
}

std::vector<Merge> read_merges(const Reader& reader, const Element& model, const TokenIds& ids) {
  const auto list = reader.as<simdjson::dom::array>(reader.member(model, "merges", "model.merges"),
                                                    "model.merges", "a list");
  std::vector<Merge> merges;
  const auto known = [&](std::string_view text) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      reader.refuse(fmt::format("model.merges[{}]", merges.size()), "tokens of model.vocab",
                    in_quotes(text));
    }
    return found->second;
  };
  std::string whole;
  for (const Element merge : list) {
    const auto [left, right] =
        read_pair(reader, merge, fmt::format("model.merges[{}]", merges.size()));
    whole.assign(left).append(right);
    merges.push_back({known(left), known(right), known(whole)});
  }
  return merges;
}

// The number of ids that the model's own vocabulary holds.
size_t num_model_tokens(const Definition& definition) {
  std::vector<bool> is_added(definition.tokens.size());
  for (const AddedToken& token : definition.added) is_added[token.id] = true;
  size_t count = definition.tokens.size();
  while (count > 0 && is_added[count - 1]) --count;
  return count;
}

Json added_json(const AddedToken& token) {
  return {{"id", token.id},          {"content", token.content}, {"single_word", false},
          {"lstrip", false},         {"rstrip", false},          {"normalized", token.normalized},
          {"special", token.special}};
}

Json byte_level(bool add_prefix_space, bool trim_offsets, bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", add_prefix_space},
          {"trim_offsets", trim_offsets},
          {"use_regex", use_regex}};
}

Json model_json(const Definition& definition) {
  std::vector<std::string> texts;
  for (const std::string& bytes : definition.tokens) texts.push_back(to_alphabet(bytes));
  for (const AddedToken& token : definition.added) texts[token.id] = token.content;
  Json vocab = Json::object();
  auto& members = vocab.get_ref<Json::object_t&>();  // push_back: operator[] would search each time
  const size_t count = num_model_tokens(definition);
  for (size_t id = 0; id < count; ++id) members.push_back({texts[id], Json(id)});
  Json merges = Json::array();
  for (const Merge& merge : definition.merges) {
    merges.push_back(texts[merge.left] + " " + texts[merge.right]);
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"vocab", std::move(vocab)},
          {"merges", std::move(merges)}};
}

}  // namespace

Definition parse_tokenizer_json(std::string_view text, const std::string& where) {
  simdjson::dom::parser parser;
  Element root;
  const auto error = parser.parse(text.data(), text.size()).get(root);
  if (error != simdjson::SUCCESS) {
    throw input_error(where, "", "JSON", simdjson::error_message(error));
  }
  const Reader reader{where};
  if (!root.is_object()) reader.refuse("", "an object", Reader::shown(root));
  const Element model = reader.member(root, "model", "model");
  reader.expect_type(model, "BPE", "model");
  for (const char* off : {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                          "fuse_unk", "byte_fallback", "ignore_merges"}) {
    reader.expect_off(model, off, fmt::format("model.{}", off));
  }
  check_normalizer(reader, root);
  check_post_processor(reader, root);
  Definition definition;
  definition.patterns = read_patterns(reader, root);
  definition.added = read_added(reader, root);
  const TokenIds ids = read_tokens(reader, model, definition);
  definition.merges = read_merges(reader, model, ids);
  return definition;
}

std::string tokenizer_json(const Definition& definition) {
  Json parts = Json::array();
  for (const std::string& pattern : definition.patterns) {
    parts.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", pattern}}},
                     {"behavior", "Isolated"},
                     {"invert", false}});
  }
  parts.push_back(byte_level(false, true, false));
  Json added = Json::array();
  for (const AddedToken& token : definition.added) added.push_back(added_json(token));
  const Json root = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", std::move(added)},
                     {"normalizer", nullptr},
                     {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}}},
                     {"post_processor", nullptr},
                     {"decoder", byte_level(true, true, true)},
                     {"model", model_json(definition)}};
  return root.dump(1, ' ', false) + "\n";
}

}  // namespace trex::tokenizer
