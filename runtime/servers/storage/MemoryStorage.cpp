// Rows in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowSlots.h"
#include "runtime/servers/storage/RowStorage.h"

namespace tutti::runtime::servers {
namespace {

/// Addresses are reserved for all rows; memory is taken by those that are kept.
class MemoryStorage final : public RowStorage {
public:
  static Result<std::unique_ptr<RowStorage>> make(const RowFormat &format) {
    auto storage = std::make_unique<MemoryStorage>();
    auto slots = RowSlots::make(format);
    auto memory = LazyMemory::make(format.rows * format.bytes, Pages::large);
    if (!slots || !memory)
      return no_addresses(format);
    storage->format = format;
    storage->slots = std::move(*slots);
    storage->memory = std::move(*memory);
    return std::unique_ptr<RowStorage>(std::move(storage));
  }

  bool tell_kept(const int64_t *rows, int64_t count, bool *is_kept) const override {
    slots.tell_kept(rows, count, is_kept);
    return true;
  }

  Error open_rows(const RowSelection &selection, char **places) override {
    for (int64_t i = 0; i < selection.count; ++i)
      slots.prefetch(selection.rows[i]);
    for (int64_t i = 0; i < selection.count; ++i) {
      int64_t slot = slots.find(selection.rows[i]);
      if (slot == RowSlots::none && (slot = slots.take(selection.rows[i])) == RowSlots::none)
        return too_many(format);
      places[i] = memory.data() + slot * format.bytes;
      for (int64_t byte = 0; byte < std::min(format.bytes, most_prefetched); byte += 64)
        __builtin_prefetch(places[i] + byte, 1);
    }
    hits += selection.count;
    return Error::success();
  }

  Error forget_rows(const int64_t *rows, int64_t count) override {
    for (int64_t i = 0; i < count; ++i)
      slots.release(rows[i]);
    return Error::success();
  }

  StorageStatistics statistics() const override {
    StorageStatistics all;
    all.resident_bytes = slots.used_bytes() + slots.own_bytes();
    all.hits = hits;
    return all;
  }

private:
  static constexpr int64_t most_prefetched = 256; ///< of each row; processors go on by themselves

  RowFormat format;
  RowSlots slots;
  LazyMemory memory;
  int64_t hits = 0;
};

} // namespace

Result<std::unique_ptr<RowStorage>> make_memory_storage(const RowFormat &format) {
  return MemoryStorage::make(format);
}

} // namespace tutti::runtime::servers
