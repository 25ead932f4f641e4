// All-gather: everyone sends its part to everyone.
// Steps: 1. Bytes sent: S * (N - 1).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/algorithms/Exchange.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

int32_t all_gather(const Place &place, const tutti_call &call) {
  Exchange exchange(place);
  for (int64_t i = 0; i < call.count; ++i) {
    int64_t part = call.elements[i] * type_bytes(call.type);
    char *own = destination(call, i) + place.rank() * part;
    copy(own, source(call, i), part);
    for (int32_t peer = 0; peer < place.size(); ++peer) {
      exchange.send(peer, own, part);
      exchange.receive(peer, destination(call, i) + peer * part, part);
    }
  }
  return exchange.run();
}

} // namespace tutti::runtime::algorithms
