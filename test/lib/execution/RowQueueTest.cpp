// Row queues of a server: requests that nobody waits for follow each other, and whatever a foreign
// process writes into the memory, the server refuses it and goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/RowQueueChannel.h"
#include "runtime/servers/shm/RowQueueServer.h"
#include "test/lib/execution/ServedProgram.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace tutti::test;
using namespace tutti::runtime::servers;
using testing::HasSubstr;

namespace {

/// A server of one table for one worker.
class QueuedRequests : public testing::Test {
protected:
  QueuedRequests()
      : served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false),
        file(std::move(*RowQueueFile::create(served.manifest.tables, /*workers=*/1))) {
    start();
  }

  void start() {
    auto started = RowQueueServer::start(file.descriptor(), {served.table.get()}, /*seconds=*/1);
    EXPECT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }

  RowQueue map() {
    auto queue = RowQueue::map(file.descriptor(), 0);
    EXPECT_TRUE(queue) << queue.error().message;
    return std::move(*queue);
  }

  std::unique_ptr<RowQueueChannel> open() {
    auto channel = RowQueueChannel::open(map(), /*number=*/0, /*seconds=*/1);
    EXPECT_TRUE(channel) << channel.error().message;
    return std::move(*channel);
  }

  /// Posts a request as a foreign process might; the server's answer.
  std::string send(const RowQueue &queue, const RequestHead &head) {
    RowQueueBlock &block = queue.block();
    uint32_t number = block.posted.value.load();
    QueuedRequest &request = block.requests[number % RowQueueBlock::most_requests];
    request.head = head;
    count_to(block.posted, number + 1);
    while (wait_beyond(block.answered, number) == number)
      EXPECT_EQ(block.is_closed.load(), 0u);
    request.message[sizeof request.message - 1] = 0;
    return request.status == 0 ? "taken" : request.message;
  }

  Compiler compiler;
  Served served;
  RowQueueFile file;
  std::unique_ptr<RowQueueServer> server;
};

RowRequest pullOf(const std::vector<int64_t> &rows, int64_t step) {
  RowRequest pull;
  pull.step = step;
  pull.parts.emplace_back();
  pull.parts[0].indices = indices_of(rows);
  pull.parts[0].row_bytes = kWidth * 4;
  return pull;
}

constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = -most - 1;

} // namespace

TEST_F(QueuedRequests, ARequestThatIsNotInTheQueueIsRefused) {
  RowQueue queue = map();
  int64_t bytes = queue.data_bytes();
  std::memset(queue.data(), 0, 4096);
  auto write = [&](int64_t at, const PartHead &part) {
    std::memcpy(queue.data() + at, &part, sizeof part);
  };
  write(0, {0, 3, 0, 0});
  EXPECT_EQ(send(queue, {RequestKind::pull, 0, 1, 0, 1024}), "taken");
  EXPECT_EQ(send(queue, {RequestKind::pull, 0, 0, 0, 0}), "taken");
  EXPECT_THAT(send(queue, {RequestKind(7), 0, 1, 0, 1024}), HasSubstr("neither pull nor push"));
  for (RequestKind kind : {RequestKind::pull, RequestKind::pull_with_states, RequestKind::push,
                           RequestKind::prefetch}) {
    for (int64_t parts : {least, int64_t(-1), int64_t(2), most})
      EXPECT_THAT(send(queue, {kind, 0, parts, 0, 1024}), HasSubstr("with at most 1 parts"));
    for (int64_t offset :
         {least, int64_t(-64), int64_t(1), bytes, bytes + 64, most / 64 * 64, most})
      EXPECT_THAT(send(queue, {kind, 0, 1, offset, 64}), HasSubstr("is not in the row queue"));
    for (int64_t size : {least, int64_t(-1), bytes + 64, most})
      EXPECT_THAT(send(queue, {kind, 0, 1, 0, size}), HasSubstr("is not in the row queue"));
    for (int64_t count : {least, int64_t(-1), bytes / 8, bytes / 20, most / 8, most}) {
      write(0, {0, count, 0, 0});
      EXPECT_THAT(send(queue, {kind, 0, 1, 0, bytes}), HasSubstr("is not in its"));
    }
    for (int64_t scalars : {least, int64_t(-1), bytes, most - 63, most}) {
      write(0, {0, 1, scalars, 0});
      EXPECT_THAT(send(queue, {kind, 0, 1, 0, bytes}), HasSubstr("is not in its"));
    }
    for (int64_t table : {least, int64_t(-1), int64_t(1), most}) {
      write(0, {table, 1, 0, 0});
      EXPECT_THAT(send(queue, {kind, 0, 1, 0, 1024}), HasSubstr(" of 1"));
    }
  }
  int64_t index = kRows;
  std::memcpy(queue.data() + PartLayout::indices, &index, sizeof index);
  write(0, {0, 1, 0, 0});
  EXPECT_THAT(send(queue, {RequestKind::pull, 0, 1, 0, 1024}), HasSubstr("row 300 is asked for"));
  EXPECT_THAT(send(queue, {RequestKind::prefetch, 0, 1, 0, 1024}),
              HasSubstr("row 300 is asked for"));
  write(0, {0, 1, 16, 0});
  EXPECT_THAT(send(queue, {RequestKind::push, 0, 1, 0, 1024}), HasSubstr("row 300 is asked for"));
}

/// The launcher posts it in the place of a worker that has died, after what that has posted.
TEST_F(QueuedRequests, AWorkerThatTheLauncherGivesUpIsNotWaitedFor) {
  auto settle = [&] { return served.table->settle(/*step=*/1, /*seconds=*/0.01).message; };
  served.table->leave(0, Table::Presence::away);
  EXPECT_THAT(settle(), HasSubstr("wait for the push of worker 0 in step 0"));
  auto isPosted = file.leave(0);
  ASSERT_TRUE(isPosted && *isPosted);
  RowQueue queue = map();
  while (wait_beyond(queue.block().answered, 0) == 0)
    EXPECT_EQ(queue.block().is_closed.load(), 0u);
  EXPECT_EQ(settle(), "");
  EXPECT_THAT(file.leave(1).error().message, HasSubstr("no row queue of worker 1"));
}

/// A row queue that is full has room later.
TEST_F(QueuedRequests, AFullQueueTakesNoMore) {
  server.reset();
  RowQueue queue = map();
  queue.block().posted.value.store(RowQueueBlock::most_requests);
  auto isPosted = file.leave(0);
  ASSERT_TRUE(isPosted);
  EXPECT_FALSE(*isPosted);
}

TEST_F(QueuedRequests, WhatWasNotAskedForAheadIsRefused) {
  RowQueue queue = map();
  std::memset(queue.data(), 0, 4096);
  PartHead ahead = {0, 0, 0, 1}, asked = {0, 2, 0, 0};
  auto write = [&](const PartHead &part) { std::memcpy(queue.data(), &part, sizeof part); };
  write(ahead);
  EXPECT_THAT(send(queue, {RequestKind::pull, 0, 1, 0, 1024}),
              HasSubstr("has asked for no rows of table 'w' ahead of step 1"));
  EXPECT_THAT(send(queue, {RequestKind::pull_with_states, 0, 1, 0, 1024}),
              HasSubstr("rows with states cannot be asked for ahead"));
  for (RequestKind kind : {RequestKind::push, RequestKind::prefetch})
    EXPECT_THAT(send(queue, {kind, 0, 1, 0, 1024}),
                HasSubstr("only a pull has rows that were asked for ahead"));
  for (PartHead named : {PartHead{0, 1, 0, 1}, PartHead{0, 0, 8, 0}}) {
    write(named);
    EXPECT_THAT(send(queue, {RequestKind::pull, 0, 1, 0, 1024}),
                HasSubstr(named.count > 0 ? "a pull names 1 rows that it says were asked for ahead"
                                          : "a pull brings 8 bytes of scalars"));
  }
  write(asked);
  EXPECT_EQ(send(queue, {RequestKind::prefetch, 0, 1, 0, 1024}), "taken");
  write(ahead);
  EXPECT_THAT(send(queue, {RequestKind::pull, 1, 1, 0, 1024}), HasSubstr("ahead of step 2"));
  EXPECT_EQ(send(queue, {RequestKind::pull, 0, 1, 0, 1024}), "taken");
  EXPECT_THAT(send(queue, {RequestKind::pull, 0, 1, 0, 1024}), HasSubstr("ahead of step 1"));
  // Asked for another way, as no worker of ours does: there is no room for them here.
  int64_t rows[] = {1, 2, 3};
  float out[3 * kWidth];
  float gradients[3 * kWidth] = {};
  double scalars[2] = {};
  ASSERT_FALSE(served.table->prefetch(0, 1, rows, 3, reinterpret_cast<char *>(out)));
  ASSERT_FALSE(served.table->push(0, 0, rows, 3, reinterpret_cast<char *>(gradients),
                                  {reinterpret_cast<char *>(scalars), sizeof scalars}));
  EXPECT_THAT(send(queue, {RequestKind::pull, 1, 1, 0, 1024}),
              HasSubstr("were asked for ahead are not in this row queue"));
}

TEST_F(QueuedRequests, RequestsOfAnyContentAreAnswered) {
  RowQueue queue = map();
  std::mt19937_64 random(5);
  auto number = [&]() -> int64_t {
    switch (random() % 4) {
    case 0:
      return int64_t(random() % 4);
    case 1:
      return int64_t(random() % uint64_t(queue.data_bytes())) / 64 * 64;
    case 2:
      return int64_t(random() % 2000) - 1000;
    default:
      return int64_t(random());
    }
  };
  for (int turn = 0; turn < 3000; ++turn) {
    for (int64_t word = 0; word < 64; ++word) {
      int64_t value = number();
      std::memcpy(queue.data() + 8 * word, &value, sizeof value);
    }
    // Pulls of later steps would wait, and are not what this is about.
    EXPECT_NE(send(queue, {RequestKind(random() % 5), /*step=*/0, int64_t(random() % 3), number(),
                           number()}),
              "");
  }
}

TEST_F(QueuedRequests, ACountOfRequestsThatCannotBeClosesTheQueue) {
  std::unique_ptr<RowQueueChannel> channel = open();
  RowQueue queue = map();
  count_to(queue.block().posted, 1000);
  std::vector<int64_t> rows = {1};
  while (queue.block().is_closed.load() == 0)
    std::this_thread::yield();
  ASSERT_FALSE(channel->start_pull(pullOf(rows, 0)));
  EXPECT_THAT(channel->finish_pull().error().message, HasSubstr("server 0 does not answer"));
}

TEST_F(QueuedRequests, ManyPushesNeedNoAnswer) {
  std::unique_ptr<RowQueueChannel> channel = open();
  std::vector<int64_t> rows(300), positions(300);
  std::vector<float> gradients(300 * kWidth);
  for (int64_t i = 0; i < 300; ++i)
    rows[i] = positions[i] = i;
  const char *begin = reinterpret_cast<const char *>(gradients.data());
  double scalars[2] = {};
  for (int64_t step = 0; step < 500; ++step) { // more than there are requests, or memory for
    RowPart part;
    part.indices = indices_of(rows);
    part.scalars = {reinterpret_cast<char *>(scalars), sizeof scalars};
    part.row_bytes = kWidth * 4;
    auto error = channel->add_push(step, part, {positions, kWidth * 4, begin});
    ASSERT_FALSE(error) << error.message;
  }
  ASSERT_FALSE(channel->finish_pushes());
  EXPECT_EQ(served.table->steps(), 500);
}

TEST_F(QueuedRequests, AMessageThatIsTooLargeIsRefused) {
  std::unique_ptr<RowQueueChannel> channel = open();
  std::vector<int64_t> rows(100000);
  EXPECT_THAT(channel->start_pull(pullOf(rows, 0)).message,
              HasSubstr("bytes to server 0 is too large: there is room for"));
}

TEST_F(QueuedRequests, AWorkerThatWaitsInVainSaysSo) {
  std::unique_ptr<RowQueueChannel> channel = open();
  std::vector<int64_t> rows = {1};
  ASSERT_FALSE(channel->start_pull(pullOf(rows, 1)));
  EXPECT_THAT(
      channel->finish_pull().error().message,
      HasSubstr("server 0: table 'w' was not updated for 1 seconds: its rows in step 1 wait for "
                "the push of worker"));
}

/// As after the restart of one of them.
TEST_F(QueuedRequests, AnotherServerAndAnotherWorkerGoOn) {
  std::vector<int64_t> rows = {1, 2};
  for (int turn = 0; turn < 3; ++turn) {
    std::unique_ptr<RowQueueChannel> channel = open();
    ASSERT_FALSE(channel->start_pull(pullOf(rows, 0)));
    auto answer = channel->finish_pull();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(reinterpret_cast<const float *>(answer->at(0))[kWidth], 0.25f);
  }
}

TEST(RowQueue, OfNoFileOfOursIsRefused) {
  int file = memfd_create("foreign", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 1 << 20), 0);
  EXPECT_THAT(RowQueue::map(file, 0).error().message, HasSubstr("is no file of row queues"));
  close(file);
  EXPECT_THAT(RowQueue::map(-1, 0).error().message, HasSubstr("descriptor -1 of row queues"));
  auto made = RowQueueFile::create({}, 2);
  ASSERT_TRUE(made);
  EXPECT_THAT(RowQueue::map(made->descriptor(), 2).error().message,
              HasSubstr("no row queue of worker 2 of 2"));
  EXPECT_THAT(RowQueueFile::create({}, 0).error().message, HasSubstr("needs 1 to"));
}
