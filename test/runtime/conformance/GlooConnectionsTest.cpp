// Over TCP a rank is connected with those whom it exchanges messages with, and with no others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/conformance/World.h"
#include "tutti/collectives.h"

#include <filesystem>
#include <numeric>

using tutti::runtime::text;

namespace {

int64_t open_sockets() {
  int64_t sockets = 0;
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    sockets += std::filesystem::read_symlink(entry.path(), none).string().rfind("socket:", 0) == 0;
  return sockets;
}

/// What an all_reduce of so many values leaves a rank with, beside what it has at the start.
std::string use(tutti_context *context, int64_t before, int64_t elements, int64_t most) {
  std::vector<float> values(size_t(elements), 1.0f);
  void *memory = values.data();
  tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory,
                   &elements);
  if (tutti_context_status(context) != TUTTI_OK)
    return tutti_context_message(context);
  if (values.back() != float(tutti_context_size(context)))
    return text("the sum is ", values.back());
  int64_t there = open_sockets() - before;
  return there <= most ? "" : text(there, " sockets");
}

} // namespace

TEST(GlooConnections, are_made_when_a_message_needs_them) {
  // Of 32 ranks each would have 31 connections. A scalar goes along a tree, much along a chain;
  // what ranks tell each other at the start doubles in each step. Notes go to a few neighbours.
  World world = {"gloo", 32};
  int64_t before = open_sockets();
  for (int64_t elements : {1, 9 << 18}) {
    std::string complaint = world.run(
        [=](tutti_context *context, int32_t) { return use(context, before, elements, 24); });
    if (complaint.find("cannot open shared object") != complaint.npos)
      GTEST_SKIP() << complaint;
    EXPECT_EQ(complaint, "") << elements;
  }
}

TEST(GlooConnections, of_a_cyclic_exchange_are_made_without_a_deadlock) {
  World world = {"gloo", 5};
  std::string complaint = world.run([](tutti_context *context, int32_t rank) -> std::string {
    int32_t size = tutti_context_size(context);
    for (int32_t distance = 1; distance < size; ++distance) { // new members each time
      std::vector<int32_t> sent(size_t(size), rank), got(size_t(size), -1);
      const void *source = sent.data();
      void *destination = got.data();
      int64_t one = 1;
      tutti_all_to_all(context, distance, TUTTI_GROUP_WORLD, TUTTI_I32, 1, &source, &destination,
                       &one);
      if (tutti_context_status(context) != TUTTI_OK)
        return tutti_context_message(context);
      for (int32_t peer = 0; peer < size; ++peer)
        if (got[size_t(peer)] != peer)
          return text("rank ", peer, " sent ", got[size_t(peer)]);
    }
    return "";
  });
  if (complaint.find("cannot open shared object") != complaint.npos)
    GTEST_SKIP() << complaint;
  EXPECT_EQ(complaint, "");
}

TEST(GlooConnections, of_several_members_are_taken_in_any_order) {
  // Of 32 ranks that have told each other where they are, rank 0 is not connected with ranks 3 and
  // 5 yet. Rank 3 comes to the scatter when it has heard from rank 5, which has to come through it
  // first.
  World world = {"gloo", 32};
  std::string complaint = world.run([](tutti_context *context, int32_t rank) -> std::string {
    std::vector<float> parts(32);
    std::iota(parts.begin(), parts.end(), 10.0f);
    float part = -1, word = float(rank);
    const void *source = parts.data(), *said = &word;
    void *destination = &part, *heard = &word;
    int64_t one = 1;
    if (rank == 3)
      tutti_recv(context, 1, TUTTI_GROUP_WORLD, 5, 7, TUTTI_F32, 1, &heard, &one);
    tutti_scatter(context, 2, TUTTI_GROUP_WORLD, 0, TUTTI_F32, 1, &source, &destination, &one);
    if (rank == 5)
      tutti_send(context, 1, TUTTI_GROUP_WORLD, 3, 7, TUTTI_F32, 1, &said, &one);
    if (tutti_context_status(context) != TUTTI_OK)
      return tutti_context_message(context);
    COMPLAIN_UNLESS(part == float(10 + rank), "its part is ", part);
    COMPLAIN_UNLESS(rank != 3 || word == 5, "rank 5 has sent ", word);
    return "";
  });
  if (complaint.find("cannot open shared object") != complaint.npos)
    GTEST_SKIP() << complaint;
  EXPECT_EQ(complaint, "");
}
