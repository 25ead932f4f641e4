// How a run ends that does not compute with numbers any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_NONFINITEWATCH_H
#define TUTTI_RUNTIME_HOST_WORKER_NONFINITEWATCH_H

#include "runtime/host/program/Buffers.h"
#include "runtime/host/run/RunConfig.h"
#include "tutti/context.h"

#include <set>

namespace tutti::runtime::worker {

/// Each rank notes losses that are infinite or no number; all ranks together look at what they hold
/// where somebody has noted one, before each checkpoint, and at the end. Variables that have become
/// infinite or no number end the run, and so does an infinite loss. A loss that is no number does
/// not while all variables are finite: it is the mean over nothing, as of a batch without labels,
/// and has no gradient. Neither does any loss of a program that scales its loss, which leaves out
/// the steps that overflow. What servers hold is not looked at, so with tables every such loss ends
/// the run. Variables of no optimizer that begin like that, as a mask of minus infinities does, may
/// stay so.
class NonFiniteWatch {
public:
  /// All must outlive this object. `plan_entry` names the agreement in messages.
  NonFiniteWatch(tutti_context *context, const WorkerConfig &config, const Manifest &manifest,
                 const Buffers &buffers, int64_t plan_entry);

  /// The loss of a step, from 1.
  void see(int64_t step, double loss);
  /// Whether the ranks should look, because of what this one has seen since they did.
  bool is_alarmed() const { return infinite_step != never || nan_step != never; }

  /// Looks at the variables after `steps_done` steps. Collective, and the same on all ranks: an
  /// error ends the run. `last_checkpoint`: the step of the one that stays; negative: none.
  Error look(int64_t steps_done, int64_t last_checkpoint);

private:
  static constexpr int64_t never = INT64_MAX;

  struct Place {
    int64_t variable, rank, element;
    double value;
  };

  int64_t elements_of(size_t variable) const;
  std::optional<int64_t> find_in(size_t variable) const;
  int64_t first_variable() const;
  Place place_of(int64_t key) const;
  Error judge(int64_t key, int64_t steps_done, int64_t last_checkpoint);
  std::string describe(const Place &place, int64_t steps_done) const;
  Error end(const std::string &what, int64_t speaker, int64_t last_checkpoint);
  void tell(bool &is_told, const std::string &what) const;

  tutti_context *context;
  const WorkerConfig &config;
  const Manifest &manifest;
  const Buffers &buffers;
  int64_t plan_entry;
  bool scales_loss = false;
  std::set<size_t> exempt;                         ///< variables that may be infinite
  int64_t infinite_step = never, nan_step = never; ///< the first ones since the last look
  int64_t first_bad_step = never;                  ///< of the launch
  bool has_noted = false, has_warned = false;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_NONFINITEWATCH_H
