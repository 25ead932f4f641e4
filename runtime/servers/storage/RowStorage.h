// Where the rows of a table are kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_ROWSTORAGE_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_ROWSTORAGE_H

#include "runtime/servers/storage/LazyArray.h"
#include "runtime/servers/storage/StorageChoice.h"

namespace tutti::runtime::servers {

/// What is to be kept.
struct RowFormat {
  std::string table; ///< its name, for messages
  int64_t rows = 0;
  int64_t bytes = 0; ///< of each row, with all that belongs to it
};

/// Some rows. The arrays are the caller's.
struct RowSelection {
  const int64_t *rows;
  const bool *is_new; ///< nothing is kept of a row yet, or nothing that counts any more
  int64_t count;
  bool changes; ///< the caller will write to all of them; to new ones it does in any case
};

struct StorageStatistics {
  int64_t resident_bytes = 0;   ///< rows in memory, and what is needed to find them
  int64_t stored_bytes = 0;     ///< on disk
  int64_t hits = 0, misses = 0; ///< rows that were asked for, and were in memory, or not
};

/// Rows of equal size by their index, bit for bit as they were last written. One thread at a time.
///
/// After a call that failed nobody knows which rows were written or read, so every later one fails
/// with the same error: no row of it is ever taken for one that is whole.
class RowStorage {
public:
  virtual ~RowStorage() = default;

  /// places[i] is where row `rows[i]` is until the next call. The bytes of a new row are
  /// undefined. Indices are in range and may repeat; where they do only the first may be new.
  Error open(const RowSelection &selection, char **places) {
    return keep(failure ? failure : open_rows(selection, places));
  }

  /// Rows that are not kept any more: other rows may have their room.
  Error forget(const int64_t *rows, int64_t count) {
    return keep(failure ? failure : forget_rows(rows, count));
  }

  /// is_kept[i]: whether row `rows[i]` was opened, and not forgotten since. False if this storage
  /// does not know without a look at a disk; then it tells nothing.
  virtual bool tell_kept(const int64_t *rows, int64_t count, bool *is_kept) const {
    (void)rows, (void)count, (void)is_kept;
    return false;
  }

  /// How many rows one call may open.
  virtual int64_t most_rows() const { return INT64_MAX; }

  virtual StorageStatistics statistics() const = 0;

  static Result<std::unique_ptr<RowStorage>> make(const StorageChoice &choice,
                                                  const RowFormat &format);

private:
  virtual Error open_rows(const RowSelection &selection, char **places) = 0;
  virtual Error forget_rows(const int64_t *rows, int64_t count) = 0;
  const Error &keep(Error error) { return failure = std::move(error); }

  Error failure;
};

// The three kinds, and what they cannot do.
Result<std::unique_ptr<RowStorage>> make_memory_storage(const RowFormat &format);
Result<std::unique_ptr<RowStorage>> make_file_storage(const StorageChoice &choice,
                                                      const RowFormat &format);
Result<std::unique_ptr<RowStorage>> make_rocksdb_storage(const StorageChoice &choice,
                                                         const RowFormat &format);
Error no_addresses(const RowFormat &format);
Error too_many(const RowFormat &format);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_ROWSTORAGE_H
