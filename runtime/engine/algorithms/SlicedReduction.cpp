// One piece of a sliced reduction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/SlicedReduction.h"

namespace tutti::runtime::algorithms {

SlicedReduction::SlicedReduction(const Place &place, const tutti_call &call)
    : place(place), call(call), order(*place.context, place.communicator), memory(call),
      slices(place.rank(), place.size(), memory.row()), exchange(place), step(&place.scratch()),
      slice_bytes((slices.piece_elements() / place.size() + 1) * memory.element_bytes()),
      received(place.scratch(), size_t(slice_bytes * place.size())),
      own_slice(place.scratch(), size_t(slice_bytes)),
      sources(place.scratch(), size_t(place.size())) {}

int32_t SlicedReduction::reduce_piece(Range range) {
  Range own = slices.slice_of(range, place.rank());
  int64_t own_bytes = own.size() * memory.element_bytes();
  slices.collect(step, range);
  for (const schedules::Move &move : step.moves)
    if (move.is_send)
      memory.send_sources(exchange, move.peer, move.range);
    else
      memory.receive_to(exchange, move.peer, own, received.data() + move.peer * own_bytes);
  memory.read(own, received.data() + place.rank() * own_bytes);
  if (int32_t status = exchange.run())
    return status;
  for (int32_t peer = 0; peer < place.size(); ++peer)
    sources[size_t(peer)] = received.data() + peer * own_bytes;
  order.reduce(call.type, call.reduction, sources.data(), own_slice.data(), own.size());
  return TUTTI_OK;
}

int32_t SlicedReduction::give_all(Range range) {
  slices.give(step, range);
  return give();
}

int32_t SlicedReduction::give_to(int32_t root, Range range) {
  slices.give_to(step, root, range);
  return give();
}

int32_t SlicedReduction::give() {
  for (const schedules::Move &move : step.moves)
    if (move.is_send)
      memory.send_from(exchange, move.peer, move.range, own_slice.data());
    else
      memory.receive_results(exchange, move.peer, move.range);
  return exchange.run();
}

} // namespace tutti::runtime::algorithms
