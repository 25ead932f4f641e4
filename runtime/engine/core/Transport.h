// A world of ranks that one backend reaches: the whole job, or the ranks of one node.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_TRANSPORT_H
#define TUTTI_RUNTIME_ENGINE_CORE_TRANSPORT_H

#include "runtime/engine/core/Scratch.h"
#include "tutti/backend.h"

#include <atomic>
#include <string>
#include <vector>

namespace tutti::runtime {

/// An opened backend; closed at its end. `ranks` are the world ranks it reaches, in its own order.
class Transport {
public:
  /// Opens `backend` for the world ranks `ranks`, of which `own` is this one's position. An error
  /// is recorded in `context`.
  int32_t open(tutti_context *context, const tutti_backend *backend, const char *connection,
               std::vector<int32_t> ranks, int32_t own);
  Transport() = default;
  Transport(const Transport &) = delete;
  ~Transport() { close(); }
  /// Leaves the world, if it is open; its communicators are gone by then.
  void close();

  bool is_open() const { return state; }
  /// Whether memory given to it may still be used after a failure.
  bool is_using_memory() const {
    return state && backend->is_using_memory && backend->is_using_memory(state);
  }
  /// Tells the peers that this rank failed, if it is open. Thread-safe.
  void tell(int32_t status, const char *message) const noexcept;
  /// The positions of `members` (world ranks); empty if it does not reach all of them.
  std::vector<int32_t> positions_of(const std::vector<int32_t> &members) const;
  int32_t world_rank(int32_t position) const { return ranks[position]; }

  const tutti_backend *backend = nullptr;
  std::atomic<void *> state = nullptr; ///< null while it is closing: `tell` may come from a thread

private:
  std::vector<int32_t> ranks;
};

/// A communicator of a transport; left at its end.
class Communicator {
public:
  Communicator() = default;
  Communicator(Communicator &&other) noexcept;
  Communicator &operator=(Communicator &&other) noexcept;
  ~Communicator();

  /// Joins the ranks at `positions` of `transport`, `own` being this one's index among them.
  int32_t join(tutti_context *context, const Transport &transport, std::vector<int32_t> positions,
               int32_t own, int64_t occurrence);
  bool is_joined() const { return handle; }

  const tutti_backend *backend = nullptr;
  void *handle = nullptr;
  int32_t rank = 0; ///< within the group
  int32_t size = 0;
  std::vector<int32_t> world_ranks; ///< of the members, in order
  Scratch *scratch = nullptr;       ///< of the thread that uses this communicator

  /// The members of each node, in rank order; nodes by their first ranks. `node_of_rank` has the
  /// nodes of all world ranks, and is the same at every call.
  const std::vector<std::vector<int32_t>> &
  members_by_node(const std::vector<int64_t> &node_of_rank) const;

private:
  std::vector<int32_t> members;
  mutable std::vector<std::vector<int32_t>> by_node; ///< empty: nobody has asked
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_TRANSPORT_H
