#include "orgen/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace trex::orgen {
namespace {

constexpr std::string_view kLevelNames[kNumLevels] = {"tiny", "small", "medium", "large",
                                                      "industrial"};

template <class Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

// The item of that name, or one at random when no name is given.
template <class Item>
const Item& choose(const std::vector<Item>& items, const std::string& name,
                   const std::string& family, const std::string& field, Rng& rng) {
  if (name.empty()) return rng.pick(items);
  if (const Item* item = find_named(items, name)) return *item;
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  throw input_error("family " + family, field, "one of " + listed(names), in_quotes(name),
                    did_you_mean(name, names));
}

int64_t chosen_size(const SetDecl& set, const InstanceRequest& request, Rng& rng) {
  const SizeRange range = set.sizes[static_cast<int>(request.level)];
  const int64_t drawn = rng.between(range.low, range.high);
  const std::string parameter = "num_" + set.name;
  const auto fixed = request.sizes.find(parameter);
  if (fixed == request.sizes.end()) return drawn;
  if (fixed->second < set.min_size() || fixed->second > set.max_size()) {
    throw input_error("family " + request.family->name, parameter,
                      fmt::format("{} to {}", set.min_size(), set.max_size()),
                      std::to_string(fixed->second));
  }
  return fixed->second;
}

void check_size_names(const InstanceRequest& request, const Description& description) {
  std::vector<std::string> known;
  for (const SetDecl& set : description.sets) known.push_back("num_" + set.name);
  for (const auto& [name, size] : request.sizes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw input_error("family " + request.family->name, name, "one of " + listed(known),
                      in_quotes(name), did_you_mean(name, known));
  }
}

// `count` different names of the list that are not in `used`. When the list runs out, the names
// come again with a number behind them, as large data sets have them ("Leeds_2").
std::vector<std::string> draw_names(std::string_view list, Split split, int64_t count,
                                    std::set<std::string>& used, Rng& rng) {
  std::vector<std::string_view> pool;
  for (const std::string& name : names_of(list, split)) pool.push_back(name);
  TREX_CHECK(!pool.empty(), "the word list \"{}\" has no name for this split", list);
  rng.shuffle(pool);
  std::vector<std::string> names;
  for (int64_t round = 1; static_cast<int64_t>(names.size()) < count; ++round) {
    for (const std::string_view word : pool) {
      if (static_cast<int64_t>(names.size()) == count) break;
      std::string name = round == 1 ? std::string(word) : fmt::format("{}_{}", word, round);
      if (used.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

void fill_sets(Instance& instance, const InstanceRequest& request, Rng& rng) {
  std::set<std::string> used;
  for (const SetDecl& set : instance.variant->description.sets) {
    const int64_t size = chosen_size(set, request, rng);
    std::vector<std::string>& members = instance.sets[set.name];
    if (set.is_numbered) {
      for (int64_t i = 1; i <= size; ++i) members.push_back(std::to_string(i));
    } else {
      const std::string_view list =
          request.with_invented_names ? kInventedNames : instance.domain->entities.at(set.name);
      members = draw_names(list, request.split, size, used, rng);
    }
  }
  instance.words = instance.domain->words;
  for (const auto& [word, list] : instance.domain->drawn) {
    instance.words[word] = draw_names(list, request.split, 1, used, rng)[0];
  }
}

}  // namespace

double Instance::at(const std::string& parameter, size_t i, size_t j) const {
  const ParameterDecl* decl = variant->description.find_parameter(parameter);
  return values.at(parameter)[i * size(decl->sets[1]) + j];
}

std::string Instance::item(const std::string& name, const std::string& set, size_t i) const {
  return fmt::format("{}[{}]", name, sets.at(set)[i]);
}

std::string Instance::item(const std::string& name, const std::string& set_i, size_t i,
                           const std::string& set_j, size_t j) const {
  return fmt::format("{}[{},{}]", name, sets.at(set_i)[i], sets.at(set_j)[j]);
}

std::vector<double> Drawing::multiples(size_t count, int64_t low, int64_t high, int64_t per_unit) {
  if (instance.level == Level::Tiny) per_unit = 1;
  std::vector<double> values(count);
  for (double& value : values) {
    value = static_cast<double>(rng.between(low * per_unit, high * per_unit)) /
            static_cast<double>(per_unit);
  }
  return values;
}

std::vector<double> Drawing::wholes(size_t count, int64_t low, int64_t high) {
  return multiples(count, low, high, 1);
}

std::vector<double> Drawing::quarters(size_t count, int64_t low, int64_t high) {
  return multiples(count, low, high, 4);
}

std::vector<double> Drawing::prices(size_t count, int64_t low, int64_t high) {
  return multiples(count, low, high, 20);
}

std::vector<double>& Drawing::set(const std::string& parameter, std::vector<double> values) {
  return instance.values[parameter] = std::move(values);
}

const Variant* Family::find_variant(std::string_view variant) const {
  return find_named(variants, variant);
}

const Domain* Family::find_domain(std::string_view domain) const {
  return find_named(domains, domain);
}

std::string_view to_string(Level level) { return kLevelNames[static_cast<int>(level)]; }

Level level_named(std::string_view name, const std::string& where, const std::string& field) {
  std::vector<std::string> names;
  for (int i = 0; i < kNumLevels; ++i) {
    if (kLevelNames[i] == name) return static_cast<Level>(i);
    names.emplace_back(kLevelNames[i]);
  }
  throw input_error(where, field, "one of " + listed(names), in_quotes(name),
                    did_you_mean(name, names));
}

Instance make_instance(const InstanceRequest& request, Rng& rng) {
  const Family& family = *request.family;
  Instance instance{.family = &family, .level = request.level, .split = request.split};
  instance.variant = &choose(family.variants, request.variant, family.name, "variant", rng);
  instance.domain = &choose(family.domains, request.domain, family.name, "domain", rng);
  check_size_names(request, instance.variant->description);
  fill_sets(instance, request, rng);
  Drawing drawing(instance, rng);
  instance.variant->draw(drawing);
  return instance;
}

}  // namespace trex::orgen
