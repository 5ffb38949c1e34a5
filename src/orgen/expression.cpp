#include "orgen/expression.h"

#include <fmt/format.h>

#include <cctype>

#include "base/check.h"
#include "base/text.h"

namespace trex::orgen {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Recursive descent over
//   sum      = product (("+" | "-") product)*
//   product  = factor ("*" factor)*
//   factor   = number | "(" sum ")" | "sum(" sum binders ")" | name indices
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression whole() {
    Expression result = sum();
    TREX_CHECK(position_ == text_.size(), "\"{}\": cannot read on at {}", text_, position_);
    return result;
  }

  std::vector<Binder> binders() {
    std::vector<Binder> found;
    while (take_word("for")) {
      Binder binder{.letter = word()};
      TREX_CHECK(take_word("in"), "\"{}\": a binder without \"in\"", text_);
      binder.set = word();
      if (take("[1:]")) binder.skips_first = true;
      found.push_back(binder);
    }
    return found;
  }

 private:
  void skip_blanks() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }

  bool take(std::string_view piece) {
    skip_blanks();
    if (text_.substr(position_, piece.size()) != piece) return false;
    position_ += piece.size();
    return true;
  }

  bool take_word(std::string_view piece) {
    skip_blanks();
    const size_t end = position_ + piece.size();
    if (text_.substr(position_, piece.size()) != piece) return false;
    if (end < text_.size() && is_word(text_[end])) return false;
    position_ = end;
    return true;
  }

  std::string word() {
    skip_blanks();
    const size_t start = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    TREX_CHECK(position_ > start, "\"{}\": a name is missing at {}", text_, start);
    return std::string(text_.substr(start, position_ - start));
  }

  static Expression binary(Expression::Kind kind, Expression left, Expression right) {
    Expression result{.kind = kind};
    result.operands.push_back(std::move(left));
    result.operands.push_back(std::move(right));
    return result;
  }

  Expression sum() {
    Expression result = product();
    while (true) {
      if (take("+")) {
        result = binary(Expression::Kind::Add, std::move(result), product());
      } else if (take("-")) {
        result = binary(Expression::Kind::Subtract, std::move(result), product());
      } else {
        return result;
      }
    }
  }

  Expression product() {
    Expression result = factor();
    while (take("*")) result = binary(Expression::Kind::Multiply, std::move(result), factor());
    return result;
  }

  Expression factor() {
    if (take("(")) {
      Expression inner = sum();
      TREX_CHECK(take(")"), "\"{}\": a parenthesis is open", text_);
      return inner;
    }
    if (take("sum(")) {
      Expression result{.kind = Expression::Kind::Sum};
      result.operands.push_back(sum());
      result.binders = binders();
      TREX_CHECK(!result.binders.empty() && take(")"), "\"{}\": a sum has no end", text_);
      return result;
    }
    const std::string name = word();
    if (const auto number = parse_real(name)) {
      return Expression{.kind = Expression::Kind::Number, .number = *number};
    }
    Expression result{.kind = Expression::Kind::Reference, .name = name};
    while (take("[")) {
      do {
        result.indices.push_back(index());
      } while (take(","));
      TREX_CHECK(take("]"), "\"{}\": a bracket is open", text_);
    }
    return result;
  }

  Index index() {
    Index result{.letter = word()};
    result.is_fixed = parse_integer(result.letter).has_value();
    if (take("-")) result.offset = static_cast<int>(*parse_integer(word()));
    return result;
  }

  std::string_view text_;
  size_t position_ = 0;
};

std::string index_text(const Index& index) {
  return index.offset == 0 ? index.letter : fmt::format("{} - {}", index.letter, index.offset);
}

}  // namespace

Expression parse_expression(std::string_view text) { return Parser(text).whole(); }

std::vector<Binder> parse_binders(std::string_view text) {
  if (text.empty()) return {};
  return Parser(text).binders();
}

std::string binders_text(const std::vector<Binder>& binders) {
  std::string text;
  for (const Binder& binder : binders) {
    if (!text.empty()) text += ' ';
    text +=
        fmt::format("for {} in {}{}", binder.letter, binder.set, binder.skips_first ? "[1:]" : "");
  }
  return text;
}

std::string expression_text(const Expression& e, std::string_view sum_word,
                            const NameTest& is_variable) {
  const auto part = [&](size_t i) { return expression_text(e.operands[i], sum_word, is_variable); };
  const auto bracketed = [&](size_t i) {
    const auto kind = e.operands[i].kind;
    const bool needs = kind == Expression::Kind::Add || kind == Expression::Kind::Subtract;
    return needs ? "(" + part(i) + ")" : part(i);
  };
  switch (e.kind) {
    case Expression::Kind::Number:
      return shortest(e.number);
    case Expression::Kind::Reference: {
      std::vector<std::string> indices;
      for (const Index& index : e.indices) indices.push_back(index_text(index));
      if (indices.empty()) return e.name;
      return fmt::format("{}[{}]", e.name, joined(indices, is_variable(e.name) ? ", " : "]["));
    }
    case Expression::Kind::Sum:
      return fmt::format("{}({} {})", sum_word, part(0), binders_text(e.binders));
    case Expression::Kind::Add:
      return part(0) + " + " + part(1);
    case Expression::Kind::Subtract:
      return part(0) + " - " + bracketed(1);
    case Expression::Kind::Multiply:
      return bracketed(0) + " * " + bracketed(1);
  }
  return {};
}

std::vector<std::string> names_in(const Expression& expression) {
  std::vector<std::string> names;
  if (expression.kind == Expression::Kind::Reference) names.push_back(expression.name);
  for (const Expression& operand : expression.operands) {
    for (std::string& name : names_in(operand)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace trex::orgen
