// Which pushes make an update of a table's rows, and who waits for whom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STEPS_STEPPOLICY_H
#define TUTTI_RUNTIME_SERVERS_STEPS_STEPPOLICY_H

#include "runtime/host/program/Manifest.h"
#include "runtime/servers/steps/Staleness.h"
#include "runtime/servers/steps/StepLimits.h"

#include <deque>
#include <memory>
#include <optional>
#include <string_view>

namespace tutti::runtime::servers {

/// What one worker pushes in one step.
struct Gradients {
  std::vector<int64_t> rows;
  std::vector<char> values; ///< one a row
};

/// What an update takes.
struct StepGradients {
  std::vector<std::optional<Gradients>> pushes; ///< by worker
  std::string scalars;
  int64_t first_worker = -1; ///< who brought them
  int64_t arrived = 0;       ///< how many of the pushes
  bool is_alone = false;     ///< one push, which is not to wait for others
};

/// In step, every worker pushes once in each step, and the rows are updated once, with the
/// gradients of all workers.
///
/// Asynchronously, each push updates the rows at once, by its worker's gradients alone; but for
/// those of the steps in which the table warms up, which are common ones. Of these nobody waits for
/// a worker that is away, and what it pushes late counts alone.
///
/// The policy keeps pushes until they are an update, and counts; it has no rows, and waits for
/// nobody. One thread at a time.
class StepPolicy {
public:
  /// As `table` says, whose updates take `scalar_bytes` bytes of scalars.
  static std::unique_ptr<StepPolicy> make(const worker::ServedTable &table, int64_t workers,
                                          int64_t scalar_bytes);
  StepPolicy(const worker::ServedTable &table, int64_t workers, int64_t scalar_bytes)
      : workers(workers), limits(table.name, this->workers), table(table),
        scalar_bytes(scalar_bytes) {}
  StepPolicy(const StepPolicy &) = delete;
  virtual ~StepPolicy() = default;

  /// Takes what `worker` pushes in step `step`, its next. What does not fit does not become a part
  /// of an update that others wait for, but is an error.
  Error add(int64_t worker, int64_t step, Gradients gradients, std::string_view scalars);
  /// What updates the rows now; null: nothing yet. Until finish().
  const StepGradients *next() const;
  /// It has updated them.
  void finish();

  /// Whether step `step` may begin, as far as `due` says.
  bool is_due(int64_t step, Due due) const {
    return workers.of_slowest(due) >= steps_needed(step, due);
  }
  /// The pushes that it waits for; see WorkerSteps::missing.
  std::string missing(int64_t step, Due due) const {
    return workers.missing(steps_needed(step, due) - 1, due);
  }
  /// Whether the push of worker `worker` in step `step` has to wait as a pull does.
  virtual bool is_early(int64_t worker, int64_t step) const = 0;

  /// Steps of all workers together: what the age of a row is counted in.
  virtual int64_t age() const = 0;
  /// From now on all workers have pushed in `steps` steps, or each in as many as `of_workers` says,
  /// if it is for them and they need not be equal.
  void restore(int64_t steps, const std::vector<int64_t> &of_workers);
  /// The table is to be saved, where it has as many pushes of each worker as `steps` says if they
  /// do not go in step. An error if it has more.
  virtual Error begin_save(const std::vector<int64_t> &steps) = 0;

  /// Worker `worker`, if there is one, pulls rows for step `step`.
  virtual void note_pull(int64_t worker, int64_t step) = 0;
  /// How old rows were; nothing in step.
  virtual StalenessStatistics staleness() const = 0;

  WorkerSteps workers;
  StepLimits limits; ///< of saves

protected:
  /// What all must have pushed before step `step`.
  virtual int64_t steps_needed(int64_t step, Due due) const = 0;
  /// Whether a push of step `step` is an update of its own: not together with those of others.
  virtual bool is_alone(int64_t step) const = 0;
  /// Whether a common step does without a push of `worker`.
  virtual bool may_miss(int64_t worker) const = 0;
  virtual void note_push(int64_t worker, int64_t step) = 0;
  /// What `updates` grows by with `step`.
  virtual int64_t updates_of(const StepGradients &step) const = 0;
  /// restore() of `workers.pushed`, which are `steps`; gives `updates`.
  virtual int64_t restore_updates(int64_t steps, const std::vector<int64_t> &of_workers) = 0;

  worker::ServedTable table;
  int64_t common_steps = 0; ///< that the rows have seen
  int64_t updates = 0;      ///< steps, or asynchronous pushes, that the rows have seen

private:
  Result<StepGradients *> step_of(int64_t worker, int64_t step, std::string_view scalars);
  bool is_complete(const StepGradients &step) const;

  int64_t scalar_bytes;
  /// From the next update on. A worker that has no row here pulls none, and may be ahead.
  std::deque<StepGradients> open;
};

// The two kinds.
std::unique_ptr<StepPolicy> make_synchronous_steps(const worker::ServedTable &table,
                                                   int64_t workers, int64_t scalar_bytes);
std::unique_ptr<StepPolicy> make_asynchronous_steps(const worker::ServedTable &table,
                                                    int64_t workers, int64_t scalar_bytes);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STEPS_STEPPOLICY_H
