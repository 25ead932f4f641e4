// Reductions with vectors of 256 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/reduction/ReductionVariants.h"
#include "runtime/support/HalfPrecision.h"
#include "tutti/types.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// Only what follows: functions of headers are shared with code for any processor.
#pragma GCC target("avx2")
namespace tutti::runtime {
namespace {
#include "runtime/engine/reduction/ReductionLoops.h"
} // namespace

ReductionVariant avx2_reduction() {
  bool is_here = __builtin_cpu_supports("avx2");
  return is_here ? reduce_any : nullptr;
}

} // namespace tutti::runtime
#else
tutti::runtime::ReductionVariant tutti::runtime::avx2_reduction() { return nullptr; }
#endif
