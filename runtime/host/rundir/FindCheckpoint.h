// Which checkpoint a run goes on from, and what becomes of those that cannot be read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FINDCHECKPOINT_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FINDCHECKPOINT_H

#include "runtime/host/rundir/CheckpointList.h"
#include "runtime/host/rundir/WholeCheckpoint.h"

#include <functional>

namespace tutti::runtime::rundir {

/// What the files of a step are.
enum class Condition {
  whole,
  unfinished, ///< a run that was killed has not written all of them; nothing is lost without them
  unreadable  ///< damaged, of another format, or the system does not give them
};

struct FoundCheckpoint {
  Condition condition = Condition::whole;
  std::optional<WholeCheckpoint> checkpoint; ///< if it is whole
  Error problem;                             ///< else why it is not; it names the file
};

/// Reads the bytes of a checkpoint of which the headers are right.
using Verify = std::function<Error(const WholeCheckpoint &checkpoint)>;

/// Looks at headers, and has `verify`, unless it is null, look at every byte.
FoundCheckpoint examine(const Folder &folder, const CheckpointList &list, int64_t step,
                        const Verify &verify);

/// The newest checkpoint that is whole, and what is there of newer steps.
struct NewestCheckpoint {
  struct Skipped {
    int64_t step;
    Condition condition;
    std::string why;
  };
  std::optional<WholeCheckpoint> checkpoint; ///< none: the folder has none
  std::vector<Skipped> skipped;              ///< newer ones, the newest first
};

/// The newest checkpoint of `folder` that is whole, down to its last byte. Checkpoints that are
/// there, of which none can be read, are an error: nobody is to begin anew over them. So is a
/// folder that cannot be read.
Result<NewestCheckpoint> find_newest(const Folder &folder,
                                     const Verify &verify = &WholeCheckpoint::verify);

/// Moves all files of `step` to DIR/set-aside, so that nothing replaces them.
Error set_aside(const Folder &folder, int64_t step);

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FINDCHECKPOINT_H
