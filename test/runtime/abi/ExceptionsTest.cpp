// Nothing is thrown across the door: every entry goes through the guard, and what an implementation
// throws comes out as a status with a text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "test/runtime/Fork.h"

#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

using testing::HasSubstr;

namespace {

/// How many more allocations of this thread succeed; negative: all.
thread_local int64_t allocations_left = -1;
thread_local bool has_failed_one = false;

void *allocate(std::size_t bytes) {
  if (allocations_left == 0) {
    has_failed_one = true;
    return nullptr;
  }
  if (allocations_left > 0)
    --allocations_left;
  return std::malloc(bytes);
}

} // namespace

void *operator new(std::size_t bytes) {
  if (void *memory = allocate(bytes))
    return memory;
  throw std::bad_alloc();
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept { return allocate(bytes); }
// Not inlined: GCC would see one half of a pair and warn that the other is the library's.
__attribute__((noinline)) void operator delete(void *memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

class Context {
public:
  explicit Context(const tutti_backend *backend = tutti_backend_self()) {
    options.struct_bytes = sizeof options;
    options.backend = backend;
    options.size = 1;
    tutti_context_create(&options, &context);
  }
  ~Context() { tutti_context_destroy(context); }
  operator tutti_context *() const { return context; }
  tutti_context_options options = {};

private:
  tutti_context *context = nullptr;
};

/// Calls `use` on fresh contexts, of whose allocations first the first fails, then the second, and
/// so on until none does. Whenever the call fails, it does so with the status and a text.
void expect_no_throw(const char *name, const std::function<void(tutti_context *)> &use) {
  for (int64_t allowed = 0; allowed < 1000; ++allowed) {
    Context context;
    has_failed_one = false;
    allocations_left = allowed;
    use(context);
    allocations_left = -1;
    if (!has_failed_one) {
      EXPECT_EQ(tutti_context_status(context), TUTTI_OK) << tutti_context_message(context);
      return;
    }
    // It may do without what it asked for, as std::stable_sort can.
    if (tutti_context_status(context) == TUTTI_OK)
      continue;
    EXPECT_EQ(tutti_context_status(context), TUTTI_OUT_OF_MEMORY) << name;
    EXPECT_THAT(tutti_context_message(context), HasSubstr("memory")) << name;
  }
  ADD_FAILURE() << name << " never succeeds";
}

} // namespace

TEST(Exceptions, every_entry_is_a_guard_before_its_implementation) {
#define TUTTI_ENTRY(name, spelling, parameters, arguments)                                         \
  EXPECT_NE(reinterpret_cast<void *>(&::name),                                                     \
            reinterpret_cast<void *>(&tutti::runtime::door::name));
#define TUTTI_QUERY_ENTRY TUTTI_ENTRY
#define TUTTI_HOST_ENTRY TUTTI_ENTRY2
#define TUTTI_ENTRY2(result, name, parameters, arguments)                                          \
  TUTTI_ENTRY(name, result, parameters, arguments)
#include "tutti/abi.def"
}

TEST(Exceptions, memory_that_ends_is_a_status_with_a_text) {
  float value = 1;
  int64_t one = 1, zero = 0;
  void *memory = &value;
  const int64_t ranks[] = {0};
  expect_no_throw("all_reduce", [&](tutti_context *context) {
    tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &one);
  });
  expect_no_throw("all_to_all_v", [&](tutti_context *context) {
    tutti_all_to_all_v(context, 0, 0, TUTTI_F32, 1, &value, 1, &value, 1, &zero, &zero, &zero,
                       &zero);
  });
  expect_no_throw("create_group",
                  [&](tutti_context *context) { tutti_create_group(context, 0, 3, 1, ranks); });
  expect_no_throw("exchange_plan", [&](tutti_context *context) {
    tutti_context_exchange_plan(context, "f", "a plan of more than a few letters");
  });
  expect_no_throw("describe_run", [&](tutti_context *context) {
    tutti_context_describe_run(context, "a text of more than a few letters");
  });
  expect_no_throw("describe_plan_entry", [&](tutti_context *context) {
    tutti_context_describe_plan_entry(context, 9, "a text of more than a few letters");
  });
  expect_no_throw("alloc", [&](tutti_context *context) {
    void *out = nullptr;
    tutti_context_alloc(context, 100, &out);
  });
  expect_no_throw("where", [&](tutti_context *context) {
    char text[64];
    tutti_context_where(context, 2, text, sizeof text);
  });
}

TEST(Exceptions, a_failure_is_kept_without_memory_for_its_text) {
  Context context;
  allocations_left = 0;
  tutti_context_fail(context, TUTTI_BAD_DATA, "a text of more than a few letters");
  allocations_left = -1;
  EXPECT_EQ(tutti_context_status(context), TUTTI_BAD_DATA);
  EXPECT_STREQ(tutti_context_message(context), "out of memory");
}

TEST(Exceptions, a_context_that_cannot_be_made_is_a_status) {
  Context model;
  for (int64_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 1000);
    tutti_context *context = nullptr;
    has_failed_one = false;
    allocations_left = allowed;
    int32_t status = tutti_context_create(&model.options, &context);
    allocations_left = -1;
    bool is_expected = status == (has_failed_one ? TUTTI_OUT_OF_MEMORY : TUTTI_OK);
    EXPECT_TRUE(is_expected || status == TUTTI_OK) << status; // streams do without memory
    EXPECT_EQ(context ? tutti_context_status(context) : status, status);
    tutti_context_destroy(context);
    if (!has_failed_one)
      break;
  }
}

TEST(Exceptions, a_thread_that_cannot_start_is_a_status) {
  Fork fork = start_fork([]() -> std::string {
    Context context;
    rlimit none = {1, 1};
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(65534) != 0))
      return "cannot limit threads";
    tutti_async_begin(context, 1);
    return tutti_context_message(context);
  });
  EXPECT_THAT(finish_fork(fork), HasSubstr("tutti_async_begin: Resource temporarily unavailable"));
}

TEST(Exceptions, a_folder_for_temporary_files_that_is_not_there_is_a_status) {
  const tutti_backend *gloo = nullptr;
  if (tutti_backend_load("gloo", &gloo, nullptr, 0) != TUTTI_OK)
    GTEST_SKIP() << "gloo is not on this machine";
  setenv("TMPDIR", "/no/such/folder", 1);
  tutti_meeting *meeting = nullptr;
  int32_t status = tutti_meeting_create(gloo, 2, 0, &meeting);
  unsetenv("TMPDIR");
  EXPECT_EQ(status, TUTTI_SYSTEM_ERROR);
  EXPECT_THAT(tutti_meeting_message(meeting), HasSubstr("/no/such/folder"));
  tutti_meeting_destroy(meeting);
}
