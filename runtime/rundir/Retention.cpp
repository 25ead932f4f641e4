// Removing checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/Retention.h"

#include "runtime/rundir/FindCheckpoint.h"

#include <algorithm>
#include <filesystem>

namespace tutti::runtime::rundir {
namespace {

Error remove_parts(const Folder &folder, std::vector<PartName> parts) {
  std::sort(parts.begin(), parts.end(), [](const PartName &a, const PartName &b) {
    return std::pair(a.is_server, a.rank) < std::pair(b.is_server, b.rank);
  });
  for (const PartName &part : parts) {
    std::error_code problem;
    std::filesystem::remove(folder.part(part), problem);
    if (problem)
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot remove '", folder.part(part),
                         "': ", problem.message());
  }
  return Error::success();
}

} // namespace

Error remove_old(const Folder &folder, CheckpointList &list, int64_t step, int64_t most) {
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  int64_t whole = 0;
  for (auto found = steps->rbegin(); found != steps->rend(); ++found) {
    if (found->first > step)
      continue;
    Condition condition = examine(folder, list, found->first, /*reads_all=*/false).condition;
    bool is_whole = condition == Condition::whole;
    whole += is_whole;
    bool is_kept = condition == Condition::unreadable || whole == 0 ||
                   (is_whole && (most == 0 || whole <= most));
    if (is_kept)
      continue;
    Error error = list.remove(folder, found->first);
    if (!error)
      error = remove_parts(folder, found->second);
    if (error)
      return error;
  }
  return Error::success();
}

} // namespace tutti::runtime::rundir
