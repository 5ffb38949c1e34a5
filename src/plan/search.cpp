#include "plan/search.h"

#include <algorithm>
#include <numeric>

namespace trex::plan {
double price_of(const Shape& shape, const std::vector<MachineKind>& kinds) {
  double usd_h = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    usd_h += kinds[k].price_usd_h * static_cast<double>(shape.devices_of_kind(k, kinds)) /
             static_cast<double>(kinds[k].num_devices);
  }
  return usd_h;
}

double planned_utilisation(const Shape& shape, const std::vector<RequestClass>& classes) {
  for (size_t c = 0; c < classes.size(); ++c) {
    if (shape.classes[c].requests_per_s > 0 && !classes[c].is_bulk) return 0.85;
  }
  return 0.95;
}

double nominal_rate(const RequestClass& request_class) {
  return request_class.requests_per_s > 0 ? request_class.requests_per_s : 1.0;
}

Selection search(const Problem& problem) {
  const bool crosses = std::any_of(problem.shapes.begin(), problem.shapes.end(),
                                   [](const Shape& shape) { return shape.crosses_machines(); });
  const bool is_simple =
      problem.classes.size() == 1 && problem.objective == Objective::Throughput && !crosses;
  return is_simple ? fill_machines(problem) : solve_program(problem);
}

Selection fill_machines(const Problem& problem) {
  Selection selection;
  selection.is_feasible = true;
  selection.counts.assign(problem.shapes.size(), 0);
  for (size_t k = 0; k < problem.kinds.size(); ++k) {
    const MachineKind& kind = problem.kinds[k];
    const auto devices = static_cast<size_t>(kind.num_devices);
    // best[n]: most requests/s on n devices; last[n]: the shape added last, or none.
    std::vector<double> best(devices + 1, 0.0);
    std::vector<int64_t> last(devices + 1, -1);
    for (size_t n = 1; n <= devices; ++n) {
      best[n] = best[n - 1];
      for (size_t s = 0; s < problem.shapes.size(); ++s) {
        const Shape& shape = problem.shapes[s];
        const auto used = static_cast<size_t>(shape.layout.devices());
        if (shape.kind != k || used > n) continue;
        const double value = best[n - used] + shape.classes[0].requests_per_s *
                                                  planned_utilisation(shape, problem.classes);
        if (value > best[n]) best[n] = value, last[n] = static_cast<int64_t>(s);
      }
    }
    const auto machines = static_cast<int64_t>(kind.machines.size());
    for (size_t n = devices; n > 0;) {
      if (last[n] < 0) {
        --n;
        continue;
      }
      const auto s = static_cast<size_t>(last[n]);
      selection.counts[s] += machines;
      selection.cost_usd_h +=
          price_of(problem.shapes[s], problem.kinds) * static_cast<double>(machines);
      n -= static_cast<size_t>(problem.shapes[s].layout.devices());
    }
    selection.scale +=
        best[devices] * static_cast<double>(machines) / nominal_rate(problem.classes[0]);
  }
  return selection;
}

std::vector<std::vector<Place>> pack(const Problem& problem, const std::vector<int64_t>& counts) {
  std::vector<std::vector<Place>> places(problem.shapes.size());
  std::vector<std::vector<int64_t>> used(problem.kinds.size());
  for (size_t k = 0; k < problem.kinds.size(); ++k)
    used[k].assign(problem.kinds[k].machines.size(), 0);
  // Whole machines first, then the largest instances (first fit decreasing).
  std::vector<size_t> order(problem.shapes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Shape& left = problem.shapes[a];
    const Shape& right = problem.shapes[b];
    if (left.crosses_machines() != right.crosses_machines()) return left.crosses_machines();
    return left.layout.devices() > right.layout.devices();
  });
  for (const size_t s : order) {
    const Shape& shape = problem.shapes[s];
    for (int64_t i = 0; i < counts[s]; ++i) {
      Place place{.kind = shape.kind};
      if (shape.crosses_machines()) {
        for (const size_t k : shape.stage_kinds) {
          const auto free = std::find(used[k].begin(), used[k].end(), 0);
          if (free == used[k].end()) return {};
          *free = problem.kinds[k].num_devices;
          place.machines.emplace_back(k, static_cast<size_t>(free - used[k].begin()));
        }
        place.machine = place.machines[0].second;
      } else {
        const int64_t wanted = shape.layout.devices();
        const auto& kind = problem.kinds[shape.kind];
        const auto fits =
            std::find_if(used[shape.kind].begin(), used[shape.kind].end(),
                         [&](int64_t taken) { return taken + wanted <= kind.num_devices; });
        if (fits == used[shape.kind].end()) return {};
        for (int64_t d = 0; d < wanted; ++d) place.devices.push_back(*fits + d);
        *fits += wanted;
        place.machine = static_cast<size_t>(fits - used[shape.kind].begin());
      }
      places[s].push_back(std::move(place));
    }
  }
  return places;
}

}  // namespace trex::plan
