// Which run writes in a run directory: a record there that it renews.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_LEASE_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_LEASE_H

#include "runtime/host/rundir/folder/Folder.h"

#include <memory>

namespace tutti::runtime::rundir {

/// In seconds.
struct LeaseTimes {
  double lease = 30; ///< a record of another machine that was not renewed for so long is nobody's
  double grace = 10; ///< a run that is just ending is waited for

  /// With the lease of TUTTI_LEASE_SECONDS, if that is set.
  static Result<LeaseTimes> of_environment();
};

/// One run writes in a folder at a time. DIR/owner.json names its process, and has a counter that
/// the process moves on. Whoever finds the record of a process of this machine asks the system
/// whether it lives; of another machine it watches whether the counter moves, so that no two clocks
/// are compared. A lock of the folder is the quick way where the file system has any, and tells
/// nothing of other machines on many.
class Lease {
public:
  /// Takes `folder`, which is prepared, for this process, or says who has it. Has a thread, which
  /// sleeps but for the renewals.
  static Result<std::unique_ptr<Lease>> take(const Folder &folder, const LeaseTimes &times);
  /// Gives it back.
  virtual ~Lease() = default;

  /// A random number that no other lease has.
  virtual int64_t number() const = 0;
  /// Whether this process still has the folder; the error says who does.
  virtual Error check() const = 0;

  /// The same for another process of the run that has the lease `number`. It does not mind a record
  /// that is gone, which its own machine may see late: the owner does.
  static Error check(const Folder &folder, int64_t number);
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_LEASE_H
