// The table of algorithms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Algorithms.h"

namespace tutti::runtime::algorithms {

Algorithm find(int32_t kind) {
  static constexpr Algorithm table[TUTTI_CALL_KINDS] = {
      all_reduce, broadcast,  all_gather,   reduce_scatter, reduce,  gather,
      scatter,    all_to_all, all_to_all_v, nullptr,        nullptr, barrier,
  };
  return kind >= 0 && kind < TUTTI_CALL_KINDS ? table[kind] : nullptr;
}

} // namespace tutti::runtime::algorithms
