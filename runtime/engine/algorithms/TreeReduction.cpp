// All-reduce by a tree, for small rows. Steps: 2 * log2(N), a message each. Bytes sent: at most S *
// N / 2 on the way to rank 0, and S * log2(N) by rank 0 on the way back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/AllReduceWays.h"
#include "runtime/engine/algorithms/RowMemory.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "runtime/engine/schedules/Tree.h"

namespace tutti::runtime::algorithms {
namespace {

class TreeReduction {
public:
  TreeReduction(const Place &place, const tutti_call &call)
      : place(place), call(call), memory(call),
        schedule(place.rank(), place.size(), memory.row().elements), exchange(place),
        step(&place.scratch()),
        rows(place.scratch(), size_t(schedule.members() * memory.row().bytes())),
        result(place.scratch(), size_t(memory.row().bytes())) {}

  int32_t run() {
    Range all = {0, memory.row().elements};
    memory.read(all, rows.data());
    int32_t status = schedule.for_each_step(step, [this] { return take(); });
    if (status == TUTTI_OK)
      memory.write(all, result.data());
    return status;
  }

private:
  int32_t take() {
    for (const schedules::Move &move : step.moves) {
      void *where = move.lane == schedules::Lane::rows ? row_of(move.range.begin) : result.data();
      if (move.is_send)
        exchange.send(move.peer, where, move.bytes(memory.row()));
      else
        exchange.receive(move.peer, where, move.bytes(memory.row()));
    }
    int32_t status = exchange.run();
    if (status == TUTTI_OK && step.ready.size() > 0)
      add_up();
    return status;
  }

  void add_up() {
    ScratchArray<const void *> sources(place.scratch(), size_t(place.size()));
    for (int32_t member = 0; member < place.size(); ++member)
      sources[size_t(member)] = row_of(member);
    ReductionOrder(*place.context, place.communicator)
        .reduce(call.type, call.reduction, sources.data(), result.data(), memory.row().elements);
  }

  void *row_of(int64_t member) {
    return rows.data() + (member - place.rank()) * memory.row().bytes();
  }

  const Place &place;
  const tutti_call &call;
  RowMemory memory;
  schedules::TreeSchedule schedule;
  Exchange exchange;
  schedules::Step step;
  ScratchArray<char> rows; ///< of this rank and those below it
  ScratchArray<char> result;
};

} // namespace

int32_t all_reduce_by_tree(const Place &place, const tutti_call &call) {
  return place.size() > 1 ? TreeReduction(place, call).run() : all_reduce_by_slices(place, call);
}

} // namespace tutti::runtime::algorithms
