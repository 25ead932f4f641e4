// Making, mapping and checking files of row queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/RowQueue.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::servers {
namespace {

constexpr uint64_t file_magic = 0x33776f7269747475; // "uttirow3"

/// At the start of the file, in a page of its own.
struct FileHead {
  uint64_t magic;
  int64_t workers;
  int64_t queue_bytes; ///< of each worker's
};

constexpr int64_t most_workers = 256;
/// 32 TiB in all: a quarter of what a process can map, where addresses have 47 bits.
constexpr int64_t most_bytes = int64_t(1) << 45;
constexpr int64_t scalar_room = 65536; ///< of a table's push, beside its rows

Error system_error(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", system_message(errno));
}

/// Room for all rows of all tables, twice: for what was asked for ahead, and for what a step pulls
/// or pushes, which is never more. `most` if it is less.
int64_t data_bytes_of(const std::vector<worker::ServedTable> &tables, int64_t most) {
  int64_t sum = 0;
  for (const worker::ServedTable &table : tables) {
    int64_t bytes = table.held_bytes() + int64_t(sizeof(int64_t));
    if (__builtin_mul_overflow(2 * bytes, table.rows(), &bytes) ||
        __builtin_add_overflow(sum, bytes, &sum) ||
        __builtin_add_overflow(sum, scalar_room, &sum) || sum > most)
      return most;
  }
  return (sum + RowQueue::page - 1) / RowQueue::page * RowQueue::page;
}

Error lay_out(int file, const FileHead &head) {
  int64_t total = RowQueue::page + head.workers * head.queue_bytes;
  if (ftruncate(file, total) != 0)
    return system_error(text("cannot give row queues their size of ", total, " bytes"));
  if (pwrite(file, &head, sizeof head, 0) != ssize_t(sizeof head))
    return system_error("cannot write row queues");
  // If it were shortened, who accesses memory after its new end would get SIGBUS.
  if (fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return system_error("cannot seal row queues");
  return Error::success();
}

Result<FileHead> head_of(int descriptor) {
  FileHead head = {};
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return system_error(text("descriptor ", descriptor, " of row queues"));
  bool is_ours = pread(descriptor, &head, sizeof head, 0) == ssize_t(sizeof head) &&
                 head.magic == file_magic && head.workers >= 1 && head.workers <= most_workers &&
                 head.queue_bytes >= RowQueue::block_bytes && head.queue_bytes <= most_bytes &&
                 head.queue_bytes % RowQueue::page == 0 &&
                 status.st_size == RowQueue::page + head.workers * head.queue_bytes;
  if (!is_ours)
    return Error::make(TUTTI_INVALID_ARGUMENT, "descriptor ", descriptor,
                       " is no file of row queues of this version of the runtime");
  return head;
}

} // namespace

Result<RowQueueFile> RowQueueFile::create(const std::vector<worker::ServedTable> &tables,
                                          int64_t workers) {
  if (workers < 1 || workers > most_workers)
    return Error::make(TUTTI_INVALID_ARGUMENT, workers, " workers on one machine: needs 1 to ",
                       most_workers);
  RowQueueFile made(memfd_create("tutti-rows", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (made.file < 0)
    return system_error("cannot make row queues");
  int64_t most = most_bytes / most_workers / RowQueue::page * RowQueue::page;
  FileHead head = {file_magic, workers, RowQueue::block_bytes + data_bytes_of(tables, most)};
  if (Error error = lay_out(made.file, head))
    return error;
  return made;
}

RowQueueFile::RowQueueFile(RowQueueFile &&other) noexcept : file(std::exchange(other.file, -1)) {}

RowQueueFile &RowQueueFile::operator=(RowQueueFile &&other) noexcept {
  std::swap(file, other.file);
  return *this;
}

RowQueueFile::~RowQueueFile() {
  if (file >= 0)
    close(file);
}

Result<bool> RowQueueFile::leave(int64_t worker) const {
  Result<RowQueue> queue = RowQueue::map(file, worker);
  if (!queue)
    return queue.error();
  RowQueueBlock &block = queue->block();
  uint32_t posted = block.posted.value.load();
  if (uint32_t(posted - block.answered.value.load()) >= RowQueueBlock::most_requests)
    return false;
  block.requests[posted % RowQueueBlock::most_requests].head = {RequestKind::leave, 0, 0, 0, 0};
  count_to(block.posted, posted + 1);
  return true;
}

void RowQueue::Unmap::operator()(char *memory) const { munmap(memory, bytes); }

Result<int64_t> RowQueue::workers_of(int descriptor) {
  Result<FileHead> head = head_of(descriptor);
  if (!head)
    return head.error();
  return head->workers;
}

Result<RowQueue> RowQueue::map(int descriptor, int64_t worker) {
  Result<FileHead> head = head_of(descriptor);
  if (!head)
    return head.error();
  if (worker < 0 || worker >= head->workers)
    return Error::make(TUTTI_INVALID_ARGUMENT, "there is no row queue of worker ", worker, " of ",
                       head->workers);
  void *memory = mmap(nullptr, head->queue_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, descriptor, page + worker * head->queue_bytes);
  if (memory == MAP_FAILED)
    return system_error(text("cannot map a row queue of ", head->queue_bytes, " bytes"));
  // Hardly any of it is ever touched, and a core file would hold all of it.
  madvise(memory, head->queue_bytes, MADV_DONTDUMP);
  return RowQueue({static_cast<char *>(memory), Unmap{head->queue_bytes}});
}

} // namespace tutti::runtime::servers
