// Making, mapping and checking files of mailboxes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/Mailbox.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::servers {
namespace {

constexpr uint64_t file_magic = 0x32776f7269747475; // "uttirow2"

/// At the start of the file, in a page of its own.
struct FileHead {
  uint64_t magic;
  int64_t workers;
  int64_t mailbox_bytes; ///< of each worker's
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
  return (sum + Mailbox::page - 1) / Mailbox::page * Mailbox::page;
}

Error lay_out(int file, const FileHead &head) {
  int64_t total = Mailbox::page + head.workers * head.mailbox_bytes;
  if (ftruncate(file, total) != 0)
    return system_error(text("cannot give mailboxes their size of ", total, " bytes"));
  if (pwrite(file, &head, sizeof head, 0) != ssize_t(sizeof head))
    return system_error("cannot write mailboxes");
  // If it were shortened, who accesses memory after its new end would get SIGBUS.
  if (fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return system_error("cannot seal mailboxes");
  return Error::success();
}

Result<FileHead> head_of(int descriptor) {
  FileHead head = {};
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return system_error(text("descriptor ", descriptor, " of mailboxes"));
  bool is_ours = pread(descriptor, &head, sizeof head, 0) == ssize_t(sizeof head) &&
                 head.magic == file_magic && head.workers >= 1 && head.workers <= most_workers &&
                 head.mailbox_bytes >= Mailbox::block_bytes && head.mailbox_bytes <= most_bytes &&
                 head.mailbox_bytes % Mailbox::page == 0 &&
                 status.st_size == Mailbox::page + head.workers * head.mailbox_bytes;
  if (!is_ours)
    return Error::make(TUTTI_INVALID_ARGUMENT, "descriptor ", descriptor,
                       " is no file of mailboxes of this version of the runtime");
  return head;
}

} // namespace

Result<MailboxFile> MailboxFile::create(const std::vector<worker::ServedTable> &tables,
                                        int64_t workers) {
  if (workers < 1 || workers > most_workers)
    return Error::make(TUTTI_INVALID_ARGUMENT, workers, " workers on one machine: needs 1 to ",
                       most_workers);
  MailboxFile made(memfd_create("tutti-rows", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (made.file < 0)
    return system_error("cannot make mailboxes");
  int64_t most = most_bytes / most_workers / Mailbox::page * Mailbox::page;
  FileHead head = {file_magic, workers, Mailbox::block_bytes + data_bytes_of(tables, most)};
  if (Error error = lay_out(made.file, head))
    return error;
  return made;
}

MailboxFile::MailboxFile(MailboxFile &&other) noexcept : file(std::exchange(other.file, -1)) {}

MailboxFile &MailboxFile::operator=(MailboxFile &&other) noexcept {
  std::swap(file, other.file);
  return *this;
}

MailboxFile::~MailboxFile() {
  if (file >= 0)
    close(file);
}

Result<bool> MailboxFile::leave(int64_t worker) const {
  Result<Mailbox> mailbox = Mailbox::map(file, worker);
  if (!mailbox)
    return mailbox.error();
  MailboxBlock &block = mailbox->block();
  uint32_t posted = block.posted.value.load();
  if (uint32_t(posted - block.answered.value.load()) >= MailboxBlock::most_requests)
    return false;
  block.requests[posted % MailboxBlock::most_requests].head = {RequestKind::leave, 0, 0, 0, 0};
  count_to(block.posted, posted + 1);
  return true;
}

void Mailbox::Unmap::operator()(char *memory) const { munmap(memory, bytes); }

Result<int64_t> Mailbox::workers_of(int descriptor) {
  Result<FileHead> head = head_of(descriptor);
  if (!head)
    return head.error();
  return head->workers;
}

Result<Mailbox> Mailbox::map(int descriptor, int64_t worker) {
  Result<FileHead> head = head_of(descriptor);
  if (!head)
    return head.error();
  if (worker < 0 || worker >= head->workers)
    return Error::make(TUTTI_INVALID_ARGUMENT, "there is no mailbox of worker ", worker, " of ",
                       head->workers);
  void *memory = mmap(nullptr, head->mailbox_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, descriptor, page + worker * head->mailbox_bytes);
  if (memory == MAP_FAILED)
    return system_error(text("cannot map a mailbox of ", head->mailbox_bytes, " bytes"));
  // Hardly any of it is ever touched, and a core file would hold all of it.
  madvise(memory, head->mailbox_bytes, MADV_DONTDUMP);
  return Mailbox({static_cast<char *>(memory), Unmap{head->mailbox_bytes}});
}

} // namespace tutti::runtime::servers
