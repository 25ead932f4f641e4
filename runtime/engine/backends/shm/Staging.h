// How members read each other's sources, whether these lie in shared memory or not: the half of
// most collectives that moves data to its receivers. Four ways, all with one arrival a step:
//   flat    everyone copies its whole payload into its post. 1 barrier, nothing to wait for after.
//   direct  all sources lie in shared memory and are read where they are. 2 barriers.
//   staged  a private source is copied to its owner's stage, a chunk at a time; while others read
//           chunk k, chunk k + 1 is copied. 1 barrier a chunk. Shared sources are read where they
//           are.
//   read    a private source of a large call is read by the system where it is, if it lets all
//           members read each other. 2 barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_STAGING_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_STAGING_H

#include "runtime/engine/backends/shm/Team.h"
#include "runtime/engine/core/Bucket.h"
#include "runtime/engine/core/Context.h"
#include "runtime/support/Names.h"

#include <cstring>

namespace tutti::runtime::shm {

/// Buffers first .. first + bucket.count of a call: few enough to publish.
struct Round {
  const tutti_call &call;
  int64_t first;
  Bucket bucket;
  int64_t element_bytes;

  explicit Round(const tutti_call &call) : Round(call, 0, call.count) {}
  Round(const tutti_call &call, int64_t first, int64_t count)
      : call(call), first(first), bucket{count, call.elements + first},
        element_bytes(type_bytes(call.type)) {}

  const char *source(int64_t i) const { return static_cast<const char *>(call.sources[first + i]); }
  char *destination(int64_t i) const { return static_cast<char *>(call.destinations[first + i]); }
};

/// A piece of part `part` of buffer `buffer`: `count` elements from `offset` in the part, which are
/// those from `at` in the row of all buffers.
struct Piece {
  int64_t buffer, offset, at, count;
};

/// What all collectives of this kind have in common.
struct StagingOptions {
  int64_t parts;         ///< a source has `parts` parts of elements[i] elements
  int64_t owner = -1;    ///< the only member whose sources are read, or -1: all
  bool is_safe_in_place; ///< sources may be read while their owners write to equal destinations
  /// Private buffers whose parts have as many bytes are read, not staged. Never if they are not
  /// only fetched.
  int64_t least_read = INT64_MAX;
};

/// Bytes of a part from which on a member fetches it sooner from private memory than from a stage:
/// two ranks on Zen 4, microseconds of an all_to_all staged and read, processors near and far from
/// each other: parts of 32 KiB 5.4 and 5.4, 18.1 and 9.0; 128 KiB 20.6 and 14.9, 73 and 24;
/// 512 KiB 79 and 53, 292 and 92.
constexpr int64_t least_read_part = 32 << 10;

/// How a member shows its sources: the first word of a publication.
enum class Way : uint64_t { direct = 0, staged = 1, read = 2 };

/// The sources of all exposers, as far as elements `range` of each part are concerned.
class SourceView {
public:
  SourceView(Team &team, const Round &round, Range range)
      : range(range), team(team), round(round) {}

  const Range range;

  /// Calls use(piece) for each piece of the range.
  template <typename Use> void for_each_piece(Use use) const {
    round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      use(Piece{i, offset, at, count});
    });
  }

  /// Where part `part` of the piece can be read.
  const char *source(int64_t peer, int64_t part, const Piece &piece) const {
    if (peer == team.rank())
      return round.source(piece.buffer) + in_buffer(part, piece);
    if (is_flat)
      return team.post(peer).data + in_copy(part, piece);
    if (way_of(peer) == Way::staged)
      return team.input(peer) + in_copy(part, piece);
    int32_t slot = team.memory().header().members[peer];
    return team.place().shared().arena(slot) + offsets(peer)[piece.buffer] + in_buffer(part, piece);
  }
  char *destination(int64_t part, const Piece &piece) const {
    return round.destination(piece.buffer) + in_buffer(part, piece);
  }
  int64_t bytes(const Piece &piece) const { return piece.count * round.element_bytes; }

  /// Copies part `part` of the piece of a peer to where this member wants it.
  void fetch(int64_t peer, int64_t part, int64_t destination_part, const Piece &piece) const {
    if (is_read_there(peer) && is_private(offsets(peer)[piece.buffer]))
      return team.read(peer, offsets(peer)[piece.buffer] + in_buffer(part, piece),
                       destination(destination_part, piece), bytes(piece));
    const char *from = source(peer, part, piece);
    char *to = destination(destination_part, piece);
    if (to != from)
      std::memcpy(to, from, bytes(piece));
  }

private:
  template <typename Work> friend class StagedCall;

  static const uint64_t *offsets(const Post &post) {
    return reinterpret_cast<const uint64_t *>(post.data + sizeof(uint64_t));
  }
  const uint64_t *offsets(int64_t peer) const { return offsets(team.post(peer)); }
  /// If any buffer is private, all are staged, or the private ones read.
  Way way_of(int64_t peer) const { return *reinterpret_cast<const Way *>(team.post(peer).data); }
  bool is_read_there(int64_t peer) const {
    return !is_flat && peer != team.rank() && way_of(peer) == Way::read;
  }
  int64_t in_buffer(int64_t part, const Piece &piece) const {
    return (part * round.bucket.elements[piece.buffer] + piece.offset) * round.element_bytes;
  }
  int64_t in_copy(int64_t part, const Piece &piece) const {
    return (part * range.size() + piece.at - range.begin) * round.element_bytes;
  }

  Team &team;
  const Round &round;
  bool is_flat = false;
};

/// Runs one call. `work(view)` does what concerns the view's range; together the ranges are
/// everything.
template <typename Work> class StagedCall {
public:
  StagedCall(Team &team, tutti_context *context, const tutti_call &call, const StagingOptions &how,
             const Work &work)
      : team(team), context(context), call(call), how(how), work(work) {}

  int32_t run() {
    Round all(call);
    int64_t total = all.bucket.total();
    if (how.parts * total * all.element_bytes <= most_flat_bytes)
      return flat(all, {0, total});
    for (int64_t first = 0; first < call.count; first += published_buffers) {
      Round round(call, first, std::min(published_buffers, call.count - first));
      if (int32_t status = run_round(round))
        return status;
    }
    return TUTTI_OK;
  }

private:
  int32_t flat(const Round &round, Range range) {
    SourceView view(team, round, range);
    view.is_flat = true;
    if (is_read(team.rank()))
      copy_out(view, team.next_post().data);
    if (int32_t status = team.meet(context, signature_of(call)))
      return status;
    work(view);
    return TUTTI_OK;
  }

  int32_t run_round(const Round &round) {
    Range all = {0, round.bucket.total()};
    Range first = {0, std::min(all.end, chunk_elements(round))};
    bool is_staged = publish(round) == Way::staged;
    if (is_staged)
      copy_out(SourceView(team, round, first), team.next_input());
    if (int32_t status = team.meet(context, signature_of(call)))
      return status;
    bool any_staged = false, any_in_place = false;
    SourceView seen(team, round, all);
    for (int64_t peer = 0; peer < team.size(); ++peer)
      if (is_read(peer))
        (seen.way_of(peer) == Way::staged ? any_staged : any_in_place) = true;
    if (!any_staged)
      work(seen);
    else if (int32_t status = staged(round, first, all, is_staged))
      return status;
    if (int32_t status = team.check_reads(context, call.plan_entry))
      return status;
    return any_in_place ? team.barrier(context, call.plan_entry) : int32_t(TUTTI_OK);
  }

  /// The first chunk is exposed already. Publications are copied, as later posts replace them.
  int32_t staged(const Round &round, Range chunk, Range all, bool is_staged) {
    for (;;) {
      Range next = {chunk.end, std::min(all.end, chunk.end + chunk.size())};
      if (is_staged && next.size() > 0)
        copy_out(SourceView(team, round, next), team.next_input());
      if (next.size() > 0) // what is published stays so
        std::memcpy(team.next_post().data, team.post(team.rank()).data, publication_bytes(round));
      work(SourceView(team, round, chunk));
      if (next.size() == 0)
        return TUTTI_OK;
      if (int32_t status = team.barrier(context, call.plan_entry))
        return status;
      chunk = next;
    }
  }

  bool is_read(int64_t member) const { return how.owner < 0 || how.owner == member; }
  static int64_t publication_bytes(const Round &round) {
    return (1 + round.bucket.count) * int64_t(sizeof(uint64_t));
  }
  /// Whole cache lines of each part.
  int64_t chunk_elements(const Round &round) const {
    int64_t line = 64 / round.element_bytes;
    return stage_bytes / (round.element_bytes * how.parts) / line * line;
  }

  /// Shows this member's sources, and how.
  Way publish(const Round &round) {
    char *data = team.next_post().data;
    uint64_t *offsets = const_cast<uint64_t *>(SourceView::offsets(team.next_post()));
    bool any_private = false, any_unsafe = false;
    for (int64_t i = 0; i < round.bucket.count && is_read(team.rank()); ++i) {
      offsets[i] = team.place().place_of(round.source(i), how.parts * round.bucket.elements[i] *
                                                              round.element_bytes);
      any_private |= is_private(offsets[i]);
      any_unsafe |= !how.is_safe_in_place && round.source(i) == round.destination(i);
    }
    bool is_large =
        round.bucket.total() * round.element_bytes / round.bucket.count >= how.least_read;
    if (any_private && is_large)
      team.note_staging();
    Way way = Way::direct;
    if (any_private)
      way = is_large && team.reads_private() ? Way::read : Way::staged;
    if (any_unsafe)
      way = Way::staged;
    for (int64_t i = 0; i < round.bucket.count && way == Way::read && is_read(team.rank()); ++i)
      if (is_private(offsets[i]))
        team.lend(round.source(i), how.parts * round.bucket.elements[i] * round.element_bytes);
    *reinterpret_cast<Way *>(data) = way;
    return way;
  }

  /// What others read of this member: not its own part, where each member has one.
  void copy_out(const SourceView &view, char *to) const {
    int64_t copied = 0;
    view.for_each_piece([&](const Piece &piece) {
      for (int64_t part = 0; part < how.parts; ++part)
        if (how.parts == 1 || part != team.rank()) {
          std::memcpy(to + view.in_copy(part, piece), view.source(team.rank(), part, piece),
                      view.bytes(piece));
          copied += view.bytes(piece);
        }
    });
    if (!view.is_flat)
      context->staged_bytes.fetch_add(copied, std::memory_order_relaxed);
  }

  Team &team;
  tutti_context *context;
  const tutti_call &call;
  const StagingOptions &how;
  const Work &work;
};

template <typename Work>
int32_t run_staged(Team &team, tutti_context *context, const tutti_call &call,
                   const StagingOptions &how, const Work &work) {
  return StagedCall<Work>(team, context, call, how, work).run();
}

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_STAGING_H
