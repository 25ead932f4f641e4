// How many bytes the entries of a cache have, without looking at them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_CACHECOUNT_H
#define TUTTI_LIB_EXECUTION_FILES_CACHECOUNT_H

#include "lib/execution/files/CacheFolder.h"

#include <optional>

namespace tutti::execution {

/// An upper bound of the bytes of all entries of a folder, and when the folder was listed last, in
/// its file ".count". This process holds it from begin to end, while it makes one entry: what it
/// says then holds for the entries of all processes. Where it cannot be held, read or written, it
/// is removed in the end, and the next process that inserts lists the folder.
///
/// What this does not know of (entries of older versions, or copied by hand, or counts that were
/// lost with the power) is found by the next listing, within a day of insertions.
class CacheCount {
public:
  /// Waits for the processes that hold it; for a while only, as a process may have been stopped.
  explicit CacheCount(const CacheFolder &folder);
  ~CacheCount();
  CacheCount(const CacheCount &) = delete;
  CacheCount &operator=(const CacheCount &) = delete;

  /// Adds an entry that is about to be written: if that fails, or the process is killed before, the
  /// count is too large and never too small. Whether it is at most `limit` thereafter; false, too,
  /// if that is not known or the folder was listed more than a day ago. The caller then lists.
  bool add(uint64_t bytes, uint64_t limit);

  /// What a listing found; nothing if it failed.
  void set(std::optional<uint64_t> bytes);

private:
  struct Numbers {
    uint64_t bytes, listed; ///< seconds of the time of day
  };
  std::optional<Numbers> read() const;
  void write(const Numbers &numbers);

  const CacheFolder &folder;
  Descriptor file;
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_CACHECOUNT_H
