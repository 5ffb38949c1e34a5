#include "orgen/lexicon.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "orgen/lexicon_words.h"

namespace trex::orgen {
namespace {

// A quarter of the names is held out.
bool is_heldout(std::string_view name) { return hash64(name, /*seed=*/kLexiconVersion) % 4 == 0; }

struct SplitList {
  std::vector<std::string> names[2];
};

void add_name(SplitList& list, std::string name) {
  list.names[is_heldout(name) ? 1 : 0].push_back(std::move(name));
}

SplitList invented_names() {
  SplitList list;
  const Compounds parts = compounds();
  for (const std::string& head : split(parts.heads, ' ')) {
    for (const std::string& tail : split(parts.tails, ' ')) add_name(list, head + tail);
  }
  return list;
}

std::map<std::string, SplitList, std::less<>> split_lists() {
  std::map<std::string, SplitList, std::less<>> lists;
  for (const WordList& list : word_lists()) {
    SplitList& target = lists[std::string(list.name)];
    for (std::string& name : split(list.words, ' ')) {
      if (!name.empty()) add_name(target, std::move(name));
    }
  }
  lists[std::string(kInventedNames)] = invented_names();
  return lists;
}

const std::map<std::string, SplitList, std::less<>>& all_lists() {
  static const auto lists = split_lists();
  return lists;
}

}  // namespace

std::string_view to_string(Split split) { return split == Split::Train ? "train" : "heldout"; }

const std::vector<std::string>& names_of(std::string_view list, Split split) {
  const auto found = all_lists().find(list);
  TREX_CHECK(found != all_lists().end(), "there is no word list \"{}\"", list);
  return found->second.names[split == Split::Train ? 0 : 1];
}

std::vector<std::string> lexicon_lists() {
  std::vector<std::string> names;
  for (const auto& [name, list] : all_lists()) names.push_back(name);
  return names;
}

std::vector<size_t> plans_of(const std::vector<std::string>& plans, Split split) {
  std::vector<size_t> order(plans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return hash64(plans[a]) < hash64(plans[b]); });
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((plans.size() + 3) / 4);
  std::vector<size_t> chosen = split == Split::Heldout ? std::vector<size_t>(order.begin(), middle)
                                                       : std::vector<size_t>(middle, order.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace trex::orgen
