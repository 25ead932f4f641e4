// A folder for the time of a run, where ranks of this machine meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_SCRATCHFOLDER_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_SCRATCHFOLDER_H

#include "runtime/support/Error.h"

namespace tutti::runtime {

/// Removed at its end. Its name holds the process that made it (ProcessMark), so that the next to
/// make one on this machine can remove what killed processes have left. What another machine has
/// left in a folder of both, or this one before it was started anew, stays.
class ScratchFolder {
public:
  ScratchFolder() = default;
  ScratchFolder(ScratchFolder &&other) noexcept : place(std::exchange(other.place, "")) {}
  ScratchFolder &operator=(ScratchFolder &&other) noexcept;
  ~ScratchFolder();

  /// In the folder for temporary files (TMPDIR), for this user alone. First removes those of this
  /// user whose processes have ended.
  static Result<ScratchFolder> make();
  /// As make(), for sockets with names of up to `letters` in it: where TMPDIR is too long for what
  /// the system takes, it is in /tmp.
  static Result<ScratchFolder> make_for_sockets(size_t letters);
  /// The same in `folder`.
  static Result<ScratchFolder> make_in(const std::string &folder);
  const std::string &path() const { return place; }

private:
  std::string place;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_SCRATCHFOLDER_H
