// Compiled programs on disk. An entry is one file, written whole or not at all, that ends in a
// checksum of itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_CACHE_H
#define TUTTI_LIB_EXECUTION_FILES_CACHE_H

#include "lib/execution/files/CacheFolder.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tutti::execution {

/// $TUTTI_CACHE_DIR, else $XDG_CACHE_HOME/tutti, else $HOME/.cache/tutti; the first of them that is
/// set must be an absolute path. The error says why there is no such folder.
llvm::Expected<std::string> defaultCacheDirectory();

/// $TUTTI_CACHE_LIMIT in bytes, or with K, M or G after it; 1 GiB if it is not set.
llvm::Expected<uint64_t> defaultCacheLimit();

/// 64 hexadecimal digits that tell contents apart. Programs hold the initial values of their
/// variables, often hundreds of megabytes, and are hashed whenever they are looked up: this is a
/// hash that takes the time of reading them.
std::string hashContent(llvm::StringRef content);

/// A folder of entries. Processes may share it. A cache never makes a run fail: where the folder or
/// an entry cannot be used, there is no entry, and `remarks` says why.
///
/// The checksum finds damage; it does not authenticate an entry. What protects a user from
/// programs of others is that the folder and each entry are the user's own, see CacheFolder.
class Cache {
public:
  /// The folder `directory`, or the default one if it is empty.
  explicit Cache(llvm::StringRef directory = "");
  Cache(llvm::StringRef directory, uint64_t limit);

  /// The content of the entry `key`, if there is one and its checksum is right. A damaged entry is
  /// removed.
  std::optional<std::string> find(llvm::StringRef key);

  /// Keeps `content` under `key`. The entry appears at once and whole; if another process made it
  /// meanwhile, the later one wins. Where all have more bytes than the limit, those that were not
  /// used for longest go until there is some room again. The time does not depend on the number of
  /// entries, but for a listing of the folder now and then (see CacheCount), which also removes
  /// what killed processes left.
  void insert(llvm::StringRef key, llvm::StringRef content);

  /// Waits until no other process or thread that asks for `key` holds it, then holds it until the
  /// result goes. After `limit`, or where nothing can be locked, nobody waits: entries are whole in
  /// any case.
  class Hold;
  Hold hold(llvm::StringRef key, std::chrono::milliseconds limit = std::chrono::minutes(5)) const;

  /// What kept the cache from its work, as sentences without a full stop.
  const std::vector<std::string> &remarks() const { return problems; }

private:
  void open(llvm::Expected<std::string> directory);
  void note(const llvm::Twine &what, llvm::Error error);

  std::optional<CacheFolder> folder;
  uint64_t limit = 0;
  std::vector<std::string> problems;
};

/// See Cache::hold. Must not outlive its cache.
class Cache::Hold {
public:
  Hold(Hold &&other) noexcept = default;
  ~Hold();

private:
  friend Cache;
  Hold(const CacheFolder *folder, std::string name, Descriptor file)
      : folder(folder), name(std::move(name)), file(std::move(file)) {}
  const CacheFolder *folder;
  std::string name;
  Descriptor file;
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_CACHE_H
