// Rows in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/PageRows.h"
#include "runtime/servers/storage/RowStorage.h"

namespace tutti::runtime::servers {
namespace {

/// Addresses are reserved for all rows; memory is taken by the pages whose rows are used.
class MemoryStorage final : public RowStorage {
public:
  static Result<std::unique_ptr<RowStorage>> make(const RowFormat &format) {
    auto storage = std::make_unique<MemoryStorage>();
    storage->pages = PageRows(format);
    auto memory = LazyMemory::make(storage->pages.all_bytes());
    auto used = LazyBits::make(storage->pages.count());
    if (!memory || !used)
      return Error::make(TUTTI_OUT_OF_MEMORY, "no addresses for table '", format.table,
                         "': ", format.rows, " rows of ", format.bytes, " bytes, states included");
    storage->memory = std::move(*memory);
    storage->used = std::move(*used);
    return std::unique_ptr<RowStorage>(std::move(storage));
  }

  Error open(const RowRequest &request, char **places) override {
    for (int64_t i = 0; i < request.count; ++i) {
      places[i] = memory.data() + request.rows[i] * pages.row_bytes();
      __builtin_prefetch(places[i], 1);
      if (request.is_new[i])
        use(request.rows[i]);
    }
    hits += request.count;
    return Error::success();
  }

  Error forget(const int64_t *rows, int64_t count, const LazyBits &kept) override {
    for (int64_t i = 0; i < count; ++i)
      for (int64_t page = pages.first(rows[i]); page <= pages.last(rows[i]); ++page)
        if (used[page] && !pages.has_any(page, kept)) {
          memory.clear(page * page_bytes, (page + 1) * page_bytes);
          used.reset(page);
          --used_pages;
        }
    return Error::success();
  }

  StorageStatistics statistics() const override {
    StorageStatistics all;
    all.resident_bytes = used_pages * page_bytes;
    all.hits = hits;
    return all;
  }

private:
  void use(int64_t row) {
    for (int64_t page = pages.first(row); page <= pages.last(row); ++page)
      if (!used[page]) {
        used.set(page);
        ++used_pages;
      }
  }

  PageRows pages;
  LazyMemory memory;
  LazyBits used; ///< pages that have rows
  int64_t used_pages = 0, hits = 0;
};

} // namespace

Result<std::unique_ptr<RowStorage>> make_memory_storage(const RowFormat &format) {
  return MemoryStorage::make(format);
}

} // namespace tutti::runtime::servers
