// Reading memory of other ranks: what proves that it works, and what is said when it does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/PeerMemory.h"
#include "test/runtime/Fork.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::shm;
using testing::HasSubstr;

namespace {

/// A world of one rank, whose process is `process`.
class PeerMemoryTest : public testing::Test {
protected:
  void join(int32_t process, uint64_t address, uint64_t word) {
    RankSlot &slot = segment.slot(0);
    slot.process.store(process);
    slot.proof_address.store(address);
    slot.proof.store(word);
    slot.state.store(rank_joined);
  }
  void join_this_process() { join(getpid(), reinterpret_cast<uint64_t>(&word), word); }

  uint64_t word = make_proof();
  int32_t rank = 0;
  Segment segment = std::move(*Segment::create(1, 0));
  PeerMemory memory{segment, &rank, 1};
};

uint64_t private_place_of(const void *address) {
  return private_place | reinterpret_cast<uint64_t>(address);
}

} // namespace

TEST_F(PeerMemoryTest, threads_of_one_process_read_each_other) {
  join_this_process();
  ASSERT_TRUE(memory.prove()) << memory.obstacle();
  char from[] = "all together", to[sizeof from] = {};
  memory.read(0, private_place_of(from), to, sizeof from);
  EXPECT_STREQ(to, from);
  EXPECT_EQ(memory.failure().reason, 0);
}

TEST_F(PeerMemoryTest, two_words_are_never_equal) { EXPECT_NE(make_proof(), make_proof()); }

TEST_F(PeerMemoryTest, another_word_is_another_process) {
  join(getpid(), reinterpret_cast<uint64_t>(&word), word + 1);
  EXPECT_FALSE(memory.prove());
  EXPECT_THAT(memory.obstacle(), HasSubstr("the memory of rank 0 (process "));
  EXPECT_THAT(memory.obstacle(), HasSubstr("does not hold the word agreed on"));
}

TEST_F(PeerMemoryTest, no_word_proves_nothing) {
  word = 0;
  join_this_process();
  EXPECT_FALSE(memory.prove());
}

TEST_F(PeerMemoryTest, a_rank_that_stages_is_no_obstacle) {
  join(getpid(), 0, word);
  EXPECT_FALSE(memory.prove());
  EXPECT_EQ(memory.obstacle(), "");
}

TEST_F(PeerMemoryTest, a_word_out_of_reach_is_told_with_the_reason) {
  join(getpid(), 64, word);
  EXPECT_FALSE(memory.prove());
  EXPECT_THAT(memory.obstacle(), HasSubstr("cannot be read: Bad address"));
}

/// Of a child that has forked from here, so that the same addresses hold the same bytes.
class PeerMemoryOfChildTest : public PeerMemoryTest {
protected:
  void SetUp() override {
    pages = static_cast<char *>(
        mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(pages, 'a', 3 * 4096);
    mprotect(pages + 2 * 4096, 4096, PROT_NONE);
    child = start_fork([]() -> std::string {
      pause();
      return "";
    });
    join(child.pid, reinterpret_cast<uint64_t>(&word), word);
    if (!memory.prove())
      GTEST_SKIP() << memory.obstacle();
    mprotect(pages + 2 * 4096, 4096, PROT_READ);
  }
  void TearDown() override {
    kill(child.pid, SIGKILL);
    finish_fork(child);
    munmap(pages, 3 * 4096);
  }

  char *pages = nullptr;
  Fork child;
};

TEST_F(PeerMemoryOfChildTest, whole_pages_and_odd_bytes_are_read) {
  std::vector<char> to(8192);
  memory.read(0, private_place_of(pages), to.data(), 8191);
  EXPECT_EQ(std::string(to.data(), 8192), std::string(8191, 'a') + std::string(1, 0));
}

TEST_F(PeerMemoryOfChildTest, what_can_be_read_in_part_is_a_failure) {
  std::vector<char> to(3 * 4096);
  memory.read(0, private_place_of(pages), to.data(), 3 * 4096);
  EXPECT_EQ(memory.failure().reason, EFAULT);
  EXPECT_EQ(memory.failure().peer, 0);
  EXPECT_EQ(memory.failure().bytes, 3 * 4096);
}

TEST_F(PeerMemoryOfChildTest, after_a_failure_nothing_is_read) {
  kill(child.pid, SIGKILL);
  siginfo_t info;
  waitid(P_PID, child.pid, &info, WEXITED | WNOWAIT);
  char to[4] = "old";
  memory.read(0, private_place_of(pages), to, 3);
  EXPECT_EQ(memory.failure().reason, ESRCH);
  memory.read(0, private_place_of(pages), to, 3);
  EXPECT_STREQ(to, "old");
}

/// AnonHugePages of the mappings that meet `[begin, end)`, in bytes.
int64_t huge_bytes(const char *begin, const char *end) {
  std::ifstream maps("/proc/self/smaps");
  int64_t bytes = 0;
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    uint64_t from = 0, to = 0, kilobytes = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2)
      is_inside = from < reinterpret_cast<uint64_t>(end) && reinterpret_cast<uint64_t>(begin) < to;
    else if (is_inside && std::sscanf(line.c_str(), "AnonHugePages: %lu kB", &kilobytes) == 1)
      bytes += int64_t(kilobytes) << 10;
  }
  return bytes;
}

/// Private memory in small pages, on a system that can move it to huge ones.
class LentMemoryTest : public testing::Test {
protected:
  void SetUp() override {
    // Between pages without rights it stays a mapping of its own.
    around = static_cast<char *>(
        mmap(nullptr, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(around, MAP_FAILED);
    begin = around + guard;
    ASSERT_EQ(mprotect(begin, bytes, PROT_READ | PROT_WRITE), 0);
    for (int64_t i = 0; i < bytes; ++i)
      begin[i] = char(i % 251);
    std::string choice;
    std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), choice);
    if (choice.find("[madvise]") == std::string::npos)
      GTEST_SKIP() << "huge pages for those who ask are needed, here is: " << choice;
    std::vector<char> probe(size_t(4) << 20);
    uint64_t aligned =
        (reinterpret_cast<uint64_t>(probe.data()) + (2 << 20) - 1) & -uint64_t(2 << 20);
    if (madvise(reinterpret_cast<void *>(aligned), 2 << 20, 25) != 0)
      GTEST_SKIP() << "this system moves nothing to huge pages (MADV_COLLAPSE)";
  }
  void TearDown() override { munmap(around, bytes + 2 * guard); }

  static constexpr int64_t guard = 4096;
  int64_t bytes = 6 << 20;
  char *around = nullptr, *begin = nullptr;
  LentMemory memory;
};

TEST_F(LentMemoryTest, moves_to_huge_pages_when_lent_again_and_again) {
  memory.lend(begin, bytes);
  memory.lend(begin, bytes);
  EXPECT_EQ(huge_bytes(begin, begin + bytes), 0);
  memory.lend(begin, bytes);
  EXPECT_GE(huge_bytes(begin, begin + bytes), 4 << 20);
  for (int64_t i = 0; i < bytes; ++i)
    ASSERT_EQ(begin[i], char(i % 251)) << i;
}

TEST_F(LentMemoryTest, stays_where_it_holds_no_huge_page) {
  for (int64_t time = 0; time < 5; ++time)
    memory.lend(begin + 1, (2 << 20) - 2);
  EXPECT_EQ(huge_bytes(begin, begin + bytes), 0);
}
