// A folder of files that belong to the user alone, looked into through its descriptor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_CACHEFOLDER_H
#define TUTTI_LIB_EXECUTION_FILES_CACHEFOLDER_H

#include "lib/execution/files/Descriptor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <optional>
#include <string>

namespace tutti::execution {

/// What is in it is trusted because of who could have put it there, so each file is checked once it
/// is open: a regular file of this user that nobody else may write. Links are not followed. Nothing
/// here waits for a pipe or a device. May be used from several threads and processes.
class CacheFolder {
public:
  /// Opens `path`, which must be absolute, and makes it (for this user only) if it is absent. Fails
  /// with the reason if it is a link, another user's, or may be written by others.
  static llvm::Expected<CacheFolder> open(llvm::StringRef path);

  /// The content of the file `name`, which then counts as just used. The error of a file that is
  /// absent has the code no_such_file_or_directory.
  llvm::Expected<std::string> read(llvm::StringRef name) const;

  /// Makes `name` of `parts`, at once and whole, in place of whatever is there.
  llvm::Error write(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> parts) const;

  void remove(llvm::StringRef name) const;

  /// Waits up to `limit` until nobody holds the lock file `name`, then holds it until the result
  /// is closed. None where that fails: the caller goes on without.
  Descriptor lock(llvm::StringRef name, std::chrono::milliseconds limit) const;

  /// Removes what killed processes left behind: locks and unfinished files that nobody holds.
  void removeStale() const;

  /// If the files that end in `suffix` have more than `limit` bytes, removes some, least recently
  /// used first, until `bytes` hold the rest. `keep` stays. The bytes of those that stay, or
  /// nothing if the folder cannot be listed.
  std::optional<uint64_t> evict(llvm::StringRef suffix, uint64_t limit, uint64_t bytes,
                                llvm::StringRef keep) const;

private:
  explicit CacheFolder(Descriptor folder) : folder(std::move(folder)) {}
  Descriptor folder;
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_CACHEFOLDER_H
