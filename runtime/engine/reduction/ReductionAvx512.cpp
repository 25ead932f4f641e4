// Reductions with vectors of 512 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/reduction/ReductionVariants.h"
#include "runtime/support/HalfPrecision.h"
#include "tutti/types.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// Only what follows: functions of headers are shared with code for any processor.
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")
namespace tutti::runtime {
namespace {
#include "runtime/engine/reduction/ReductionLoops.h"
} // namespace

ReductionVariant avx512_reduction() {
  bool is_here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return is_here ? reduce_any : nullptr;
}

} // namespace tutti::runtime
#else
tutti::runtime::ReductionVariant tutti::runtime::avx512_reduction() { return nullptr; }
#endif
