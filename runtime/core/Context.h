// What stands behind tutti_context: identity of the rank, its backend, the first error, the
// counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_CORE_CONTEXT_H
#define TUTTI_RUNTIME_CORE_CONTEXT_H

#include "runtime/core/Error.h"
#include "runtime/core/Sharding.h"
#include "tutti/context.h"

#include <memory>
#include <string>
#include <vector>

/// One rank of one run; used from one thread at a time.
struct tutti_context {
  tutti_context() = default;
  tutti_context(const tutti_context &) = delete;
  ~tutti_context();

  /// Records `error` unless there is one already, and tells the peers.
  void fail(int32_t status, const std::string &message);
  bool ok() const { return status == TUTTI_OK; }
  /// "plan entry 3 (all_reduce mean of fc.weight)"; "the start of the run" for negative entries.
  std::string plan_entry_text(int64_t plan_entry) const;
  /// "rank 1 of 4, step 12, plan entry 3 (...)": where an error happened.
  std::string where(int64_t plan_entry) const;

  int32_t rank = 0;
  int32_t size = 1;
  const tutti_backend *backend = nullptr;
  void *state = nullptr; ///< the backend's; null until `open` succeeded

  int32_t status = TUTTI_OK;
  std::string message;

  uint64_t seed = 0;
  int64_t step = 0;
  tutti::runtime::Shard shard;
  int64_t local_batch = 1;

  std::vector<std::string> plan; ///< texts of plan entries by id
  tutti_counters counters = {};
  std::shared_ptr<void> kernel_state; ///< primitives and scratch that kernels keep between calls

  struct Mapping {
    void *memory;
    size_t bytes;
  };
  std::vector<Mapping> mappings; ///< private memory given out
};

#endif // TUTTI_RUNTIME_CORE_CONTEXT_H
