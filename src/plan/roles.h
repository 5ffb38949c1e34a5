// Prefill and decode on instances of their own (heterogeneous serving, sections 5.8, 8.6 and 9.11):
// what such a pair of pools carries, and which instance should change sides.
//
// X = min(sum of prefill instances' 1/c_pre, sum of decode instances' B/(O*T_dec), links/kv(I)),
// each at its planned utilisation. An instance takes the mix of its model's classes. Instances
// without a role serve whole requests beside them.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "plan/search.h"

namespace trex::plan {

// Below this gain a change is not worth a restart: the hysteresis of section 8.6.
inline constexpr double kWorthGain = 0.15;

enum class Role { Both, Prefill, Decode };

// "prefill", "decode"; "" for both.
std::string to_string(Role role);

// Of an instance of a plan file: "role" is "prefill", "decode" or absent. Throws Input for another.
Role role_of(const JsonObject& instance);

// What an instance does: its shape, an index into the problem's, and its role.
struct Duty {
  size_t shape = 0;
  Role role = Role::Both;
  auto operator<=>(const Duty&) const = default;
};

// Instances of each duty on each machine; a pipeline across machines counts at its first one.
using Duties = std::map<std::string, std::map<Duty, int64_t>>;

// The factor on the classes' rates that these instances carry, like scale_of.
double carried_by(const Problem& problem, const Duties& duties);

// Demand over what the instances carry at their planned utilisation; infinite when they carry
// nothing.
struct PhaseLoad {
  std::string model;
  double prefill = 0, decode = 0;
  double network = 0;  // of the caches on their way; 0 on one machine
};
// Of each model that has instances with roles, at the rates of the classes (those without any count
// 1 request/s).
std::vector<PhaseLoad> phase_loads(const Problem& problem, const Duties& duties);

struct RoleFlip {
  std::string machine;
  Duty from;
  Role to = Role::Both;
  double load_before = 0, load_after = 0;  // of the side that it joins
  double gain = 0;                         // in requests/s of the model: 0.3 is 30 %
};
// The change of one instance's role that gains most in the worst of these moments, 15 % at least;
// its numbers are `whole`'s. Every model keeps an instance on each side.
std::optional<RoleFlip> best_flip(const Problem& whole, const std::vector<Problem>& moments,
                                  const Duties& running);

}  // namespace trex::plan
