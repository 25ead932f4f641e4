// Sockets with time limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/Socket.h"

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

std::string SocketAddress::text() const {
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
  getnameinfo(pointer(*this), bytes, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  return tutti::runtime::text(host, " ", port);
}

Result<SocketAddress> SocketAddress::parse(const std::string &host, const std::string &port) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
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

Result<Socket> Socket::listen(SocketAddress address) {
  if (address.storage.ss_family == AF_INET)
    reinterpret_cast<sockaddr_in *>(&address.storage)->sin_port = 0;
  else
    reinterpret_cast<sockaddr_in6 *>(&address.storage)->sin6_port = 0;
  Socket made(make_socket(address));
  if (!made.is_open() || bind(made.number, pointer(address), address.bytes) != 0 ||
      ::listen(made.number, SOMAXCONN) != 0)
    return system_error("cannot listen for other ranks");
  return made;
}

Result<Socket> Socket::connect(const SocketAddress &address, std::chrono::milliseconds limit) {
  Socket made(make_socket(address));
  if (!made.is_open())
    return system_error("cannot make a socket");
  int on = 1;
  setsockopt(made.number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
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
