// A table as a server has it: who may see which of its steps, and what pushes do to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLE_H
#define TUTTI_RUNTIME_SERVERS_TABLE_H

#include "runtime/servers/RowDivision.h"
#include "runtime/servers/RowUpdate.h"
#include "runtime/servers/Staleness.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace tutti::runtime::servers {

/// In step, every worker pushes once in each step, and the rows are updated once, with the
/// gradients of all workers. Gradients of a row are added up in the order of the workers, starting
/// from 0; each worker's in the order of its list. So the result depends neither on who comes first
/// nor on how many servers share the table.
///
/// Asynchronously, each push updates the rows at once, by its worker's gradients alone; but for
/// those of the steps in which the table warms up, which are common ones. Of these nobody waits for
/// a worker that is away, and what it pushes late counts alone. Any number of threads.
class Table {
public:
  Table(const worker::ServedTable &table, int64_t workers, RowStore store, RowUpdate update)
      : table(table), store(std::move(store)), update(std::move(update)), pushed(workers),
        presence(workers, Presence::here), ahead(workers), is_warm(table.warm_up == 0),
        staleness(workers) {}

  /// What a pull waits for.
  enum class Due {
    in_turn, ///< what the mode promises a worker before its step
    settled  ///< all pushes of the steps before, but of workers that are gone
  };

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

  /// Whether a worker is at the table.
  enum class Presence {
    here,
    away, ///< it has died, and is started again: saves and settle() wait for it, its peers do not
    gone  ///< it is done, or has died for good: nobody waits for it
  };
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

  int64_t rows() const { return table.rows(); }
  /// Of what a pull copies for each row.
  int64_t bytes_of(bool states) const { return states ? store.whole_bytes() : store.row_bytes(); }
  worker::ServedTable::Wire wire() const { return table.wire; }
  bool is_asynchronous() const { return table.is_asynchronous; }
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
  struct Push {
    std::vector<int64_t> rows;
    std::vector<char> gradients;
  };
  /// What an update takes.
  struct Step {
    std::vector<std::optional<Push>> pushes; ///< by worker
    std::string scalars;
    int64_t first_worker = -1; ///< who brought them
    int64_t arrived = 0;       ///< how many of the pushes
  };

  /// What a worker has asked for ahead.
  struct Ahead {
    int64_t step = -1; ///< for which; -1: nothing
    std::vector<int64_t> rows;
    std::vector<bool> is_changed; ///< since then
  };

  Error check_worker(int64_t worker) const;
  Error check_ahead(int64_t worker, int64_t step) const;
  void mark_changed();
  Error check_request(int64_t step, const int64_t *rows, int64_t count) const;
  /// Someone who waits before a step.
  struct Waiting {
    int64_t worker, step;
    Due due;
  };

  int64_t steps_needed(int64_t step, Due due) const;
  bool is_due(int64_t step, Due due) const;
  std::string missing(int64_t step, Due due) const;
  int64_t steps_ahead(int64_t worker, int64_t step) const;
  bool is_awaited(int64_t worker, Due due) const;
  int64_t steps_of_slowest(Due due) const;
  int64_t clock() const;
  Error wait_until_filled(std::unique_lock<std::mutex> &lock);
  Error wait_for_turn(std::unique_lock<std::mutex> &lock, int64_t worker);
  bool has_reached_limits() const;
  void give_up_limits();
  void give_up_save(const Error &why);
  Error wait_for_room(std::unique_lock<std::mutex> &lock, double seconds);
  void warn_of_lost_pushes();
  void tell_watcher();
  Error wait(std::unique_lock<std::mutex> &lock, const Waiting &who, double seconds);
  Error wait_in_list(std::unique_lock<std::mutex> &lock, const Waiting &who, double seconds);
  bool is_alone(int64_t step) const;
  Result<Step *> step_of(int64_t worker, int64_t step, std::string_view scalars);
  bool is_complete(const Step &step) const;
  Error update_if_complete();
  Error update_with_first(int64_t counts);
  Error apply(const Step &step);
  template <typename T> Error apply_as(const Step &step);

  worker::ServedTable table;
  mutable std::mutex mutex; ///< of all below
  std::condition_variable changed;
  RowStore store;
  RowUpdate update;
  DistinctRows distinct;          ///< of an update
  std::vector<int64_t> pushed;    ///< steps that each worker has pushed
  std::vector<Presence> presence; ///< by worker
  std::vector<Ahead> ahead;       ///< by worker
  /// From the next update on. A worker that has no row here pulls none, and may be ahead.
  std::deque<Step> open;
  bool is_warm;             ///< an asynchronous table has its common steps after it
  int64_t common_steps = 0; ///< that the rows have seen
  int64_t updates = 0;      ///< steps, or asynchronous pushes, that the rows have seen
  int64_t changes = 0;      ///< pushes taken, and workers that left
  std::vector<const Waiting *> waiting;
  Staleness staleness; ///< counts where the table is asynchronous
  Watcher *watcher = nullptr;
  bool has_warned = false; ///< of pushes that are lost
  using Clock = std::chrono::steady_clock;
  bool is_filled = true;
  bool is_held = false;        ///< takes no pushes of asynchronous workers
  std::vector<int64_t> limits; ///< of `pushed`, until it stands there; else empty
  Clock::time_point deadline;  ///< until when it is held, or may be without rows
  TableStatistics counted;     ///< what is done to the store, which counts the rest itself
  std::optional<Error> failure;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_TABLE_H
