// trex-model: the verbs that need LibTorch. `trex` runs it in its own place for them.
#include "app/command.h"
#include "app/commands.h"

namespace trex::app {

std::span<const Command> all_commands() {
  static const Command kCommands[] = {
      {"train", "CPT or SFT: a model trained on token shards", cmd_train},
      {"generate", "Text from a checkpoint, for one prompt or a file of them", cmd_generate},
      {"checkpoint inspect", "The tensors of a checkpoint and what model they make",
       cmd_checkpoint_inspect},
  };
  return kCommands;
}

}  // namespace trex::app

int main(int argc, char** argv) { return trex::app::run_program(argc, argv); }
