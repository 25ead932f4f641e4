// The context through its door: the first error stays, bad arguments are named, nothing is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tutti/context.h"
#include "tutti/collectives.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;

namespace {

struct Owned {
  explicit Owned(tutti_context_options options) {
    status = tutti_context_create(&options, &context);
  }
  ~Owned() { tutti_context_destroy(context); }
  std::string message() const { return tutti_context_message(context); }
  tutti_context *context = nullptr;
  int32_t status;
};

tutti_context_options alone() {
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = tutti_backend_self();
  options.size = 1;
  return options;
}

void all_reduce(tutti_context *context, int64_t group, int32_t reduction, int32_t type,
                int64_t elements, void *buffer) {
  tutti_all_reduce(context, 4, group, reduction, type, 1, &buffer, &buffer, &elements);
}

} // namespace

TEST(Context, knows_its_place) {
  Owned one(alone());
  EXPECT_EQ(one.status, TUTTI_OK);
  EXPECT_EQ(tutti_context_rank(one.context), 0);
  EXPECT_EQ(tutti_context_size(one.context), 1);
  EXPECT_EQ(one.message(), "");
}

TEST(Context, refuses_limits_that_are_none) {
  tutti_context_options options = alone();
  options.limits = {-1, 0, 0};
  EXPECT_THAT(Owned(options).message(), HasSubstr("a limit for a stall of -1 seconds"));
  options.limits = {0, 1e300, 0};
  EXPECT_THAT(Owned(options).message(), HasSubstr("a limit for a stall of 1e+300 seconds"));
  options.limits = {0, 0, -2};
  EXPECT_THAT(Owned(options).message(), HasSubstr("-2 threads"));
  options.limits = {};
  EXPECT_EQ(Owned(options).status, TUTTI_OK);
}

TEST(Context, keeps_the_first_error) {
  Owned one(alone());
  tutti_context_fail(one.context, TUTTI_BAD_DATA, "first");
  tutti_context_fail(one.context, TUTTI_STALLED, "second");
  EXPECT_EQ(tutti_context_status(one.context), TUTTI_BAD_DATA);
  EXPECT_EQ(one.message(), "first");
}

TEST(Context, does_nothing_after_an_error) {
  Owned one(alone());
  tutti_context_fail(one.context, TUTTI_BAD_DATA, "first");
  float from = 1, to = 2;
  const void *source = &from;
  void *destination = &to;
  int64_t elements = 1;
  tutti_all_reduce(one.context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &source, &destination, &elements);
  EXPECT_EQ(to, 2);
  void *memory = &to;
  EXPECT_EQ(tutti_context_alloc(one.context, 8, &memory), TUTTI_BAD_DATA);
  EXPECT_EQ(memory, nullptr);
}

TEST(Context, refuses_bad_options) {
  tutti_context_options options = alone();
  options.struct_bytes = 3;
  EXPECT_THAT(Owned(options).message(), HasSubstr("struct_bytes is 3"));
  options = alone();
  options.rank = 1;
  EXPECT_THAT(Owned(options).message(), HasSubstr("rank 1 of 1 ranks"));
  options = alone();
  options.backend = nullptr;
  EXPECT_THAT(Owned(options).message(), HasSubstr("needs a backend of version 3"));
  options = alone();
  options.size = 2;
  EXPECT_THAT(Owned(options).message(), HasSubstr("backend 'self' lacks exchange"));
  tutti_backend partial = *tutti_backend_self();
  partial.join = nullptr;
  options = alone();
  options.backend = &partial;
  EXPECT_THAT(Owned(options).message(), HasSubstr("lacks open, close, join or leave"));
  partial = *tutti_backend_shm();
  partial.exchange = nullptr;
  options.backend = &partial;
  options.size = 2;
  EXPECT_THAT(Owned(options).message(), HasSubstr("backend 'shm' lacks exchange"));
  EXPECT_EQ(tutti_context_create(nullptr, nullptr), TUTTI_INVALID_ARGUMENT);
}

TEST(Context, refuses_bad_connections_of_shm) {
  tutti_context_options options = alone();
  options.backend = tutti_backend_shm();
  for (auto [connection, complaint] :
       {std::pair{"", "needs descriptor=NUMBER"}, std::pair{"colour=3", "'colour=3' is not a"},
        std::pair{"descriptor=x", "'descriptor=x' is not a"}, std::pair{"descriptor", "is not a"},
        std::pair{"descriptor=9999", "cannot"}}) {
    options.connection = connection;
    Owned one(options);
    EXPECT_NE(one.status, TUTTI_OK) << connection;
    if (std::string(connection) != "descriptor=9999") {
      EXPECT_THAT(one.message(), HasSubstr(complaint));
    }
  }
}

TEST(Context, gives_zeroed_aligned_memory) {
  Owned one(alone());
  for (int64_t bytes : {0, 1, 4096, 5 << 20}) {
    void *memory = nullptr;
    ASSERT_EQ(tutti_context_alloc(one.context, bytes, &memory), TUTTI_OK);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    for (int64_t i = 0; i < bytes; i += 1000)
      EXPECT_EQ(static_cast<char *>(memory)[i], 0);
  }
  tutti_counters counters;
  tutti_context_counters(one.context, &counters);
  EXPECT_EQ(counters.allocated_bytes, 1 + 4096 + (5 << 20));
  void *memory = nullptr;
  EXPECT_EQ(tutti_context_alloc(one.context, -1, &memory), TUTTI_INVALID_ARGUMENT);
  EXPECT_THAT(one.message(), HasSubstr("cannot allocate -1 bytes"));
}

TEST(Context, counts_collectives_and_bytes) {
  Owned one(alone());
  std::vector<double> values(10);
  all_reduce(one.context, 0, TUTTI_SUM, TUTTI_F64, 10, values.data());
  tutti_counters counters;
  tutti_context_counters(one.context, &counters);
  EXPECT_EQ(counters.collectives, 1);
  EXPECT_EQ(counters.bytes, 80);
}

TEST(Context, refuses_bad_collectives_and_says_where) {
  float value = 0;
  struct Case {
    int64_t group;
    int32_t reduction, type;
    int64_t elements;
    void *buffer;
    const char *complaint;
  };
  for (const Case &bad : {Case{1, TUTTI_SUM, TUTTI_F32, 1, &value, "group 1 does not exist"},
                          Case{0, TUTTI_SUM, 77, 1, &value, "element type 77 is unknown"},
                          Case{0, 9, TUTTI_F32, 1, &value, "reduction 9 is unknown"},
                          Case{0, TUTTI_MEAN, TUTTI_I64, 1, &value, "the mean of i64"},
                          Case{0, TUTTI_SUM, TUTTI_F32, -1, &value, "has -1 elements"},
                          Case{0, TUTTI_SUM, TUTTI_F32, 1, nullptr, "buffer 0 is null"}}) {
    Owned one(alone());
    tutti_context_set_step(one.context, 12);
    all_reduce(one.context, bad.group, bad.reduction, bad.type, bad.elements, bad.buffer);
    EXPECT_THAT(one.message(), HasSubstr(bad.complaint));
    EXPECT_THAT(one.message(), HasSubstr("(rank 0 of 1, step 12, plan entry 4)"));
  }
  Owned one(alone());
  tutti_broadcast(one.context, 0, 0, 1, TUTTI_F32, 0, nullptr, nullptr, nullptr);
  EXPECT_THAT(one.message(), HasSubstr("root 1 is not one of 1 ranks"));
  Owned two(alone());
  tutti_all_gather(two.context, 0, 0, TUTTI_F32, -1, nullptr, nullptr, nullptr);
  EXPECT_THAT(two.message(), HasSubstr("a bucket of -1 buffers"));
}

TEST(Context, refuses_bad_groups_and_says_where) {
  int64_t self = 0, other = 5, twice[] = {0, 0};
  struct Case {
    int64_t group, count;
    const int64_t *ranks;
    const char *complaint;
  };
  for (const Case &bad : {Case{0, 1, &self, "numbers of groups are positive"},
                          Case{-3, 1, &self, "numbers of groups are positive"},
                          Case{1, 0, &self, "needs at least one rank"},
                          Case{1, 1, nullptr, "needs at least one rank"},
                          Case{1, 1, &other, "rank 5 is not one of 1 ranks"},
                          Case{1, 2, twice, "rank 0 is listed twice"}}) {
    Owned one(alone());
    tutti_create_group(one.context, 4, bad.group, bad.count, bad.ranks);
    EXPECT_THAT(one.message(), HasSubstr(bad.complaint));
    EXPECT_THAT(one.message(), HasSubstr("(rank 0 of 1, step 0, plan entry 4)"));
  }
  Owned one(alone());
  tutti_create_group(one.context, 0, 1, 1, &self);
  tutti_create_group(one.context, 0, 1, 1, &self);
  EXPECT_THAT(one.message(), HasSubstr("create_group 1: it exists already"));
  Owned two(alone());
  tutti_destroy_group(two.context, 0, 0);
  EXPECT_THAT(two.message(), HasSubstr("destroy_group 0: there is no such group"));
}

TEST(Context, answers_queries_of_groups) {
  Owned one(alone());
  EXPECT_EQ(tutti_group_rank(one.context, 0), 0);
  EXPECT_EQ(tutti_group_size(one.context, 0), 1);
  EXPECT_EQ(tutti_group_rank(one.context, 4), -1);
  EXPECT_EQ(tutti_group_size(one.context, 4), 0);
  EXPECT_EQ(tutti_translate_rank(one.context, 0, 0, 0), 0);
  EXPECT_EQ(tutti_translate_rank(one.context, 0, 0, 4), -1);
  EXPECT_EQ(tutti_translate_rank(one.context, 0, -1, 0), -1);
  EXPECT_EQ(tutti_local_rank(one.context), 0);
  EXPECT_EQ(tutti_local_size(one.context), 1);
  EXPECT_STREQ(tutti_context_group_backend(one.context, 0), "self");
  EXPECT_STREQ(tutti_context_group_backend(one.context, 4), "");
}

TEST(Context, refuses_futures_out_of_order) {
  Owned nested(alone());
  tutti_async_begin(nested.context, 1);
  tutti_async_begin(nested.context, 2);
  EXPECT_THAT(nested.message(), HasSubstr("async_begin 2 inside that of future 1"));
  Owned twice(alone());
  tutti_async_begin(twice.context, 1);
  tutti_async_end(twice.context);
  tutti_async_begin(twice.context, 1);
  EXPECT_THAT(twice.message(), HasSubstr("future 1 has not been awaited"));
  Owned ended(alone());
  tutti_async_end(ended.context);
  EXPECT_THAT(ended.message(), HasSubstr("async_end without async_begin"));
  Owned unknown(alone());
  tutti_await(unknown.context, 8);
  EXPECT_THAT(unknown.message(), HasSubstr("nothing was started for future 8"));
}

TEST(Context, refuses_layouts_that_leave_the_buffers) {
  float buffer[4] = {};
  struct Case {
    int64_t send, send_at, receive, receive_at;
    const char *complaint;
  };
  for (const Case &bad :
       {Case{3, 0, 1, 0, "to rank 0: 3 rows from row 0 of a buffer of 2"},
        Case{1, 2, 1, 0, "to rank 0: 1 rows from row 2"}, Case{-1, 0, 1, 0, "to rank 0: -1 rows"},
        Case{1, 0, 1, -1, "from rank 0: 1 rows from row -1"}}) {
    Owned one(alone());
    tutti_all_to_all_v(one.context, 0, 0, TUTTI_F32, 2, buffer, 2, buffer, 2, &bad.send,
                       &bad.send_at, &bad.receive, &bad.receive_at);
    EXPECT_THAT(one.message(), HasSubstr(bad.complaint));
  }
  Owned one(alone());
  int64_t two = 2, none = 0, one_row = 1;
  tutti_all_to_all_v(one.context, 0, 0, TUTTI_F32, 2, buffer, 2, buffer, 2, &two, &none, &one_row,
                     &none);
  EXPECT_THAT(one.message(),
              HasSubstr("rank 0 of the group sends 4 elements, but rank 0 expects 2"));
}

TEST(Context, refuses_to_talk_to_itself) {
  Owned one(alone());
  float value = 0;
  const void *source = &value;
  int64_t size = 1;
  tutti_send(one.context, 0, 0, 0, 1, TUTTI_F32, 1, &source, &size);
  EXPECT_THAT(one.message(), HasSubstr("send: rank 0 is its own peer"));
  Owned two(alone());
  void *destination = &value;
  tutti_recv(two.context, 0, 0, 3, 1, TUTTI_F32, 1, &destination, &size);
  EXPECT_THAT(two.message(), HasSubstr("recv: peer 3 is not one of 1 ranks"));
}

TEST(Backends, are_found_by_name_or_say_why_not) {
  const tutti_backend *backend = nullptr;
  char message[512] = {};
  EXPECT_EQ(tutti_backend_load("shm", &backend, message, sizeof message), TUTTI_OK);
  EXPECT_EQ(backend, tutti_backend_shm());
  EXPECT_EQ(tutti_backend_load("carrier-pigeon", &backend, message, sizeof message),
            TUTTI_UNSUPPORTED);
  EXPECT_EQ(backend, nullptr);
  EXPECT_THAT(message, HasSubstr("backend 'carrier-pigeon' is not available: "));
  EXPECT_THAT(message, HasSubstr("libtutti_backend_carrier-pigeon.so"));
  EXPECT_EQ(tutti_backend_load("../x", &backend, message, sizeof message), TUTTI_INVALID_ARGUMENT);
}

TEST(Meetings, are_made_by_backends_that_have_them) {
  tutti_meeting *meeting = nullptr;
  EXPECT_EQ(tutti_meeting_create(tutti_backend_self(), 1, 0, &meeting), TUTTI_UNSUPPORTED);
  EXPECT_THAT(tutti_meeting_message(meeting), HasSubstr("'self' has no meeting place"));
  tutti_meeting_destroy(meeting);
  EXPECT_EQ(tutti_meeting_create(tutti_backend_shm(), 0, 0, &meeting), TUTTI_INVALID_ARGUMENT);
  EXPECT_THAT(tutti_meeting_message(meeting), HasSubstr("0 ranks on one machine"));
  tutti_meeting_destroy(meeting);
}

TEST(Context, refuses_shares_that_do_not_add_up) {
  Owned one(alone());
  tutti_context_set_samples(one.context, TUTTI_SHARD_STRIDED, 8, 7);
  EXPECT_THAT(one.message(), HasSubstr("cannot have 7 of 8 samples"));
}

TEST(Context, refuses_bad_plan_entries) {
  Owned one(alone());
  tutti_context_describe_plan_entry(one.context, -1, "x");
  EXPECT_THAT(one.message(), HasSubstr("plan entry -1 cannot be described"));
}

TEST(Names, are_spelled_as_in_the_headers) {
  EXPECT_STREQ(tutti_status_name(TUTTI_RANK_DIED), "a rank died");
  EXPECT_STREQ(tutti_status_name(-5), "unknown status");
  EXPECT_STREQ(tutti_type_name(TUTTI_BF16), "bf16");
  EXPECT_STREQ(tutti_type_name(0), "unknown type");
  EXPECT_EQ(tutti_type_bytes(TUTTI_I64), 8);
  EXPECT_EQ(tutti_type_bytes(0), 0);
  EXPECT_EQ(tutti_abi_version(), TUTTI_ABI_VERSION);
}
