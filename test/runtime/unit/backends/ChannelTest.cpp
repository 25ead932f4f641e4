// Messages between two ends of a connection, which both are here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Channel.h"

#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace tutti::runtime;
using gloo_backend::Channel;
using gloo_backend::Message;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

/// One end, and the messages of its call.
struct End {
  explicit End(int descriptor) : channel(Socket(descriptor)) {}
  using Socket = gloo_backend::Socket;

  const Message &begin(bool is_send, void *memory, int64_t bytes, std::optional<int64_t> tag) {
    transfers.push_back({0, is_send, memory, bytes});
    Message &message = messages.emplace_back();
    message.prepare(transfers.back(), tag);
    channel.begin(message);
    return message;
  }
  const Message &send(std::string &text, std::optional<int64_t> tag = std::nullopt) {
    return begin(true, text.data(), int64_t(text.size()), tag);
  }
  const Message &receive(std::string &text, std::optional<int64_t> tag = std::nullopt) {
    return begin(false, text.data(), int64_t(text.size()), tag);
  }

  Channel channel;
  std::deque<tutti_transfer> transfers;
  std::deque<Message> messages;
};

class ChannelTest : public testing::Test {
protected:
  ChannelTest() {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    one = std::make_unique<End>(pair[0]);
    other = std::make_unique<End>(pair[1]);
  }
  /// As long as something can be moved.
  void advance() {
    for (int turn = 0; turn < 10000; ++turn) {
      EXPECT_FALSE(one->channel.advance());
      EXPECT_FALSE(other->channel.advance());
    }
  }

  std::unique_ptr<End> one, other;
};

} // namespace

TEST_F(ChannelTest, messages_of_equal_tag_come_in_order_and_others_in_any) {
  std::string a = "aaaa", b = "bbbb", c = "cccc", d = "dddd", got_a(4, ' '), got_b = got_a,
              got_c = got_a, got_d = got_a;
  one->send(a, 1);
  one->send(b, 2);
  one->send(c, 1);
  one->send(d);
  other->receive(got_d);
  other->receive(got_b, 2);
  other->receive(got_a, 1);
  other->receive(got_c, 1);
  advance();
  EXPECT_EQ(got_a + got_b + got_c + got_d, "aaaabbbbccccdddd");
  EXPECT_TRUE(one->channel.is_idle() && other->channel.is_idle());
}

TEST_F(ChannelTest, nothing_is_sent_before_somebody_waits_for_it) {
  std::string sent(1 << 20, 'x'), got(1 << 20, ' ');
  const Message &message = one->send(sent);
  advance();
  EXPECT_FALSE(message.is_done);
  pollfd watched = {other->channel.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, 0), 0) << "something has come";
  other->receive(got);
  advance();
  EXPECT_TRUE(message.is_done);
  EXPECT_EQ(got, sent);
}

TEST_F(ChannelTest, a_message_of_another_size_does_not_come) {
  std::string sent = "12345", got(4, ' ');
  const Message &message = one->send(sent);
  const Message &expected = other->receive(got);
  advance();
  EXPECT_FALSE(message.is_done || expected.is_done);
  EXPECT_EQ(got, "    ");
}

TEST_F(ChannelTest, large_messages_go_both_ways_at_once) {
  constexpr int count = 5;
  std::string sent[2][count], got[2][count];
  for (int i = 0; i < count; ++i)
    for (int side : {0, 1}) {
      sent[side][i].resize(size_t(1 << 20) + size_t(i));
      std::iota(sent[side][i].begin(), sent[side][i].end(), char(7 * i + side));
      got[side][i].resize(sent[side][i].size());
      (side ? one : other)->send(sent[side][i]);
      (side ? other : one)->receive(got[side][i]);
    }
  advance();
  for (int i = 0; i < count; ++i)
    for (int side : {0, 1})
      EXPECT_EQ(sent[side][i], got[side][i]);
}

TEST_F(ChannelTest, one_call_follows_the_other) {
  for (int i = 0; i < 1000; ++i) {
    std::string sent = std::to_string(100000 + i), got(6, ' ');
    End &from = i % 3 ? *one : *other, &to = i % 3 ? *other : *one;
    from.send(sent, i % 2);
    to.receive(got, i % 2);
    while (!from.channel.is_idle() || !to.channel.is_idle()) {
      ASSERT_FALSE(from.channel.advance());
      ASSERT_FALSE(to.channel.advance());
    }
    ASSERT_EQ(got, sent);
  }
}

TEST_F(ChannelTest, an_end_that_closes_is_noticed_and_nothing_is_touched_any_more) {
  std::string got(8, ' ');
  one->receive(got);
  other.reset();
  EXPECT_THAT(one->channel.advance().message,
              AnyOf(HasSubstr("the other side closed the connection"), HasSubstr("was lost")));
  EXPECT_TRUE(one->channel.is_idle());
  one->receive(got);
  EXPECT_THAT(one->channel.advance().message,
              HasSubstr("an earlier call has given the connection up"));
}

TEST_F(ChannelTest, bytes_that_are_no_frame_are_an_error) {
  std::string got(8, ' '), garbage(64, 'x');
  one->receive(got);
  EXPECT_EQ(::send(other->channel.descriptor(), garbage.data(), garbage.size(), 0), 64);
  EXPECT_THAT(one->channel.advance().message,
              HasSubstr("the other side sends what nobody waits for"));
  EXPECT_EQ(got, "        ");
}
