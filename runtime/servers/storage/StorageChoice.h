// Where a user wants rows to be kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_STORAGECHOICE_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_STORAGECHOICE_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <string_view>

namespace tutti::runtime::servers {

/// What a user chooses.
struct StorageChoice {
  enum class Kind { memory, file, rocksdb };
  Kind kind = Kind::memory;
  std::string folder;      ///< of file and rocksdb; it is there
  int64_t cache_bytes = 0; ///< of rows in memory; 0: file has no bound, rocksdb the usual one

  int open_files = most_open_files; ///< of rocksdb: the most at once

  static constexpr int most_open_files = 256;
  /// What a table of `tables` in this process gets of the files that the process may open: of a
  /// half of them, for there are connections, too. RocksDB opens files again as it needs them.
  static int share_of_open_files(size_t tables);

  static constexpr int64_t usual_cache_bytes = int64_t(1) << 30;

  /// Of "memory", "file:FOLDER" or "rocksdb:FOLDER".
  static Result<StorageChoice> parse(std::string_view text);
  std::string text() const;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_STORAGECHOICE_H
