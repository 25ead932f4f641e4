// Reads of memory that is another rank's own: the system copies it once, where a stage takes two
// copies. Not every system lets one process read another (ptrace_scope of Yama, containers, other
// namespaces of processes), so that it works is proved, not assumed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_PEERMEMORY_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_PEERMEMORY_H

#include "runtime/engine/backends/shm/segment/Segment.h"

#include <array>
#include <string>
#include <vector>

namespace tutti::runtime::shm {

/// The private memory of some ranks of a segment, as this process can read it. Used by one thread
/// at a time.
class PeerMemory {
public:
  /// `ranks` are numbers of slots; all later functions name a rank by its position among them.
  PeerMemory(const Segment &segment, const int32_t *ranks, int64_t count);

  /// Reads the word that each rank shows as proof. All must have joined.
  bool prove();
  /// Why prove() was false, in words; "" if a rank does not want to be read.
  const std::string &obstacle() const { return why; }

  /// Copies `bytes` at `place`, which is private, of `peer`. After a failure nothing is read.
  void read(int64_t peer, uint64_t place, void *to, int64_t bytes);

  /// The first read that failed, if any did.
  struct Failure {
    int64_t peer = -1;
    int64_t bytes = 0;
    int reason = 0; ///< errno
  };
  const Failure &failure() const { return failed; }

private:
  struct Process {
    int32_t number = 0;
    bool is_this = false; ///< its ranks are threads
  };
  bool prove(int64_t peer);

  const Segment &segment;
  std::vector<int32_t> slots;
  std::vector<Process> processes;
  std::string why;
  Failure failed;
};

/// Private memory of this rank that others read again and again. The system finds the pages of a
/// reader's copy one by one, which takes longer than to copy them; of huge pages it finds 512 at
/// once. So what is lent three times is moved to huge pages (MADV_COLLAPSE, Linux 6.1), if the
/// system lets programs have any (`transparent_hugepage/enabled` is not `never`). Its bytes and its
/// address stay. Used by one thread at a time.
class LentMemory {
public:
  /// `bytes` at `memory` are about to be read by others. Nothing where they hold no huge page.
  void lend(const void *memory, int64_t bytes);

private:
  struct Loan {
    const char *memory = nullptr;
    int64_t bytes = 0;
    int64_t times = 0;
  };
  std::array<Loan, 64>
      loans; ///< by a hash of the address; a newer one takes the place of an older one
};

/// A word for the rank's slot that no other process has at the same address; 0, which proves
/// nothing, if the system gives no random numbers.
uint64_t make_proof();

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_PEERMEMORY_H
