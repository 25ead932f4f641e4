// The same reductions, compiled for several sets of vector instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTIONVARIANTS_H
#define TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTIONVARIANTS_H

#include <cstdint>

namespace tutti::runtime {

/// As reduce_in_order.
using ReductionVariant = void (*)(int32_t type, int32_t reduction, const void *const *sources,
                                  int64_t ranks, void *const *destinations,
                                  int64_t destination_count, int64_t elements);

ReductionVariant portable_reduction();
/// Null where the compiler or the processor lacks the instructions.
ReductionVariant avx2_reduction();
ReductionVariant avx512_reduction();

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTIONVARIANTS_H
