// From the newest to the oldest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/FindCheckpoint.h"

#include <algorithm>
#include <filesystem>

namespace tutti::runtime::rundir {

using Skipped = NewestCheckpoint::Skipped;

FoundCheckpoint examine(const Folder &folder, const CheckpointList &list, int64_t step,
                        const Verify &verify) {
  FoundCheckpoint found;
  bool lacks_part = false;
  Result<WholeCheckpoint> opened = WholeCheckpoint::open(folder, step, &lacks_part);
  found.problem = opened && verify ? verify(*opened) : opened.error();
  if (!found.problem) {
    found.checkpoint = std::move(*opened);
    return found;
  }
  bool was_whole = !lacks_part || list.has(step);
  found.condition = was_whole ? Condition::unreadable : Condition::unfinished;
  return found;
}

/// Where checkpoints are and none can be read.
static Error refuse_all(const Folder &folder, const std::vector<Skipped> &unreadable) {
  std::string others =
      unreadable.size() > 1 ? text("; ", unreadable.size() - 1, " more are no better") : "";
  return Error::make(
      TUTTI_BAD_DATA, "'", folder.path(), "' has ",
      unreadable.size() == 1 ? "a checkpoint, which cannot"
                             : text(unreadable.size(), " checkpoints, none of which can"),
      " be read; nothing is computed, and nothing written over ",
      unreadable.size() == 1 ? "it" : "them", "\n  step ", unreadable.front().step, ": ",
      unreadable.front().why, others, "\n  use the version that wrote ",
      unreadable.size() == 1 ? "it" : "them", ", bring back the files, move '",
      folder.checkpoints(), "' away to begin at step 0, or give another --model-dir");
}

Result<NewestCheckpoint> find_newest(const Folder &folder, const Verify &verify) {
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  CheckpointList list = CheckpointList::read(folder);
  NewestCheckpoint newest;
  std::vector<Skipped> unreadable;
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    FoundCheckpoint found = examine(folder, list, step->first, verify);
    if (found.condition == Condition::whole) {
      newest.checkpoint = std::move(found.checkpoint);
      return Result<NewestCheckpoint>(std::move(newest));
    }
    newest.skipped.push_back({step->first, found.condition, found.problem.message});
    if (found.condition == Condition::unreadable)
      unreadable.push_back(newest.skipped.back());
  }
  if (!unreadable.empty())
    return refuse_all(folder, unreadable);
  return Result<NewestCheckpoint>(std::move(newest));
}

/// A name that nothing has yet in the folder of what is set aside.
static std::string free_name(const Folder &folder, const std::string &name) {
  std::string path = folder.set_aside() + "/" + name;
  std::error_code problem;
  for (int number = 1; std::filesystem::exists(path, problem); ++number)
    path = folder.set_aside() + "/" + name + "." + std::to_string(number);
  return path;
}

Error set_aside(const Folder &folder, int64_t step) {
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  std::error_code problem;
  std::filesystem::create_directories(folder.set_aside(), problem);
  for (const PartName &part : (*steps)[step]) {
    if (!problem)
      std::filesystem::rename(folder.part(part), free_name(folder, part.text()), problem);
    if (problem)
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot move '", folder.part(part), "' to '",
                         folder.set_aside(), "': ", problem.message());
  }
  return Error::success();
}

} // namespace tutti::runtime::rundir
