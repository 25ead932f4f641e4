// Bytes as what processes read from each other when they meet and while they run. The first byte
// says as what: an invitation, a connection text, a greeting, or a stream of notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/NoteLinks.h"
#include "runtime/engine/backends/gloo/meeting/Acceptor.h"
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"
#include "runtime/engine/backends/shm/Connection.h"
#include "test/fuzz/formats/Input.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace tutti::runtime;
using namespace tutti::runtime::gloo_backend;
using tutti::runtime::plugin::NoteSpread;

namespace {

/// What a reader does must be right too, not only safe.
void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

/// Says `content`, and that nothing comes after it.
void say(const Socket &socket, std::string_view content) {
  for (size_t said = 0; said < content.size();) {
    ssize_t sent =
        send(socket.descriptor(), content.data() + said, content.size() - said, MSG_NOSIGNAL);
    if (sent <= 0)
      break; // the other side has closed already
    said += size_t(sent);
  }
  shutdown(socket.descriptor(), SHUT_WR);
}

/// Until the other side closes.
void listen_to_the_end(const Socket &socket) {
  char piece[4096];
  while (recv(socket.descriptor(), piece, sizeof piece, 0) > 0)
    ;
}

/// What is read as an invitation is written as one that says the same.
void read_invitation(std::string_view bytes) {
  Result<Invitation> read = Invitation::parse(std::string(bytes));
  if (!read)
    return;
  Result<Invitation> again = Invitation::parse(read->text());
  require(bool(again), "an invitation that was read cannot be read again");
  require(again->secret == read->secret, "an invitation has another secret when it is read again");
}

void read_connection(std::string_view bytes) {
  Result<shm::Connection> read = shm::Connection::parse(bytes);
  require(!read || read->descriptor >= 0 || !read->path.empty(), "a connection to nothing");
}

/// An acceptor behind a socket without a port, so that a million inputs use up none.
class Host {
public:
  Host() : acceptor(Socket(listen_here()), secret()) {}

  void greet(std::string_view bytes) {
    Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    require(connect(socket.descriptor(), reinterpret_cast<sockaddr *>(&address), length) == 0,
            "nobody listens");
    say(socket, bytes.substr(0, sizeof(Hello)));
    Hello hello;
    bool is_whole = bytes.size() >= sizeof hello;
    if (is_whole)
      std::memcpy(static_cast<void *>(&hello), bytes.data(), sizeof hello);
    if (!is_whole || hello.secret != secret() ||
        std::memcmp(hello.magic, Hello().magic, sizeof hello.magic) != 0)
      return listen_to_the_end(socket); // it is closed
    constexpr std::chrono::milliseconds limit(5000);
    require(acceptor.take(hello.purpose, hello.group, hello.rank, limit).has_value(),
            "who knows the secret is not let in");
  }

private:
  static Secret secret() {
    Secret all;
    all.fill('k');
    return all;
  }

  int listen_here() {
    int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    address.sun_family = AF_UNIX; // and no name: the system gives one that is no file
    require(bind(file, reinterpret_cast<sockaddr *>(&address), sizeof address.sun_family) == 0 &&
                getsockname(file, reinterpret_cast<sockaddr *>(&address), &length) == 0 &&
                listen(file, SOMAXCONN) == 0,
            "no socket to listen at");
    return file;
  }

  sockaddr_un address = {};
  socklen_t length = sizeof address;
  Acceptor acceptor;
};

void read_greeting(std::string_view bytes) {
  static Host host;
  host.greet(bytes);
}

/// As from the neighbour 1 of rank 0 of five.
void read_notes(std::string_view bytes) {
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no pair of sockets");
  Socket neighbour(ends[0]), own(ends[1]);
  require(fcntl(own.descriptor(), F_SETFL, O_NONBLOCK) == 0, "a socket that blocks");
  std::map<int32_t, Socket> sockets;
  sockets[1] = std::move(own);
  NoteLinks links(NoteSpread(/*rank=*/0, /*ranks=*/5), std::move(sockets));
  links.start([](int32_t dead) { require(dead == 1, "another neighbour died"); });
  say(neighbour, bytes);
  listen_to_the_end(neighbour);
  for (const plugin::Note &note : links.notes())
    require(strnlen(note.text, sizeof note.text) < sizeof note.text, "a note without an end");
  require(!links.notes()[0].is_failure(), "a neighbour failed for this rank");
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes = tutti::fuzz::textOf(data, size);
  if (bytes.empty())
    return 0;
  char kind = bytes[0];
  bytes.remove_prefix(1);
  switch (kind) {
  case 'i':
    read_invitation(bytes);
    break;
  case 'c':
    read_connection(bytes);
    break;
  case 'g':
    read_greeting(bytes);
    break;
  case 'n':
    read_notes(bytes);
    break;
  default: // a mutated first byte
    break;
  }
  return 0;
}
