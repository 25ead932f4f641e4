// The text of a choice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/StorageChoice.h"

#include <algorithm>
#include <sys/resource.h>

namespace tutti::runtime::servers {

Result<StorageChoice> StorageChoice::parse(std::string_view text) {
  StorageChoice choice;
  if (text == "memory")
    return choice;
  size_t colon = text.find(':');
  std::string_view word = text.substr(0, colon);
  choice.folder = colon == text.npos ? "" : text.substr(colon + 1);
  choice.kind = word == "file" ? Kind::file : Kind::rocksdb;
  if ((word == "file" || word == "rocksdb") && !choice.folder.empty())
    return choice;
  return Error::make(TUTTI_INVALID_ARGUMENT,
                     "servers keep rows in memory, file:FOLDER or rocksdb:FOLDER, not '", text,
                     "'");
}

int StorageChoice::share_of_open_files(size_t tables) {
  constexpr rlim_t fewest = 24; // below it RocksDB does little else than open files
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return most_open_files;
  rlim_t share = limit.rlim_cur / 2 / std::max<rlim_t>(tables, 1);
  return int(std::clamp<rlim_t>(share, fewest, most_open_files));
}

std::string StorageChoice::text() const {
  switch (kind) {
  case Kind::file:
    return "file:" + folder;
  case Kind::rocksdb:
    return "rocksdb:" + folder;
  default:
    return "memory";
  }
}

} // namespace tutti::runtime::servers
