// Gather: everyone sends its part to the root.
// Steps: 1. Bytes sent: S; received by the root: S * (N - 1).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

int32_t gather(const Place &place, const tutti_call &call) {
  Exchange exchange(place);
  bool is_root = place.rank() == call.peer;
  for (int64_t i = 0; i < call.count; ++i) {
    int64_t part = call.elements[i] * type_bytes(call.type);
    if (is_root)
      copy(destination(call, i) + place.rank() * part, source(call, i), part);
    else
      exchange.send(call.peer, source(call, i), part);
    for (int32_t peer = 0; is_root && peer < place.size(); ++peer)
      exchange.receive(peer, destination(call, i) + peer * part, part);
  }
  return exchange.run();
}

} // namespace tutti::runtime::algorithms
