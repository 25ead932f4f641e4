// Ranks by fork. They report through pipes, so that a complaint has its text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankForks.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tutti::runtime;

namespace {

struct Rank {
  pid_t pid;
  int pipe;
};

std::string run_rank(const RankForks &forks, int32_t rank, int descriptor, const RankBody &body) {
  std::string connection = text("descriptor=", descriptor, ";stall_error=", forks.stall_error);
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = forks.backend;
  options.connection = connection.c_str();
  options.rank = rank;
  options.size = forks.ranks;
  tutti_context *context = nullptr;
  tutti_context_create(&options, &context);
  std::string complaint =
      tutti_context_status(context) ? tutti_context_message(context) : body(context, rank);
  tutti_context_destroy(context);
  return complaint;
}

Rank start(const RankForks &forks, int32_t rank, int descriptor, const RankBody &body) {
  int ends[2];
  if (pipe(ends) != 0)
    return {-1, -1};
  pid_t pid = fork();
  if (pid != 0) {
    close(ends[1]);
    return {pid, ends[0]};
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(ends[0]);
  std::string complaint = run_rank(forks, rank, descriptor, body);
  ssize_t written = write(ends[1], complaint.data(), complaint.size());
  _exit(complaint.empty() && written == 0 ? 0 : 1);
}

std::string read_all(int pipe) {
  std::string all;
  char buffer[4096];
  for (ssize_t got; (got = read(pipe, buffer, sizeof buffer)) > 0;)
    all.append(buffer, got);
  close(pipe);
  return all;
}

} // namespace

std::string RankForks::run(const RankBody &body) const {
  Result<shm::Segment> segment = shm::Segment::create(ranks, arena_bytes);
  if (!segment)
    return segment.error().message;
  std::vector<Rank> started;
  std::vector<int> pids;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    started.push_back(start(*this, rank, segment->descriptor(), body));
    pids.push_back(started.back().pid);
  }
  if (disturb)
    disturb(*segment, pids);
  std::string first;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    std::string complaint = read_all(started[rank].pipe);
    int status = 0;
    waitpid(started[rank].pid, &status, 0);
    if (WIFSIGNALED(status))
      complaint = text("ended by signal ", WTERMSIG(status));
    if (!complaint.empty())
      first += text("rank ", rank, ": ", complaint, "\n");
  }
  return first;
}
