// All ranks end before one step, whoever of them got the signal, and when.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/StopAgreement.h"
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;

namespace {

constexpr int64_t most_steps = 3000;

/// The step before which this rank ends, and its signal, as one number; 0 if it never does. At
/// `at` this rank raises `signal`.
int64_t end_of(tutti_context *context, const shm::Segment *segment, int64_t at, int signal) {
  StopAgreement agreement(context, segment, /*plan_entry=*/5);
  for (int64_t step = 0; step < most_steps; ++step) {
    if (step == at)
      raise(signal);
    if (int stop = agreement.signal_before(step))
      return step * 100 + stop;
    usleep(1000);
  }
  return 0;
}

/// Whether all ranks of the world gave the same number.
std::string compare(tutti_context *context, int64_t own) {
  std::vector<int64_t> all(size_t(tutti_context_size(context)));
  const void *source = &own;
  void *destination = all.data();
  int64_t one = 1;
  tutti_all_gather(context, 0, TUTTI_GROUP_WORLD, TUTTI_I64, 1, &source, &destination, &one);
  for (int64_t other : all)
    if (other != own)
      return text("ends at ", own, ", another at ", other);
  return tutti_context_message(context);
}

RankForks ranks(int32_t count) {
  RankForks forks;
  forks.ranks = count;
  return forks;
}

} // namespace

TEST(StopAgreement, ends_all_ranks_before_the_same_step) {
  for (int signal : {SIGTERM, SIGINT, SIGUSR1})
    for (int32_t signalled : {0, 2})
      EXPECT_EQ(ranks(3).run([&](tutti_context *context, int32_t rank) {
        int64_t end = end_of(context, nullptr, rank == signalled ? 20 : -1, signal);
        if (end % 100 != signal || end < 2000)
          return text("rank ", rank, " ends at ", end);
        return compare(context, end);
      }),
                "")
          << signal << " to rank " << signalled;
}

TEST(StopAgreement, is_soon_although_ranks_meet_rarely) {
  EXPECT_EQ(ranks(2).run([](tutti_context *context, int32_t rank) {
    int64_t end = end_of(context, nullptr, rank == 0 ? 300 : -1, SIGTERM) / 100;
    // A quarter of a second of steps, which take a millisecond and more.
    return end >= 300 && end <= 300 + 2 * 250 ? "" : text("it took until step ", end);
  }),
            "");
}

TEST(StopAgreement, is_soon_although_steps_become_slow) {
  EXPECT_EQ(ranks(2).run([](tutti_context *context, int32_t rank) {
    StopAgreement agreement(context, nullptr, 5);
    for (int64_t step = 0; step < most_steps; ++step) {
      if (step == 200 && rank == 0)
        raise(SIGTERM);
      if (agreement.signal_before(step) != 0) // by their number, no quarter of a second of them
        return step <= 220 ? std::string() : text("it took until step ", step);
      usleep(step < 195 ? 2000 : 20000);
    }
    return std::string("it is not heeded");
  }),
            "");
}

TEST(StopAgreement, takes_the_largest_of_two_signals) {
  EXPECT_EQ(ranks(2).run([](tutti_context *context, int32_t rank) {
    int64_t end = end_of(context, nullptr, 0, rank == 0 ? SIGTERM : SIGINT);
    return end == SIGTERM ? compare(context, end) : text("ends at ", end);
  }),
            "");
}

TEST(StopAgreement, heeds_the_launcher_and_leaves_the_terminals_to_it) {
  EXPECT_EQ(ranks(2).run([](tutti_context *context, int32_t) {
    std::signal(SIGINT, SIG_IGN);               // as our launcher does not: it must not be touched
    auto launcher = shm::Segment::create(2, 0); // of another run: only its word counts
    StopAgreement agreement(context, &*launcher, 5);
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    if (now.sa_handler != SIG_IGN)
      return std::string("SIGINT is handled");
    if (agreement.signal_before(0) != 0)
      return std::string("nobody asked yet");
    launcher->control().stop_signal.store(SIGTERM);
    for (int64_t step = 1; step < most_steps; ++step) {
      if (int stop = agreement.signal_before(step))
        return compare(context, step * 100 + stop);
      usleep(1000);
    }
    return std::string("it is not heeded");
  }),
            "");
}

TEST(StopAgreement, of_one_rank_is_immediate) {
  EXPECT_EQ(ranks(1).run([](tutti_context *context, int32_t) {
    int64_t end = end_of(context, nullptr, 7, SIGTERM);
    return end == 7 * 100 + SIGTERM ? "" : text("ends at ", end);
  }),
            "");
}

TEST(StopAgreement, lets_one_rank_answer_for_all) {
  for (int32_t count : {1, 3})
    EXPECT_EQ(ranks(count).run([](tutti_context *context, int32_t rank) {
      StopAgreement agreement(context, nullptr, 5);
      int64_t step = 0;
      agreement.also_ask(StopAgreement::checkpoint, [&] { return rank == 0 && step >= 20; });
      for (; step < most_steps; ++step) {
        if (agreement.signal_before(step) != 0)
          return std::string("nobody asked to stop");
        if (agreement.is_answered(StopAgreement::checkpoint))
          return step < 20 ? text("rank ", rank, " answers at ", step) : compare(context, step);
        usleep(1000);
      }
      return std::string("nobody answered");
    }),
              "")
        << count << " ranks";
}
