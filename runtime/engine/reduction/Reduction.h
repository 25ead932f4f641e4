// Element-wise reduction of equal buffers of several ranks, in rank order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTION_H
#define TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTION_H

#include <cstdint>
#include <string>

namespace tutti::runtime {

/// Why `reduction` of `type` is refused, or "".
std::string reduction_problem(int32_t type, int32_t reduction);

/// destinations[d][i] = reduction over r of sources[r][i], for each d and i. The order is
/// ((s0 op s1) op s2) op ..., so the bits of an element depend on nothing but its sources. A
/// destination may be one of the sources, no other overlap is allowed. The pair of type and
/// reduction must have no problem.
void reduce_in_order(int32_t type, int32_t reduction, const void *const *sources, int64_t ranks,
                     void *const *destinations, int64_t destination_count, int64_t elements);

/// values[i] /= divisor, of a floating-point type; rounded once.
void divide_all(int32_t type, void *values, int64_t divisor, int64_t elements);

/// Whether elements of `type` are added up in f32 and rounded at the end.
bool is_half(int32_t type);
/// Between f16 or bf16 and f32. Narrowing rounds once.
void widen(int32_t type, const void *halves, float *floats, int64_t elements);
void narrow(int32_t type, const float *floats, void *halves, int64_t elements);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTION_H
