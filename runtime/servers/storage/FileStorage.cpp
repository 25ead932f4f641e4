// Rows in a file that is mapped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/PageClock.h"
#include "runtime/servers/storage/RowSlots.h"
#include "runtime/servers/storage/RowStorage.h"
#include "runtime/support/system/NamedMemory.h"
#include "runtime/support/system/PrivateFile.h"

#include <cerrno>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::servers {
namespace {

/// The file is sparse: it has the pages whose rows are kept. Those that the clock lets go of are
/// written by the system, and leave this process at once.
class FileStorage final : public RowStorage {
public:
  static Result<std::unique_ptr<RowStorage>> make(const StorageChoice &choice,
                                                  const RowFormat &format) {
    auto storage = std::make_unique<FileStorage>(format, choice);
    auto slots = RowSlots::make(format);
    if (!slots)
      return no_addresses(format);
    storage->slots = std::move(*slots);
    if (Error error = storage->limit())
      return error;
    auto file = PrivateFile::make(choice.folder, storage->all_bytes());
    if (!file)
      return file.error();
    storage->file = std::move(*file);
    if (Error error = storage->map())
      return error;
    return std::unique_ptr<RowStorage>(std::move(storage));
  }

  FileStorage(const RowFormat &format, const StorageChoice &choice)
      : format(format), choice(choice) {}

  ~FileStorage() override {
    if (memory)
      munmap(memory, size_t(all_bytes()));
  }

  int64_t most_rows() const override { return rows_at_once; }

  bool tell_kept(const int64_t *rows, int64_t count, bool *is_kept) const override {
    slots.tell_kept(rows, count, is_kept);
    return true;
  }

  Error open_rows(const RowSelection &selection, char **places) override {
    for (int64_t i = 0; i < selection.count; ++i) {
      int64_t slot = slots.find(selection.rows[i]);
      if (slot == RowSlots::none && (slot = slots.take(selection.rows[i])) == RowSlots::none)
        return too_many(format);
      bool is_there = true;
      for (int64_t page = slots.first_page(slot); page <= slots.last_page(slot); ++page)
        is_there &= clock.want(page);
      if (!selection.is_new[i])
        ++(is_there ? all.hits : all.misses);
      places[i] = memory + slot * format.bytes;
    }
    make_room();
    Error error = bring(clock.missing());
    clock.release();
    return error;
  }

  Error forget_rows(const int64_t *rows, int64_t count) override {
    for (int64_t i = 0; i < count; ++i)
      slots.release(rows[i]);
    return Error::success();
  }

  StorageStatistics statistics() const override {
    StorageStatistics told = all;
    told.resident_bytes = clock.resident() * page_bytes + slots.own_bytes();
    struct stat status = {};
    if (fstat(file->descriptor, &status) == 0)
      told.stored_bytes = int64_t(status.st_blocks) * 512;
    return told;
  }

private:
  int64_t all_bytes() const { return slots.pages() * page_bytes; }

  /// How many pages may be in memory, and rows be open at once: a row's pages are there together.
  Error limit() {
    int64_t most = choice.cache_bytes / page_bytes;
    if (choice.cache_bytes > 0 && most < 2 * slots.pages_of_slot())
      return Error::make(TUTTI_INVALID_ARGUMENT, "table '", format.table, "' gets ",
                         choice.cache_bytes, " bytes of memory; with rows and states of ",
                         format.bytes, " bytes it takes ", 2 * slots.pages_of_slot() * page_bytes);
    if (choice.cache_bytes > 0)
      rows_at_once = most / 2 / slots.pages_of_slot();
    Result<PageClock> made = PageClock::make(slots.pages(), most);
    if (made)
      clock = std::move(*made);
    return made.error();
  }

  /// What is needed to find rows takes memory from them, at most a half.
  void make_room() {
    if (choice.cache_bytes == 0)
      return;
    int64_t left = std::max(choice.cache_bytes / 2, choice.cache_bytes - slots.own_bytes());
    clock.set_limit(left / page_bytes);
    leaving.clear();
    clock.make_room(leaving);
    for (const PageRange &range : leaving)
      madvise(memory + range.first * page_bytes, size_t((range.end - range.first) * page_bytes),
              MADV_DONTNEED);
  }

  Error map() {
    size_t bytes = size_t(all_bytes());
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor, 0);
    if (mapped == MAP_FAILED)
      return Error::make(TUTTI_OUT_OF_MEMORY, "cannot map a file of ", bytes, " bytes in '",
                         choice.folder, "': ", system_message(errno));
    memory = static_cast<char *>(mapped);
    madvise(memory, bytes, MADV_RANDOM); // nothing is read ahead
    name.emplace(memory, bytes,
                 text("the rows of table '", format.table, "' in '", choice.folder, "'"));
    return Error::success();
  }

  /// Brings pages into memory. First all are asked of the disk, so that it has many to choose from.
  /// Then they come for writing: otherwise reading one would bring its neighbours, too, and a disk
  /// that is full would be a signal.
  Error bring(const std::vector<int64_t> &missing) {
    for (const auto &[begin, bytes] : runs_of(missing))
      madvise(memory + begin, bytes, MADV_WILLNEED); // whether it helps or not
    for (const auto &[begin, bytes] : runs)
      if (madvise(memory + begin, bytes, MADV_POPULATE_WRITE) != 0)
        return why_not(errno);
    return Error::success();
  }

  /// Neighbours together.
  const std::vector<std::pair<int64_t, size_t>> &runs_of(const std::vector<int64_t> &missing) {
    runs.clear();
    for (size_t begin = 0, end; begin < missing.size(); begin = end) {
      for (end = begin + 1; end < missing.size() && missing[end] == missing[end - 1] + 1;)
        ++end;
      runs.emplace_back(missing[begin] * page_bytes, (end - begin) * page_bytes);
    }
    return runs;
  }

  Error why_not(int number) const {
    std::string why = number == EFAULT   ? "the disk is full, or does not work"
                      : number == EINVAL ? "that needs Linux 5.14"
                                         : system_message(number);
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot keep more rows of table '", format.table,
                       "' in '", choice.folder, "': ", why);
  }

  RowFormat format;
  StorageChoice choice;
  RowSlots slots;
  PageClock clock;
  std::unique_ptr<PrivateFile> file;
  char *memory = nullptr;
  std::optional<NamedMemory> name;
  std::vector<PageRange> leaving;
  std::vector<std::pair<int64_t, size_t>> runs; ///< of pages that are brought: offset and bytes
  int64_t rows_at_once = INT64_MAX;
  StorageStatistics all;
};

} // namespace

Result<std::unique_ptr<RowStorage>> make_file_storage(const StorageChoice &choice,
                                                      const RowFormat &format) {
  return FileStorage::make(choice, format);
}

} // namespace tutti::runtime::servers
