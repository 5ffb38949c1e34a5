// A problem family: what one file in families/ defines and registers.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/registry.h"
#include "base/rng.h"
#include "orgen/description.h"
#include "orgen/lexicon.h"
#include "solve/model.h"

namespace trex::orgen {

struct Family;
struct Variant;
struct Domain;

// The data of one problem: members of the sets and values of the parameters, both in the order in
// which the text tells them, and a solution that is known to be feasible. Refers to entries of the
// family registry, which live as long as the program.
struct Instance {
  const Family* family = nullptr;
  const Variant* variant = nullptr;
  const Domain* domain = nullptr;
  Level level = Level::Tiny;
  Split split = Split::Train;
  std::map<std::string, std::vector<std::string>> sets;
  std::map<std::string, std::vector<double>> values;    // row-major over the parameter's sets
  std::map<std::string, std::string> words;             // fill the domain's and the drawn words
  std::vector<std::pair<std::string, double>> witness;  // columns left out are zero

  size_t size(const std::string& set) const { return sets.at(set).size(); }
  double at(const std::string& parameter) const { return values.at(parameter)[0]; }
  double at(const std::string& parameter, size_t i) const { return values.at(parameter)[i]; }
  // Of a table; j runs over its second set.
  double at(const std::string& parameter, size_t i, size_t j) const;

  // The name of a variable's column or a row of a family: "buy[Oats]", "ship[Leeds,York]".
  std::string item(const std::string& name, const std::string& set, size_t i) const;
  std::string item(const std::string& name, const std::string& set_i, size_t i,
                   const std::string& set_j, size_t j) const;
};

// What a family's draw function works with: an instance whose sets are filled, and random numbers
// that read well. At the tiny level every number is whole and at most 999.
class Drawing {
 public:
  Drawing(Instance& drawn, Rng& random) : instance(drawn), rng(random) {}

  size_t size(const std::string& set) const { return instance.size(set); }
  int64_t whole(int64_t low, int64_t high) { return rng.between(low, high); }
  std::vector<double> wholes(size_t count, int64_t low, int64_t high);
  // Multiples of 0.25 (tiny: whole).
  std::vector<double> quarters(size_t count, int64_t low, int64_t high);
  // Multiples of 0.05 (tiny: whole).
  std::vector<double> prices(size_t count, int64_t low, int64_t high);

  std::vector<double>& set(const std::string& parameter, std::vector<double> values);
  void set(const std::string& parameter, double value) { set(parameter, std::vector{value}); }
  void witness(std::string column, double value) {
    instance.witness.emplace_back(std::move(column), value);
  }

  Instance& instance;
  Rng& rng;

 private:
  std::vector<double> multiples(size_t count, int64_t low, int64_t high, int64_t per_unit);
};

// One kind of sentence with its phrasings (orgen/render.h has the template language). All plans of
// a slot tell the same parameters.
struct Slot {
  std::string name;
  std::vector<std::string> plans;
};

struct Variant {
  std::string name;
  Description description;
  // The first slot opens the text and the last one asks; those between come in any order.
  std::vector<Slot> slots;
  void (*draw)(Drawing& drawing);
  solve::Model (*formulate)(const Instance& instance);
};

struct Domain {
  std::string name;
  std::map<std::string, std::string> entities;  // set -> word list
  std::map<std::string, std::string> words;     // fixed words of the setting
  std::map<std::string, std::string> drawn;     // word -> word list; one is drawn for each text
};

struct Family {
  std::string name;
  std::string summary;
  int version = 1;  // part of a document's id: raise it when the same seed gives other data
  std::vector<Domain> domains;
  std::vector<Variant> variants;

  // Null when there is none of that name.
  const Variant* find_variant(std::string_view name) const;
  const Domain* find_domain(std::string_view name) const;
};

using FamilyRegistry = Registry<Family>;

std::string_view to_string(Level level);

// Throws Input, naming `field` and the nearest level.
Level level_named(std::string_view name, const std::string& where, const std::string& field);

// Which instance to make. Empty names are drawn; `sizes` fixes size parameters ("num_foods").
struct InstanceRequest {
  const Family* family = nullptr;
  std::string variant, domain;
  Level level = Level::Tiny;
  Split split = Split::Train;
  bool with_invented_names = false;  // instead of the domain's lists
  std::map<std::string, int64_t> sizes;
};

// Pipeline stage G: draws an instance. Depends on its arguments alone. Throws Input, naming the
// parameter, for an unknown variant, domain or size, or a size outside the family's range.
Instance make_instance(const InstanceRequest& request, Rng& rng);

}  // namespace trex::orgen
