// Member r reduces slice r of all sources, in rank order, and writes the result to all
// destinations; so each byte is read once and written once by each pair. Buffers in shared memory
// are used where they lie. Of a private source the owner copies what others need to its input
// stage, a chunk at a time; of a result for private destinations the reducer leaves a copy in its
// result stage. Steps: 2 barriers; if something is private, one a chunk and one more: while others
// reduce chunk k, chunk k + 1 is copied in, and chunk k - 1 out. Traffic of all N members: N * S
// read, N * S written; with private buffers 2 * (N - 1) * S more are copied, within the
// second-level caches. Two members, or more of them with little to do, then leave out the results
// of others: all reduce everything for themselves; N * S are copied, N * N * S read. Two members
// that the system lets read each other do not stage large private buffers: the reducer of a slice
// reads it, a block at a time, and the other reads the result. Steps: 3 barriers. Traffic: 2 * S
// copied by the system, 2 * S read from the caches, S written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/SlicedReduction.h"

#include "runtime/engine/core/Context.h"
#include "runtime/engine/reduction/Reduction.h"

namespace tutti::runtime::shm {
namespace {

/// A slice below this many bytes is not worth a second processor.
constexpr int64_t grain_bytes = 1024;
/// Up to this many bytes from others, meeting once more and passing results on costs more than
/// reducing everything oneself. With one other it always does.
constexpr int64_t most_whole_bytes = 256 << 10;

/// Between these sizes the system's copies cost two members less than stages. On Zen 4,
/// microseconds staged and read, processors near and far from each other: 64 KiB 9.4 and 12.4,
/// 33.7 and 28.1; 256 KiB 36.7 and 37.7, 131 and 93; 1 MiB 135 and 103, 517 and 343; near: 4 MiB
/// 594 and 391, 16 MiB 2550 and 2640, 64 MiB 10400 and 14600. For four members they cost more: 1
/// MiB 440 and 502, 16 MiB 8700 and 12800.
constexpr int64_t least_read_bytes = 256 << 10, most_read_bytes = 8 << 20;

/// Bytes that are fetched to be written while as many are reduced.
constexpr int64_t step_bytes = 512;
/// More than this of a slice is not in the caches of the ranks that wrote it.
constexpr int64_t most_cached_bytes = 512 << 10;

/// As reduce_in_order. What others have just written comes from their caches: to fetch it for
/// writing at once saves asking them again when the result takes its place.
void reduce_in_steps(const tutti_call &call, const void **sources, int64_t ranks,
                     void **destinations, int64_t written, int64_t bytes) {
  int64_t element_bytes = type_bytes(call.type);
  int64_t step = bytes > most_cached_bytes ? bytes : step_bytes;
  for (int64_t begin = 0; begin < bytes; begin += step) {
    int64_t end = std::min(begin + step, bytes);
    for (int64_t line = end; line < std::min(end + step, bytes); line += 64)
      for (int64_t d = 0; d < written; ++d)
        fetch_to_write(static_cast<char *>(destinations[d]) + line - begin);
    reduce_in_order(call.type, call.reduction, sources, ranks, destinations, written,
                    (end - begin) / element_bytes);
    for (int64_t rank = 0; rank < ranks; ++rank)
      sources[rank] = static_cast<const char *>(sources[rank]) + step;
    for (int64_t d = 0; d < written; ++d)
      destinations[d] = static_cast<char *>(destinations[d]) + step;
  }
}

} // namespace

int32_t SlicedReduction::run() {
  for (int64_t first = 0; first < call.count; first += published_buffers) {
    Round round(call, first, std::min(published_buffers, call.count - first));
    if (int32_t status = run_round(round))
      return status;
  }
  return TUTTI_OK;
}

int32_t SlicedReduction::run_round(const Round &round) {
  publish(round);
  Range all = {0, round.bucket.total()};
  int64_t chunk = stage_bytes / round.element_bytes;
  is_read = is_worth_reading(round);
  is_whole = is_worth_it_whole(round);
  copy_in(round, {0, std::min(all.end, chunk)});
  if (int32_t status = team.meet(context, signature_of(call)))
    return status;
  look_around(round);
  if (any_private && is_read)
    return read(round);
  if (any_private)
    return is_whole ? staged_whole(round) : staged(round);
  reduce(round, all, slice_of(all, team.rank(), round));
  return team.barrier(context, call.plan_entry);
}

void SlicedReduction::publish(const Round &round) const {
  uint64_t *words = reinterpret_cast<uint64_t *>(team.next_post().data);
  uint64_t *sources = words + 2, *destinations = sources + round.bucket.count;
  words[0] = words[1] = 0;
  for (int64_t i = 0; i < round.bucket.count; ++i) {
    int64_t bytes = round.bucket.elements[i] * round.element_bytes;
    sources[i] = team.place().place_of(round.source(i), bytes);
    words[0] |= is_private(sources[i]) ? private_sources : 0;
    if (!receives(team.rank()))
      continue;
    words[0] |= round.source(i) == round.destination(i) ? overwritten_sources : 0;
    destinations[i] = team.place().place_of(round.destination(i), bytes);
    words[1] |= uint64_t(is_private(destinations[i]));
  }
}

/// Publications stay as they are until the member arrives twice, so what is needed for longer is
/// kept: who is private. Offsets are only used where nobody is, or copied to the next post.
void SlicedReduction::look_around(const Round &round) {
  any_private = any_shared_source = false;
  for (int64_t peer = 0; peer < team.size(); ++peer) {
    const uint64_t *words = reinterpret_cast<const uint64_t *>(team.post(peer).data);
    bool is_private = words[0] & private_sources;
    places[peer] = {is_private, words[1] != 0, words + 2, words + 2 + round.bucket.count};
    // Where a result takes the place of a source that others read, each may only read its slice.
    is_whole &= is_private || !(words[0] & overwritten_sources);
    any_private |= places[peer].has_private_sources || places[peer].has_private_destinations;
    any_shared_source |= !places[peer].has_private_sources;
  }
}

int32_t SlicedReduction::staged(const Round &round) {
  int64_t total = round.bucket.total(), size = stage_bytes / round.element_bytes;
  int64_t publication = (2 + 2 * round.bucket.count) * int64_t(sizeof(uint64_t));
  Range last;
  for (Range chunk = {0, std::min(total, size)};;
       last = chunk, chunk = {chunk.end, std::min(total, chunk.end + size)}) {
    std::memcpy(team.next_post().data, team.post(team.rank()).data, publication);
    copy_out(round, last);
    if (chunk.size() == 0)
      return TUTTI_OK;
    reduce(round, chunk, slice_of(chunk, team.rank(), round));
    copy_in(round, {chunk.end, std::min(total, chunk.end + size)});
    if (int32_t status = team.barrier(context, call.plan_entry))
      return status;
    look_around(round);
  }
}

/// As staged(), but everyone reduces everything for itself.
int32_t SlicedReduction::staged_whole(const Round &round) {
  int64_t total = round.bucket.total(), size = stage_bytes / round.element_bytes;
  int64_t publication = (2 + 2 * round.bucket.count) * int64_t(sizeof(uint64_t));
  Range chunk = {0, std::min(total, size)};
  for (;;) {
    Range next = {chunk.end, std::min(total, chunk.end + size)};
    std::memcpy(team.next_post().data, team.post(team.rank()).data, publication);
    copy_in(round, next);
    if (receives(team.rank()))
      reduce_whole(round, chunk);
    chunk = next;
    if (chunk.size() == 0)
      return any_shared_source ? team.barrier(context, call.plan_entry) : int32_t(TUTTI_OK);
    if (int32_t status = team.barrier(context, call.plan_entry))
      return status;
    look_around(round);
  }
}

bool SlicedReduction::is_worth_reading(const Round &round) const {
  int64_t bytes = round.bucket.total() * round.element_bytes;
  if (receiver >= 0 || team.size() != 2 || bytes < round.bucket.count * least_read_bytes ||
      bytes > most_read_bytes)
    return false;
  const uint64_t *own = reinterpret_cast<const uint64_t *>(team.next_post().data);
  if ((own[0] & private_sources) || own[1] != 0)
    team.note_staging();
  return team.reads_private();
}

int32_t SlicedReduction::read(const Round &round) {
  Range all = {0, round.bucket.total()};
  int64_t publication = (2 + 2 * round.bucket.count) * int64_t(sizeof(uint64_t));
  std::memcpy(team.next_post().data, team.post(team.rank()).data, publication);
  lend(round);
  reduce_read(round, slice_of(all, team.rank(), round));
  if (int32_t status = team.check_reads(context, call.plan_entry))
    return status;
  if (int32_t status = team.barrier(context, call.plan_entry))
    return status;
  look_around(round);
  fetch_results(round, slice_of(all, 1 - team.rank(), round));
  if (int32_t status = team.check_reads(context, call.plan_entry))
    return status;
  return team.barrier(context, call.plan_entry);
}

void SlicedReduction::lend(const Round &round) const {
  const Places &own = places[team.rank()];
  for (int64_t i = 0; i < round.bucket.count; ++i) {
    int64_t bytes = round.bucket.elements[i] * round.element_bytes;
    if (is_private(own.sources[i]))
      team.lend(round.source(i), bytes);
    if (is_private(own.destinations[i]))
      team.lend(round.destination(i), bytes);
  }
}

/// This member's slice, to its own destination. Of a private source the other's blocks come to the
/// stages, which nobody reads now.
void SlicedReduction::reduce_read(const Round &round, Range own) {
  int64_t other = 1 - team.rank(), block = int64_t(sizeof(Stages)) / round.element_bytes;
  char *room = reinterpret_cast<char *>(&team.memory().stages(team.rank()));
  for (Range part = own; part.begin < own.end; part.begin = part.end) {
    part.end = std::min(own.end, part.begin + block);
    round.bucket.for_each_piece(part, [&](int64_t i, int64_t offset, int64_t, int64_t count) {
      int64_t in_buffer = offset * round.element_bytes;
      uint64_t place = places[other].sources[i];
      const void *sources[2];
      sources[team.rank()] = round.source(i) + in_buffer;
      sources[other] = is_private(place) ? room : arena(other) + place + in_buffer;
      if (is_private(place))
        team.read(other, place + in_buffer, room, count * round.element_bytes);
      void *destination = round.destination(i) + in_buffer;
      reduce_in_order(call.type, call.reduction, sources, 2, &destination, 1, count);
    });
  }
}

/// The other's slice, from its destinations.
void SlicedReduction::fetch_results(const Round &round, Range slice) {
  int64_t other = 1 - team.rank();
  round.bucket.for_each_piece(slice, [&](int64_t i, int64_t offset, int64_t, int64_t count) {
    int64_t in_buffer = offset * round.element_bytes, bytes = count * round.element_bytes;
    uint64_t place = places[other].destinations[i];
    char *to = round.destination(i) + in_buffer;
    if (is_private(place))
      team.read(other, place + in_buffer, to, bytes);
    else
      std::memcpy(to, arena(other) + place + in_buffer, size_t(bytes));
  });
}

bool SlicedReduction::is_worth_it_whole(const Round &round) const {
  int64_t from_others = round.bucket.total() * round.element_bytes * (team.size() - 1);
  return team.size() == 2 || from_others <= most_whole_bytes;
}

Range SlicedReduction::slice_of(Range range, int64_t member, const Round &round) const {
  return slice(range, member, team.size(), grain_bytes / round.element_bytes);
}

/// What others reduce, to the stage of the next arrival.
void SlicedReduction::copy_in(const Round &round, Range chunk) const {
  const Post &own = team.next_post();
  if (is_read || !(reinterpret_cast<const uint64_t *>(own.data)[0] & private_sources))
    return;
  char *to = team.next_input();
  Range mine = is_whole ? Range{chunk.begin, chunk.begin} : slice_of(chunk, team.rank(), round);
  for (Range range : {Range{chunk.begin, mine.begin}, Range{mine.end, chunk.end}})
    round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      stage(to + (at - chunk.begin) * round.element_bytes,
            round.source(i) + offset * round.element_bytes, count * round.element_bytes);
    });
}

/// The results of others, from their stages.
void SlicedReduction::copy_out(const Round &round, Range chunk) const {
  if (!receives(team.rank()) || !places[team.rank()].has_private_destinations)
    return;
  for (int64_t turn = 1; turn < team.size(); ++turn) {
    int64_t peer = (team.rank() + turn) % team.size();
    const char *from = team.result(peer);
    round.bucket.for_each_piece(
        slice_of(chunk, peer, round), [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
          stage(round.destination(i) + offset * round.element_bytes,
                from + (at - chunk.begin) * round.element_bytes, count * round.element_bytes);
        });
  }
}

const char *SlicedReduction::source(const Round &round, int64_t peer, int64_t i, int64_t in_buffer,
                                    int64_t in_chunk) const {
  if (peer == team.rank())
    return round.source(i) + in_buffer;
  if (places[peer].has_private_sources)
    return team.input(peer) + in_chunk;
  return arena(peer) + places[peer].sources[i] + in_buffer;
}

void SlicedReduction::reduce(const Round &round, Range chunk, Range own) const {
  round.bucket.for_each_piece(own, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    const void *sources[most_ranks];
    void *destinations[most_ranks + 1];
    int64_t in_buffer = offset * round.element_bytes, written = 0;
    int64_t in_chunk = (at - chunk.begin) * round.element_bytes;
    bool needs_copy = false;
    for (int64_t peer = 0; peer < team.size(); ++peer) {
      sources[peer] = source(round, peer, i, in_buffer, in_chunk);
      if (!receives(peer))
        continue;
      if (peer == team.rank())
        destinations[written++] = round.destination(i) + in_buffer;
      else if (places[peer].has_private_destinations)
        needs_copy = true;
      else
        destinations[written++] = arena(peer) + places[peer].destinations[i] + in_buffer;
    }
    if (needs_copy)
      destinations[written++] = team.next_result() + in_chunk;
    reduce_in_steps(call, sources, team.size(), destinations, written, count * round.element_bytes);
  });
}

void SlicedReduction::reduce_whole(const Round &round, Range chunk) const {
  round.bucket.for_each_piece(chunk, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    const void *sources[most_ranks];
    int64_t in_buffer = offset * round.element_bytes;
    for (int64_t peer = 0; peer < team.size(); ++peer)
      sources[peer] = source(round, peer, i, in_buffer, (at - chunk.begin) * round.element_bytes);
    void *destination = round.destination(i) + in_buffer;
    reduce_in_order(call.type, call.reduction, sources, team.size(), &destination, 1, count);
  });
}

void SlicedReduction::stage(void *to, const void *from, int64_t bytes) const {
  std::memcpy(to, from, size_t(bytes));
  context->staged_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

char *SlicedReduction::arena(int64_t peer) const {
  return team.place().shared().arena(team.memory().header().members[peer]);
}

} // namespace tutti::runtime::shm
