// Registries: the entries of an extension folder (problem families, kernels, policies,
// benchmarks) find their way into the program without any list being edited.
//
//   const Family kKnapsack{.name = "knapsack", ...};
//   TREX_REGISTER(kKnapsack);
//
// An entry's type has a member `name`. Entries are sorted by name, so link order never shows; a
// name used twice stops the program at start. Registration happens before main; afterwards a
// registry never changes, so any thread may read it.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace trex {

template <class Entry>
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  // Keeps a pointer: `entry` must live as long as the program.
  void add(const Entry& entry) {
    const auto place = std::lower_bound(
        entries_.begin(), entries_.end(), entry.name,
        [](const Entry* a, const auto& name) { return std::string_view(a->name) < name; });
    TREX_CHECK(place == entries_.end() || std::string_view((*place)->name) != entry.name,
               "\"{}\" is registered twice", entry.name);
    entries_.insert(place, &entry);
  }

  std::span<const Entry* const> entries() const { return entries_; }

  // Null when there is no such entry.
  const Entry* find(std::string_view name) const {
    for (const Entry* entry : entries_) {
      if (std::string_view(entry->name) == name) return entry;
    }
    return nullptr;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry* entry : entries_) names.emplace_back(entry->name);
    return names;
  }

 private:
  std::vector<const Entry*> entries_;
};

template <class Entry>
struct Registration {
  explicit Registration(const Entry& entry) { Registry<Entry>::instance().add(entry); }
};

}  // namespace trex

#define TREX_REGISTER(entry) \
  const ::trex::Registration<std::remove_const_t<decltype(entry)>> entry##_registration(entry)
