// A message is the number of its entries, then the entries; 0 entries announce the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/NoteLinks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

using plugin::NoteSpread;

constexpr std::chrono::milliseconds to_announce_end(500);

std::string message_of(const std::vector<NoteSpread::Entry> &entries) {
  uint64_t count = entries.size();
  std::string message(reinterpret_cast<const char *>(&count), sizeof count);
  return message.append(reinterpret_cast<const char *>(entries.data()),
                        entries.size() * sizeof(NoteSpread::Entry));
}

} // namespace

NoteLinks::NoteLinks(NoteSpread given, std::map<int32_t, Socket> sockets)
    : wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), spread(std::move(given)) {
  for (auto &[peer, socket] : sockets)
    links[peer].socket = std::move(socket);
}

void NoteLinks::start(std::function<void(int32_t)> call) {
  on_death = std::move(call);
  thread = std::thread([this] { run(); });
}

NoteLinks::~NoteLinks() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    is_ending = true;
  }
  eventfd_write(wake, 1);
  if (thread.joinable())
    thread.join();
  for (auto &[peer, link] : links) {
    if (!link.socket.is_open())
      continue;
    std::string last = link.unsent + message_of({});
    if (Error error = link.socket.send(last.data(), last.size(), to_announce_end))
      continue; // it is gone, or will notice that this rank is
  }
  close(wake);
}

void NoteLinks::post(const plugin::Note &note) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    spread.post(note);
    for (auto &[peer, link] : links) // at once: the process may end soon
      if (link.socket.is_open())
        write_news(peer, link);
  }
  eventfd_write(wake, 1);
}

std::vector<plugin::Note> NoteLinks::notes() {
  std::lock_guard<std::mutex> lock(mutex);
  return spread.notes();
}

void NoteLinks::run() {
  for (;;) {
    std::vector<pollfd> watched = {{wake, POLLIN, 0}};
    std::vector<int32_t> peers;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (is_ending)
        return;
      for (const auto &[peer, link] : links)
        if (link.socket.is_open()) {
          short events = short(POLLIN | (link.unsent.empty() ? 0 : POLLOUT));
          watched.push_back({link.socket.descriptor(), events, 0});
          peers.push_back(peer);
        }
    }
    poll(watched.data(), watched.size(), -1);
    eventfd_t ignored;
    eventfd_read(wake, &ignored);
    std::map<int32_t, bool> readable;
    for (size_t i = 0; i < peers.size(); ++i)
      readable[peers[i]] = (watched[i + 1].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    for (int32_t dead : serve(readable))
      on_death(dead);
  }
}

/// The neighbours that turn out to have died.
std::vector<int32_t> NoteLinks::serve(const std::map<int32_t, bool> &readable) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<int32_t> dead;
  for (auto [peer, may_read] : readable) {
    Link &link = links[peer];
    if (!may_read || read(peer, link))
      continue;
    link.socket = Socket();
    if (!link.has_left && !spread.notes()[size_t(peer)].is_failure())
      dead.push_back(peer);
  }
  for (auto &[peer, link] : links) // notes that have just come go on
    if (link.socket.is_open())
      write_news(peer, link);
  return dead;
}

/// False if the connection is lost.
bool NoteLinks::write_news(int32_t peer, Link &link) {
  for (auto news = spread.news_for(peer); !news.empty(); news = spread.news_for(peer))
    link.unsent += message_of(news);
  while (!link.unsent.empty()) {
    ssize_t sent =
        send(link.socket.descriptor(), link.unsent.data(), link.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0)
      return errno == EAGAIN || errno == EINTR;
    link.unsent.erase(0, size_t(sent));
  }
  return true;
}

/// False if the other side has closed, or does not speak as ranks do.
bool NoteLinks::read(int32_t peer, Link &link) {
  bool is_open = true;
  char buffer[8192];
  for (ssize_t got; is_open;) {
    got = recv(link.socket.descriptor(), buffer, sizeof buffer, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      break;
    is_open = got > 0;
    link.received.append(buffer, size_t(std::max<ssize_t>(0, got)));
  }
  for (uint64_t count; link.received.size() >= sizeof count;) {
    std::memcpy(&count, link.received.data(), sizeof count);
    if (count > NoteSpread::most_entries)
      return false;
    size_t bytes = sizeof count + count * sizeof(NoteSpread::Entry);
    if (link.received.size() < bytes)
      break;
    std::vector<NoteSpread::Entry> entries(count);
    if (count > 0)
      std::memcpy(entries.data(), link.received.data() + sizeof count, bytes - sizeof count);
    link.has_left |= count == 0;
    spread.receive(peer, entries.data(), entries.size());
    link.received.erase(0, bytes);
  }
  return is_open;
}

} // namespace tutti::runtime::gloo_backend
