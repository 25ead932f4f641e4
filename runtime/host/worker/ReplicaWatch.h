// Whether ranks that should hold equal variables still do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_REPLICAWATCH_H
#define TUTTI_RUNTIME_HOST_WORKER_REPLICAWATCH_H

#include "runtime/host/program/Buffers.h"

namespace tutti::runtime::worker {

/// The compiler proves that ranks compute equal variables; memory that changes a bit, a processor
/// that rounds otherwise and a library that does not keep its word are not in its proof. Every
/// `every` steps each rank takes a hash of every replicated variable, and the largest and the
/// smallest of all ranks must be equal. That reads all variables once, between two steps.
class ReplicaWatch {
public:
  /// All must outlive this object. `every`: 0 for never; `plan_entry` names the comparison in
  /// messages.
  ReplicaWatch(tutti_context *context, const Manifest &manifest, const Buffers &buffers,
               int64_t every, int64_t plan_entry);

  bool is_due(int64_t steps_done) const { return every > 0 && steps_done % every == 0; }
  /// Collective. The error, the same on all ranks, names the first variable that differs, the step,
  /// and which ranks hold what.
  Error compare(int64_t steps_done);

private:
  uint64_t hash_of(size_t variable) const;
  Error explain(size_t variable, int64_t steps_done);

  tutti_context *context;
  const Manifest &manifest;
  const Buffers &buffers;
  int64_t every, plan_entry;
  std::vector<size_t> replicated;
  int64_t last_equal = 0; ///< the steps after which all were equal last
};

/// A hash of bytes at the speed of memory: four lanes of FNV-1a, 8 bytes at a time. Every bit
/// counts; not for anything that somebody could want to collide.
uint64_t hash_words(const void *memory, int64_t bytes);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_REPLICAWATCH_H
