// Compiled programs on disk. An entry is one file, written whole or not at all, that ends in a
// checksum of itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_CACHE_H
#define TUTTI_LIB_EXECUTION_CACHE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace tutti::execution {

/// $TUTTI_CACHE_DIR, else $XDG_CACHE_HOME/tutti, else ~/.cache/tutti.
std::string defaultCacheDirectory();

/// A folder of entries. Processes may share it; objects of this class keep no state but its name.
class Cache {
public:
  explicit Cache(std::string directory) : directory(std::move(directory)) {}

  /// The path of the entry `key`, if there is one and its checksum is right. A damaged entry is
  /// removed.
  std::optional<std::string> find(llvm::StringRef key) const;

  /// Makes the entry `key`: `produce` writes a file at the path it is given, which is unique to
  /// this call. The entry appears at once and whole; if another process made it meanwhile, the
  /// later one wins. Returns its path.
  llvm::Expected<std::string>
  insert(llvm::StringRef key, llvm::function_ref<llvm::Error(llvm::StringRef path)> produce) const;

  /// Waits until no other process or thread that asks for `key` holds it, then holds it until the
  /// result goes. Where the folder cannot be locked, nobody waits: entries are whole in any case.
  class Hold;
  Hold hold(llvm::StringRef key) const;

private:
  std::string pathOf(llvm::StringRef key) const;
  std::string directory;
};

/// See Cache::hold.
class Cache::Hold {
public:
  Hold(Hold &&other) noexcept;
  ~Hold();

private:
  friend Cache;
  explicit Hold(std::string path);
  std::string path;
  int file = -1;
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_CACHE_H
