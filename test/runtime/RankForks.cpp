// Ranks by fork, in a segment that the test can look into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankForks.h"

#include "test/runtime/Fork.h"

using namespace tutti::runtime;

namespace {

std::string run_rank(const RankForks &forks, int32_t rank, int descriptor, const RankBody &body) {
  std::string connection = text("descriptor=", descriptor, forks.is_staged ? ";staged=1" : "");
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = forks.backend;
  options.connection = connection.c_str();
  options.rank = rank;
  options.size = forks.ranks;
  options.limits.stall_error = forks.stall_error;
  tutti_context *context = nullptr;
  tutti_context_create(&options, &context);
  std::string complaint =
      tutti_context_status(context) ? tutti_context_message(context) : body(context, rank);
  tutti_context_destroy(context);
  return complaint;
}

} // namespace

std::string RankForks::run(const RankBody &body) const {
  Result<shm::Segment> segment = shm::Segment::create(ranks, arena_bytes);
  if (!segment)
    return segment.error().message;
  std::vector<Fork> started;
  std::vector<int> pids;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    started.push_back(
        start_fork([&, rank] { return run_rank(*this, rank, segment->descriptor(), body); }));
    pids.push_back(started.back().pid);
  }
  if (disturb)
    disturb(*segment, pids);
  std::string first;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    std::string complaint = finish_fork(started[rank]);
    if (!complaint.empty())
      first += text("rank ", rank, ": ", complaint, "\n");
  }
  return first;
}
