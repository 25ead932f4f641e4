// All-reduce by a pipelined chain, for large rows. Steps: 2 * N + C - 3 with C chunks. Bytes sent:
// 2 * S; sums of f16 and bf16 go on as f32, so 3 * S. Messages: 2 * C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/AllReduceWays.h"
#include "runtime/engine/algorithms/RowMemory.h"
#include "runtime/engine/reduction/Reduction.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "tutti/types.h"

namespace tutti::runtime::algorithms {
namespace {

class ChainReduction {
public:
  ChainReduction(const Place &place, const tutti_call &call, int64_t chunk)
      : place(place), call(call), order(*place.context, place.communicator), memory(call),
        links(schedules::links_of(place.rank(), place.size(), order.by_node())), chunk(chunk),
        is_narrow(is_half(call.type)), sum_type(is_narrow ? int32_t(TUTTI_F32) : call.type),
        exchange(place), step(&place.scratch()),
        sum(place.scratch(), size_t(chunk * memory.row().partial_bytes)),
        before(place.scratch(), sum.size()), across(place.scratch(), sum.size()),
        stored(place.scratch(), size_t(chunk * memory.element_bytes())) {}

  int32_t run() {
    schedules::ChainSchedule schedule(links, memory.row().elements, chunk);
    return schedule.for_each_step(step, [this] { return take(); });
  }

private:
  int32_t take() {
    for (const schedules::Move &move : step.moves)
      add(move);
    int32_t status = exchange.run();
    if (status == TUTTI_OK && step.ready.size() > 0)
      add_up(step.ready);
    return status;
  }

  void add(const schedules::Move &move) {
    int64_t bytes = move.bytes(memory.row());
    bool is_partial = move.lane == schedules::Lane::partials;
    if (is_partial && move.is_send)
      exchange.send(move.peer, sum.data(), bytes);
    else if (is_partial)
      exchange.receive(move.peer, move.peer == links.before ? before.data() : across.data(), bytes);
    else if (move.is_send)
      memory.send_results(exchange, move.peer, move.range);
    else
      memory.receive_results(exchange, move.peer, move.range);
  }

  /// Puts what goes on into `sum`, or the result into the destinations.
  void add_up(Range range) {
    int64_t elements = range.size();
    const void *value = given(range);
    if (links.before >= 0)
      value = add_after(before.data(), value, elements);
    if (links.ends_node && is_narrow)
      value = rounded(value, elements);
    if (links.across >= 0)
      value = add_after(across.data(), value, elements);
    copy(sum.data(), value, elements * memory.row().partial_bytes);
    if (links.after < 0)
      finish(range);
  }

  /// What this rank gave, as it is added up.
  const void *given(Range range) {
    const void *whole = memory.whole_source(range);
    if (whole && !is_narrow)
      return whole;
    memory.read(range, is_narrow ? stored.data() : sum.data());
    if (is_narrow)
      widen(call.type, stored.data(), sums(), range.size());
    return sum.data();
  }

  const void *add_after(const void *first, const void *value, int64_t elements) {
    int32_t step = call.reduction == TUTTI_MEAN ? int32_t(TUTTI_SUM) : call.reduction;
    const void *sources[] = {first, value};
    void *destination = sum.data();
    reduce_in_order(sum_type, step, sources, 2, &destination, 1, elements);
    return destination;
  }

  /// The sum of a node is rounded, as a reduction of its ranks would be.
  const void *rounded(const void *value, int64_t elements) {
    narrow(call.type, static_cast<const float *>(value), stored.data(), elements);
    widen(call.type, stored.data(), sums(), elements);
    return sum.data();
  }

  void finish(Range range) {
    bool is_mean = call.reduction == TUTTI_MEAN;
    if (is_mean && !(is_narrow && order.spans_nodes()))
      divide_all(sum_type, sum.data(), place.size(), range.size());
    if (!is_narrow)
      return memory.write(range, sum.data());
    narrow(call.type, sums(), stored.data(), range.size());
    if (is_mean && order.spans_nodes()) // rounded before, as ReductionOrder does
      divide_all(call.type, stored.data(), place.size(), range.size());
    memory.write(range, stored.data());
  }

  float *sums() { return reinterpret_cast<float *>(sum.data()); }

  const Place &place;
  const tutti_call &call;
  ReductionOrder order;
  RowMemory memory;
  schedules::ChainLinks links;
  int64_t chunk; ///< elements
  bool is_narrow;
  int32_t sum_type;
  Exchange exchange;
  schedules::Step step;
  ScratchArray<char> sum;            ///< that goes on
  ScratchArray<char> before, across; ///< sums that have come
  ScratchArray<char> stored;         ///< elements as they are given and taken
};

} // namespace

int32_t all_reduce_by_chain(const Place &place, const tutti_call &call, int64_t chunk) {
  return place.size() > 1 ? ChainReduction(place, call, chunk).run()
                          : all_reduce_by_slices(place, call);
}

} // namespace tutti::runtime::algorithms
