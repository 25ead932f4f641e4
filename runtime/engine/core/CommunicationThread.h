// Collectives beside the caller: what was started runs here, in order of issue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_COMMUNICATIONTHREAD_H
#define TUTTI_RUNTIME_ENGINE_CORE_COMMUNICATIONTHREAD_H

#include "runtime/engine/core/Groups.h"
#include "tutti/context.h"

#include <condition_variable>
#include <list>
#include <thread>

namespace tutti::runtime {

/// A call that outlives the arrays it was made with; not the buffers.
class StartedCall {
public:
  /// In place of the call before, whose arrays have room for this one.
  void keep(const tutti_call &given, int32_t group_size);
  /// Valid as long as this object stays where it is.
  tutti_call call();

private:
  tutti_call fields = {};
  std::vector<const void *> sources;
  std::vector<void *> destinations;
  std::vector<int64_t> elements;
  std::vector<int64_t> layout[4]; ///< of all_to_all_v
};

/// All functions but the loop are called on the context's thread.
class CommunicationThread {
public:
  /// Carries out one call on a communicator, and counts it.
  using Perform = void (*)(tutti_context *context, const Communicator &communicator,
                           const tutti_call &call, int64_t bytes, tutti_counters &counters);

  CommunicationThread(tutti_context *context, Perform perform);
  /// Finishes what was started.
  ~CommunicationThread();

  /// Starts `call` of `bytes` on the group's twin for `future`.
  void start(int64_t future, const Group &group, const tutti_call &call, int64_t bytes);
  /// Returns when all calls of `future` are done.
  void await(int64_t future);
  /// Returns when everything is done.
  void drain();
  bool is_pending(int64_t future) const { return find(future) != started.size(); }
  void note(int64_t future) { started.push_back({future, 0}); }

  /// Adds what has run here so far.
  void add_to(tutti_counters &counters) const;

private:
  struct Task {
    StartedCall call;
    const Communicator *communicator = nullptr;
    int64_t bytes = 0;
  };
  /// A future that is not awaited, and the ticket of its last call; 0: none yet.
  struct Started {
    int64_t future;
    uint64_t ticket;
  };
  size_t find(int64_t future) const;
  void add_task(const Group &group, const tutti_call &call, int64_t bytes);
  void loop();
  void perform_guarded(Task &task, tutti_counters &made);
  void wait_for(uint64_t ticket);

  tutti_context *context;
  Perform perform;
  std::vector<Started> started;
  uint64_t last_ticket = 0;

  mutable std::mutex mutex; ///< guards what follows
  std::condition_variable changed;
  std::list<Task> tasks;
  std::list<Task> spare; ///< tasks that were done, for others to come
  uint64_t done = 0;     ///< tickets up to this one
  bool is_ending = false;
  tutti_counters counters = {};

  std::thread thread; // last: starts when all else is there
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_COMMUNICATIONTHREAD_H
