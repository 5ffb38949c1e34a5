#include "orgen/description.h"

namespace trex::orgen {
namespace {

template <class Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace

const SetDecl* Description::find_set(std::string_view name) const { return find_named(sets, name); }

const ParameterDecl* Description::find_parameter(std::string_view name) const {
  return find_named(parameters, name);
}

const VariableDecl* Description::find_variable(std::string_view name) const {
  return find_named(variables, name);
}

}  // namespace trex::orgen
