// All-to-all of parts of any size in shared memory. Everyone publishes what it sends to whom, and
// compares what it is sent with what it expects. A payload that fits lies in the post, one in
// shared memory is read where it is, and so is a large private one if the system lets all members
// do that; any other is staged: at each step a chunk of every part. Steps: 1 barrier; with sources
// that are read where they are 2, with staged ones 1 a chunk. Traffic: each byte is copied once, if
// staged twice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Collectives.h"
#include "runtime/engine/backends/shm/Staging.h"
#include "runtime/engine/core/Context.h"

namespace tutti::runtime::shm {
namespace {

/// How a member shows what it sends.
enum class PartsWay : uint64_t { direct = 0, posted = 1, staged = 2, read = 3 };

/// What it shows, at the begin of its post.
struct Table {
  PartsWay way;
  uint64_t place; ///< of the source, if direct or read
  int64_t steps;  ///< that it needs
  struct Part {
    int64_t count, displacement; ///< elements
  } parts[most_ranks];
};

constexpr int64_t most_posted_bytes = post_bytes - int64_t(sizeof(Table));

class AllToAllV {
public:
  AllToAllV(Team &team, tutti_context *context, const tutti_call &call)
      : team(team), context(context), call(call), element_bytes(type_bytes(call.type)) {
    int64_t line = 64 / element_bytes;
    chunk = stage_bytes / (element_bytes * team.size()) / line * line;
  }

  int32_t run() {
    publish();
    if (int32_t status = team.meet(context, signature_of(call, 0)))
      return status;
    if (int32_t status = compare())
      return status;
    bool any_in_place = false;
    int64_t steps = 1;
    for (int64_t peer = 0; peer < team.size(); ++peer) {
      any_in_place |= table(peer).way == PartsWay::direct || table(peer).way == PartsWay::read;
      steps = std::max(steps, table(peer).steps);
    }
    for (int64_t step = 0; step < steps; ++step)
      if (int32_t status = run_step(step, steps))
        return status;
    if (int32_t status = team.check_reads(context, call.plan_entry))
      return status;
    return any_in_place ? team.barrier(context, call.plan_entry) : int32_t(TUTTI_OK);
  }

private:
  const Table &table(int64_t peer) const {
    return *reinterpret_cast<const Table *>(team.post(peer).data);
  }
  const char *source() const { return static_cast<const char *>(call.sources[0]); }
  char *destination() const { return static_cast<char *>(call.destinations[0]); }
  int64_t table_bytes() const {
    return int64_t(sizeof(Table)) - (most_ranks - team.size()) * int64_t(sizeof(Table::Part));
  }

  void publish() {
    Table &own = *reinterpret_cast<Table *>(team.next_post().data);
    int64_t sent = 0, largest = 0, end = 0;
    for (int64_t peer = 0; peer < team.size(); ++peer) {
      own.parts[peer] = {call.send_counts[peer], call.send_displacements[peer]};
      int64_t count = peer == team.rank() ? 0 : call.send_counts[peer];
      sent += count;
      largest = std::max(largest, count);
      if (count > 0)
        end = std::max(end, call.send_displacements[peer] + count);
    }
    own.place = team.place().place_of(source(), end * element_bytes);
    own.steps = 1;
    own.way = PartsWay::direct;
    if (sent * element_bytes <= std::min(most_flat_bytes, most_posted_bytes))
      own.way = PartsWay::posted;
    else if (is_private(own.place) && is_read(sent))
      own.way = PartsWay::read;
    else if (is_private(own.place))
      own.way = PartsWay::staged, own.steps = (largest + chunk - 1) / chunk;
    if (own.way == PartsWay::read)
      team.lend(source(), end * element_bytes);
    own_way = own.way;
    show(0);
  }

  /// Whether others read so much of private memory where it is.
  bool is_read(int64_t elements) {
    if (elements * element_bytes < least_read_part * (team.size() - 1))
      return false;
    team.note_staging();
    return team.reads_private();
  }

  /// Lets others read, at the next arrival, what belongs to `step`.
  void show(int64_t step) {
    if (own_way == PartsWay::direct || own_way == PartsWay::read ||
        (own_way == PartsWay::posted && step > 0))
      return;
    char *to =
        own_way == PartsWay::posted ? team.next_post().data + sizeof(Table) : team.next_input();
    for (int64_t peer = 0; peer < team.size(); ++peer) {
      if (peer == team.rank())
        continue;
      Range range = range_at(own_way, step, call.send_counts[peer]);
      std::memcpy(to, source() + (call.send_displacements[peer] + range.begin) * element_bytes,
                  range.size() * element_bytes);
      to += (own_way == PartsWay::posted ? range.size() : chunk) * element_bytes;
      if (own_way == PartsWay::staged)
        context->staged_bytes.fetch_add(range.size() * element_bytes, std::memory_order_relaxed);
    }
  }

  Range range_at(PartsWay way, int64_t step, int64_t count) const {
    if (way != PartsWay::staged)
      return step == 0 ? Range{0, count} : Range{0, 0};
    return {std::min(count, step * chunk), std::min(count, (step + 1) * chunk)};
  }

  int32_t run_step(int64_t step, int64_t steps) {
    bool is_last = step + 1 == steps;
    if (!is_last) { // what is published stays so
      std::memcpy(team.next_post().data, team.post(team.rank()).data, table_bytes());
      show(step + 1);
    }
    for (int64_t turn = 0; turn < team.size(); ++turn)
      fetch((team.rank() + turn) % team.size(), step);
    return is_last ? int32_t(TUTTI_OK) : team.barrier(context, call.plan_entry);
  }

  void fetch(int64_t peer, int64_t step) {
    const Table &shown = table(peer);
    const Table::Part &part = shown.parts[team.rank()];
    bool is_own = peer == team.rank();
    Range range = range_at(is_own ? PartsWay::direct : shown.way, step, part.count);
    if (range.size() == 0)
      return;
    char *to = destination() + (call.receive_displacements[peer] + range.begin) * element_bytes;
    if (!is_own && shown.way == PartsWay::read)
      return team.read(peer, shown.place + part.displacement * element_bytes, to,
                       range.size() * element_bytes);
    std::memcpy(to, is_own ? source() + part.displacement * element_bytes : place_of(peer),
                range.size() * element_bytes);
  }

  /// Where a peer shows what it sends here.
  const char *place_of(int64_t peer) const {
    const Table &shown = table(peer);
    int64_t others = team.rank() < peer ? team.rank() : team.rank() - 1, before = 0;
    switch (shown.way) {
    case PartsWay::read: // not by a pointer
      break;
    case PartsWay::direct:
      return team.place().shared().arena(team.memory().header().members[peer]) +
             int64_t(shown.place) + shown.parts[team.rank()].displacement * element_bytes;
    case PartsWay::posted:
      for (int64_t to = 0; to < team.rank(); ++to)
        before += to == peer ? 0 : shown.parts[to].count;
      return team.post(peer).data + sizeof(Table) + before * element_bytes;
    case PartsWay::staged:
      return team.input(peer) + others * chunk * element_bytes;
    }
    return nullptr;
  }

  int32_t compare() const {
    for (int64_t peer = 0; peer < team.size(); ++peer) {
      int64_t sent = table(peer).parts[team.rank()].count;
      if (sent == call.receive_counts[peer])
        continue;
      context->fail(TUTTI_PLAN_MISMATCH,
                    text(context->where(call.plan_entry), ": all_to_all_v: rank ",
                         team.name_of(peer), " sends ", sent, " elements to rank ",
                         team.name_of(team.rank()), ", which expects ", call.receive_counts[peer]));
      return context->status;
    }
    return TUTTI_OK;
  }

  Team &team;
  tutti_context *context;
  const tutti_call &call;
  int64_t element_bytes;
  int64_t chunk; ///< elements of a part that are staged at a time
  PartsWay own_way = PartsWay::direct;
};

} // namespace

int32_t all_to_all_v(Team &team, tutti_context *context, const tutti_call &call) {
  return AllToAllV(team, context, call).run();
}

} // namespace tutti::runtime::shm
