// All workers go through a step together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/StepPolicy.h"

namespace tutti::runtime::servers {
namespace {

class SynchronousSteps final : public StepPolicy {
public:
  using StepPolicy::StepPolicy;

  bool is_early(int64_t, int64_t) const override { return false; }
  int64_t age() const override { return updates; }
  Error begin_save(const std::vector<int64_t> &) override { return Error::success(); }
  void note_pull(int64_t, int64_t) override {}
  StalenessStatistics staleness() const override { return {}; }

private:
  /// The rows have seen as many steps as the slowest has pushed.
  int64_t steps_needed(int64_t step, Due) const override { return step; }
  bool is_alone(int64_t) const override { return false; }
  bool may_miss(int64_t) const override { return false; }
  void note_push(int64_t, int64_t) override {}
  int64_t updates_of(const StepGradients &) const override { return 1; }
  int64_t restore_updates(int64_t steps, const std::vector<int64_t> &) override { return steps; }
};

} // namespace

std::unique_ptr<StepPolicy> make_synchronous_steps(const worker::ServedTable &table,
                                                   int64_t workers, int64_t scalar_bytes) {
  return std::make_unique<SynchronousSteps>(table, workers, scalar_bytes);
}

} // namespace tutti::runtime::servers
