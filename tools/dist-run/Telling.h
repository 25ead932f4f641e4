// Which of the ranks that a launcher has started tells a failure that several of them meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_TELLING_H
#define TUTTI_TOOLS_DISTRUN_TELLING_H

#include "runtime/host/launch/LaunchEnvironment.h"

#include <string>

namespace tutti {

/// Where the ranks of one machine ask rank 0 whether it has failed and told why: a socket without a
/// file, whose name only those have who were started alike: by one user, in one folder, with equal
/// arguments, as ranks of one run. What makes such ranks fail before they train, makes all of them
/// fail, unless their machines differ.
class Telling {
public:
  Telling(const runtime::worker::LaunchEnvironment &launched, int argc, char **argv);

  /// On rank 0, which has told its failure: answers those who ask, until all other ranks of the
  /// machine have, and at most for `seconds`.
  void answer(double seconds) const;
  /// On another rank: whether rank 0 says within `seconds` that it has told its failure.
  bool isTold(double seconds) const;

private:
  std::string name;
  int64_t others; ///< ranks of this machine but one; of all machines if nobody tells how many
};

/// Has the launcher end the other ranks, with `status`, if it listens to PMI: mpiexec of MPICH and
/// srun leave them alone when a rank ends before it has connected. Does nothing under others.
void endLaunch(int status);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_TELLING_H
