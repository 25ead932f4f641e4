// Which checkpoints stay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_RETENTION_H
#define TUTTI_RUNTIME_HOST_RUNDIR_RETENTION_H

#include "runtime/host/rundir/CheckpointList.h"

namespace tutti::runtime::rundir {

/// Of the checkpoints up to `step`, the newest `most` that have all their files stay (0: all of
/// them), and so do those that are newer than the newest whole one, because other ranks may still
/// write them, that of step `best`, if there is one, and those that cannot be read. The rest goes:
/// first from `list`, then rank 0's file, without which nobody takes the others for a checkpoint.
Error remove_old(const Folder &folder, CheckpointList &list, int64_t step, int64_t most,
                 int64_t best);

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_RETENTION_H
