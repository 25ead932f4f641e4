// The reduction of large buckets, shared between the members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SLICEDREDUCTION_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SLICEDREDUCTION_H

#include "runtime/engine/backends/shm/Staging.h"

namespace tutti::runtime::shm {

/// The reduction of the sources of all, in rank order, to the destinations of `receiver`, or of all
/// members if it is -1.
class SlicedReduction {
public:
  SlicedReduction(Team &team, tutti_context *context, const tutti_call &call, int64_t receiver)
      : team(team), context(context), call(call), receiver(receiver) {}

  int32_t run();

private:
  /// Bits of the first word of a publication.
  static constexpr uint64_t private_sources = 1, overwritten_sources = 2;
  /// Where one member keeps its buffers: in shared memory or not.
  struct Places {
    bool has_private_sources, has_private_destinations;
    const uint64_t *sources, *destinations;
  };

  int32_t run_round(const Round &round);
  int32_t staged(const Round &round);
  int32_t staged_whole(const Round &round);
  int32_t read(const Round &round);
  /// Tells the system what of this member is read.
  void lend(const Round &round) const;
  void reduce_read(const Round &round, Range own);
  void fetch_results(const Round &round, Range slice);
  void publish(const Round &round) const;
  void look_around(const Round &round);
  bool receives(int64_t member) const { return receiver < 0 || receiver == member; }
  bool is_worth_it_whole(const Round &round) const;
  bool is_worth_reading(const Round &round) const;
  Range slice_of(Range range, int64_t member, const Round &round) const;
  void copy_in(const Round &round, Range chunk) const;
  void copy_out(const Round &round, Range chunk) const;
  const char *source(const Round &round, int64_t peer, int64_t i, int64_t in_buffer,
                     int64_t in_chunk) const;
  void reduce(const Round &round, Range chunk, Range own) const;
  void reduce_whole(const Round &round, Range chunk) const;
  char *arena(int64_t peer) const;
  /// Copies what counts as staged.
  void stage(void *to, const void *from, int64_t bytes) const;

  Team &team;
  tutti_context *context;
  const tutti_call &call;
  int64_t receiver;
  Places places[most_ranks];
  bool any_private = false, any_shared_source = false;
  bool is_read = false;  ///< nothing is staged: who needs private memory reads it
  bool is_whole = false; ///< everyone reduces everything for itself, not a slice for all
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SLICEDREDUCTION_H
