// What all tables do with pushes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/StepPolicy.h"

#include <algorithm>

namespace tutti::runtime::servers {

std::unique_ptr<StepPolicy> StepPolicy::make(const worker::ServedTable &table, int64_t workers,
                                             int64_t scalar_bytes) {
  return table.is_asynchronous ? make_asynchronous_steps(table, workers, scalar_bytes)
                               : make_synchronous_steps(table, workers, scalar_bytes);
}

/// The step that a push belongs to, if it is this worker's turn and the workers agree.
Result<StepGradients *> StepPolicy::step_of(int64_t worker, int64_t step, std::string_view given) {
  constexpr int64_t most_ahead = 256;
  int64_t before = workers.pushed[worker];
  if (step > before)
    return Error::make(TUTTI_INVALID_ARGUMENT, "worker ", worker, " pushes to table '", table.name,
                       "' in step ", uint64_t(step) + 1, ", but has pushed in ", before,
                       " steps before");
  if (int64_t(given.size()) != scalar_bytes)
    return Error::make(TUTTI_INVALID_ARGUMENT, "a push brings ", given.size(),
                       " bytes of scalars, the update of table '", table.name, "' takes ",
                       scalar_bytes);
  if (is_alone(step)) {
    StepGradients &own = open.emplace_front();
    own.pushes.resize(workers.pushed.size());
    own.is_alone = true;
    return &own;
  }
  int64_t ahead = step - common_steps;
  if (ahead >= most_ahead)
    return Error::make(TUTTI_INVALID_ARGUMENT, "worker ", worker, " pushes to table '", table.name,
                       "' in step ", step + 1, ", but not all have pushed in step ",
                       common_steps + 1);
  if (size_t(ahead) == open.size())
    open.emplace_back().pushes.resize(workers.pushed.size());
  StepGradients &wanted = open[ahead];
  if (wanted.arrived > 0 && wanted.scalars != given)
    return Error::make(TUTTI_PLAN_MISMATCH, "workers ", wanted.first_worker, " and ", worker,
                       " push other rates or counters to table '", table.name, "' in step ",
                       step + 1);
  return &wanted;
}

Error StepPolicy::add(int64_t worker, int64_t step, Gradients gradients, std::string_view scalars) {
  Result<StepGradients *> wanted = step_of(worker, step, scalars);
  if (!wanted)
    return wanted.error();
  StepGradients &joined = **wanted;
  if (joined.arrived++ == 0) {
    joined.scalars = scalars;
    joined.first_worker = worker;
  }
  joined.pushes[worker] = std::move(gradients);
  note_push(worker, step);
  ++workers.pushed[worker];
  return Error::success();
}

bool StepPolicy::is_complete(const StepGradients &step) const {
  for (int64_t worker = 0; worker < workers.count(); ++worker)
    if (!step.pushes[worker] && !may_miss(worker))
      return false;
  return step.arrived > 0;
}

const StepGradients *StepPolicy::next() const {
  bool is_whole = !open.empty() && (open.front().is_alone || is_complete(open.front()));
  return is_whole ? &open.front() : nullptr;
}

void StepPolicy::finish() {
  updates += updates_of(open.front());
  common_steps += open.front().is_alone ? 0 : 1;
  open.pop_front();
}

void StepPolicy::restore(int64_t steps, const std::vector<int64_t> &of_workers) {
  open.clear();
  std::fill(workers.pushed.begin(), workers.pushed.end(), steps);
  updates = restore_updates(steps, of_workers);
  common_steps = workers.of_all();
}

} // namespace tutti::runtime::servers
