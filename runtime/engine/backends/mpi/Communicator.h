// The members of a group on an MPI communicator, and how they wait for each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_COMMUNICATOR_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_COMMUNICATOR_H

#include "runtime/engine/backends/mpi/Operations.h"
#include "runtime/engine/backends/mpi/World.h"

namespace tutti::runtime::mpi {

/// Used from one thread at a time.
class Communicator {
public:
  /// Every member of `group` calls it, and no one else.
  static Error join(World &world, const tutti_group &group,
                    std::unique_ptr<Communicator> &out_communicator);
  ~Communicator();

  MPI_Comm handle() const { return communicator; }
  int32_t rank() const { return own_rank; }
  int32_t size() const { return int32_t(members.size()); }
  int64_t largest_tag() const { return world.largest_tag(); }

  /// Starts a message of any size to or from `member` of the group; it adds to `operations`.
  Error start(const tutti_transfer &transfer, int tag, Operations &operations);
  /// Returns when all are complete; otherwise `context` has the reason.
  int32_t wait(tutti_context *context, int64_t plan_entry, Operations &operations);
  int32_t exchange(tutti_context *context, int64_t plan_entry, const tutti_transfer *transfers,
                   int64_t count);

private:
  Communicator(World &world, const tutti_group &group);
  Error meet();
  Error wait(plugin::Place place, Operations &operations);
  bool test(Operations &operations, Error &error);
  plugin::Place place(std::function<std::string()> describe, int64_t plan_entry) const;

  World &world;
  int32_t own_rank;
  std::vector<int32_t> members; ///< world ranks
  int64_t group_identity;
  MPI_Comm communicator = MPI_COMM_NULL;
};

} // namespace tutti::runtime::mpi

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_COMMUNICATOR_H
