// Choosing where rows are kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowStorage.h"

#include "runtime/servers/storage/RowSlots.h"

namespace tutti::runtime::servers {

Error no_addresses(const RowFormat &format) {
  return Error::make(TUTTI_OUT_OF_MEMORY, "no addresses for table '", format.table,
                     "': ", format.rows, " rows of ", format.bytes, " bytes, states included");
}

Error too_many(const RowFormat &format) {
  return Error::make(TUTTI_OUT_OF_MEMORY, "table '", format.table,
                     "' has more rows on a server than it can find (", RowSlots::most,
                     "); take more servers, or keep them with RocksDB");
}

Result<std::unique_ptr<RowStorage>> RowStorage::make(const StorageChoice &choice,
                                                     const RowFormat &format) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(format.rows, format.bytes, &bytes))
    return no_addresses(format);
  switch (choice.kind) {
  case StorageChoice::Kind::memory:
    return make_memory_storage(format);
  case StorageChoice::Kind::file:
    return make_file_storage(choice, format);
  case StorageChoice::Kind::rocksdb:
    return make_rocksdb_storage(choice, format);
  }
  return Error::make(TUTTI_INVALID_ARGUMENT, "there is no such storage of rows");
}

} // namespace tutti::runtime::servers
