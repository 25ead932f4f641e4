// All-to-all: everyone sends everyone else a part.
// Steps: 1. Bytes sent: S * (N - 1) / N. In place a copy of the source is sent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

static int64_t bytes_in_place(const Place &place, const tutti_call &call) {
  int64_t elements = 0;
  for (int64_t i = 0; i < call.count; ++i)
    if (source(call, i) == destination(call, i))
      elements += call.elements[i] * place.size();
  return elements * type_bytes(call.type);
}

int32_t all_to_all(const Place &place, const tutti_call &call) {
  Exchange exchange(place);
  ScratchArray<char> copies(place.scratch(), size_t(bytes_in_place(place, call)));
  char *room = copies.data();
  for (int64_t i = 0; i < call.count; ++i) {
    int64_t part = call.elements[i] * type_bytes(call.type);
    const char *given = source(call, i);
    if (given == destination(call, i) && part > 0) {
      copy(room, given, part * place.size());
      given = room;
      room += part * place.size();
    }
    for (int32_t peer = 0; peer < place.size(); ++peer) {
      if (peer == place.rank())
        copy(destination(call, i) + peer * part, given + peer * part, part);
      exchange.send(peer, given + peer * part, part);
      exchange.receive(peer, destination(call, i) + peer * part, part);
    }
  }
  return exchange.run();
}

} // namespace tutti::runtime::algorithms
