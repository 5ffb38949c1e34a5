// The serving plan as a file (docs/formats.md, "Serving plan") and as a table for people.
#pragma once

#include <string>

#include "base/json.h"
#include "base/text_table.h"
#include "plan/serving_plan.h"

namespace trex::plan {

Json to_json(const ServingPlan& plan);

// What an instance's numbers rest on: "measured" itself, "measured stages" (each as its share of
// the whole model on its machine), measured "kernels", or "UNCALIBRATED" data sheets.
std::string evidence_of(const Shape& shape, const PlannedInstance& instance);

// Of what a plan's scale tells: "times the stated rates", "requests/s".
std::string scale_text(const Problem& problem);

// Why an alternative lost, without the model and the shape that stand before it already.
std::string reason_text(const Alternative& alternative);

// A row for each chosen shape and class; the model and the class only where there are several.
TextTable chosen_table(const ServingPlan& plan);

// Memory and times of each chosen shape.
std::string explanation_of(const ServingPlan& plan);

// Launch lines of each instance.
std::string launch_text(const ServingPlan& plan);

// The table a person decides from; `explain` adds memory, times and links of each choice. Lines are
// at most `width` characters, launch lines excepted; 0: as long as they are.
std::string table_of(const ServingPlan& plan, bool explain, size_t width = 0);

}  // namespace trex::plan
