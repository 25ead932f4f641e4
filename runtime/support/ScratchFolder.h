// A folder for the time of a run, where ranks of this machine meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SCRATCHFOLDER_H
#define TUTTI_RUNTIME_SUPPORT_SCRATCHFOLDER_H

#include "runtime/support/Error.h"

namespace tutti::runtime {

/// Removed at its end. Its name holds the process that made it, so that the next to make one can
/// remove what killed processes have left.
class ScratchFolder {
public:
  ScratchFolder() = default;
  ScratchFolder(ScratchFolder &&other) noexcept : place(std::exchange(other.place, "")) {}
  ScratchFolder &operator=(ScratchFolder &&other) noexcept;
  ~ScratchFolder();

  /// In the folder for temporary files (TMPDIR), for this user alone. First removes those of this
  /// user whose processes have ended.
  static Result<ScratchFolder> make();
  /// The same in `folder`.
  static Result<ScratchFolder> make_in(const std::string &folder);
  const std::string &path() const { return place; }

private:
  std::string place;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SCRATCHFOLDER_H
