// The commands, one cmd_<verb>.cpp each. They take what stands behind the verb on the command line,
// return the exit code and throw trex::Error.
#pragma once

#include "app/command.h"

namespace trex::app {

int cmd_checkpoint_inspect(const Arguments& arguments);
int cmd_config_document(const Arguments& arguments);
int cmd_config_show(const Arguments& arguments);
int cmd_data_generate(const Arguments& arguments);
int cmd_data_stats(const Arguments& arguments);
int cmd_data_tokenize(const Arguments& arguments);
int cmd_eval(const Arguments& arguments);
int cmd_generate(const Arguments& arguments);
int cmd_perf_fit(const Arguments& arguments);
int cmd_perf_list(const Arguments& arguments);
int cmd_perf_show(const Arguments& arguments);
int cmd_plan_serve(const Arguments& arguments);
int cmd_run(const Arguments& arguments);
int cmd_simulate(const Arguments& arguments);
int cmd_solve(const Arguments& arguments);
int cmd_tokenizer_inspect(const Arguments& arguments);
int cmd_tokenizer_train(const Arguments& arguments);
int cmd_train(const Arguments& arguments);

}  // namespace trex::app
