// How ranks find each other over TCP: who is let in, invitations, and connections with limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Acceptor.h"
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace tutti::runtime;
using namespace tutti::runtime::gloo_backend;
using std::chrono::milliseconds;
using testing::HasSubstr;

namespace {

constexpr milliseconds soon(5000), at_once(50);

Secret secret_of(uint8_t first) {
  Secret secret;
  for (size_t i = 0; i < secret.size(); ++i)
    secret[i] = uint8_t(first + 7 * i);
  return secret;
}

Socket listening(const char *host = "127.0.0.1") {
  Result<Socket> made = Socket::listen(*SocketAddress::parse(host, "0"));
  return made ? std::move(*made) : Socket();
}

class AcceptorTest : public testing::Test {
protected:
  Hello hello_of(Purpose purpose, int32_t rank, int64_t group = 0) const {
    Hello hello;
    hello.secret = acceptor.secret();
    hello.purpose = purpose;
    hello.rank = rank;
    hello.group = group;
    return hello;
  }
  /// A connection that has sent the first `bytes` of `hello`.
  Socket connection(const Hello &hello, size_t bytes = sizeof(Hello)) const {
    Result<Socket> made = Socket::connect(acceptor.address(), soon);
    EXPECT_TRUE(made);
    EXPECT_FALSE(made->send(&hello, bytes, soon));
    return std::move(*made);
  }
  /// Whether `socket` is the other end of `taken`.
  static bool is_other_end(const Socket &socket, const std::optional<Socket> &taken) {
    char sent = 'x', got = 0;
    return taken && !socket.send(&sent, 1, soon) && !taken->receive(&got, 1, soon) && got == 'x';
  }
  /// Whether the acceptor closes `socket` rather than keep it.
  static bool is_closed(const Socket &socket) {
    char byte;
    return socket.receive(&byte, 1, soon).status == TUTTI_RANK_DIED;
  }

  Acceptor acceptor{listening(), secret_of(1)};
};

struct Pair {
  Socket one, other;
  Pair() {
    int both[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both) == 0)
      one = Socket(both[0]), other = Socket(both[1]);
  }
};

} // namespace

TEST_F(AcceptorTest, gives_each_connection_to_whom_it_is_for) {
  Socket pair = connection(hello_of(Purpose::pair, 1, 44));
  Socket notes = connection(hello_of(Purpose::notes, 1));
  Socket other = connection(hello_of(Purpose::notes, 2));
  EXPECT_TRUE(is_other_end(notes, acceptor.take(Purpose::notes, 0, 1, soon)));
  EXPECT_TRUE(is_other_end(pair, acceptor.take(Purpose::pair, 44, 1, soon)));
  EXPECT_TRUE(is_other_end(other, acceptor.take(Purpose::notes, 0, 2, soon)));
  for (Purpose purpose : {Purpose::notes, Purpose::pair, Purpose::meeting})
    EXPECT_FALSE(acceptor.take(purpose, 0, 1, milliseconds(0))) << "taken once, or never made";
}

TEST_F(AcceptorTest, welcomes_who_comes_to_the_meeting) {
  Socket rank = connection(hello_of(Purpose::meeting, 1));
  Welcome welcome, expected = Welcome::of(secret_of(1)), other = Welcome::of(secret_of(2));
  ASSERT_FALSE(rank.receive(&welcome, sizeof welcome, soon));
  EXPECT_EQ(std::memcmp(&welcome, &expected, sizeof welcome), 0);
  EXPECT_NE(std::memcmp(&welcome, &other, sizeof welcome), 0);
  EXPECT_TRUE(is_other_end(rank, acceptor.take(Purpose::meeting, 0, 1, soon)));
  Socket notes = connection(hello_of(Purpose::notes, 1));
  std::optional<Socket> taken = acceptor.take(Purpose::notes, 0, 1, soon);
  EXPECT_TRUE(is_other_end(notes, taken));
  EXPECT_FALSE(notes.is_readable()) << "Gloo and notes speak for themselves";
}

TEST_F(AcceptorTest, keeps_several_of_a_rank_in_their_order) {
  Socket first = connection(hello_of(Purpose::pair, 3, 9));
  ASSERT_TRUE(is_other_end(first, acceptor.take(Purpose::pair, 9, 3, soon)));
  first = connection(hello_of(Purpose::pair, 3, 9));
  Socket second = connection(hello_of(Purpose::pair, 3, 9));
  EXPECT_TRUE(is_other_end(first, acceptor.take(Purpose::pair, 9, 3, soon)));
  EXPECT_TRUE(is_other_end(second, acceptor.take(Purpose::pair, 9, 3, soon)));
}

TEST_F(AcceptorTest, closes_who_does_not_show_the_whole_secret) {
  for (size_t wrong : {size_t(0), size_t(17), sizeof(Secret) - 1}) {
    Hello hello = hello_of(Purpose::notes, 1);
    hello.secret[wrong] ^= 1;
    EXPECT_TRUE(is_closed(connection(hello))) << "byte " << wrong;
  }
  Hello hello = hello_of(Purpose::notes, 1);
  hello.magic[6] = '1'; // another version
  EXPECT_TRUE(is_closed(connection(hello)));
  EXPECT_FALSE(acceptor.take(Purpose::notes, 0, 1, milliseconds(0)));
}

TEST_F(AcceptorTest, hears_a_hello_that_comes_in_pieces) {
  Hello hello = hello_of(Purpose::notes, 5);
  Socket slow = connection(hello, 10);
  Socket gone = connection(hello, 30);
  gone = Socket();
  Socket other = connection(hello_of(Purpose::notes, 6));
  EXPECT_TRUE(is_other_end(other, acceptor.take(Purpose::notes, 0, 6, soon))) << "is not held up";
  EXPECT_FALSE(acceptor.take(Purpose::notes, 0, 5, at_once));
  EXPECT_FALSE(slow.send(reinterpret_cast<char *>(&hello) + 10, sizeof hello - 10, soon));
  EXPECT_TRUE(is_other_end(slow, acceptor.take(Purpose::notes, 0, 5, soon)));
}

TEST_F(AcceptorTest, lets_ranks_in_whatever_strangers_do) {
  std::vector<Socket> silent;
  for (int i = 0; i < 300; ++i) // more than it keeps: the oldest has to go
    silent.push_back(connection(Hello(), 0));
  Socket rank = connection(hello_of(Purpose::meeting, 1));
  EXPECT_TRUE(is_other_end(rank, acceptor.take(Purpose::meeting, 0, 1, soon)));
  EXPECT_TRUE(is_closed(silent.front()));
  EXPECT_FALSE(silent.back().is_readable());
}

TEST(Socket, says_which_side_is_to_blame) {
  Pair pair;
  char bytes[4] = {'a', 'b', 'c', 'd'}, got[4] = {};
  EXPECT_FALSE(pair.one.is_readable());
  EXPECT_EQ(pair.other.receive(got, 1, at_once).status, TUTTI_STALLED);
  EXPECT_FALSE(pair.one.send(bytes, 2, at_once));
  EXPECT_TRUE(pair.other.is_readable());
  EXPECT_THAT(pair.other.receive(got, 4, at_once).message, HasSubstr("sends nothing"));
  EXPECT_EQ(std::string(got, 2), "ab") << "what came is there";
  std::vector<char> much(64 << 20);
  EXPECT_EQ(pair.one.send(much.data(), much.size(), at_once).status, TUTTI_STALLED);
  pair.one = Socket();
  Error error = Error::success();
  while (!error) // what was under way still comes
    error = pair.other.receive(much.data(), 1000, at_once);
  EXPECT_EQ(error.status, TUTTI_RANK_DIED);
  EXPECT_THAT(error.message, HasSubstr("closed the connection"));
  EXPECT_EQ(pair.other.send(bytes, 4, at_once).status, TUTTI_RANK_DIED);
}

TEST(Socket, is_refused_where_nobody_listens) {
  SocketAddress free_again = listening().own_address();
  Result<Socket> made = Socket::connect(free_again, soon);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().status, TUTTI_RANK_DIED);
  EXPECT_THAT(made.error().message, HasSubstr("cannot connect with " + free_again.text()));
}

TEST(Socket, has_one_owner) {
  Pair pair;
  int number = pair.one.descriptor();
  Socket moved = std::move(pair.one);
  EXPECT_FALSE(pair.one.is_open());
  EXPECT_EQ(moved.descriptor(), number);
  EXPECT_EQ(moved.release(), number);
  EXPECT_FALSE(moved.is_open());
  moved = Socket(number);
  moved = Socket(); // closes it
  EXPECT_TRUE(pair.other.is_readable());
}

TEST(SocketAddress, is_read_as_it_is_written) {
  for (auto [host, port] : {std::pair{"127.0.0.1", "4711"}, {"::1", "1"}, {"10.1.2.3", "65535"}}) {
    Result<SocketAddress> address = SocketAddress::parse(host, port);
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_EQ(address->text(), std::string(host) + " " + port);
  }
  for (auto [host, port] :
       {std::pair{"localhost", "1"}, {"127.0.0.1", "ssh"}, {"1.2.3.4.5", "1"}, {"::g", "1"}})
    EXPECT_FALSE(SocketAddress::parse(host, port)) << host << " " << port; // asks no name server
}

TEST(Invitation, is_read_as_it_is_written) {
  TemporaryFolder folder;
  Invitation made = {secret_of(250), *SocketAddress::parse("127.0.0.1", "4711")};
  std::string file = folder.write("meeting", "an old one");
  ASSERT_FALSE(made.write(file));
  EXPECT_EQ(TemporaryFolder::read(file), made.text());
  EXPECT_EQ(folder.files(), 1u) << "a temporary file is left";
  struct stat status;
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u) << "others could read the secret";
  Result<Invitation> read = Invitation::parse(made.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->secret, made.secret);
  EXPECT_EQ(read->address.text(), "127.0.0.1 4711");
  EXPECT_THAT(made.write(folder.path("no/such")).message, HasSubstr("cannot write '"));
}

TEST(Invitation, is_one_word_where_there_are_no_others) {
  for (const char *host : {"127.0.0.1", "fe80::1:2"}) {
    Invitation made = {secret_of(7), *SocketAddress::parse(host, "4711")};
    EXPECT_EQ(made.word().find_first_of(" \n"), std::string::npos) << made.word();
    Result<Invitation> read = Invitation::parse_word(made.word());
    ASSERT_TRUE(read) << made.word();
    EXPECT_EQ(read->text(), made.text());
  }
  EXPECT_FALSE(Invitation::parse_word(""));
}

TEST(Invitation, is_no_other_text) {
  std::string good = Invitation{secret_of(3), *SocketAddress::parse("127.0.0.1", "4711")}.text();
  ASSERT_TRUE(Invitation::parse(good));
  for (size_t length = 0; length < good.size(); ++length) // as a reader may see half of it
    EXPECT_FALSE(Invitation::parse(good.substr(0, length))) << length;
  size_t digits = good.find('\n') + 1;
  auto with = [&](size_t at, const std::string &part) {
    return std::string(good).replace(at, part.size(), part);
  };
  EXPECT_FALSE(Invitation::parse(with(digits - 2, "2"))) << "another version";
  EXPECT_FALSE(Invitation::parse(with(digits, "g")));
  EXPECT_FALSE(Invitation::parse(with(digits, "A"))) << "capitals are not written";
  EXPECT_FALSE(Invitation::parse(with(good.size() - 6, "x")));
  EXPECT_FALSE(Invitation::parse(std::string(good).insert(digits, "00"))) << "a longer secret";
}
