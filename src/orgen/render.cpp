#include "orgen/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/check.h"
#include "base/text.h"

namespace trex::orgen {
namespace {

using Bindings = std::map<std::string, std::pair<std::string, size_t>, std::less<>>;  // set, member

// Fills one plan.
class Filler {
 public:
  Filler(const Instance& instance, std::vector<std::string>& parameter_order)
      : instance_(instance), parameter_order_(parameter_order) {}

  std::string fill(std::string_view plan, const Bindings& bound) {
    std::string text;
    for (size_t i = 0; i < plan.size();) {
      if (plan[i] == '{') {
        const size_t end = plan.find('}', i);
        TREX_CHECK(end != std::string_view::npos, "\"{}\": a brace is open", plan);
        text += value_of(plan.substr(i + 1, end - i - 1), bound);
        i = end + 1;
      } else if (plan[i] == '<') {
        const size_t end = end_of_loop(plan, i);
        text += loop(plan.substr(i + 1, end - i - 1), bound);
        i = end + 1;
      } else {
        text += plan[i++];
      }
    }
    return text;
  }

 private:
  static size_t end_of_loop(std::string_view plan, size_t start) {
    int depth = 0;
    for (size_t i = start; i < plan.size(); ++i) {
      if (plan[i] == '<') ++depth;
      if (plan[i] == '>' && --depth == 0) return i;
    }
    TREX_CHECK(false, "\"{}\": a loop is open", plan);
    return 0;
  }

  // "f:foods|text"
  std::string loop(std::string_view inner, const Bindings& outer) {
    const size_t colon = inner.find(':');
    const size_t body = inner.find_first_of("|;.", colon);
    TREX_CHECK(colon != std::string_view::npos && body != std::string_view::npos,
               "\"<{}>\": not a loop", inner);
    const std::string letter(inner.substr(0, colon));
    const std::string set(inner.substr(colon + 1, body - colon - 1));
    std::vector<std::string> parts;
    for (size_t i = 0; i < instance_.size(set); ++i) {
      Bindings bound = outer;
      bound[letter] = {set, i};
      parts.push_back(fill(inner.substr(body + 1), bound));
    }
    if (inner[body] == ';') return joined(parts, "; ");
    if (inner[body] == '.') return joined(parts, ". ");
    if (parts.size() == 1) return parts[0];
    const std::string last = parts.back();
    parts.pop_back();
    return joined(parts, ", ") + " and " + last;
  }

  std::string value_of(std::string_view name, const Bindings& bound) {
    const auto letter = bound.find(name);
    if (letter != bound.end()) {
      return instance_.sets.at(letter->second.first)[letter->second.second];
    }
    const auto word = instance_.words.find(std::string(name));
    if (word != instance_.words.end()) return word->second;
    return number_of(name, bound);
  }

  std::string number_of(std::string_view name, const Bindings& bound) {
    const std::string parameter(name.substr(0, name.find('[')));
    const auto values = instance_.values.find(parameter);
    TREX_CHECK(values != instance_.values.end(), "\"{{{}}}\" names nothing", name);
    size_t position = 0;
    for (size_t open = name.find('['); open != std::string_view::npos;
         open = name.find('[', open + 1)) {
      const auto letter = bound.find(name.substr(open + 1, name.find(']', open) - open - 1));
      TREX_CHECK(letter != bound.end(), "\"{{{}}}\": an index is not bound", name);
      position = position * instance_.size(letter->second.first) + letter->second.second;
    }
    if (std::find(parameter_order_.begin(), parameter_order_.end(), parameter) ==
        parameter_order_.end()) {
      parameter_order_.push_back(parameter);
    }
    return shortest(values->second[position]);
  }

  const Instance& instance_;
  std::vector<std::string>& parameter_order_;
};

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// "1 dollars" -> "1 dollar".
std::string with_singulars(std::string text) {
  static constexpr std::string_view kPlurals[] = {
      "dollars", "hours", "units", "tons", "grams", "points", "pieces", "kilograms", "minutes"};
  for (const std::string_view plural : kPlurals) {
    const std::string wrong = fmt::format(" 1 {}", plural);
    for (size_t at = text.find(wrong); at != std::string::npos; at = text.find(wrong, at + 1)) {
      const size_t end = at + wrong.size();
      if (end == text.size() || !is_letter(text[end])) text.erase(end - 1, 1);
    }
  }
  return text;
}

// The opening, the others in any order, and the question last or, now and then, second.
std::vector<size_t> order_of_slots(size_t count, Rng& rng) {
  std::vector<size_t> body;
  for (size_t i = 1; i + 1 < count; ++i) body.push_back(i);
  rng.shuffle(body);
  const bool asks_early = rng.chance(0.2);
  body.insert(asks_early ? body.begin() : body.end(), count - 1);
  body.insert(body.begin(), 0);
  return body;
}

}  // namespace

Statement render_statement(const Instance& instance, Rng& rng) {
  Statement statement;
  Filler filler(instance, statement.parameter_order);
  const std::vector<Slot>& slots = instance.variant->slots;
  for (const size_t i : order_of_slots(slots.size(), rng)) {
    const std::string& plan = slots[i].plans[rng.pick(plans_of(slots[i].plans, instance.split))];
    const auto told = static_cast<std::ptrdiff_t>(statement.parameter_order.size());
    Passage passage;
    passage.text = capitalised(with_singulars(filler.fill(with_wordings_drawn(plan, rng), {})));
    passage.parameters.assign(statement.parameter_order.begin() + told,
                              statement.parameter_order.end());
    if (!statement.text.empty()) statement.text += ' ';
    statement.text += passage.text;
    statement.passages.push_back(std::move(passage));
  }
  return statement;
}

std::string with_wordings_drawn(std::string_view plan, Rng& rng) {
  std::string text;
  for (size_t i = 0; i < plan.size();) {
    if (plan[i] != '(') {
      text += plan[i++];
      continue;
    }
    const size_t end = plan.find(')', i);
    TREX_CHECK(end != std::string_view::npos, "\"{}\": a parenthesis is open", plan);
    text += rng.pick(split(plan.substr(i + 1, end - i - 1), '|'));
    i = end + 1;
  }
  return text;
}

int64_t num_wordings(std::string_view plan) {
  int64_t count = 1;
  for (size_t open = plan.find('('); open != std::string_view::npos;
       open = plan.find('(', open + 1)) {
    const auto choice = plan.substr(open, plan.find(')', open) - open);
    count *= 1 + std::count(choice.begin(), choice.end(), '|');
  }
  return count;
}

std::vector<std::string> parameters_told(std::string_view plan, const Description& description) {
  std::vector<std::string> told;
  for (size_t open = plan.find('{'); open != std::string_view::npos;
       open = plan.find('{', open + 1)) {
    const std::string_view inner = plan.substr(open + 1, plan.find('}', open) - open - 1);
    const std::string name(inner.substr(0, inner.find('[')));
    if (description.find_parameter(name) == nullptr) continue;
    if (std::find(told.begin(), told.end(), name) == told.end()) told.push_back(name);
  }
  return told;
}

}  // namespace trex::orgen
