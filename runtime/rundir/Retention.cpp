// Removing checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/Retention.h"

#include "runtime/rundir/WholeCheckpoint.h"

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

Error remove_old(const Folder &folder, int64_t step, int64_t most) {
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  int64_t whole = 0;
  for (auto found = steps->rbegin(); found != steps->rend(); ++found) {
    if (found->first > step)
      continue;
    bool is_whole = bool(WholeCheckpoint::open(folder, found->first));
    whole += is_whole;
    bool is_kept = whole == 0 || (is_whole && (most == 0 || whole <= most));
    if (Error error = is_kept ? Error::success() : remove_parts(folder, found->second))
      return error;
  }
  return Error::success();
}

} // namespace tutti::runtime::rundir
