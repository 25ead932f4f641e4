// A number in shared memory that one side counts up and the other waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_SHM_SHAREDCOUNT_H
#define TUTTI_RUNTIME_SERVERS_SHM_SHAREDCOUNT_H

#include <atomic>
#include <cstdint>

namespace tutti::runtime::servers {

/// One process counts, one waits. Lock-free, and plain data: each maps it at another address.
struct alignas(128) SharedCount {
  std::atomic<uint32_t> value;
  std::atomic<uint32_t> sleepers;
};

/// Who reads `value` sees all writes before it.
void count_to(SharedCount &count, uint32_t value);

/// Waits until the count is not `seen` any more, first by polling, then asleep; at most some 50 ms.
/// Returns the count.
uint32_t wait_beyond(SharedCount &count, uint32_t seen);

/// Ends the waits of a process that is told otherwise what they wait for.
void wake(SharedCount &count);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_SHM_SHAREDCOUNT_H
