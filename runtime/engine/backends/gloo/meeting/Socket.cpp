// Sockets with time limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::gloo_backend {
namespace {

using Clock = std::chrono::steady_clock;

Error system_error(const char *what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", std::strerror(errno));
}

const sockaddr *pointer(const SocketAddress &address) {
  return reinterpret_cast<const sockaddr *>(&address.storage);
}

/// Whether one of `events` came before `end`.
bool wait_for(int descriptor, short events, Clock::time_point end) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd watched = {descriptor, events, 0};
    int found = poll(&watched, 1, int(std::max<int64_t>(0, left)));
    if (found > 0)
      return true;
    if (found == 0 || errno != EINTR)
      return false;
  }
}

int make_socket(const SocketAddress &address) {
  return socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

} // namespace

void tune(int descriptor) {
  constexpr int idle = 10, between = 5, probes = 4; // seconds, seconds, and how many
  constexpr unsigned unanswered = 30000;            // milliseconds, of what was sent
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
}

std::string SocketAddress::text() const {
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
  getnameinfo(pointer(*this), bytes, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  return tutti::runtime::text(host, " ", port);
}

static Result<SocketAddress> look_up(const std::string &host, const std::string &port, int flags) {
  addrinfo hints = {};
  hints.ai_flags = flags | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo *found = nullptr;
  int code = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (code != 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", host, " ", port, "': ", gai_strerror(code));
  SocketAddress address;
  address.bytes = uint32_t(found->ai_addrlen);
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return address;
}

Result<SocketAddress> SocketAddress::parse(const std::string &host, const std::string &port) {
  return look_up(host, port, AI_NUMERICHOST);
}

Result<SocketAddress> SocketAddress::resolve(const std::string &host, const std::string &port) {
  return look_up(host, port, 0);
}

Socket::Socket(Socket &&other) noexcept : number(other.release()) {}

Socket &Socket::operator=(Socket &&other) noexcept {
  std::swap(number, other.number);
  return *this;
}

Socket::~Socket() {
  if (number >= 0)
    close(number);
}

int Socket::release() { return std::exchange(number, -1); }

/// The place of the port in the address.
static in_port_t &port_of(SocketAddress &address) {
  if (address.storage.ss_family == AF_INET)
    return reinterpret_cast<sockaddr_in *>(&address.storage)->sin_port;
  return reinterpret_cast<sockaddr_in6 *>(&address.storage)->sin6_port;
}

Result<Socket> Socket::listen(SocketAddress address) {
  port_of(address) = 0;
  Socket made(make_socket(address));
  if (!made.is_open() || bind(made.number, pointer(address), address.bytes) != 0 ||
      ::listen(made.number, SOMAXCONN) != 0)
    return system_error("cannot listen for other ranks");
  return made;
}

Result<Socket> Socket::listen_at(const SocketAddress &address) {
  Socket made(make_socket(address));
  int on = 1;
  setsockopt(made.number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); // of a run that has just ended
  bool is_bound = made.is_open() && bind(made.number, pointer(address), address.bytes) == 0;
  if (made.is_open() && !is_bound && errno == EADDRNOTAVAIL) { // a forwarded one
    SocketAddress any = address, wanted = address;
    std::memset(&any.storage, 0, sizeof any.storage);
    any.storage.ss_family = address.storage.ss_family;
    port_of(any) = port_of(wanted);
    is_bound = bind(made.number, pointer(any), any.bytes) == 0;
  }
  if (!is_bound || ::listen(made.number, SOMAXCONN) != 0)
    return Error::make(TUTTI_SYSTEM_ERROR, std::strerror(errno));
  return made;
}

Result<Socket> Socket::connect(const SocketAddress &address, std::chrono::milliseconds limit) {
  Socket made(make_socket(address));
  if (!made.is_open())
    return system_error("cannot make a socket");
  tune(made.number);
  if (::connect(made.number, pointer(address), address.bytes) == 0)
    return made;
  if (errno == EINPROGRESS) {
    socklen_t bytes = sizeof errno;
    int problem = ETIMEDOUT;
    if (wait_for(made.number, POLLOUT, Clock::now() + limit))
      getsockopt(made.number, SOL_SOCKET, SO_ERROR, &problem, &bytes);
    if (problem == 0)
      return made;
    errno = problem;
  }
  return Error::make(errno == ETIMEDOUT ? TUTTI_STALLED : TUTTI_RANK_DIED, "cannot connect with ",
                     address.text(), ": ", std::strerror(errno));
}

SocketAddress Socket::own_address() const {
  SocketAddress address;
  address.bytes = sizeof address.storage;
  getsockname(number, reinterpret_cast<sockaddr *>(&address.storage), &address.bytes);
  return address;
}

Error Socket::send(const void *memory, size_t bytes, std::chrono::milliseconds limit) const {
  Clock::time_point end = Clock::now() + limit;
  for (const char *next = static_cast<const char *>(memory); bytes > 0;) {
    ssize_t sent = ::send(number, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return Error::make(TUTTI_RANK_DIED, "the connection was lost: ", std::strerror(errno));
    if (sent < 0 && !wait_for(number, POLLOUT, end))
      return Error::make(TUTTI_STALLED, "the other side takes nothing");
    next += std::max<ssize_t>(0, sent);
    bytes -= size_t(std::max<ssize_t>(0, sent));
  }
  return Error::success();
}

Error Socket::receive(void *memory, size_t bytes, std::chrono::milliseconds limit) const {
  Clock::time_point end = Clock::now() + limit;
  for (char *next = static_cast<char *>(memory); bytes > 0;) {
    ssize_t got = recv(number, next, bytes, 0);
    if (got == 0)
      return Error::make(TUTTI_RANK_DIED, "the other side closed the connection");
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return Error::make(TUTTI_RANK_DIED, "the connection was lost: ", std::strerror(errno));
    if (got < 0 && !wait_for(number, POLLIN, end))
      return Error::make(TUTTI_STALLED, "the other side sends nothing");
    next += std::max<ssize_t>(0, got);
    bytes -= size_t(std::max<ssize_t>(0, got));
  }
  return Error::success();
}

bool Socket::is_readable() const { return wait_for(number, POLLIN, Clock::now()); }

} // namespace tutti::runtime::gloo_backend
