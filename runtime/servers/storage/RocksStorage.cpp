// Rows in RocksDB, behind a cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowCache.h"
#include "runtime/servers/storage/RowStorage.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

namespace tutti::runtime::servers {
namespace {

/// Big-endian, so that keys are ordered as rows are.
class RowKey {
public:
  explicit RowKey(int64_t row) {
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = char(uint64_t(row) >> (8 * (bytes.size() - 1 - i)));
  }
  rocksdb::Slice slice() const { return {bytes.data(), bytes.size()}; }

private:
  std::array<char, 8> bytes;
};

/// Where memory goes: most of it to rows, a part to what RocksDB reads and has not written yet.
struct Budget {
  explicit Budget(int64_t all)
      : rows(all / 8 * 5), blocks(all / 8), unwritten(std::max<int64_t>(64 << 10, all / 16)) {}
  int64_t rows, blocks;
  int64_t unwritten; ///< of each of most_unwritten
  static constexpr int most_unwritten = 3;
};

rocksdb::Options options_of(const Budget &budget, int open_files) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.compression = rocksdb::kNoCompression; // of numbers there is nothing to gain
  options.write_buffer_size = size_t(budget.unwritten);
  options.max_write_buffer_number = Budget::most_unwritten;
  options.max_background_jobs = 2;
  options.max_open_files = open_files;
  options.avoid_flush_during_shutdown = true; // the folder goes with the run
  options.stats_dump_period_sec = 0;
  options.info_log_level = rocksdb::ERROR_LEVEL;
  rocksdb::BlockBasedTableOptions tables;
  tables.block_cache = rocksdb::NewLRUCache(size_t(budget.blocks));
  tables.cache_index_and_filter_blocks = true; // so that they count, too
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(tables));
  return options;
}

/// New and changed rows stay in the cache until it is full; then those that nobody asked for are
/// written, many at once.
class RocksStorage final : public RowStorage {
public:
  static Result<std::unique_ptr<RowStorage>> make(const StorageChoice &choice,
                                                  const RowFormat &format) {
    auto storage = std::make_unique<RocksStorage>(format, choice.folder + "/rows-XXXXXX");
    Budget budget(choice.cache_bytes > 0 ? choice.cache_bytes : StorageChoice::usual_cache_bytes);
    auto cache = RowCache::make(format.bytes, budget.rows);
    if (!cache)
      return cache.error();
    storage->cache = std::move(*cache);
    if (!mkdtemp(storage->folder.data()))
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot make a folder in '", choice.folder,
                         "': ", system_message(errno));
    storage->is_folder_made = true;
    rocksdb::DB *opened = nullptr;
    rocksdb::Status status =
        rocksdb::DB::Open(options_of(budget, choice.open_files), storage->folder, &opened);
    if (!status.ok())
      return storage->refuse(status);
    storage->db.reset(opened);
    storage->writes.disableWAL = true; // nothing is read again by another process
    return std::unique_ptr<RowStorage>(std::move(storage));
  }

  RocksStorage(const RowFormat &format, std::string folder)
      : format(format), folder(std::move(folder)) {}

  ~RocksStorage() override {
    db.reset();
    std::error_code ignored;
    if (is_folder_made)
      std::filesystem::remove_all(folder, ignored);
  }

  int64_t most_rows() const override { return std::max<int64_t>(1, cache.slots() / 2); }

  Error open_rows(const RowSelection &selection, char **places) override {
    slots.resize(size_t(selection.count));
    int64_t missing = 0;
    for (int64_t i = 0; i < selection.count; ++i) {
      slots[i] = cache.find(selection.rows[i]);
      if (slots[i] == RowCache::none)
        ++missing;
      else
        cache.marks(slots[i]) |= RowCache::held;
    }
    Error error = make_room(missing);
    if (!error)
      error = bring_missing(selection);
    for (int64_t i = 0; i < selection.count; ++i) {
      if (slots[i] == RowCache::none)
        continue;
      uint8_t &marks = cache.marks(slots[i]);
      marks = uint8_t((marks & ~RowCache::held) | RowCache::touched |
                      (selection.changes || selection.is_new[i] ? RowCache::changed : 0));
      places[i] = cache.bytes(slots[i]);
    }
    return error;
  }

  Error forget_rows(const int64_t *rows, int64_t count) override {
    rocksdb::WriteBatch batch;
    for (int64_t i = 0; i < count; ++i) {
      if (int64_t slot = cache.find(rows[i]); slot != RowCache::none)
        cache.remove(slot);
      batch.Delete(RowKey(rows[i]).slice());
    }
    return write(batch);
  }

  StorageStatistics statistics() const override {
    StorageStatistics told = all;
    auto ask = [&](const std::string &property) {
      uint64_t value = 0;
      db->GetIntProperty(property, &value);
      return int64_t(value);
    };
    told.resident_bytes = cache.used() * format.bytes +
                          ask(rocksdb::DB::Properties::kSizeAllMemTables) +
                          ask(rocksdb::DB::Properties::kBlockCacheUsage);
    told.stored_bytes = ask(rocksdb::DB::Properties::kTotalSstFilesSize);
    return told;
  }

private:
  Error refuse(const rocksdb::Status &status) const {
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot keep rows of table '", format.table,
                       "' with RocksDB in '", folder, "': ", status.ToString());
  }

  Error write(rocksdb::WriteBatch &batch) {
    rocksdb::Status status = db->Write(writes, &batch);
    return status.ok() ? Error::success() : refuse(status);
  }

  /// Frees `count` slots, and some more, so that rows are written in large batches.
  Error make_room(int64_t count) {
    if (cache.slots() - cache.used() >= count)
      return Error::success();
    int64_t few = std::max<int64_t>(count, cache.slots() / 16);
    rocksdb::WriteBatch batch;
    while (cache.slots() - cache.used() < few) {
      int64_t slot = cache.oldest();
      if (cache.marks(slot) & RowCache::changed)
        batch.Put(RowKey(cache.row(slot)).slice(),
                  rocksdb::Slice(cache.bytes(slot), size_t(format.bytes)));
      cache.remove(slot);
    }
    return batch.Count() == 0 ? Error::success() : write(batch);
  }

  Error bring_missing(const RowSelection &selection) {
    keys.clear();
    wanted.clear();
    for (int64_t i = 0; i < selection.count; ++i) {
      if (slots[i] != RowCache::none) {
        all.hits += !selection.is_new[i];
        continue;
      }
      slots[i] = cache.find(selection.rows[i]); // it may be there twice
      if (slots[i] != RowCache::none)
        continue;
      slots[i] = cache.insert(selection.rows[i]);
      cache.marks(slots[i]) |= RowCache::held;
      if (selection.is_new[i])
        continue;
      keys.emplace_back(selection.rows[i]);
      wanted.push_back(slots[i]);
    }
    all.misses += int64_t(keys.size());
    return keys.empty() ? Error::success() : read();
  }

  /// All `keys` to their slots `wanted`.
  Error read() {
    std::vector<rocksdb::Slice> slices;
    for (const RowKey &key : keys)
      slices.push_back(key.slice());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db->MultiGet(rocksdb::ReadOptions(), db->DefaultColumnFamily(), keys.size(), slices.data(),
                 values.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!statuses[i].ok())
        return refuse(statuses[i]);
      if (int64_t(values[i].size()) != format.bytes)
        return refuse(rocksdb::Status::Corruption("a row has another size"));
      std::memcpy(cache.bytes(wanted[i]), values[i].data(), values[i].size());
    }
    return Error::success();
  }

  RowFormat format;
  std::string folder; ///< of this table alone
  bool is_folder_made = false;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::WriteOptions writes;
  RowCache cache;
  std::vector<int64_t> slots; ///< of the rows of a selection
  std::vector<RowKey> keys;   ///< of those that are read
  std::vector<int64_t> wanted;
  StorageStatistics all;
};

} // namespace

Result<std::unique_ptr<RowStorage>> make_rocksdb_storage(const StorageChoice &choice,
                                                         const RowFormat &format) {
  return RocksStorage::make(choice, format);
}

} // namespace tutti::runtime::servers
