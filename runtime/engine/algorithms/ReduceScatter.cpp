// Reduce-scatter: part r of every rank travels to rank r, which reduces them in rank order.
// Steps: 1 a piece of the bucket. Bytes sent: S * (N - 1) / N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "runtime/support/Names.h"

#include <algorithm>

namespace tutti::runtime::algorithms {
namespace {

/// Scratch, whatever the size of the bucket.
constexpr int64_t most_piece_bytes = int64_t(8) << 20;

/// Elements of a part of one buffer.
struct Segment {
  int64_t buffer, begin, count;
};

/// A piece is as many segments, of one buffer after another, as fit into the scratch: small buffers
/// travel together, and a large one in several pieces.
class ReduceScatter {
public:
  ReduceScatter(const Place &place, const tutti_call &call)
      : place(place), call(call), order(*place.context, place.communicator),
        bytes(type_bytes(call.type)),
        most(std::max<int64_t>(1, most_piece_bytes / bytes / place.size())), exchange(place),
        piece(&place.scratch()), received(place.scratch(), size_t(piece_bytes() * place.size())),
        kept(place.scratch(), size_t(kept_bytes())),
        sources(place.scratch(), size_t(place.size())) {}

  int32_t run() {
    int64_t elements = 0; // of the piece
    for (int64_t i = 0; i < call.count; ++i)
      for (int64_t begin = 0; begin < call.elements[i];) {
        Segment next = {i, begin, std::min(most - elements, call.elements[i] - begin)};
        piece.push_back(next);
        begin += next.count;
        elements += next.count;
        if (elements < most)
          continue;
        if (int32_t status = reduce_piece())
          return status;
        elements = 0;
      }
    return reduce_piece();
  }

private:
  /// Of the largest piece that there is.
  int64_t piece_bytes() const {
    int64_t elements = 0;
    for (int64_t i = 0; i < call.count; ++i)
      elements += call.elements[i];
    return std::min(most, elements) * bytes;
  }

  bool is_in_place(int64_t i) const { return call.sources[i] == call.destinations[i]; }

  /// Of the largest part that is reduced in place.
  int64_t kept_bytes() const {
    int64_t largest = 0;
    for (int64_t i = 0; i < call.count; ++i)
      largest = std::max(largest, is_in_place(i) ? call.elements[i] : 0);
    return largest * bytes;
  }

  /// Exchanges what is in the piece, reduces it, and empties it.
  int32_t reduce_piece() {
    char *place_of_segment = received.data();
    for (const Segment &segment : piece)
      for (int32_t peer = 0; peer < place.size(); ++peer) {
        exchange.send(peer, given_to(peer, segment), segment.count * bytes);
        exchange.receive(peer, place_of_segment, segment.count * bytes);
        place_of_segment += segment.count * bytes;
      }
    if (int32_t status = exchange.run())
      return status;
    place_of_segment = received.data();
    for (const Segment &segment : piece) {
      reduce(segment, place_of_segment);
      place_of_segment += segment.count * bytes * place.size();
    }
    piece.clear();
    return TUTTI_OK;
  }

  const char *given_to(int32_t peer, const Segment &segment) const {
    return source(call, segment.buffer) +
           (peer * call.elements[segment.buffer] + segment.begin) * bytes;
  }

  /// What is reduced in place is kept until all of the source has been sent; only the last buffer
  /// of a piece goes on in the next one.
  void reduce(const Segment &segment, const char *parts) {
    int64_t i = segment.buffer;
    for (int32_t peer = 0; peer < place.size(); ++peer)
      sources[size_t(peer)] =
          peer == place.rank() ? given_to(peer, segment) : parts + peer * segment.count * bytes;
    char *results = is_in_place(i) ? kept.data() : destination(call, i);
    order.reduce(call.type, call.reduction, sources.data(), results + segment.begin * bytes,
                 segment.count);
    if (segment.begin + segment.count == call.elements[i])
      copy(destination(call, i), results, call.elements[i] * bytes);
  }

  const Place &place;
  const tutti_call &call;
  ReductionOrder order;
  int64_t bytes;
  int64_t most; ///< elements of a piece
  Exchange exchange;
  std::pmr::vector<Segment> piece;
  ScratchArray<char> received; ///< of each segment of a piece, that of every rank
  ScratchArray<char> kept;
  ScratchArray<const void *> sources;
};

} // namespace

int32_t reduce_scatter(const Place &place, const tutti_call &call) {
  return ReduceScatter(place, call).run();
}

} // namespace tutti::runtime::algorithms
