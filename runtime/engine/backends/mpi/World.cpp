// Starting and ending MPI, and its notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/mpi/World.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace tutti::runtime::mpi {
namespace {

constexpr int note_tag = 1;
constexpr int64_t spins_with_own_processor = 2000;

/// Whether MPI has ended: a context may live until after that.
bool is_over() {
  int answer = 1;
  MPI_Finalized(&answer);
  return answer != 0;
}

/// Whether a rank of this process failed: MPI can then not be ended in order, because that waits
/// for the peers.
std::atomic<bool> something_failed{false};

void end_mpi() {
  if (!is_over() && !something_failed.load())
    MPI_Finalize();
}

/// A library may be started once in a process, so it ends with the process and not with a context.
Error start_mpi() {
  int has_begun = 0, level = MPI_THREAD_SINGLE;
  if (is_over())
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "backend '" TUTTI_MPI_NAME "': this process has ended MPI already");
  MPI_Initialized(&has_begun);
  if (has_begun) {
    MPI_Query_thread(&level);
  } else {
    if (Error error = check("MPI_Init_thread",
                            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level)))
      return error;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::atexit(end_mpi);
  }
  if (level < MPI_THREAD_MULTIPLE)
    return Error::make(TUTTI_UNSUPPORTED, "backend '" TUTTI_MPI_NAME "': MPI was started with ",
                       "thread level ", level, ", but asynchronous collectives need ",
                       "MPI_THREAD_MULTIPLE (", MPI_THREAD_MULTIPLE, ")");
  return Error::success();
}

/// How many ranks share this machine.
int64_t ranks_of_node() {
  MPI_Comm node = MPI_COMM_NULL;
  int size = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
      MPI_SUCCESS)
    return 1;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size;
}

} // namespace

std::string error_text(int code) {
  char message[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, message, &length);
  return std::string(message, size_t(length));
}

Error check(const char *call, int code) {
  if (code == MPI_SUCCESS)
    return Error::success();
  return Error::make(TUTTI_SYSTEM_ERROR, call, " of " TUTTI_MPI_NAME " failed: ", error_text(code));
}

Error World::open(int32_t rank, int32_t size, const tutti_limits &limits,
                  std::unique_ptr<World> &out_world) {
  if (Error error = start_mpi())
    return error;
  int own_rank = 0, own_size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own_size);
  if (own_rank != rank || own_size != size)
    return Error::make(TUTTI_INVALID_ARGUMENT, "the context is for rank ", rank, " of ", size,
                       ", but MPI (" TUTTI_MPI_NAME ") says that this process is rank ", own_rank,
                       " of ", own_size,
                       "; start as many processes as the run has ranks, with the ",
                       "launcher of " TUTTI_MPI_NAME);
  out_world.reset(new World(rank, size, limits));
  return out_world->duplicate();
}

World::World(int32_t rank, int32_t size, const tutti_limits &limits)
    : own_rank(rank), ranks(size), stall_limits(limits), spread(rank, size) {}

Error World::duplicate() {
  if (Error error = check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &control_communicator)))
    return error;
  MPI_Comm_set_errhandler(control_communicator, MPI_ERRORS_RETURN);
  int *largest = nullptr, is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_set);
  if (is_set)
    tag_limit = *largest;
  if (ranks_of_node() <= sysconf(_SC_NPROCESSORS_ONLN))
    spin_count = spins_with_own_processor;
  return Error::success();
}

World::~World() {
  if (!can_leave() || control_communicator == MPI_COMM_NULL)
    return; // what is left belongs to peers that may never answer
  for (Sent &message : sent)
    MPI_Wait(&message.request, MPI_STATUS_IGNORE);
  std::lock_guard<std::mutex> lock(mutex);
  receive_news(); // none may be under way when the communicator goes
  MPI_Comm_free(&control_communicator);
}

bool World::can_leave() const { return !has_failed() && !is_over(); }

void World::post(const plugin::Note &note) {
  std::lock_guard<std::mutex> lock(mutex);
  drop_delivered();
  spread.post(note);
  send_news();
}

void World::send_news() {
  for (int32_t peer : spread.neighbours())
    for (auto news = spread.news_for(peer); !news.empty(); news = spread.news_for(peer)) {
      Sent &message = sent.emplace_back();
      message.entries = std::move(news);
      MPI_Isend(message.entries.data(), int(message.entries.size() * sizeof message.entries[0]),
                MPI_BYTE, peer, note_tag, control_communicator, &message.request);
    }
}

void World::drop_delivered() {
  sent.remove_if([](Sent &message) {
    int is_done = 0;
    MPI_Test(&message.request, &is_done, MPI_STATUS_IGNORE);
    return is_done != 0;
  });
}

void World::receive_news() {
  for (;;) {
    int is_there = 0, bytes = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, note_tag, control_communicator, &is_there, &message, &status) !=
            MPI_SUCCESS ||
        !is_there)
      return;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<plugin::NoteSpread::Entry> news(size_t(bytes) / sizeof(plugin::NoteSpread::Entry));
    bytes = int(news.size() * sizeof news[0]);
    if (MPI_Mrecv(news.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS)
      spread.receive(status.MPI_SOURCE, news.data(), news.size());
  }
}

std::vector<plugin::Note> World::notes() {
  std::lock_guard<std::mutex> lock(mutex);
  receive_news();
  drop_delivered();
  send_news();
  return spread.notes();
}

void World::fail(int32_t status, const char *message) {
  if (failed.exchange(true))
    return;
  something_failed = true;
  plugin::Note note;
  note.status = status;
  note.set_text(message);
  notes(); // it may follow another's, which says more
  post(note);
  // The process may end soon: see that the notes leave it, but do not wait for a peer that is gone.
  constexpr int tries = 50, microseconds = 1000;
  for (int i = 0; i < tries; ++i) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      drop_delivered();
      if (sent.empty())
        return;
    }
    usleep(microseconds);
  }
}

} // namespace tutti::runtime::mpi
