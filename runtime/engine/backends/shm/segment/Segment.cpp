// Making, mapping and checking the shared segment, and the abort word in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/segment/Segment.h"

#include "runtime/waiting/Doorbell.h"

#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::shm {
namespace {

constexpr int64_t page = 4096;

int64_t round_to(int64_t unit, int64_t bytes) { return (bytes + unit - 1) / unit * unit; }

/// Offsets of everything, from the two numbers that determine them.
struct Layout {
  Layout(int64_t ranks, int64_t arena_bytes)
      : teams(round_to(page, sizeof(ControlBlock) + ranks * sizeof(RankSlot))),
        team(TeamMemory::bytes(ranks)), arenas(round_to(huge_page, teams + most_teams * team)),
        arena(round_to(arena_bytes < huge_page ? page : huge_page, arena_bytes)),
        total(arenas + ranks * arena) {}
  int64_t teams, team, arenas, arena, total;
};

/// 64 TiB in all: half of what a process can map, where addresses have 47 bits.
constexpr int64_t most_bytes = int64_t(1) << 46;

Error system_error(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", system_message(errno));
}

/// Sizes `file` and writes its header.
Error lay_out(int file, int64_t ranks, int64_t arena_bytes) {
  Layout layout(ranks, arena_bytes);
  if (ftruncate(file, layout.total) != 0)
    return system_error(text("cannot give shared memory its size of ", layout.total, " bytes"));
  ControlBlock header = {};
  header.magic = segment_magic;
  header.ranks = ranks;
  header.arena_bytes = layout.arena;
  header.team_bytes = layout.team;
  header.teams = layout.teams;
  header.arenas = layout.arenas;
  header.total_bytes = layout.total;
  if (pwrite(file, static_cast<void *>(&header), sizeof header, 0) != ssize_t(sizeof header))
    return system_error("cannot write shared memory");
  return Error::success();
}

} // namespace

int64_t Segment::largest_arena(int64_t ranks) { return most_bytes / ranks / huge_page * huge_page; }

Result<Segment> Segment::create(int64_t ranks, int64_t arena_bytes) {
  if (ranks < 1 || ranks > most_ranks)
    return Error::make(TUTTI_INVALID_ARGUMENT, ranks, " ranks on one machine: needs 1 to ",
                       most_ranks);
  if (arena_bytes < 0 || arena_bytes > largest_arena(ranks))
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot share ", arena_bytes, " bytes with each of ",
                       ranks, " ranks; the most is ", largest_arena(ranks));
  int file = memfd_create("tutti", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0)
    return system_error("cannot make shared memory");
  Error error = lay_out(file, ranks, arena_bytes);
  // If it were shortened, all ranks that access memory after its new end would get SIGBUS.
  if (!error && fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    error = system_error("cannot seal shared memory");
  if (error) {
    close(file);
    return error;
  }
  return attach(file);
}

Result<Segment> Segment::attach(int descriptor) {
  Result<std::shared_ptr<const Mapping>> mapping = Mapping::of(descriptor, sizeof(ControlBlock));
  if (!mapping) {
    if (descriptor >= 0)
      close(descriptor);
    return mapping.error();
  }
  Segment segment(descriptor, *mapping);
  const ControlBlock &control = segment.control();
  int64_t bytes = (*mapping)->bytes();
  if (control.magic != segment_magic || control.total_bytes != bytes || control.ranks < 1 ||
      control.ranks > most_ranks || Layout(control.ranks, control.arena_bytes).total != bytes)
    return Error::make(TUTTI_INVALID_ARGUMENT, "descriptor ", descriptor,
                       " is not shared memory of this version of the runtime");
  // Advice alone: the system's settings decide. Not for teams, which touch a little in many places.
  madvise(segment.arena(0), bytes - control.arenas, MADV_HUGEPAGE);
  return segment;
}

Segment::Segment(Segment &&other) noexcept
    : file(std::exchange(other.file, -1)), mapping(std::move(other.mapping)) {}

Segment &Segment::operator=(Segment &&other) noexcept {
  std::swap(file, other.file);
  std::swap(mapping, other.mapping);
  return *this;
}

Segment::~Segment() {
  if (file >= 0)
    close(file);
}

RankSlot &Segment::slot(int64_t rank) const {
  return reinterpret_cast<RankSlot *>(begin() + sizeof(ControlBlock))[rank];
}

int64_t Segment::name_of(int64_t rank) const {
  const RankSlot &own = slot(rank);
  return own.state.load() == rank_absent ? rank : own.name.load();
}

bool Segment::abort(Abort abort) const {
  uint64_t seen = 0;
  bool first = control().abort_word.compare_exchange_strong(seen, abort.encode());
  Abort known = Abort::decode(seen);
  bool tells_how = abort.kind == AbortKind::killed || abort.kind == AbortKind::exited;
  if (!first && known.kind == AbortKind::vanished && known.rank == abort.rank && tells_how)
    control().abort_word.store(abort.encode()); // a launcher knows more than a peer
  ring(control().table_doorbell);
  for (int64_t number = 0; number < int64_t(control().teams_seen.load()); ++number)
    ring(team(number).header().doorbell);
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

/// By a descriptor of the process, which tells of an end that its parent has not seen yet.
bool Segment::is_gone(int64_t rank) const {
  const RankSlot &asked = slot(rank);
  int32_t process = asked.process.load();
  if (asked.state.load() == rank_absent || process == getpid())
    return false;
  int watch = int(syscall(SYS_pidfd_open, process, 0));
  if (watch < 0)
    return errno == ESRCH;
  pollfd ended = {watch, POLLIN, 0};
  bool is_ended = poll(&ended, 1, 0) == 1;
  close(watch);
  return is_ended;
}

std::string Segment::text_of(const Abort &abort) const {
  int64_t rank = abort.rank < ranks() ? abort.rank : 0;
  RankSlot &culprit = slot(rank);
  std::string who = text("rank ", name_of(rank), " (process ", culprit.process.load(), ")");
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
  case AbortKind::vanished:
    return text(who, " died", when);
  case AbortKind::server_killed:
    return text("server ", abort.rank, " was killed by signal ", abort.detail, " (",
                strsignal(abort.detail), ")");
  case AbortKind::server_exited:
    return text("server ", abort.rank, " ended early with exit status ", abort.detail);
  case AbortKind::failed:
    return text("rank ", name_of(rank),
                " failed: ", std::string(culprit.message, strnlen(culprit.message, message_bytes)));
  case AbortKind::interrupted:
    return text("the run was interrupted by signal ", abort.detail, " (", strsignal(abort.detail),
                ")");
  }
  return "the run was stopped for an unknown reason";
}

} // namespace tutti::runtime::shm
