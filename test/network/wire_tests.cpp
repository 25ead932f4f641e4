// Packets arrive in order, not before their time, whole; nothing waits for the other direction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wire.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>

using namespace std::chrono_literals;
using namespace tutti::test;

namespace {

/// Sockets that keep packets whole stand for the devices; the clock is the test's.
class WireTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, near), 0);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, far), 0);
  }
  void TearDown() override {
    for (int file : {near[0], near[1], far[0], far[1]})
      close(file);
  }

  Wire wire(double rate, Time delay) { return {near[1], far[0], rate, delay}; }
  void send(const std::string &packet) {
    ASSERT_EQ(write(near[0], packet.data(), packet.size()), ssize_t(packet.size()));
  }
  /// The next packet that has arrived; empty if none has.
  std::string arrived() {
    std::string packet(1 << 16, 0);
    packet.resize(std::max<ssize_t>(0, read(far[1], packet.data(), packet.size())));
    return packet;
  }

  int near[2], far[2];
};

TEST_F(WireTest, APacketTakesItsTimeAtTheRateAndTheDelay) {
  Wire slow = wire(/*rate=*/8000, 2s); // 1000 bytes a second
  send(std::string(500, 'a'));
  slow.take(10s);
  EXPECT_EQ(slow.next_arrival(), Time(12500ms));
  slow.deliver(12400ms);
  EXPECT_EQ(arrived(), "");
  slow.deliver(12500ms);
  EXPECT_EQ(arrived(), std::string(500, 'a'));
  EXPECT_FALSE(slow.next_arrival());
}

TEST_F(WireTest, PacketsLeaveOneAfterTheOther) {
  Wire slow = wire(/*rate=*/8000, 2s);
  send(std::string(1000, 'a'));
  send(std::string(1000, 'b'));
  slow.take(0s);
  slow.deliver(3s);
  EXPECT_EQ(arrived(), std::string(1000, 'a'));
  EXPECT_EQ(arrived(), "");
  slow.deliver(4s);
  EXPECT_EQ(arrived(), std::string(1000, 'b'));
}

TEST_F(WireTest, AnIdleWireSavesNothingUp) {
  Wire slow = wire(/*rate=*/8000, 0s);
  send(std::string(1000, 'a'));
  slow.take(100s);
  EXPECT_EQ(slow.next_arrival(), Time(101s));
}

TEST_F(WireTest, WithoutARateThereIsOnlyTheDelay) {
  Wire fast = wire(/*rate=*/0, 1s);
  send(std::string(60000, 'a'));
  fast.take(5s);
  EXPECT_EQ(fast.next_arrival(), Time(6s));
}

TEST_F(WireTest, AFullQueueDrops) {
  Wire slow = wire(/*rate=*/1, 0s);
  std::string packet(60000, 'a');
  for (size_t taken = 0; taken <= Wire::queue_bytes; taken += packet.size()) {
    send(packet);
    slow.take(0s);
  }
  size_t packets = slow.packets_underway();
  send("lost");
  slow.take(0s);
  EXPECT_EQ(slow.packets_underway(), packets);
}

} // namespace
