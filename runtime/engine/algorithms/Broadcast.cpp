// Broadcast along a binomial tree: a rank that has the value gives it to one more in each step.
// Steps: log2(N). Bytes sent: at most S * log2(N) by the root.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

int32_t broadcast(const Place &place, const tutti_call &call) {
  int64_t bytes = type_bytes(call.type);
  int32_t size = place.size();
  int32_t distance = (place.rank() - call.peer + size) % size; // the root is at 0
  for (int64_t i = 0; distance == 0 && i < call.count; ++i)
    copy(destination(call, i), source(call, i), call.elements[i] * bytes);
  Exchange exchange(place);
  for (int32_t reach = 1; reach < size; reach *= 2) { // ranks below `reach` have the value
    bool gives = distance < reach && distance + reach < size;
    bool takes = distance >= reach && distance < 2 * reach;
    int32_t peer = (call.peer + (gives ? distance + reach : distance - reach) + size) % size;
    for (int64_t i = 0; i < call.count; ++i) {
      if (gives)
        exchange.send(peer, destination(call, i), call.elements[i] * bytes);
      if (takes)
        exchange.receive(peer, destination(call, i), call.elements[i] * bytes);
    }
    if (int32_t status = exchange.run())
      return status;
  }
  return TUTTI_OK;
}

} // namespace tutti::runtime::algorithms
