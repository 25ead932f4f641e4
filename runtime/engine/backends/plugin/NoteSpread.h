// How the note of one rank reaches all others: along a binomial graph, in which rank r exchanges
// notes with the ranks r + 2^k and r - 2^k. A note is passed on once by everyone, so it costs each
// rank at most 2 log2 N messages and arrives after at most log2 N of them, also when a rank on the
// way has stopped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_NOTESPREAD_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_NOTESPREAD_H

#include "runtime/engine/backends/plugin/StallWatch.h"

#include <map>

namespace tutti::runtime::plugin {

/// What one rank knows of the notes of all, and what its neighbours do not know yet. Transports
/// move the entries. Not thread-safe.
class NoteSpread {
public:
  /// The note of `rank`; larger versions are newer. Plain data: it travels as bytes.
  struct Entry {
    int32_t rank;
    uint32_t version;
    Note note;
  };
  /// Of one message: below 4 KiB, which every transport sends at once.
  static constexpr size_t most_entries = 7;

  NoteSpread(int32_t rank, int32_t ranks);

  const std::vector<int32_t> &neighbours() const { return peers; }
  /// The last notes by rank.
  const std::vector<Note> &notes() const { return known; }

  /// This rank's own note. A failure is the last one; that it only follows another's is not spread.
  void post(const Note &note);
  /// Takes what a neighbour sent; entries that make no sense are dropped.
  void receive(int32_t neighbour, const Entry *entries, size_t count);
  /// The next message for a neighbour: at most `most_entries`; empty once it has all.
  std::vector<Entry> news_for(int32_t neighbour);

private:
  bool knows_failure() const;

  int32_t rank;
  std::vector<int32_t> peers;
  std::vector<Note> known;
  std::vector<uint32_t> versions;
  std::map<int32_t, std::vector<uint32_t>> told; ///< by neighbour: the versions that it has
};

} // namespace tutti::runtime::plugin

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_NOTESPREAD_H
