// Collectives for backends that do not bring their own: each stands on `exchange` alone, reduces in
// rank order, and is right for every number of ranks. One algorithm a file, with its cost: N ranks,
// S bytes a rank, a step is one exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_ALGORITHMS_ALGORITHMS_H
#define TUTTI_RUNTIME_ENGINE_ALGORITHMS_ALGORITHMS_H

#include "runtime/engine/core/Transport.h"
#include "tutti/status.h"

namespace tutti::runtime::algorithms {

/// Where an algorithm runs.
struct Place {
  tutti_context *context;
  const Communicator &communicator;
  int64_t plan_entry;

  int32_t rank() const { return communicator.rank; }
  int32_t size() const { return communicator.size; }
  Scratch &scratch() const { return *communicator.scratch; }
};

/// Returns a status; errors are recorded in the context.
using Algorithm = int32_t (*)(const Place &place, const tutti_call &call);

int32_t all_reduce(const Place &place, const tutti_call &call);
int32_t broadcast(const Place &place, const tutti_call &call);
int32_t all_gather(const Place &place, const tutti_call &call);
int32_t reduce_scatter(const Place &place, const tutti_call &call);
int32_t reduce(const Place &place, const tutti_call &call);
int32_t gather(const Place &place, const tutti_call &call);
int32_t scatter(const Place &place, const tutti_call &call);
int32_t all_to_all(const Place &place, const tutti_call &call);
int32_t all_to_all_v(const Place &place, const tutti_call &call);
int32_t barrier(const Place &place, const tutti_call &call);

/// The algorithm of a kind of call, or null: there is none for send and recv.
Algorithm find(int32_t kind);

} // namespace tutti::runtime::algorithms

#endif // TUTTI_RUNTIME_ENGINE_ALGORITHMS_ALGORITHMS_H
