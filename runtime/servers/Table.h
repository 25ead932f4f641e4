// A table as a server has it: who may see which of its steps, and what pushes do to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLE_H
#define TUTTI_RUNTIME_SERVERS_TABLE_H

#include "runtime/servers/RowsAhead.h"
#include "runtime/servers/TableRows.h"
#include "runtime/servers/TableStatistics.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace tutti::runtime::servers {

/// Its rows, the policy by which pushes update them, and the rows that workers have asked for
/// ahead: one lock for all of them, and the waits of workers. Any number of threads.
class Table {
public:
  using Due = servers::Due;
  using Presence = servers::Presence;

  Table(const worker::ServedTable &table, int64_t workers, RowStore store, RowUpdate update)
      : table(table), policy(StepPolicy::make(table, workers, update.scalar_bytes())),
        rows(table, std::move(store), std::move(update)), ahead(workers) {}

  /// Copies `count` rows, as they are before step `step`, to `out`; with `states`, each with what
  /// the optimizer keeps of it after it, once all is settled. Gives up when no worker has pushed
  /// for `seconds`. `worker` is who asks; -1: nobody whose push would follow.
  Error pull(int64_t step, const int64_t *rows, int64_t count, char *out, double seconds,
             bool states = false, Due due = Due::in_turn, int64_t worker = -1);

  /// Copies `count` rows, each once, as they are now to `out`, and remembers for worker `worker`
  /// that it has them until it pulls step `step`. It forgets what that worker asked for ahead
  /// before.
  Error prefetch(int64_t worker, int64_t step, const int64_t *rows, int64_t count, char *out);
  /// Waits as pull() does. What has changed since prefetch(): rows of these positions in its list,
  /// one after the other. So whoever replaces them has what a pull gives. Forgets the list.
  Error pull_prefetched(int64_t worker, int64_t step, double seconds,
                        std::vector<int64_t> &positions, std::vector<char> &changed_rows);

  /// Takes the gradients of worker `worker` in step `step`, the next of that worker. A push that
  /// was taken before is not taken again. One after the common steps of a table that warms up
  /// waits for these, as pull() does.
  Error push(int64_t worker, int64_t step, const int64_t *rows, int64_t count,
             const char *gradients, std::string_view scalars, double seconds = 0);

  /// Worker `worker` is no more here. Whoever is gone stays so until come_back().
  void leave(int64_t worker, Presence now = Presence::gone);
  /// It is there again, and goes on where its pushes end.
  void come_back(int64_t worker);
  /// How many steps it has pushed in, once there are rows.
  Result<int64_t> steps_of(int64_t worker);
  /// Until restore(), at most for `seconds`, there are no rows: who asks for some waits.
  void wait_for_rows(double seconds);
  /// An asynchronous table takes no further pushes until it is watched, or for `seconds`. How many
  /// each worker has made.
  std::vector<int64_t> hold(double seconds);
  /// Who has to know of changes. Told while nobody else has the rows.
  class Watcher {
  public:
    virtual ~Watcher() = default;
    /// The table has seen `steps` steps, and `store` is how it is after them.
    virtual void stands_after(int64_t steps, const RowStore &store) = 0;
    /// `rows` are about to change. As long as somebody watches, rows whose time is over stay.
    virtual void before_change(RowStore &store, const std::vector<int64_t> &rows) = 0;
    /// Whether rows may change: what they were is kept until it is read. Pushes wait until then.
    virtual bool has_room() const = 0;
    /// A number that grows as long as room is being made.
    virtual int64_t progress() const = 0;
    /// The table waits no longer, and nobody watches any more.
    virtual void is_given_up(const Error &why) = 0;
  };
  /// From now on `watcher` is told, first of where the table stands; null: nobody is. An
  /// asynchronous table that is held goes on, but first comes to stand where each worker has made
  /// as many pushes as `workers` says, and no more; the watcher is told then. Workers that are gone
  /// may have made fewer, which is warned of. If the time of hold() ends before, it is given up. An
  /// error if some have made more already: nobody watches then.
  Error watch(Watcher *watcher, const std::vector<int64_t> &workers = {});
  /// Runs `use` while nobody else has the rows.
  Error with_rows(const std::function<Error(RowStore &)> &use);
  /// The table becomes what `fill` makes of an empty one, after `steps` steps: of each worker, or
  /// if it is asynchronous and `workers` is for as many as there are, of each as many as it says.
  Error restore(int64_t steps, const std::function<Error(RowStore &)> &fill,
                const std::vector<int64_t> &workers = {});

  /// Wakes all who wait, with `why`: the run has failed.
  void abandon(const Error &why);

  const worker::ServedTable &description() const { return table; }
  /// What was done here so far.
  TableStatistics statistics() const;
  /// Waits for all pushes of the steps before `step`, as pull() does.
  Error settle(int64_t step, double seconds);
  /// How many steps of all workers the rows have seen.
  int64_t steps() const;
  /// A text for each who waits now: "worker 1 waits in step 5 for rows of table 'user.weight', and
  /// they for the push of worker 2 in step 4". Steps count from 0.
  std::vector<std::string> waits() const;

private:
  /// Someone who waits before a step.
  struct Waiting {
    int64_t worker, step;
    Due due;
  };
  using Lock = std::unique_lock<std::mutex>;

  Error check_request(int64_t step, const int64_t *rows, int64_t count) const;
  Error read(const int64_t *rows, int64_t count, bool states, char *out);
  Error update_rows();
  Error wait(Lock &lock, const Waiting &who, double seconds);
  Error wait_in_list(Lock &lock, const Waiting &who, double seconds);
  Error wait_until_filled(Lock &lock);
  Error wait_for_turn(Lock &lock, int64_t worker);
  Error wait_for_room(Lock &lock, double seconds);
  void give_up_limits();
  void give_up_save(const Error &why);
  void tell_watcher();

  const worker::ServedTable table;
  mutable std::mutex mutex; ///< of all below
  std::condition_variable changed;
  std::unique_ptr<StepPolicy> policy;
  TableRows rows;
  RowsAhead ahead;
  int64_t changes = 0; ///< pushes taken, and workers that left
  std::vector<const Waiting *> waiting;
  Watcher *watcher = nullptr;
  using Clock = std::chrono::steady_clock;
  bool is_filled = true;
  Clock::time_point deadline; ///< until when it is held, or may be without rows
  TableStatistics counted;    ///< what is done to the store, which counts the rest itself
  std::optional<Error> failure;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_TABLE_H
