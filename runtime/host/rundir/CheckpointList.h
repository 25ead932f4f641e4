// Which checkpoints of a run directory were whole once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_CHECKPOINTLIST_H
#define TUTTI_RUNTIME_HOST_RUNDIR_CHECKPOINTLIST_H

#include "runtime/host/rundir/folder/Folder.h"

#include <set>

namespace tutti::runtime::rundir {

/// DIR/checkpoints.json, which rank 0 writes: the steps of which all parts were on file. If one of
/// them lacks a part, that was lost later; if another does, a run that was killed has not finished
/// it. Used by one thread at a time.
class CheckpointList {
public:
  /// Empty if there is no file. A file that cannot be read lists every step, so that nothing that
  /// was whole is taken for unfinished.
  static CheckpointList read(const Folder &folder);

  bool has(int64_t step) const { return lists_all || steps.count(step) > 0; }
  /// The steps by name; of a file that cannot be read there are none.
  const std::set<int64_t> &whole() const { return steps; }
  /// The newest that it lists, in words: "the checkpoint of step 50 in 'run'". "nothing" without.
  static std::string describe_last(const std::string &model_dir);
  /// Changes the list, and the file if that changes it.
  Error add(const Folder &folder, int64_t step);
  Error remove(const Folder &folder, int64_t step);
  /// From now on it lists those of `there` alone that it lists already.
  Error restrict_to(const Folder &folder, const std::set<int64_t> &there);

private:
  Error write(const Folder &folder);

  std::set<int64_t> steps;
  bool lists_all = false;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_CHECKPOINTLIST_H
