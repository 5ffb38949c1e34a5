// trex tokenizer inspect: what a tokenizer.json holds and what it makes of a text.
#include <fmt/format.h>

#include "app/commands.h"
#include "base/json.h"
#include "base/text.h"
#include "tokenizer/tokenizer.h"

namespace trex::app {
namespace {

double mean_token_bytes(const tokenizer::Definition& definition) {
  double bytes = 0;
  for (const std::string& token : definition.tokens) bytes += static_cast<double>(token.size());
  return bytes / static_cast<double>(definition.tokens.size());
}

Json vocabulary_json(const tokenizer::Tokenizer& tokenizer) {
  const auto& definition = tokenizer.definition();
  Json added = Json::array();
  for (const auto& token : definition.added) {
    added.push_back({{"id", token.id}, {"content", token.content}, {"special", token.special}});
  }
  return {{"tokens", definition.tokens.size()},
          {"merges", definition.merges.size()},
          {"mean_token_bytes", mean_token_bytes(definition)},
          {"patterns", definition.patterns},
          {"added", std::move(added)}};
}

Json encoding_json(const tokenizer::Tokenizer& tokenizer, const std::string& text) {
  const auto ids = tokenizer::Encoder(tokenizer).encode(text);
  Json tokens = Json::array();
  for (const int32_t id : ids) tokens.push_back({{"id", id}, {"text", tokenizer.bytes_of(id)}});
  const double per_token =
      ids.empty() ? 0 : static_cast<double>(text.size()) / static_cast<double>(ids.size());
  return {{"bytes", text.size()}, {"tokens", std::move(tokens)}, {"bytes_per_token", per_token}};
}

void print_vocabulary(const Json& vocabulary) {
  constexpr size_t kMostShown = 24;
  fmt::print("tokens            {}\n", vocabulary["tokens"].get<int64_t>());
  fmt::print("merges            {}\n", vocabulary["merges"].get<int64_t>());
  fmt::print("mean token        {:.2f} bytes\n", vocabulary["mean_token_bytes"].get<double>());
  fmt::print("patterns          {}\n", vocabulary["patterns"].size());
  fmt::print("added tokens      {}\n", vocabulary["added"].size());
  size_t shown = 0;
  for (const Json& token : vocabulary["added"]) {
    if (++shown > kMostShown) break;
    fmt::print("  {:>7}  {}{}\n", token["id"].get<int64_t>(), token["content"].get<std::string>(),
               token["special"].get<bool>() ? "  (special)" : "");
  }
  if (shown > kMostShown) fmt::print("  and {} more\n", vocabulary["added"].size() - kMostShown);
}

void print_encoding(const Json& encoding) {
  fmt::print("\n{} bytes, {} tokens, {:.2f} bytes a token\n", encoding["bytes"].get<int64_t>(),
             encoding["tokens"].size(), encoding["bytes_per_token"].get<double>());
  for (const Json& token : encoding["tokens"]) {
    fmt::print("  {:>7}  {}\n", token["id"].get<int64_t>(),
               in_quotes(token["text"].get<std::string>()));
  }
}

}  // namespace

int cmd_tokenizer_inspect(const Arguments& arguments) {
  CLI::App options("What a tokenizer.json holds and what it makes of a text",
                   "trex tokenizer inspect");
  Path file;
  std::optional<std::string> text;
  bool as_json = false;
  options.add_option("file", file, "tokenizer.json or tokenizer.json.zst")->required();
  options.add_option("--text", text, "Text to encode");
  options.add_flag("--json", as_json, "One JSON object instead of a table");
  if (!parse_arguments(options, arguments)) return 0;

  const auto tokenizer = tokenizer::Tokenizer::load(file);
  Json result = vocabulary_json(tokenizer);
  if (text) result["encoding"] = encoding_json(tokenizer, *text);
  if (as_json) {
    fmt::print("{}\n", to_line(result));
    return 0;
  }
  print_vocabulary(result);
  if (text) print_encoding(result["encoding"]);
  return 0;
}

}  // namespace trex::app
