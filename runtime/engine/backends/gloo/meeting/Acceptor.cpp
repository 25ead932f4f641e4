// Sorting connections into those of the run and others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Acceptor.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

namespace tutti::runtime::gloo_backend {
namespace {

constexpr std::chrono::seconds time_for_hello(5);
constexpr size_t most_pending = 256; // the oldest has to go

} // namespace

Acceptor::Acceptor(Socket socket, const Secret &secret)
    : listening(std::move(socket)), key(secret), ending(eventfd(0, EFD_CLOEXEC)),
      thread([this] { run(); }) {}

Acceptor::~Acceptor() {
  eventfd_write(ending, 1);
  thread.join();
  close(ending);
}

void Acceptor::run() {
  for (;;) {
    std::vector<pollfd> watched = {{ending, POLLIN, 0}, {listening.descriptor(), POLLIN, 0}};
    for (const Pending &pending_one : pending)
      watched.push_back({pending_one.socket.descriptor(), POLLIN, 0});
    constexpr int milliseconds = 1000;
    if (poll(watched.data(), watched.size(), pending.empty() ? -1 : milliseconds) < 0)
      continue;
    if (watched[0].revents != 0)
      return;
    auto now = std::chrono::steady_clock::now();
    auto seen = watched.begin() + 2;
    pending.remove_if([&](Pending &pending_one) {
      bool has_spoken = (seen++)->revents != 0;
      return has_spoken ? read_hello(pending_one) : now > pending_one.end;
    });
    if (watched[1].revents != 0)
      accept();
  }
}

void Acceptor::accept() {
  int made = accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (made < 0) {
    if (errno == EMFILE || errno == ENFILE)
      usleep(10000); // until descriptors are free again
    return;
  }
  tune(made);
  if (pending.size() >= most_pending)
    pending.pop_front();
  pending.push_back({Socket(made), std::chrono::steady_clock::now() + time_for_hello, Hello(), 0});
}

/// Whether it is decided: accepted, or closed.
bool Acceptor::read_hello(Pending &pending_one) {
  char *hello = reinterpret_cast<char *>(&pending_one.hello);
  ssize_t got = recv(pending_one.socket.descriptor(), hello + pending_one.received,
                     sizeof pending_one.hello - pending_one.received, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (got <= 0)
    return true;
  pending_one.received += size_t(got);
  if (pending_one.received < sizeof pending_one.hello)
    return false;
  if (is_of_this_run(pending_one.hello))
    keep(pending_one);
  return true;
}

/// Whoever comes to the meeting is told at once that this is it.
void Acceptor::keep(Pending &pending_one) {
  const Hello &hello = pending_one.hello;
  Welcome welcome = Welcome::of(key);
  constexpr std::chrono::milliseconds to_send(100); // a new connection has room
  if (hello.purpose == Purpose::meeting &&
      pending_one.socket.send(&welcome, sizeof welcome, to_send))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  known[{int32_t(hello.purpose), hello.group, hello.rank}].push_back(std::move(pending_one.socket));
  arrived.notify_all();
}

Welcome Welcome::of(const Secret &secret) {
  Welcome welcome;
  for (size_t i = 0; i < secret.size(); ++i)
    welcome.mirrored[i] = uint8_t(~secret[secret.size() - 1 - i]);
  return welcome;
}

/// In a time that does not depend on how much of the secret is right.
bool Acceptor::is_of_this_run(const Hello &hello) const {
  uint8_t difference = 0;
  for (size_t i = 0; i < key.size(); ++i)
    difference |= uint8_t(hello.secret[i] ^ key[i]);
  return difference == 0 && std::memcmp(hello.magic, Hello().magic, sizeof hello.magic) == 0;
}

std::optional<Socket> Acceptor::take(Purpose purpose, int64_t group, int32_t rank,
                                     std::chrono::milliseconds limit) {
  std::map<int32_t, Socket> come = take_any(purpose, group, {rank}, limit);
  return come.empty() ? std::nullopt : std::optional<Socket>(std::move(come.begin()->second));
}

std::map<int32_t, Socket> Acceptor::take_any(Purpose purpose, int64_t group,
                                             const std::vector<int32_t> &ranks,
                                             std::chrono::milliseconds limit) {
  std::map<int32_t, Socket> come;
  std::unique_lock<std::mutex> lock(mutex);
  arrived.wait_for(lock, limit, [&] {
    for (int32_t rank : ranks)
      if (std::optional<Socket> socket = take_known({int32_t(purpose), group, rank}))
        come.emplace(rank, std::move(*socket));
    return !come.empty();
  });
  return come;
}

/// With the mutex locked.
std::optional<Socket> Acceptor::take_known(const Key &key) {
  auto found = known.find(key);
  if (found == known.end())
    return std::nullopt;
  std::optional<Socket> socket(std::move(found->second.front()));
  found->second.pop_front();
  if (found->second.empty())
    known.erase(found);
  return socket;
}

} // namespace tutti::runtime::gloo_backend
