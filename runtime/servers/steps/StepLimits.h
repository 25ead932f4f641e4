// Where the workers of a table are to stand when it is saved, if they do not go in step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STEPS_STEPLIMITS_H
#define TUTTI_RUNTIME_SERVERS_STEPS_STEPLIMITS_H

#include "runtime/servers/steps/WorkerSteps.h"

namespace tutti::runtime::servers {

/// First nobody may push; then each worker as often as is said, until all have. Workers in step
/// are never held, and have no limits. One thread at a time.
class StepLimits {
public:
  /// Of the workers of table `table`, who must outlive it.
  StepLimits(std::string table, const WorkerSteps &workers)
      : table(std::move(table)), workers(workers) {}

  /// Nobody may push until set() or clear().
  void hold() { is_held = true; }
  /// Each worker may push in as many steps as `steps` says. An error if one has pushed in more.
  Error set(const std::vector<int64_t> &steps);
  void clear();
  bool has_any() const { return !limits.empty(); }

  bool allow(int64_t worker) const {
    return !is_held && (limits.empty() || workers.pushed[worker] < limits[worker]);
  }
  /// Whether the table stands where it is to. Workers that are gone may have made fewer pushes; one
  /// that is away may have died after its push had come to other servers alone.
  bool are_reached() const;
  /// "worker 1 has made 0 of 1 pushes"
  std::string missing() const;
  /// Warns, once in all, of pushes that workers who are gone did not make here: whoever resumes
  /// from what is saved begins after them.
  void warn_of_lost_pushes();

private:
  bool lacks(int64_t worker) const {
    return workers.presence[worker] != Presence::gone && workers.pushed[worker] < limits[worker];
  }

  std::string table;
  const WorkerSteps &workers;
  bool is_held = false;
  std::vector<int64_t> limits; ///< by worker; empty: none
  bool has_warned = false;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STEPS_STEPLIMITS_H
