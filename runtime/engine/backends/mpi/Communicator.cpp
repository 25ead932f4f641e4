// Communicators, messages and waits on MPI. Nothing blocks inside the library: requests are tested,
// so that a stall is noticed and a peer's failure heard.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/mpi/Communicator.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <sched.h>

namespace tutti::runtime::mpi {
namespace {

constexpr int exchange_tag = 0;
constexpr int first_meeting_tag = 2; // after that of notes, on the control communicator
constexpr int64_t largest_piece = int64_t(1) << 30; // MPI counts in int
// A yield costs about a microsecond: give others a chance for about as long as a sleep lasts.
constexpr int64_t yields_before_sleep = 200;
constexpr int64_t shortest_sleep = 50'000, longest_sleep = 1'000'000; // nanoseconds
constexpr double seconds_between_checks = 0.02;

/// How a wait spends its time: spinning, then yielding, then sleeping ever longer.
class Backoff {
public:
  explicit Backoff(int64_t spins) : spins(spins) {}

  void pause() {
    if (++turns <= spins)
      return;
    if (turns <= spins + yields_before_sleep) {
      sched_yield();
      return;
    }
    timespec time = {0, long(sleep)};
    nanosleep(&time, nullptr);
    sleep = std::min(sleep * 2, longest_sleep);
  }
  /// Whether it is worth to look at the clock.
  bool is_long() const { return turns > spins && turns % 16 == 0; }

private:
  int64_t spins, turns = 0, sleep = shortest_sleep;
};

std::vector<int32_t> pending_peers(const Operations &operations) {
  std::vector<int32_t> peers;
  for (const Request &request : operations.all()) {
    if (request.handle == MPI_REQUEST_NULL)
      continue;
    if (request.peer < 0) // a collective of the library: it may lack anyone
      return {};
    peers.push_back(request.peer);
  }
  return peers;
}

} // namespace

Communicator::Communicator(World &world, const tutti_group &group)
    : world(world), own_rank(group.rank), members(group.members, group.members + group.size),
      group_identity(plugin::identity(group)) {}

Error Communicator::join(World &world, const tutti_group &group,
                         std::unique_ptr<Communicator> &out_communicator) {
  std::unique_ptr<Communicator> made(new Communicator(world, group));
  if (Error error = made->meet())
    return error;
  MPI_Group all = MPI_GROUP_NULL, own = MPI_GROUP_NULL;
  MPI_Comm_group(world.control(), &all);
  Error error =
      check("MPI_Group_incl", MPI_Group_incl(all, made->size(), made->members.data(), &own));
  int tag = int(made->group_identity % std::min<int64_t>(world.largest_tag(), 32768));
  if (!error)
    error = check("MPI_Comm_create_group",
                  MPI_Comm_create_group(world.control(), own, tag, &made->communicator));
  if (own != MPI_GROUP_NULL)
    MPI_Group_free(&own);
  MPI_Group_free(&all);
  if (error)
    return error;
  MPI_Comm_set_errhandler(made->communicator, MPI_ERRORS_RETURN);
  out_communicator = std::move(made);
  return Error::success();
}

Communicator::~Communicator() {
  if (communicator != MPI_COMM_NULL && world.can_leave())
    MPI_Comm_free(&communicator);
}

/// Making a communicator blocks inside MPI, where a member that does not come goes unnoticed: so
/// all members meet first, at the first of them.
Error Communicator::meet() {
  int tag = first_meeting_tag + int(group_identity % (32768 - first_meeting_tag));
  auto message = [&](bool is_send, int32_t peer, Operations &operations) {
    MPI_Request *handle = operations.start(peer);
    return check("a message",
                 is_send ? MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, world.control(), handle)
                         : MPI_Irecv(nullptr, 0, MPI_BYTE, peer, tag, world.control(), handle));
  };
  auto describe = [this] {
    return text("rank ", world.rank(), " of ", world.size(), ", making the group of ranks ",
                plugin::listed(members));
  };
  for (bool is_send : {own_rank != 0, own_rank == 0}) {
    Operations operations;
    for (int32_t member = 1; member < size(); ++member)
      if (own_rank == 0 || member == own_rank)
        if (Error error = message(is_send, members[own_rank == 0 ? member : 0], operations))
          return error;
    if (Error error = wait(place(describe, -1), operations))
      return error;
  }
  return Error::success();
}

plugin::Place Communicator::place(std::function<std::string()> describe, int64_t plan_entry) const {
  return {std::move(describe), &members, group_identity, plan_entry, world.step(), world.rank()};
}

Error Communicator::start(const tutti_transfer &transfer, int tag, Operations &operations) {
  char *memory = static_cast<char *>(transfer.memory);
  for (int64_t done = 0; done < transfer.bytes; done += largest_piece) {
    int bytes = int(std::min(largest_piece, transfer.bytes - done));
    MPI_Request *handle = operations.start(members[transfer.peer], transfer.is_send ? -1 : bytes);
    Error error = transfer.is_send
                      ? check("MPI_Isend", MPI_Isend(memory + done, bytes, MPI_BYTE, transfer.peer,
                                                     tag, communicator, handle))
                      : check("MPI_Irecv", MPI_Irecv(memory + done, bytes, MPI_BYTE, transfer.peer,
                                                     tag, communicator, handle));
    if (error)
      return error;
  }
  return Error::success();
}

/// Whether all requests are complete; those that are become null.
bool Communicator::test(Operations &operations, Error &error) {
  bool are_done = true;
  for (Request &request : operations.all()) {
    if (request.handle == MPI_REQUEST_NULL)
      continue;
    int is_done = 0, bytes = 0;
    MPI_Status status;
    int code = MPI_Test(&request.handle, &is_done, &status);
    if (code != MPI_SUCCESS)
      error = Error::make(TUTTI_SYSTEM_ERROR, request.peer < 0 ? "the collective" : "the message",
                          request.peer < 0 ? std::string() : text(" with rank ", request.peer),
                          " failed in " TUTTI_MPI_NAME ": ", error_text(code));
    else if (!is_done)
      are_done = false;
    else if (request.expected_bytes >= 0 &&
             MPI_Get_count(&status, MPI_BYTE, &bytes) == MPI_SUCCESS &&
             bytes != request.expected_bytes)
      error = Error::make(TUTTI_PLAN_MISMATCH, "rank ", request.peer, " sent ", bytes,
                          " bytes, but ", request.expected_bytes, " are expected from it");
    if (error)
      return false;
  }
  return are_done;
}

Error Communicator::wait(plugin::Place place, Operations &operations) {
  using Clock = std::chrono::steady_clock;
  Error error;
  Backoff backoff(world.spins());
  std::unique_ptr<plugin::StallWatch> watch; // most waits end before they need one
  Clock::time_point next_check;
  while (!test(operations, error)) {
    if (error)
      return Error::make(error.status, place.describe(), ": ", error.message);
    backoff.pause();
    if (!backoff.is_long() || (watch && Clock::now() < next_check))
      continue;
    if (!watch)
      watch = std::make_unique<plugin::StallWatch>(place, world.limits(), world);
    next_check = Clock::now() + std::chrono::microseconds(int64_t(seconds_between_checks * 1e6));
    if (int32_t status = watch->check(pending_peers(operations)))
      return {status, watch->message()};
  }
  return Error::success();
}

int32_t Communicator::wait(tutti_context *context, int64_t plan_entry, Operations &operations) {
  auto describe = [=] {
    char where[1024];
    tutti_context_where(context, plan_entry, where, sizeof where);
    return std::string(where);
  };
  Error error = wait(place(describe, plan_entry), operations);
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

int32_t Communicator::exchange(tutti_context *context, int64_t plan_entry,
                               const tutti_transfer *transfers, int64_t count) {
  Operations operations;
  operations.all().reserve(size_t(count));
  // Receives first: what arrives then has a place to go.
  for (int32_t is_send : {0, 1})
    for (int64_t i = 0; i < count; ++i)
      if ((transfers[i].is_send != 0) == (is_send != 0))
        if (Error error = start(transfers[i], exchange_tag, operations)) {
          tutti_context_fail(context, error.status, error.message.c_str());
          return error.status;
        }
  return wait(context, plan_entry, operations);
}

} // namespace tutti::runtime::mpi
