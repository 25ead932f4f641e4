// Pieces of the shared-memory backend that need no second rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/engine/core/Bucket.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace tutti::runtime;
using namespace tutti::runtime::shm;
using testing::HasSubstr;
using testing::Not;

namespace {

/// What the system notes of the mapping at `address`: "VmFlags: rd wr sh ...".
std::string flags_of_mapping(const void *address) {
  std::ifstream mappings("/proc/self/smaps");
  uint64_t wanted = reinterpret_cast<uint64_t>(address);
  bool is_found = false;
  for (std::string line; std::getline(mappings, line);) {
    uint64_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2)
      is_found = begin <= wanted && wanted < end;
    else if (is_found && line.rfind("VmFlags:", 0) == 0)
      return line;
  }
  return "";
}

} // namespace

TEST(Bucket, slices_cover_a_range_exactly) {
  for (int64_t total : {0, 1, 15, 16, 17, 1000, 4096})
    for (int64_t parts : {1, 2, 3, 8}) {
      int64_t next = 5;
      for (int64_t part = 0; part < parts; ++part) {
        Range own = slice({5, 5 + total}, part, parts, 16);
        EXPECT_EQ(own.begin, next);
        EXPECT_LE(own.begin, own.end);
        next = own.end;
      }
      EXPECT_EQ(next, 5 + total);
    }
}

TEST(Bucket, slices_begin_at_whole_grains) {
  for (int64_t part = 0; part < 3; ++part)
    EXPECT_EQ(slice({0, 1000}, part, 3, 16).begin % 16, 0);
}

TEST(Bucket, pieces_follow_the_buffers) {
  int64_t elements[] = {3, 0, 4};
  Bucket bucket = {3, elements};
  EXPECT_EQ(bucket.total(), 7);
  std::vector<std::vector<int64_t>> pieces;
  bucket.for_each_piece({2, 6}, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    pieces.push_back({i, offset, at, count});
  });
  EXPECT_EQ(pieces, (std::vector<std::vector<int64_t>>{{0, 2, 2, 1}, {2, 0, 3, 3}}));
}

TEST(Segment, is_seen_alike_by_all_who_attach) {
  auto made = Segment::create(3, 10000);
  ASSERT_TRUE(made);
  auto other = Segment::attach(dup(made->descriptor()));
  ASSERT_TRUE(other);
  made->arena(2)[9999] = 42;
  EXPECT_EQ(other->arena(2)[9999], 42);
  EXPECT_EQ(other->ranks(), 3);
  EXPECT_GE(other->arena_bytes(), 10000);
  EXPECT_EQ(made->arena(2), other->arena(2)) << "one process maps it once";
  EXPECT_NE(made->team(1).begin, made->team(2).begin);
}

TEST(Segment, refuses_sizes_that_cannot_be) {
  EXPECT_THAT(Segment::create(0, 1).error().message, HasSubstr("0 ranks on one machine"));
  EXPECT_THAT(Segment::create(1000, 1).error().message, HasSubstr("1000 ranks on one machine"));
  EXPECT_THAT(Segment::create(2, -1).error().message, HasSubstr("cannot share -1 bytes"));
  EXPECT_THAT(Segment::create(2, INT64_MAX).error().message, HasSubstr("cannot share"));
}

TEST(Segment, reserves_as_much_for_each_rank_as_a_large_machine_has) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the sanitizer leaves too few addresses";
#endif
  EXPECT_TRUE(Segment::create(17, int64_t(1) << 40));
}

TEST(Segment, asks_for_huge_pages_for_arenas_alone) {
  if (access("/sys/kernel/mm/transparent_hugepage/shmem_enabled", F_OK) != 0)
    GTEST_SKIP() << "the system has no huge pages of shared memory";
  auto segment = Segment::create(3, huge_page + 1);
  ASSERT_TRUE(segment);
  for (int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(segment->arena(rank)) % huge_page, 0u);
    EXPECT_THAT(flags_of_mapping(segment->arena(rank)), HasSubstr(" hg"));
  }
  EXPECT_THAT(flags_of_mapping(segment->team(0).begin), Not(HasSubstr(" hg")));
}

TEST(Segment, refuses_files_that_are_none) {
  EXPECT_THAT(Segment::attach(-1).error().message, HasSubstr("descriptor -1"));
  int small = memfd_create("small", MFD_CLOEXEC);
  EXPECT_THAT(Segment::attach(dup(small)).error().message, HasSubstr("it has 0 bytes"));
  ASSERT_EQ(ftruncate(small, 1 << 20), 0);
  EXPECT_THAT(Segment::attach(small).error().message, HasSubstr("not shared memory of this"));
}

TEST(Segment, keeps_the_first_reason_to_stop) {
  auto segment = Segment::create(2, 0);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->abort_text(), "");
  segment->slot(1).process.store(77);
  EXPECT_TRUE(segment->abort({AbortKind::killed, 1, 9}));
  EXPECT_FALSE(segment->abort({AbortKind::exited, 0, 1}));
  EXPECT_EQ(segment->abort_text(),
            "rank 1 (process 77) was killed by signal 9 (Killed) before it joined");
}

TEST(Segment, a_launcher_adds_how_a_process_ended) {
  auto segment = Segment::create(3, 0);
  segment->slot(1).name.store(1);
  segment->slot(1).state.store(rank_joined);
  EXPECT_TRUE(segment->abort({AbortKind::vanished, 1, 0}));
  EXPECT_THAT(segment->abort_text(), HasSubstr("rank 1 (process 0) died at step 0"));
  EXPECT_FALSE(segment->abort({AbortKind::killed, 2, 9})) << "of another rank";
  EXPECT_THAT(segment->abort_text(), HasSubstr("rank 1 (process 0) died"));
  EXPECT_FALSE(segment->abort({AbortKind::killed, 1, 9}));
  EXPECT_THAT(segment->abort_text(), HasSubstr("rank 1 (process 0) was killed by signal 9"));
}

TEST(Segment, explains_each_reason) {
  auto text_for = [](Abort abort) {
    auto segment = Segment::create(2, 0);
    segment->slot(1).state.store(rank_joined);
    segment->slot(1).step.store(4);
    segment->abort(abort);
    return segment->abort_text();
  };
  EXPECT_THAT(text_for({AbortKind::exited, 1, 3}), HasSubstr("exit status 3 at step 4"));
  EXPECT_THAT(text_for({AbortKind::interrupted, 0, 2}), HasSubstr("interrupted by signal 2"));
  EXPECT_THAT(text_for({AbortKind(99), 0, 2}), HasSubstr("unknown reason"));
}

TEST(Abort, survives_its_word) {
  Abort abort = Abort::decode(Abort{AbortKind::exited, 200, -1}.encode());
  EXPECT_EQ(abort.kind, AbortKind::exited);
  EXPECT_EQ(abort.rank, 200);
  EXPECT_EQ(abort.detail, -1);
}
