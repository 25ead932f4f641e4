// Which workers are there, for a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_MEMBERSHIP_H
#define TUTTI_RUNTIME_SERVERS_RPC_MEMBERSHIP_H

#include "runtime/servers/Table.h"

#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

namespace tutti::runtime::servers {

/// How people call workers, by number; where a list is shorter, they have their numbers alone.
struct WorkerNames {
  std::vector<std::string> names;     ///< "chief 0"
  std::vector<std::string> addresses; ///< where they are started

  std::string name(int64_t worker) const;
  /// "worker 1 (10.0.0.2:2222)"
  std::string place(int64_t worker) const;
};

/// Each worker comes once and goes once: done, failed, or dead. Asynchronous tables do without one
/// that has died, and it may come back. In step the run has failed then, and whoever waits is told;
/// with a launcher that watches all processes that is the launcher's to say. Any number of threads.
class Membership {
public:
  /// `own` is how people call this server; if that is empty, it says nothing while it waits.
  Membership(int64_t workers, std::vector<Table *> tables, bool is_supervised,
             WorkerNames names = {}, std::string own = {})
      : tables(std::move(tables)), is_supervised(is_supervised), names(std::move(names)),
        own(std::move(own)), states(workers, State::absent) {}

  Error join(int64_t worker);
  /// `worker` is no part of this run, as `why` says, and wanted to come. That ends the run, unless
  /// all are here already: then it was nobody's.
  void refuse(int64_t worker, const Error &why);
  /// Without `is_done` the worker failed as `failure` says, or died if that is empty.
  void leave(int64_t worker, bool is_done, const std::string &failure);

  /// Asked a few times a second while workers are waited for, with whether one is here. Its error
  /// ends the wait; true: no other will come, so asynchronous ones do without those who have not.
  using Check = std::function<Result<bool>(bool has_workers)>;

  /// Until all workers have come and gone. An error if one did not come for `seconds` (of
  /// asynchronous workers, none), or if the run has failed. After `warn_after` seconds it says on
  /// standard error who is waited for.
  Error wait_for_all(double seconds, const Check &check = nullptr,
                     double warn_after = std::numeric_limits<double>::infinity());

private:
  enum class State { absent, here, gone };

  bool has_any(State state) const;
  bool may_come(State state) const;
  void lose(int64_t worker, bool is_done, const std::string &how);
  template <typename Condition>
  Result<bool> wait_until(std::unique_lock<std::mutex> &lock, double seconds, const Check &check,
                          Condition condition);
  Error wait_until_all_came(std::unique_lock<std::mutex> &lock, double seconds, const Check &check,
                            double warn_after);
  std::string absent_places() const;
  void warn_of_absent(double waited, double seconds) const;
  Error give_up_absent(double seconds);
  void do_without_absent(const std::string &why);
  bool is_asynchronous() const {
    return !tables.empty() && tables.front()->description().is_asynchronous;
  }

  std::vector<Table *> tables;
  bool is_supervised;
  WorkerNames names;
  std::string own;
  std::mutex mutex; ///< of all below
  std::condition_variable changed;
  std::vector<State> states; ///< by worker
  Error failure;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_MEMBERSHIP_H
