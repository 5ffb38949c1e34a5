// Which of the simulated plans is taken, and how that is told.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/check.h"
#include "plan/plan_json.h"

namespace trex::plan {
namespace {

// For cost: limits kept for as many requests are kept.
constexpr double kGoodEnough = 0.99;
// Below it the verdict says that the rates are too high for the limits.
constexpr double kTooFewGood = 0.9;

bool is_beyond(const CheckedPlan& best, const CheckedPlan& other) {
  return best.goodput.mean - best.goodput.half_width >
         other.goodput.mean + other.goodput.half_width;
}

// What it costs, or what the closed form thought of it.
std::string price_of_taking(const CheckedPlan& taken, const CheckedPlan& closed_form,
                            Objective objective) {
  const double more_usd_h = taken.cost_usd_h - closed_form.cost_usd_h;
  if (objective == Objective::Cost)
    return more_usd_h < 0.005 ? "for the same price"
                              : fmt::format("for {:.2f} USD/h more", more_usd_h);
  if (taken.scale > 0.9995 * closed_form.scale) return "the closed form gives it as much";
  return fmt::format("although the closed form gives it {:.1f} % less",
                     100 * (1 - taken.scale / closed_form.scale));
}

std::string warning_of(const CheckedPlan& taken, const Problem& problem) {
  std::string classes;
  for (size_t c = 0; c < problem.classes.size() && problem.classes.size() > 1; ++c) {
    classes += fmt::format("{}{} {:.0f} %", c == 0 ? " (" : ", ", problem.classes[c].name,
                           100 * taken.class_goodput[c]);
  }
  if (!classes.empty()) classes += ")";
  return fmt::format(
      "\nwarning: too few requests keep their limits{}: lower the rates, loosen the limits or add "
      "machines",
      classes);
}

}  // namespace

std::string goodput_text(const CheckedPlan& c) {
  return fmt::format("{:.1f} ±{:.1f} %", 100 * c.goodput.mean, 100 * c.goodput.half_width);
}

size_t winner_of(const std::vector<CheckedPlan>& checked, Objective objective) {
  const auto best = std::max_element(
      checked.begin(), checked.end(),
      [](const auto& a, const auto& b) { return a.goodput.mean < b.goodput.mean; });
  size_t winner = static_cast<size_t>(best - checked.begin());
  for (size_t i = 0; i < checked.size(); ++i) {
    const CheckedPlan& c = checked[i];
    const bool is_enough =
        objective == Objective::Cost && c.goodput.mean - c.goodput.half_width >= kGoodEnough;
    if ((is_enough || !is_beyond(*best, c)) &&
        c.closed_form_rank < checked[winner].closed_form_rank)
      winner = i;
  }
  return winner;
}

std::string verdict_of(const std::vector<CheckedPlan>& checked, const Problem& problem) {
  const Objective objective = problem.objective;
  const CheckedPlan& first = checked[0];
  const CheckedPlan& taken = *std::find_if(checked.begin(), checked.end(),
                                           [](const CheckedPlan& c) { return c.is_taken; });
  const CheckedPlan& closed_form = *std::find_if(
      checked.begin(), checked.end(), [](const CheckedPlan& c) { return c.closed_form_rank == 1; });
  std::string text;
  if (&taken == &closed_form) {
    text =
        fmt::format("the closed form's best stays the plan: {} of its requests keep their limits",
                    goodput_text(taken));
    if (&first == &taken) {
      text += ", and no other plan does better";
    } else if (is_beyond(first, taken)) {
      text +=
          fmt::format(", {:.0f} % are enough; {} would keep {}, {}", 100 * kGoodEnough, first.text,
                      goodput_text(first), price_of_taking(first, taken, objective));
    } else {
      text += fmt::format("; that interval and the one of {} ({}) overlap", first.text,
                          goodput_text(first));
    }
  } else {
    text = fmt::format(
        "{} is the plan: {} of its requests keep their limits, {} with the closed form's best, "
        "beyond both intervals; {}",
        taken.text, goodput_text(taken), goodput_text(closed_form),
        price_of_taking(taken, closed_form, objective));
    if (&first != &taken && is_beyond(first, taken)) {
      text += fmt::format("; {:.0f} % are enough", 100 * kGoodEnough);
    } else if (&first != &taken) {
      text +=
          "; the interval of the simulation's first overlaps with it, and the closed form gives "
          "that one less";
    }
  }
  return taken.goodput.mean >= kTooFewGood ? text : text + warning_of(taken, problem);
}

TextTable checked_table(const ServingPlan& plan) {
  const bool is_cost = plan.problem.objective == Objective::Cost;
  TextTable table({{"rank", true},
                   {"closed form's", true},
                   {"good %", true},
                   {"requests/s", true},
                   {"TTFT ms", true},
                   {"TPOT ms", true},
                   {is_cost ? "USD/h" : "promised", true},
                   {"plan"}});
  const auto cell = [](const simulate::Estimate& e, double unit, int digits) {
    return fmt::format("{:.{}f} ±{:.{}f}", e.mean * unit, digits, e.half_width * unit, digits);
  };
  for (const CheckedPlan& c : plan.checked) {
    const int rate_digits = c.requests_per_s.mean < 100 ? 2 : 0;
    table.add({std::to_string(&c - plan.checked.data() + 1), std::to_string(c.closed_form_rank),
               cell(c.goodput, 100, 1), cell(c.requests_per_s, 1, rate_digits),
               cell(c.first_token_s, 1e3, 0), cell(c.per_token_s, 1e3, 1),
               fmt::format("{:.2f}", is_cost ? c.cost_usd_h : c.scale),
               (c.is_taken ? "* " : "  ") + c.text});
  }
  return table;
}

std::string check_table(const ServingPlan& plan, size_t width) {
  const std::string promised = plan.problem.objective == Objective::Cost
                                   ? ""
                                   : "; promised by the closed form: " + scale_text(plan.problem);
  std::string text = "\n" +
                     wrapped(fmt::format("check by simulation (same requests at the planned rates; "
                                         "means with 95 % intervals over seeds{}; *: the plan)",
                                         promised),
                             width, 0) +
                     "\n";
  text += checked_table(plan).text(width);
  for (const std::string& line : split(plan.verdict, '\n')) text += wrapped(line, width, 2) + "\n";
  return text;
}

Json check_json(const ServingPlan& plan) {
  Json plans = Json::array();
  const auto estimate = [](const simulate::Estimate& e) {
    return Json{{"mean", e.mean}, {"half_width_95", e.half_width}};
  };
  bool stands = false;
  for (const CheckedPlan& c : plan.checked) {
    stands = stands || (c.is_taken && c.closed_form_rank == 1);
    plans.push_back({{"what", c.text},
                     {"taken", c.is_taken},
                     {"closed_form_rank", c.closed_form_rank},
                     {"scale", c.scale},
                     {"cost_usd_h", c.cost_usd_h},
                     {"goodput_share", estimate(c.goodput)},
                     {"class_goodput_shares", c.class_goodput},
                     {"requests_per_s", estimate(c.requests_per_s)},
                     {"first_token_s", estimate(c.first_token_s)},
                     {"per_token_s", estimate(c.per_token_s)}});
  }
  return {{"stands", stands}, {"verdict", plan.verdict}, {"plans", plans}};
}

}  // namespace trex::plan
