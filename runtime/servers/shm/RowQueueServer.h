// A server's tables, for workers of the same machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUESERVER_H
#define TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUESERVER_H

#include "runtime/servers/RowService.h"
#include "runtime/servers/shm/RowQueue.h"

#include <atomic>
#include <thread>

namespace tutti::runtime::servers {

/// Answers the requests of all workers, each with a thread of its own, until it is destroyed. What
/// workers write is checked before it is used.
class RowQueueServer {
public:
  /// For the workers of the file of `descriptor`, which stays the caller's; `tables` must
  /// outlive it. A worker waits for another at most `seconds`.
  static Result<std::unique_ptr<RowQueueServer>> start(int descriptor, std::vector<Table *> tables,
                                                       double seconds);
  ~RowQueueServer();

private:
  RowQueueServer(std::vector<Table *> tables, double seconds)
      : tables(tables), service(std::move(tables), seconds) {}

  void answer_all(int64_t worker);

  std::vector<Table *> tables;
  RowService service;
  std::vector<RowQueue> queues; ///< by worker
  std::atomic<bool> is_ending{false};
  std::vector<std::thread> threads;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUESERVER_H
