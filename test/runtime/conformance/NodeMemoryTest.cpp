// A node shares its memory where it can; where it cannot, its ranks say so and go on without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/Fork.h"
#include "test/runtime/conformance/World.h"
#include "tutti/collectives.h"

#include <cstring>
#include <gmock/gmock.h>
#include <sys/resource.h>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool needs_all_addresses = true; // sanitizers do
#else
constexpr bool needs_all_addresses = false;
#endif

/// What two ranks of one node with so many bytes of addresses say: the backend that served them,
/// and standard error.
std::string backend_with_addresses(rlim_t bytes) {
  Fork fork = start_fork([bytes]() -> std::string {
    testing::internal::CaptureStderr();
    rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
      return "no limit";
    World world = {"generic", 2, Start::threads};
    world.nodes = 1;
    std::string complaints = world.run([](tutti_context *context, int32_t) -> std::string {
      float value = 1;
      void *memory = &value, *allocated = nullptr;
      int64_t one = 1;
      tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &one);
      tutti_context_alloc(context, 100, &allocated);
      COMPLAIN_UNLESS(tutti_context_status(context) == TUTTI_OK, tutti_context_message(context));
      COMPLAIN_UNLESS(value == 2, value);
      return tutti_context_group_backend(context, 0);
    });
    return complaints + testing::internal::GetCapturedStderr();
  });
  return finish_fork(fork);
}

} // namespace

TEST(NodeMemory, is_used_as_far_as_addresses_reach) {
  if (needs_all_addresses)
    GTEST_SKIP();
  EXPECT_EQ(backend_with_addresses(rlim_t(6) << 30), "rank 0: shm\nrank 1: shm\n");
}

TEST(NodeMemory, is_left_with_a_note_where_addresses_do_not_suffice) {
  if (needs_all_addresses)
    GTEST_SKIP();
  std::string said = backend_with_addresses(rlim_t(1) << 30);
  EXPECT_THAT(said, HasSubstr("rank 0: threads\nrank 1: threads\n"));
  EXPECT_THAT(said, HasSubstr("tutti: note: the 2 ranks of this node use 'threads' and not its "
                              "memory: cannot map shared memory: Cannot allocate memory"));
}
