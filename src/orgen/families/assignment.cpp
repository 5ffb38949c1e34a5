// Assignment: each task to one person. With as many people as tasks, or more, and every pair
// allowed, it is always feasible, and its relaxation has whole optima.
#include <fmt/format.h>

#include "base/error.h"
#include "orgen/family.h"

namespace trex::orgen {
namespace {

const std::vector<SetDecl> kSets{
    {.name = "people", .index = "p", .sizes = {{3, 3}, {3, 4}, {8, 10}, {20, 24}, {42, 46}}},
    {.name = "tasks", .index = "t", .sizes = {{2, 3}, {2, 3}, {4, 8}, {9, 20}, {22, 42}}}};

const ParameterDecl kMinutes{"minutes", {"people", "tasks"}, "minutes", 1, 120};
const ParameterDecl kScore{"score", {"people", "tasks"}, "points", 1, 120};

const RowDecl kOnePerson{.name = "task",
                         .binders = "for t in tasks",
                         .left = "sum(assign[p, t] for p in people)",
                         .relation = "==",
                         .right = "1",
                         .meaning = "every task is done by one person"};
const RowDecl kOneTask{.name = "person",
                       .binders = "for p in people",
                       .left = "sum(assign[p, t] for t in tasks)",
                       .relation = "<=",
                       .right = "1",
                       .meaning = "nobody does more than one task"};

Description describe(const ParameterDecl& parameter, solve::Sense sense,
                     const std::string& meaning) {
  return {.sets = kSets,
          .parameters = {parameter},
          .variables = {{"assign",
                         {"people", "tasks"},
                         solve::Domain::Binary,
                         "",
                         "whether the person does the task"}},
          .sense = sense,
          .objective =
              "sum(" + parameter.name + "[p][t] * assign[p, t] for p in people for t in tasks)",
          .objective_meaning = meaning,
          .objective_unit = parameter.unit,
          .rows = {kOnePerson, kOneTask}};
}

// The levels' sizes give at least as many people as tasks; sizes fixed by hand may not.
void draw(Drawing& d, const std::string& parameter) {
  if (d.size("tasks") > d.size("people")) {
    throw input_error("family assignment", "num_tasks",
                      fmt::format("at most num_people, which is {}", d.size("people")),
                      std::to_string(d.size("tasks")));
  }
  d.set(parameter, d.wholes(d.size("people") * d.size("tasks"), 5, 60));
  for (size_t t = 0; t < d.size("tasks"); ++t) {
    d.witness(d.instance.item("assign", "people", t, "tasks", t), 1);
  }
}

void draw_time(Drawing& d) { draw(d, "minutes"); }
void draw_score(Drawing& d) { draw(d, "score"); }

solve::Model formulate(const Instance& instance, const std::string& parameter, solve::Sense sense) {
  solve::Model model{.name = "assignment", .sense = sense};
  const size_t people = instance.size("people"), tasks = instance.size("tasks");
  std::vector<std::vector<solve::Term>> of_person(people), of_task(tasks);
  for (size_t p = 0; p < people; ++p) {
    for (size_t t = 0; t < tasks; ++t) {
      const int64_t column =
          model.add_column({.name = instance.item("assign", "people", p, "tasks", t),
                            .domain = solve::Domain::Binary,
                            .upper = 1,
                            .objective = instance.at(parameter, p, t)});
      of_person[p].push_back({column, 1.0});
      of_task[t].push_back({column, 1.0});
    }
  }
  for (size_t t = 0; t < tasks; ++t) model.equal(instance.item("task", "tasks", t), of_task[t], 1);
  for (size_t p = 0; p < people; ++p) {
    model.at_most(instance.item("person", "people", p), of_person[p], 1);
  }
  return model;
}

solve::Model formulate_time(const Instance& instance) {
  return formulate(instance, "minutes", solve::Sense::Minimize);
}
solve::Model formulate_score(const Instance& instance) {
  return formulate(instance, "score", solve::Sense::Maximize);
}

const Slot kOpening{
    "opening",
    {"{boss} in {place} (assigns|gives) {tasks} to {crew}.",
     "In {place}, {boss} (must decide|decides) who takes which of the {tasks}.",
     "{boss} in {place} (has to|must) match {crew} with {tasks}.",
     "The {tasks} in {place} are (shared|divided) among {crew} by {boss}.",
     "At {place}, {boss} (distributes|hands out) {tasks} to {crew}.",
     "Several {tasks} in {place} (wait for|need) somebody, and {boss} picks from {crew}.",
     "{boss} from {place} (plans|is planning) which of {crew} gets which task."}};

const Slot kTimeSlot{
    "time",
    {"The times in minutes are <p:people;for {p} <t:tasks|{minutes[p][t]} on {t}>>.",
     "<p:people;{p} (needs|takes) <t:tasks|{minutes[p][t]} minutes for {t}>>.",
     "<p:people.With {p} it takes <t:tasks|{minutes[p][t]} minutes to finish {t}>>.",
     "(Minutes|Times) needed: <p:people;{p} <t:tasks|{t} {minutes[p][t]} minutes>>.",
     "In minutes, <p:people;{p} (spends|would spend) <t:tasks|{minutes[p][t]} on {t}>>.",
     "Trials (show|gave) these minutes: <p:people;{p} <t:tasks|{minutes[p][t]} with {t}>>.",
     "It is known that <p:people;{p} (completes|does) <t:tasks|{t} in {minutes[p][t]} minutes>>."}};

const Slot kScoreSlot{
    "score",
    {"The scores in points are <p:people;for {p} <t:tasks|{score[p][t]} on {t}>>.",
     "<p:people;{p} (scores|earns) <t:tasks|{score[p][t]} points for {t}>>.",
     "<p:people.With {p} one gets <t:tasks|{score[p][t]} points on {t}>>.",
     "(Points|Scores) expected: <p:people;{p} <t:tasks|{t} {score[p][t]} points>>.",
     "In points, <p:people;{p} (is rated|would earn) <t:tasks|{score[p][t]} on {t}>>.",
     "Tests (show|gave) these points: <p:people;{p} <t:tasks|{score[p][t]} with {t}>>.",
     "It is known that <p:people;{p} (brings|adds) <t:tasks|{score[p][t]} points when given "
     "{t}>>."}};

const Slot kRules{
    "rules",
    {"Each task goes to exactly one person, and nobody gets more than one.",
     "Every task (needs|requires) one person; a person (does|takes) at most one task.",
     "All tasks must be done, each by one person, and no person does more than one.",
     "No one (may|can) take more than one task, and each task (must|has to) be taken once.",
     "One person per task is needed, and at most one task per person is allowed.",
     "A task is done by a single person; people (get|have) one task or none.",
     "Exactly one person is put on each task. (Nobody|No person) has more than one task."}};

const Slot kAskTime{"ask",
                    {"What is the (smallest|lowest) total time in minutes?",
                     "(Find|Determine) the minimum total time in minutes.",
                     "The sum of all times in minutes is to be minimised.",
                     "(Minimise|Minimize) the total number of minutes.",
                     "How many minutes are needed in total at least?",
                     "Which choice takes the least time in total, and how many minutes is that?",
                     "The aim is a total time of as few minutes as possible."}};

const Slot kAskScore{"ask",
                     {"What is the (largest|highest) total score in points?",
                      "(Find|Determine) the maximum total score in points.",
                      "The sum of all scores in points is to be maximised.",
                      "(Maximise|Maximize) the total number of points.",
                      "How many points can be reached in total at most?",
                      "Which choice scores most in total, and how many points is that?",
                      "The aim is a total score of as many points as possible."}};

Domain domain(const std::string& name, const std::string& list, const std::string& boss,
              const std::string& tasks, const std::string& crew) {
  return {.name = name,
          .entities = {{"people", "people"}, {"tasks", list}},
          .words = {{"boss", boss}, {"tasks", tasks}, {"crew", crew}},
          .drawn = {{"place", "depots"}}};
}

const Family kAssignment{
    .name = "assignment",
    .summary = "Give each task to one person, at the lowest total time or the highest score.",
    .domains = {domain("office", "jobs", "a team leader", "jobs", "the staff"),
                domain("caretaking", "rooms", "a caretaker", "rooms", "the helpers"),
                domain("sports", "relay", "a coach", "events", "the athletes"),
                domain("delivery", "routes", "a dispatcher", "trips", "the drivers")},
    .variants = {{.name = "min_time",
                  .description = describe(kMinutes, solve::Sense::Minimize, "total time"),
                  .slots = {kOpening, kTimeSlot, kRules, kAskTime},
                  .draw = draw_time,
                  .formulate = formulate_time},
                 {.name = "max_score",
                  .description = describe(kScore, solve::Sense::Maximize, "total score"),
                  .slots = {kOpening, kScoreSlot, kRules, kAskScore},
                  .draw = draw_score,
                  .formulate = formulate_score}}};
TREX_REGISTER(kAssignment);

}  // namespace
}  // namespace trex::orgen
