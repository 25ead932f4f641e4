// The members of a group on TCP connections, which are made when they are needed, and their
// messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_GLOO_COMMUNICATOR_H
#define TUTTI_RUNTIME_BACKENDS_GLOO_COMMUNICATOR_H

#include "runtime/backends/gloo/Mesh.h"
#include "runtime/backends/gloo/World.h"

#include <atomic>
#include <optional>

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
  struct Message;

  Communicator(World &world, const tutti_group &group);
  Error dial(int32_t peer, const plugin::Place &place);
  Error await_any(const std::vector<int32_t> &peers, Watchdog::Guard &guard);
  Error connect_all(const plugin::Place &place, Watchdog::Guard &guard);
  Error explain(const plugin::Place &place, int32_t peer, const Error &error);
  Error start(size_t taken, std::optional<int64_t> tag, Watchdog::Guard &guard,
              const Message *&awaited);
  std::vector<int32_t> start_known(size_t taken, std::optional<int64_t> tag,
                                   const Message *&awaited);
  Error exchange(plugin::Place place, std::optional<int64_t> tag, const tutti_transfer *transfers,
                 int64_t count);
  size_t begin_messages(const tutti_transfer *transfers, int64_t count);
  plugin::Place place(std::function<std::string()> describe, int64_t plan_entry) const;

  World &world;
  int32_t own_rank;
  std::vector<int32_t> members; ///< world ranks
  int64_t group_identity;
  std::shared_ptr<Mesh> mesh;                     ///< null: this rank is the only member
  std::atomic<int32_t> awaited_member{-1};        ///< of those that have yet to connect
  std::vector<std::unique_ptr<Message>> messages; ///< as many as a call has needed at once
  std::vector<tutti_transfer> transfers;
  bool has_aborted = false; ///< messages of the call under way
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_BACKENDS_GLOO_COMMUNICATOR_H
