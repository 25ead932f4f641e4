// Which pages of a mapping are in memory, and which of them should go.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_PAGECLOCK_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_PAGECLOCK_H

#include "runtime/servers/storage/LazyArray.h"

#include <vector>

namespace tutti::runtime::servers {

/// Neighbouring pages, from `first` to before `end`.
struct PageRange {
  int64_t first, end;
};

/// A clock with a second chance: a hand goes around, and takes the pages that nobody has asked for
/// since it last came by.
class PageClock {
public:
  /// Of `pages` pages, of which `limit` may be in memory; 0: all.
  static Result<PageClock> make(int64_t pages, int64_t limit);

  /// Somebody wants `page`: true if it is in memory. It stays there until the next release().
  bool want(int64_t page);
  /// Pages that leave memory, so that those that are wanted have room; they count as gone.
  void make_room(std::vector<PageRange> &leaving);
  /// What was wanted is in memory, and may go.
  void release();
  /// From now on so many pages may be in memory.
  void set_limit(int64_t pages) { limit = pages; }

  /// Those that were wanted and were not there, in the order in which they were.
  const std::vector<int64_t> &missing() const { return absent; }
  int64_t resident() const { return count; }

private:
  enum State : uint8_t { gone = 0, cold = 1, hot = 2, held = 4 };

  bool skips_empty(int64_t &left);

  LazyArray<uint8_t> states;
  std::vector<int64_t> wanted, absent;
  int64_t pages = 0, limit = 0, count = 0, hand = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_PAGECLOCK_H
