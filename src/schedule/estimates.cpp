#include "schedule/estimates.h"

namespace trex::schedule {
namespace {

constexpr double kNearlyFull = 0.95;

double request_kv_bytes(const Choice& choice, size_t i) { return choice.kv_bytes[i]; }

}  // namespace

double kv_wait_s(const Choice& choice, size_t i) {
  const InstanceView& view = choice.ready[i];
  if (view.kv_capacity_bytes <= 0 || view.in_flight < 1) return 0;
  const double excess =
      view.kv_bytes + request_kv_bytes(choice, i) - kNearlyFull * view.kv_capacity_bytes;
  if (excess <= 0 || view.release_per_s <= 0) return 0;
  const double released_per_s = view.release_per_s * view.kv_bytes / view.in_flight;
  return excess / released_per_s;
}

double kv_price(const Choice& choice, size_t i) {
  constexpr double kMost = 0.99;
  const double share = std::min(kv_share(choice.ready[i], request_kv_bytes(choice, i)), kMost);
  return share / (1 - share);
}

}  // namespace trex::schedule
