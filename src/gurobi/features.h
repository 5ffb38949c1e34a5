// Which parts of the package a program used, for its report: "quicksum", "Var.X", "Model.addVars".
//
// What the package's own Python calls from within a part does not count: a part that is written in
// Python begins and ends, and only what is used outside of all parts is remembered. From one
// thread, as Python calls them.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace trex::gurobi {

class Features {
 public:
  void use(const std::string& name) {
    if (depth_ == 0) used_.insert(name);
  }
  // For what only programs do.
  void use_always(const std::string& name) { used_.insert(name); }
  void begin(const std::string& name) {
    use(name);
    ++depth_;
  }
  void end() { --depth_; }

  // The program's own code runs within a part (a generator): returns what resume() needs.
  int pause() { return std::exchange(depth_, 0); }
  void resume(int depth) { depth_ = depth; }

  const std::set<std::string>& used() const { return used_; }

 private:
  std::set<std::string> used_;
  int depth_ = 0;
};

// Those of this process.
Features& features();

}  // namespace trex::gurobi
