// What MPI has under way when a collective fails: it is ended, so that nothing is written later to
// memory that is the caller's again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tutti/collectives.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>
#include <vector>

namespace {

tutti_context *open(const char *name, tutti_limits limits) {
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  char message[1024] = {};
  EXPECT_EQ(tutti_backend_load(name, &options.backend, message, sizeof message), TUTTI_OK);
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  options.rank = std::atoi(rank ? rank : std::getenv("PMI_RANK"));
  options.size = 2;
  options.one_backend = 1;
  options.limits = limits;
  tutti_context *context = nullptr;
  tutti_context_create(&options, &context);
  return context;
}

} // namespace

/// Rank 1 sends when rank 0 has given up and uses the memory for something else.
TEST(MpiFailure, a_message_that_comes_too_late_is_written_nowhere) {
  const char *name = std::getenv("TUTTI_CONFORMANCE_BACKEND");
  if (!name)
    GTEST_SKIP() << "not started by a launcher of MPI";
  int64_t elements = 1000;
  std::vector<float> values(size_t(elements), 7.0f);
  void *memory = values.data();
  const void *source = memory;
  tutti_context *first = open(name, {0, 1, 1});
  ASSERT_EQ(tutti_context_status(first), TUTTI_OK) << tutti_context_message(first);
  bool receives = tutti_context_rank(first) == 0;
  if (receives) {
    tutti_recv(first, 0, 0, 1, 5, TUTTI_F32, 1, &memory, &elements);
    EXPECT_EQ(tutti_context_status(first), TUTTI_STALLED) << tutti_context_message(first);
    std::fill(values.begin(), values.end(), 0.0f);
  } else {
    usleep(2500000);
    tutti_send(first, 0, 0, 0, 5, TUTTI_F32, 1, &source, &elements);
  }
  tutti_context_destroy(first);
  tutti_context *second = open(name, {}); // MPI moves what it still can
  tutti_barrier(second, 0, 0);
  EXPECT_EQ(tutti_context_status(second), TUTTI_OK) << tutti_context_message(second);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0f), receives ? 0.0f : 7000.0f);
  tutti_context_destroy(second);
  // The library is not ended in order after a failure, of which its launcher complains: so the text
  // counts, and not the status.
  if (!HasFailure())
    std::printf("rank %d: memory is as it was\n", receives ? 0 : 1);
}
