// The ways of an all-reduce, each right for any number of ranks and elements. All reduce in the
// order that the context asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_ALGORITHMS_ALLREDUCEWAYS_H
#define TUTTI_RUNTIME_ENGINE_ALGORITHMS_ALLREDUCEWAYS_H

#include "runtime/engine/algorithms/Algorithms.h"
#include "runtime/engine/schedules/Chain.h"

namespace tutti::runtime::algorithms {

int32_t all_reduce_by_slices(const Place &place, const tutti_call &call);
int32_t all_reduce_by_tree(const Place &place, const tutti_call &call);
/// `chunk`: elements that go from rank to rank together.
int32_t all_reduce_by_chain(const Place &place, const tutti_call &call, int64_t chunk);

} // namespace tutti::runtime::algorithms

#endif // TUTTI_RUNTIME_ENGINE_ALGORITHMS_ALLREDUCEWAYS_H
