// The members of a group on TCP connections, which are made when they are needed: their messages,
// and algorithms of Gloo.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_COMMUNICATOR_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_COMMUNICATOR_H

#include "runtime/engine/backends/gloo/Channel.h"
#include "runtime/engine/backends/gloo/Mesh.h"
#include "runtime/engine/backends/gloo/World.h"

#include <atomic>
#include <map>
#include <optional>
#include <poll.h>

namespace tutti::runtime::gloo_backend {

/// Used from one thread at a time.
class Communicator {
public:
  /// Every member of `group` calls it, and no one else.
  static Error join(World &world, const tutti_group &group,
                    std::unique_ptr<Communicator> &out_communicator);
  ~Communicator();

  int32_t rank() const { return own_rank; }
  int32_t size() const { return int32_t(members.size()); }
  /// For algorithms that run() runs.
  std::shared_ptr<::gloo::Context> context() const { return mesh; }
  /// Room for the transfers of a call.
  std::vector<tutti_transfer> &own_transfers() { return transfers; }

  /// Starts all transfers and returns when all are complete; otherwise `context` has the reason.
  /// `tag`: of messages of a program; they match with those of equal tag only.
  int32_t exchange(tutti_context *context, int64_t plan_entry, std::optional<int64_t> tag,
                   const tutti_transfer *transfers, int64_t count);
  /// Runs an algorithm of Gloo. `algorithm` is given a time limit and may throw.
  int32_t run(tutti_context *context, int64_t plan_entry,
              const std::function<void(std::chrono::milliseconds)> &algorithm);

private:
  using Connected = std::map<int32_t, Socket>; ///< by member

  Communicator(World &world, const tutti_group &group);
  Result<Socket> dial(int32_t peer, Purpose purpose, const plugin::Place &place);
  Connected take(const std::vector<int32_t> &peers, Purpose purpose,
                 std::chrono::milliseconds limit);
  Error explain(const plugin::Place &place, int32_t peer, const Error &error);
  Error connect_all(const plugin::Place &place, Watchdog::Guard &guard);
  Error exchange(const plugin::Place &place, std::optional<int64_t> tag,
                 const tutti_transfer *transfers, int64_t count);
  size_t prepare(const tutti_transfer *transfers, int64_t count, std::optional<int64_t> tag);
  Error move(size_t taken, const plugin::Place &place, Watchdog::Guard &guard);
  void begin_known(size_t taken);
  Error advance(const plugin::Place &place, Watchdog::Guard &guard);
  void wait();
  plugin::Place place(std::function<std::string()> describe, int64_t plan_entry) const;

  World &world;
  int32_t own_rank;
  std::vector<int32_t> members; ///< world ranks
  int64_t group_identity;
  std::vector<std::unique_ptr<Channel>> channels; ///< by member; null: not connected yet
  std::shared_ptr<Mesh> mesh;                     ///< null: no algorithm of Gloo has run yet
  std::atomic<int32_t> awaited_member{-1};        ///< of those that have yet to connect for Gloo
  std::vector<std::unique_ptr<Message>> messages; ///< as many as a call has needed at once
  std::vector<tutti_transfer> transfers;
  // Of the call under way:
  std::vector<int32_t> absent, active; ///< members that have yet to connect; with messages to move
  std::vector<pollfd> watched;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_COMMUNICATOR_H
