// What stands behind tutti_context: identity of the rank, its transports and groups, the first
// error, the counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_CONTEXT_H
#define TUTTI_RUNTIME_ENGINE_CORE_CONTEXT_H

#include "runtime/engine/core/FlightRecorder.h"
#include "runtime/engine/core/Groups.h"
#include "runtime/engine/core/Scratch.h"
#include "runtime/engine/core/Sharding.h"
#include "runtime/support/Error.h"
#include "tutti/context.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime {
class CommunicationThread;
class PeerMonitor;
class WaitReporter;
namespace trace {
class Recorder;
}
} // namespace tutti::runtime

/// One rank of one run. Its functions are called from one thread at a time; beside it there may be
/// the communication thread, which records errors, reads the step and the plan, counts what it
/// stages, and nothing else.
struct tutti_context {
  tutti_context();
  tutti_context(const tutti_context &) = delete;
  ~tutti_context();

  /// Records `error` unless there is one already, and tells the peers. Thread-safe.
  void fail(int32_t status, const std::string &message) noexcept;
  bool ok() const { return status.load(std::memory_order_acquire) == TUTTI_OK; }
  /// "plan entry 3 (all_reduce mean of fc.weight)"; "the exchange of plans" for negative entries.
  std::string plan_entry_text(int64_t plan_entry) const;
  /// "rank 1 of 4, step 12, plan entry 3 (...)": where an error happened.
  std::string where(int64_t plan_entry) const;

  int32_t rank = 0;
  int32_t size = 1;
  int32_t reduction_order = TUTTI_ORDER_RANKS;
  tutti_limits limits = {10, 300, 1};

  tutti::runtime::Transport world_transport; ///< reaches every rank
  tutti::runtime::Transport node_transport;  ///< reaches this node's ranks through memory, if open
  tutti::runtime::Groups groups;
  int32_t local_rank = 0; ///< among the ranks of this node
  int32_t local_size = 1;
  std::vector<int64_t> node_of_rank; ///< nodes are numbered by their first rank

  std::atomic<int32_t> status{TUTTI_OK};
  std::string message; ///< written once, before `status`

  uint64_t seed = 0;
  std::atomic<int64_t> step{0};
  tutti::runtime::Shard shard;
  int64_t neighbours = 1; ///< ranks that have the same samples
  int64_t local_batch = 1;

  const tutti_row_service *rows = nullptr;             ///< the host's; null: there are no servers
  std::unique_ptr<tutti::runtime::WaitReporter> waits; ///< null where `rows` cannot tell of them
  const tutti_state_service *states = nullptr; ///< the host's; null: all states are in memory

  std::vector<std::string> plan;          ///< texts of plan entries by id
  std::string described_run;              ///< see tutti_context_describe_run
  tutti_counters counters = {};           ///< of the caller's thread
  std::atomic<int64_t> staged_bytes{0};   ///< of both threads; backends add to it
  tutti::runtime::Scratch scratch;        ///< of collectives on the caller's thread
  tutti::runtime::Scratch scratch_beside; ///< and on the communication thread
  std::shared_ptr<void> kernel_state; ///< primitives and scratch that kernels keep between calls

  /// The kernel that runs on the caller's thread, for handlers of signals.
  struct Running {
    std::atomic<const char *> kernel{nullptr};  ///< its name; null: none
    std::atomic<const int64_t *> node{nullptr}; ///< the words that name the node
  };
  Running running;

  std::optional<int64_t> recorded_future; ///< between async_begin and async_end
  std::unique_ptr<tutti::runtime::CommunicationThread> communication_thread; ///< once needed

  std::unique_ptr<tutti::runtime::PeerMonitor> monitor; ///< to another rank of this node, if needed

  tutti::runtime::FlightRecorder flight; ///< of both threads

  tutti::runtime::trace::Recorder *trace = nullptr; ///< the host's; null: nothing is recorded

  struct Mapping {
    void *memory;
    size_t bytes;
  };
  std::vector<Mapping> mappings; ///< private memory given out

private:
  std::mutex failing;
};

#endif // TUTTI_RUNTIME_ENGINE_CORE_CONTEXT_H
