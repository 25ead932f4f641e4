// Dividing a machine by its topology, which hwloc reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Cores.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <hwloc.h>

namespace tutti::runtime::worker {
namespace {

/// Of a rank: its transport, or what it communicates beside its steps, has a thread too. On a core
/// that both share each waits for the scheduler to end the other's turn.
constexpr int64_t least_cores = 2;

/// Some systems tell of processors alone.
int core_depth(hwloc_topology_t topology) {
  int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
  return depth < 0 ? hwloc_get_type_depth(topology, HWLOC_OBJ_PU) : depth;
}

Processors processors_of(hwloc_const_bitmap_t set) {
  Processors all;
  for (int number = hwloc_bitmap_first(set); number >= 0; number = hwloc_bitmap_next(set, number))
    all.push_back(number);
  return all;
}

} // namespace

std::string spell(const Processors &processors) {
  std::string all;
  for (size_t first = 0; first < processors.size();) {
    size_t last = first;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1)
      ++last;
    all += text(all.empty() ? "" : ",", processors[first]);
    if (last > first)
      all += text("-", processors[last]);
    first = last + 1;
  }
  return all;
}

void Cores::Delete::operator()(hwloc_topology *topology) const { hwloc_topology_destroy(topology); }

Cores Cores::of_machine() {
  Cores cores;
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) == 0)
    cores.topology.reset(made);
  hwloc_bitmap_t own = hwloc_bitmap_alloc();
  if (!made || !own || hwloc_topology_load(made) != 0 ||
      hwloc_get_cpubind(made, own, HWLOC_CPUBIND_THREAD) != 0) {
    cores.problem = "the topology of this machine cannot be read";
    cores.topology.reset();
  } else {
    cores.is_bound = !hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(made), own);
  }
  hwloc_bitmap_free(own);
  return cores;
}

Cores Cores::synthetic(const std::string &description) {
  Cores cores;
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) == 0)
    cores.topology.reset(made);
  if (!made || hwloc_topology_set_synthetic(made, description.c_str()) != 0 ||
      hwloc_topology_load(made) != 0) {
    cores.problem = "'" + description + "' is no topology";
    cores.topology.reset();
  }
  return cores;
}

int64_t Cores::count() const {
  return topology ? int64_t(hwloc_get_nbobjs_by_depth(topology.get(), core_depth(topology.get())))
                  : 0;
}

std::string Cores::why_not(int64_t ranks) const {
  if (!problem.empty())
    return problem;
  if (is_bound)
    return "this process is bound to a part of its processors already";
  if (ranks * least_cores > count())
    return text("there are ", ranks, ranks == 1 ? " rank and " : " ranks and ", count(),
                count() == 1 ? " core" : " cores", ", less than two a rank");
  return "";
}

std::vector<Processors> Cores::divide(int64_t ranks) const {
  if (!topology || ranks < 1 || ranks > count())
    return {};
  std::vector<hwloc_bitmap_t> sets(static_cast<size_t>(ranks), nullptr);
  hwloc_obj_t whole = hwloc_get_root_obj(topology.get());
  std::vector<Processors> parts;
  if (hwloc_distrib(topology.get(), &whole, 1, sets.data(), unsigned(ranks),
                    core_depth(topology.get()), 0) == 0)
    for (hwloc_bitmap_t set : sets)
      parts.push_back(processors_of(set));
  for (hwloc_bitmap_t set : sets)
    hwloc_bitmap_free(set);
  return parts;
}

} // namespace tutti::runtime::worker
