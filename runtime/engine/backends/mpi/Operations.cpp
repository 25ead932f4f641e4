// Ending operations in the middle.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/mpi/Operations.h"

#include <list>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::mpi {
namespace {

struct Abandoned {
  std::vector<Request> requests;
  std::vector<std::shared_ptr<void>> kept;
};

struct AbandonedList {
  std::mutex mutex;
  std::list<Abandoned> all;
};

/// Never destroyed: MPI may end after static objects.
AbandonedList &abandoned() {
  static AbandonedList *all = new AbandonedList;
  return *all;
}

} // namespace

MPI_Request *Operations::start(int32_t peer, int64_t expected_bytes) {
  requests.push_back({MPI_REQUEST_NULL, peer, expected_bytes});
  return &requests.back().handle;
}

/// Whether all have ended. Only messages can be cancelled; it is enough to try each once.
bool Operations::cancel() {
  constexpr int tries = 20;
  constexpr useconds_t between = 1000;
  for (Request &request : requests)
    if (request.handle != MPI_REQUEST_NULL && request.peer >= 0)
      MPI_Cancel(&request.handle);
  bool are_over = false;
  for (int i = 0; i < tries && !are_over; ++i) {
    are_over = true;
    for (Request &request : requests) {
      int is_over = 1;
      if (request.handle != MPI_REQUEST_NULL &&
          MPI_Test(&request.handle, &is_over, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        are_over &= is_over != 0;
    }
    if (!are_over)
      usleep(between);
  }
  return are_over;
}

Operations::~Operations() {
  int has_ended = 1;
  bool is_under_way = false;
  for (const Request &request : requests)
    is_under_way |= request.handle != MPI_REQUEST_NULL;
  if (!is_under_way || MPI_Finalized(&has_ended) != MPI_SUCCESS || has_ended || cancel())
    return;
  std::lock_guard<std::mutex> lock(abandoned().mutex);
  abandoned().all.push_back({std::move(requests), std::move(kept)});
}

int64_t Operations::count_abandoned() {
  std::lock_guard<std::mutex> lock(abandoned().mutex);
  return int64_t(abandoned().all.size());
}

} // namespace tutti::runtime::mpi
