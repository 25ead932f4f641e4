// Cristian's algorithm: half of the shortest round trip bounds the error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/ClockAgreement.h"

#include "runtime/engine/core/Context.h"
#include "runtime/engine/trace/Timeline.h"
#include "tutti/collectives.h"

#include <algorithm>

namespace tutti::runtime::worker {
namespace {

constexpr int round_trips = 16;
constexpr int64_t tag = 0;

/// What one rank tells the others: its node's clock less that of rank 0, and the error of that.
struct Difference {
  int64_t nanoseconds = 0, uncertainty = 0;
};

class Agreement {
public:
  Agreement(tutti_context *context, int64_t plan_entry)
      : context(context), plan_entry(plan_entry) {}

  ClockAgreement run() {
    int64_t origin = now();
    Difference own;
    for (int32_t rank = 1; rank < context->size; ++rank) {
      if (!is_first_elsewhere(rank))
        continue;
      if (context->rank == 0)
        ask(rank);
      else if (context->rank == rank)
        own = answer();
    }
    if (context->rank == 0) // whose difference is none
      own.nanoseconds = origin;
    return combine(gather(own));
  }

private:
  static int64_t now() { return trace::ClockReading::take().nanoseconds; }

  int32_t first_of_node(int32_t rank) const {
    const std::vector<int64_t> &nodes = context->node_of_rank;
    return int32_t(std::find(nodes.begin(), nodes.end(), nodes[rank]) - nodes.begin());
  }

  bool is_first_elsewhere(int32_t rank) const {
    return first_of_node(rank) == rank && first_of_node(rank) != 0;
  }

  /// Rank 0's side: sends its time of asking and of hearing.
  void ask(int32_t peer) {
    for (int i = 0; i < round_trips; ++i) {
      int64_t asked = now();
      send(peer, asked);
      receive(peer);
      send(peer, now());
    }
  }

  Difference answer() {
    Difference best{0, INT64_MAX};
    for (int i = 0; i < round_trips; ++i) {
      int64_t asked = receive(0);
      int64_t here = now();
      send(0, here);
      int64_t heard = receive(0);
      int64_t uncertainty = (heard - asked + 1) / 2;
      if (uncertainty < best.uncertainty)
        best = {here - (asked + (heard - asked) / 2), uncertainty};
    }
    return best;
  }

  void send(int32_t peer, int64_t value) {
    const void *source = &value;
    int64_t one = 1;
    tutti_send(context, plan_entry, TUTTI_GROUP_WORLD, peer, tag, TUTTI_I64, 1, &source, &one);
  }

  int64_t receive(int32_t peer) {
    int64_t value = 0, one = 1;
    void *destination = &value;
    tutti_recv(context, plan_entry, TUTTI_GROUP_WORLD, peer, tag, TUTTI_I64, 1, &destination, &one);
    return value;
  }

  std::vector<Difference> gather(const Difference &own) {
    std::vector<Difference> all(context->size);
    const void *source = &own;
    void *destination = all.data();
    int64_t elements = sizeof own / sizeof(int64_t);
    tutti_all_gather(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_I64, 1, &source, &destination,
                     &elements);
    return all;
  }

  ClockAgreement combine(const std::vector<Difference> &all) const {
    int32_t first = first_of_node(context->rank);
    if (first == 0)
      return {all[0].nanoseconds, 0};
    return {all[0].nanoseconds + all[first].nanoseconds, all[first].uncertainty};
  }

  tutti_context *context;
  int64_t plan_entry;
};

} // namespace

ClockAgreement agree_on_clocks(tutti_context *context, int64_t plan_entry) {
  return Agreement(context, plan_entry).run();
}

} // namespace tutti::runtime::worker
