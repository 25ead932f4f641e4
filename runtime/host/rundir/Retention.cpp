// Removing checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/Retention.h"

#include "runtime/host/rundir/FindCheckpoint.h"

#include <algorithm>
#include <filesystem>

namespace tutti::runtime::rundir {
namespace {

/// Whether the names of a step are those of all ranks and servers that one of them tells of. One
/// name alone may be of one rank or of many.
bool has_all_names(const std::vector<PartName> &parts) {
  int64_t ranks = 1, servers = 0, names = int64_t(parts.size());
  for (const PartName &part : parts)
    (part.is_server ? servers : ranks) = part.ranks > 1 || part.is_server ? part.ranks : ranks;
  auto fits = [&](const PartName &part) {
    return part.is_server ? part.ranks == servers : part.rank == 0 || part.ranks == ranks;
  };
  return names > 1 && names == ranks + servers && std::all_of(parts.begin(), parts.end(), fits);
}

/// Without opening files where the list and their names tell.
Condition condition_of(const Folder &folder, const CheckpointList &list, int64_t step,
                       const std::vector<PartName> &parts) {
  return list.has(step) && has_all_names(parts)
             ? Condition::whole
             : examine(folder, list, step, /*verify=*/nullptr).condition;
}

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

Error remove_old(const Folder &folder, CheckpointList &list, int64_t step, int64_t most,
                 int64_t best) {
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  int64_t whole = 0;
  for (auto found = steps->rbegin(); found != steps->rend(); ++found) {
    if (found->first > step)
      continue;
    Condition condition = condition_of(folder, list, found->first, found->second);
    bool is_whole = condition == Condition::whole;
    whole += is_whole;
    bool is_kept = condition == Condition::unreadable || whole == 0 || found->first == best ||
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
