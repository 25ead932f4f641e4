// Making, mapping and checking the shared segment, and the abort word in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Segment.h"

#include <climits>
#include <cstring>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::shm {
namespace {

constexpr int64_t page = 4096;

int64_t round_to_page(int64_t bytes) { return (bytes + page - 1) / page * page; }

/// Offsets of everything, from the two numbers that determine them.
struct Layout {
  Layout(int64_t ranks, int64_t arena_bytes)
      : stages(round_to_page(sizeof(ControlBlock) + ranks * sizeof(RankSlot))),
        arenas(stages + ranks * stage_bytes), arena(round_to_page(arena_bytes)),
        total(arenas + ranks * arena) {}
  int64_t stages, arenas, arena, total;
};

/// 16 TiB in all: below what a process can map, far above what a machine has.
constexpr int64_t most_bytes = int64_t(1) << 44;

Error system_error(const char *what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", system_message(errno));
}

} // namespace

Result<Segment> Segment::create(int64_t ranks, int64_t arena_bytes) {
  if (ranks < 1 || ranks > most_ranks)
    return Error::make(TUTTI_INVALID_ARGUMENT, ranks, " ranks on one machine: needs 1 to ",
                       most_ranks);
  if (arena_bytes < 0 || arena_bytes > most_bytes / ranks)
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot share ", arena_bytes, " bytes with each of ",
                       ranks, " ranks");
  Layout layout(ranks, arena_bytes);
  int file = memfd_create("tutti", MFD_CLOEXEC);
  if (file < 0)
    return system_error("cannot make shared memory");
  if (ftruncate(file, layout.total) != 0) {
    Error error = system_error("cannot size shared memory");
    close(file);
    return error;
  }
  ControlBlock header = {};
  header.magic = segment_magic;
  header.ranks = ranks;
  header.arena_bytes = layout.arena;
  header.stages = layout.stages;
  header.arenas = layout.arenas;
  header.total_bytes = layout.total;
  if (pwrite(file, static_cast<void *>(&header), sizeof header, 0) != ssize_t(sizeof header)) {
    Error error = system_error("cannot write shared memory");
    close(file);
    return error;
  }
  return attach(file);
}

Result<Segment> Segment::attach(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return system_error(text("descriptor ", descriptor, " of the shared memory").c_str());
  int64_t bytes = status.st_size;
  if (bytes < int64_t(sizeof(ControlBlock)))
    return Error::make(TUTTI_INVALID_ARGUMENT, "descriptor ", descriptor,
                       " is not shared memory of this runtime: it has ", bytes, " bytes");
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED)
    return system_error("cannot map shared memory");
  Segment segment(descriptor, static_cast<char *>(memory), bytes);
  const ControlBlock &control = segment.control();
  if (control.magic != segment_magic || control.total_bytes != bytes || control.ranks < 1 ||
      control.ranks > most_ranks || Layout(control.ranks, control.arena_bytes).total != bytes)
    return Error::make(TUTTI_INVALID_ARGUMENT, "descriptor ", descriptor,
                       " is not shared memory of this version of the runtime");
  return segment;
}

Segment::Segment(Segment &&other) noexcept
    : file(std::exchange(other.file, -1)), begin(std::exchange(other.begin, nullptr)),
      bytes(other.bytes) {}

Segment &Segment::operator=(Segment &&other) noexcept {
  std::swap(file, other.file);
  std::swap(begin, other.begin);
  std::swap(bytes, other.bytes);
  return *this;
}

Segment::~Segment() {
  if (begin)
    munmap(begin, bytes);
  if (file >= 0)
    close(file);
}

RankSlot &Segment::slot(int64_t rank) const {
  return reinterpret_cast<RankSlot *>(begin + sizeof(ControlBlock))[rank];
}

bool Segment::abort(Abort abort) const {
  uint64_t none = 0;
  bool first = control().abort_word.compare_exchange_strong(none, abort.encode());
  wake_all();
  return first;
}

Abort Segment::aborted() const {
  return Abort::decode(control().abort_word.load(std::memory_order_acquire));
}

bool Segment::abort_with_message(int64_t rank, int32_t status, const char *message) const {
  RankSlot &own = slot(rank);
  std::strncpy(own.message, message, message_bytes - 1);
  return abort({AbortKind::failed, int32_t(rank), status});
}

std::string Segment::abort_text() const {
  Abort abort = aborted();
  RankSlot &culprit = slot(abort.rank < ranks() ? abort.rank : 0);
  std::string who = text("rank ", abort.rank, " (process ", culprit.process.load(), ")");
  std::string when = culprit.state.load() == rank_absent ? std::string(" before it joined")
                                                         : text(" at step ", culprit.step.load());
  switch (abort.kind) {
  case AbortKind::none:
    return "";
  case AbortKind::killed:
    return text(who, " was killed by signal ", abort.detail, " (", strsignal(abort.detail), ")",
                when);
  case AbortKind::exited:
    return text(who, " ended early with exit status ", abort.detail, when);
  case AbortKind::failed:
    return text("rank ", abort.rank,
                " failed: ", std::string(culprit.message, strnlen(culprit.message, message_bytes)));
  case AbortKind::interrupted:
    return text("the run was interrupted by signal ", abort.detail, " (", strsignal(abort.detail),
                ")");
  }
  return "the run was stopped for an unknown reason";
}

void Segment::wake_all() const {
  control().wake.fetch_add(1);
  syscall(SYS_futex, &control().wake, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace tutti::runtime::shm
