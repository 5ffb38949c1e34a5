// trex: every verb that does not touch tensors, and the way to those that do.
#include "app/command.h"
#include "app/commands.h"

namespace trex::app {

std::span<const Command> all_commands() {
  static const Command kCommands[] = {
      {"run", "Every stage of a recipe in order, then a report", cmd_run},
      {"data generate", "Operations-research documents and questions, verified by the solver",
       cmd_data_generate},
      {"data stats", "Counts, lengths and duplicates of a file of rows", cmd_data_stats},
      {"train", "CPT or SFT: a model trained on token shards", nullptr},
      {"generate", "Text from a checkpoint, for one prompt or a file of them", nullptr},
      {"checkpoint inspect", "The tensors of a checkpoint and what model they make", nullptr},
      {"eval", "Score a model on a benchmark by running its programs", cmd_eval},
      {"data tokenize", "JSON lines to token shards", cmd_data_tokenize},
      {"tokenizer train", "A byte-level BPE tokenizer from a corpus", cmd_tokenizer_train},
      {"tokenizer inspect", "What a tokenizer holds and what it makes of a text",
       cmd_tokenizer_inspect},
      {"config show", "Every effective setting of a recipe and where it comes from",
       cmd_config_show},
      {"config document", "A generated page: settings or commands", cmd_config_document},
      {"solve", "The proven answer to a model in a file (MPS or JSON)", cmd_solve},
      {"plan serve", "A deployment for unlike machines: instances, layouts, router weights",
       cmd_plan_serve},
      {"perf list", "Devices and models of the catalogue", cmd_perf_list},
      {"perf show", "Where the time of an iteration goes on a device", cmd_perf_show},
      {"perf fit", "The instance model of a measured engine", cmd_perf_fit},
      {"simulate", "Routing policies compared on a simulated cluster", cmd_simulate},
      {"help", "This list", nullptr},
      {"version", "The version of this program", nullptr},
  };
  return kCommands;
}

}  // namespace trex::app

int main(int argc, char** argv) { return trex::app::run_program(argc, argv); }
