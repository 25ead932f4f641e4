// What a launcher of MPI keeps for the processes that it has started: names and values, by which
// ranks find each other without a port or a folder that somebody had to choose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_LAUNCHERSTORE_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_LAUNCHERSTORE_H

#include "runtime/support/Error.h"

#include <chrono>
#include <memory>
#include <string>

namespace tutti::runtime::gloo_backend {

/// The name of the text in the launcher's store.
inline constexpr char launcher_key[] = "tutti-rank-0";

/// One text that rank 0 passes to all ranks, once: put() on rank 0, then on every rank enter(), and
/// when all have, get() and leave(). Used by one thread.
class LauncherStore {
public:
  /// `kind`: "pmi" (PMI-1 of MPICH's hydra, and of srun --mpi=pmi2, at the descriptor PMI_FD) or
  /// "pmix" (libpmix.so.2, which is loaded now). A process can do this once: afterwards neither it
  /// nor an MPI library in it can speak to a launcher by PMI. Fails if the launcher knows this
  /// process as another rank than `rank` of `size`.
  static Result<std::unique_ptr<LauncherStore>> open(const std::string &kind, int32_t rank,
                                                     int32_t size);
  virtual ~LauncherStore() = default;

  /// `text` has no line breaks and no spaces, and at most 1000 letters.
  virtual Error put(const std::string &text) = 0;
  virtual Error enter() = 0;
  /// Whether all have entered; waits for that at most `limit`.
  virtual Result<bool> have_all_entered(std::chrono::milliseconds limit) = 0;
  virtual Result<std::string> get() = 0;
  /// The launcher needs to hear no more of this process.
  virtual Error leave() = 0;
};

/// PMI-1 (the wire protocol of MPICH's simple PMI client): lines "cmd=NAME key=value ..." through
/// the socket with number `descriptor`, which stays open: its number is to be nobody else's.
Result<std::unique_ptr<LauncherStore>> open_pmi(int descriptor);
/// PMIx (PMIx standard, 2 and later).
Result<std::unique_ptr<LauncherStore>> open_pmix(int32_t rank, int32_t size);

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_LAUNCHERSTORE_H
