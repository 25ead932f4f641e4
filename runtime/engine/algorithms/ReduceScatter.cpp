// Reduce-scatter: part r of every rank travels to rank r, which reduces them in rank order.
// Steps: 1 a piece. Bytes sent: S * (N - 1) / N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "runtime/support/Names.h"

#include <algorithm>

namespace tutti::runtime::algorithms {
namespace {

/// Scratch, whatever the size of the bucket.
constexpr int64_t most_piece_bytes = int64_t(8) << 20;

class ReduceScatter {
public:
  ReduceScatter(const Place &place, const tutti_call &call)
      : place(place), call(call), order(*place.context, place.communicator),
        bytes(type_bytes(call.type)),
        most(std::max<int64_t>(1, most_piece_bytes / bytes / place.size())), exchange(place),
        received(place.scratch(), size_t(piece_bytes() * place.size())),
        sources(place.scratch(), size_t(place.size())) {}

  int32_t run() {
    for (int64_t i = 0; i < call.count; ++i)
      if (int32_t status = reduce_buffer(i))
        return status;
    return TUTTI_OK;
  }

private:
  /// Of the largest piece that there is.
  int64_t piece_bytes() const {
    int64_t largest = 0;
    for (int64_t i = 0; i < call.count; ++i)
      largest = std::max(largest, std::min(most, call.elements[i]));
    return largest * bytes;
  }

  int32_t reduce_buffer(int64_t i) {
    int64_t part = call.elements[i];
    bool is_in_place = call.sources[i] == call.destinations[i];
    // In place: the results, until all of the source has been sent.
    ScratchArray<char> whole(place.scratch(), is_in_place ? size_t(part * bytes) : 0);
    char *results = is_in_place ? whole.data() : destination(call, i);
    for (int64_t begin = 0; begin < part; begin += most)
      if (int32_t status = reduce_piece(i, begin, std::min(most, part - begin), results))
        return status;
    copy(destination(call, i), results, part * bytes);
    return TUTTI_OK;
  }

  int32_t reduce_piece(int64_t i, int64_t begin, int64_t count, char *results) {
    for (int32_t peer = 0; peer < place.size(); ++peer) {
      const char *given = source(call, i) + (peer * call.elements[i] + begin) * bytes;
      char *place_of_part = received.data() + peer * count * bytes;
      sources[peer] = peer == place.rank() ? static_cast<const void *>(given) : place_of_part;
      exchange.send(peer, given, count * bytes);
      exchange.receive(peer, place_of_part, count * bytes);
    }
    if (int32_t status = exchange.run())
      return status;
    order.reduce(call.type, call.reduction, sources.data(), results + begin * bytes, count);
    return TUTTI_OK;
  }

  const Place &place;
  const tutti_call &call;
  ReductionOrder order;
  int64_t bytes;
  int64_t most; ///< elements of a piece
  Exchange exchange;
  ScratchArray<char> received;
  ScratchArray<const void *> sources;
};

} // namespace

int32_t reduce_scatter(const Place &place, const tutti_call &call) {
  return ReduceScatter(place, call).run();
}

} // namespace tutti::runtime::algorithms
