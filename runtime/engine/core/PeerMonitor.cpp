// Sockets without a file, which the system closes with their process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/PeerMonitor.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

constexpr char in_order = 1; // what a rank sends before it leaves

int make_socket(int flags) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0); }

/// The address of a name, which the system gives out, in the name space without files.
socklen_t fill(sockaddr_un &address, const std::string &name) {
  address.sun_family = AF_UNIX;
  size_t bytes = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), bytes);
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + bytes);
}

/// A process that accepts nobody, because it is stopped or many come at once, has a full queue.
bool connect_in_time(int socket, const sockaddr_un &peer, socklen_t length) {
  constexpr useconds_t between_tries = 10000;
  constexpr int tries = 200;
  for (int left = tries; left > 0; --left, usleep(between_tries)) {
    if (connect(socket, reinterpret_cast<const sockaddr *>(&peer), length) == 0)
      return true;
    if (errno != EAGAIN && errno != EINTR)
      return false;
  }
  return false;
}

} // namespace

PeerMonitor::PeerMonitor() : own(make_socket(SOCK_NONBLOCK)), ending(eventfd(0, EFD_CLOEXEC)) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  socklen_t length = sizeof address.sun_family; // the system picks a name
  if (own < 0 || bind(own, reinterpret_cast<sockaddr *>(&address), length) != 0 ||
      listen(own, 16) != 0)
    return;
  length = sizeof address;
  constexpr socklen_t before_name = offsetof(sockaddr_un, sun_path) + 1;
  if (getsockname(own, reinterpret_cast<sockaddr *>(&address), &length) == 0 &&
      length > before_name)
    name.assign(address.sun_path + 1, length - before_name);
}

PeerMonitor::~PeerMonitor() {
  for (int peer; own >= 0 && (peer = accept4(own, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    send(peer, &in_order, 1, MSG_NOSIGNAL);
    close(peer);
  }
  if (thread.joinable()) {
    eventfd_write(ending, 1);
    thread.join();
  }
  for (int descriptor : {own, watched, ending})
    if (descriptor >= 0)
      close(descriptor);
}

void PeerMonitor::watch(const std::string &address, std::function<void()> on_death) {
  if (address.empty() || ending < 0 || thread.joinable())
    return;
  sockaddr_un peer = {};
  socklen_t length = fill(peer, address);
  watched = make_socket(SOCK_NONBLOCK);
  if (watched >= 0 && connect_in_time(watched, peer, length))
    thread = std::thread([this, on_death = std::move(on_death)] { wait(on_death); });
}

void PeerMonitor::wait(const std::function<void()> &on_death) const {
  pollfd watching[] = {{watched, POLLIN, 0}, {ending, POLLIN, 0}};
  while (poll(watching, 2, -1) < 0 && errno == EINTR) {
  }
  char word = 0;
  bool has_left = watching[0].revents == 0 || recv(watched, &word, 1, 0) == 1;
  if (watching[1].revents == 0 && !has_left)
    on_death();
}

} // namespace tutti::runtime
