// Cores of their own for the ranks of this machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_CORES_H
#define TUTTI_RUNTIME_HOST_LAUNCH_CORES_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct hwloc_topology;

namespace tutti::runtime::worker {

/// Numbers of processors, as the system counts them.
using Processors = std::vector<int32_t>;

/// "0-3,8-11".
std::string spell(const Processors &processors);

/// The cores that this process may use, by what they share: memory, caches. A core with several
/// processors stays whole.
class Cores {
public:
  /// Of this machine and the control group of this process; `problem` if it cannot be told.
  static Cores of_machine();
  /// Of a machine that hwloc makes up, as "numa:2 core:4 pu:2".
  static Cores synthetic(const std::string &description);

  int64_t count() const;
  /// Why no rank is to be bound to cores of its own; empty: each of `ranks` may be.
  std::string why_not(int64_t ranks) const;
  /// Of each rank, all cores of the machine dealt to them: neighbours share what is nearest. Empty
  /// where it cannot be.
  std::vector<Processors> divide(int64_t ranks) const;

private:
  struct Delete {
    void operator()(hwloc_topology *topology) const;
  };
  std::unique_ptr<hwloc_topology, Delete> topology; ///< null: `problem`
  std::string problem;
  bool is_bound = false; ///< somebody has left this thread a part of the cores
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_CORES_H
