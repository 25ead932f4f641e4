// Operations of MPI that are under way, and the memory that they use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_OPERATIONS_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_OPERATIONS_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

namespace tutti::runtime::mpi {

/// Something that was started and has to end.
struct Request {
  MPI_Request handle = MPI_REQUEST_NULL;
  int32_t peer = -1;           ///< world rank of the other side; -1: all members take part
  int64_t expected_bytes = -1; ///< of a receive; -1: any
};

/// Owns the operations it starts: what is under way at the destruction, after a failure, is
/// cancelled. What can be neither cancelled nor completed is kept, with its memory, until the end
/// of the process, because MPI may still use it.
class Operations {
public:
  Operations() = default;
  Operations(const Operations &) = delete;
  ~Operations();

  /// The handle of the next operation. Everything that can fail but MPI itself is done before.
  MPI_Request *start(int32_t peer = -1, int64_t expected_bytes = -1);
  /// Memory that lives as long as the operations need it.
  template <typename T> std::shared_ptr<T> keep(std::shared_ptr<T> memory) {
    kept.push_back(memory);
    return memory;
  }
  std::vector<Request> &all() { return requests; }
  const std::vector<Request> &all() const { return requests; }

  /// How many of this process could not be ended: memory that they were given may still be used.
  static int64_t count_abandoned();

private:
  bool cancel();

  std::vector<Request> requests;
  std::vector<std::shared_ptr<void>> kept;
};

} // namespace tutti::runtime::mpi

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_OPERATIONS_H
