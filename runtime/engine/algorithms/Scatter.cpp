// Scatter: the root sends each rank its part.
// Steps: 1. Bytes sent by the root: S * (N - 1).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

int32_t scatter(const Place &place, const tutti_call &call) {
  Exchange exchange(place);
  bool is_root = place.rank() == call.peer;
  for (int64_t i = 0; i < call.count; ++i) {
    int64_t part = call.elements[i] * type_bytes(call.type);
    for (int32_t peer = 0; is_root && peer < place.size(); ++peer)
      exchange.send(peer, source(call, i) + peer * part, part);
    if (!is_root)
      exchange.receive(call.peer, destination(call, i), part);
  }
  int32_t status = exchange.run();
  // Last: in place, the root's part may overwrite the first one, which has been sent by now.
  for (int64_t i = 0; is_root && i < call.count; ++i) {
    int64_t part = call.elements[i] * type_bytes(call.type);
    if (part > 0)
      std::memmove(destination(call, i), source(call, i) + place.rank() * part, size_t(part));
  }
  return status;
}

} // namespace tutti::runtime::algorithms
