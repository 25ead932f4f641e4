// Barrier by dissemination (Hensgen, Finkel and Manber, 1988): in step k everyone tells the rank
// 2^k further on. Steps: log2(N). Bytes sent: one a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"

namespace tutti::runtime::algorithms {

int32_t barrier(const Place &place, const tutti_call &call) {
  (void)call;
  int32_t size = place.size();
  char given = 0, taken = 0;
  Exchange exchange(place);
  for (int32_t distance = 1; distance < size; distance *= 2) {
    exchange.send((place.rank() + distance) % size, &given, 1);
    exchange.receive((place.rank() - distance + size) % size, &taken, 1);
    if (int32_t status = exchange.run())
      return status;
  }
  return TUTTI_OK;
}

} // namespace tutti::runtime::algorithms
