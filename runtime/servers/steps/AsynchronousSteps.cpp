// Each worker goes through its steps by itself, once the common ones are over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/StepPolicy.h"

#include <algorithm>
#include <numeric>

namespace tutti::runtime::servers {
namespace {

class AsynchronousSteps final : public StepPolicy {
public:
  AsynchronousSteps(const worker::ServedTable &table, int64_t workers, int64_t scalar_bytes)
      : StepPolicy(table, workers, scalar_bytes), counted(workers) {}

  /// Who has no row here pulls none, and would push before the common steps are over.
  bool is_early(int64_t worker, int64_t step) const override {
    return !is_warm() && step >= table.warm_up && step == workers.pushed[worker];
  }

  int64_t age() const override { return updates / workers.count(); }

  Error begin_save(const std::vector<int64_t> &steps) override { return limits.set(steps); }

  void note_pull(int64_t worker, int64_t step) override {
    if (workers.has(worker))
      counted.pull(worker, step, updates_of_others(worker), workers.ahead(worker, step));
  }

  StalenessStatistics staleness() const override { return counted.counted(); }

private:
  /// The common steps are over.
  bool is_warm() const { return common_steps >= table.warm_up; }
  int64_t updates_of_others(int64_t worker) const { return updates - workers.pushed[worker]; }

  int64_t steps_needed(int64_t step, Due due) const override {
    if (due == Due::settled)
      return step;
    if (!is_warm())
      return std::min(step, table.warm_up);
    return table.staleness < 0 ? 0 : step - table.staleness;
  }

  bool is_alone(int64_t step) const override { return is_warm() || step < common_steps; }

  bool may_miss(int64_t worker) const override {
    return workers.presence[worker] != Presence::here;
  }

  void note_push(int64_t worker, int64_t step) override {
    counted.push(worker, step, updates_of_others(worker));
  }

  int64_t updates_of(const StepGradients &step) const override { return step.arrived; }

  int64_t restore_updates(int64_t, const std::vector<int64_t> &of_workers) override {
    if (int64_t(of_workers.size()) == workers.count())
      std::copy(of_workers.begin(), of_workers.end(), workers.pushed.begin());
    return std::accumulate(workers.pushed.begin(), workers.pushed.end(), int64_t(0));
  }

  Staleness counted;
};

} // namespace

std::unique_ptr<StepPolicy> make_asynchronous_steps(const worker::ServedTable &table,
                                                    int64_t workers, int64_t scalar_bytes) {
  return std::make_unique<AsynchronousSteps>(table, workers, scalar_bytes);
}

} // namespace tutti::runtime::servers
