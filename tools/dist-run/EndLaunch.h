// A word to the launcher, for ranks that end before they have connected.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_ENDLAUNCH_H
#define TUTTI_TOOLS_DISTRUN_ENDLAUNCH_H

namespace tutti {

/// Has the launcher of this process end all other ranks, with `status`, where it would leave them
/// alone when a rank ends before it has connected: mpiexec of MPICH and srun do, which listen to
/// PMI-1 or PMIx. Does nothing under others, which end them by themselves or have nobody to ask.
/// Takes a third of a second, for the launcher drops what it has not read by then, and at most some
/// seconds.
void endLaunch(int status);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_ENDLAUNCH_H
