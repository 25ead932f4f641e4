// Passing descriptors of sealed memory through a socket.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/PassedArrays.h"

#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/HeldSignals.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>

namespace tutti::runtime::data {
namespace {

constexpr size_t longest_path = 4096;

/// A message: one array, or that there are no more.
struct ArrayMessage {
  int64_t entry; ///< -1: no more
  char file[longest_path];
};

/// A descriptor that goes with a message.
union Control {
  cmsghdr aligned;
  char bytes[CMSG_SPACE(sizeof(int))];
};

msghdr message_of(iovec &content, Control &control) {
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  return message;
}

bool send_array(int socket, const InflatedArray &array) {
  ArrayMessage sent = {array.entry, {}};
  if (array.file.size() >= longest_path)
    return true; // ranks inflate it for themselves
  std::memcpy(sent.file, array.file.data(), array.file.size());
  iovec content = {&sent, sizeof sent};
  Control control = {};
  msghdr message = message_of(content, control);
  cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &array.descriptor, sizeof(int));
  return sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(sizeof sent);
}

void send_all(int socket, const std::vector<InflatedArray> &arrays) {
  for (const InflatedArray &array : arrays)
    if (!send_array(socket, array))
      return;
  ArrayMessage last = {-1, {}};
  (void)!send(socket, &last, sizeof last, MSG_NOSIGNAL);
}

/// The descriptor that came with a message; -1: none.
int descriptor_of(const msghdr &message) {
  const cmsghdr *head = CMSG_FIRSTHDR(&message);
  int file = -1;
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof(int)))
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
  return file;
}

/// The next array. Its entry is -1 after the last, and its descriptor -1 if none came.
InflatedArray receive_array(int socket) {
  ArrayMessage received = {0, {}};
  iovec content = {&received, sizeof received};
  Control control = {};
  msghdr message = message_of(content, control);
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != ssize_t(sizeof received))
    return {};
  received.file[longest_path - 1] = 0;
  return {received.file, received.entry, descriptor_of(message)};
}

bool is_readable_within(int socket, double seconds) {
  constexpr double longest = 1e6; // in milliseconds an int holds it; limits may be months
  pollfd what = {socket, POLLIN, 0};
  return poll(&what, 1, int(std::clamp(seconds, 0.0, longest) * 1000)) > 0;
}

} // namespace

/// Where the system allows no more threads, those who ask see the socket closed.
ArrayDoor::ArrayDoor(LocalSocket given, std::vector<InflatedArray> arrays)
    : listening(std::move(given)), arrays(std::move(arrays)), ending(eventfd(0, EFD_CLOEXEC)) {
  try {
    HeldSignals held; // the thread inherits it
    thread = std::thread([this] { run(); });
  } catch (const std::system_error &) {
    LocalSocket closed(std::move(listening));
  }
}

ArrayDoor::~ArrayDoor() {
  eventfd_write(ending, 1);
  if (thread.joinable())
    thread.join();
  close(ending);
}

void ArrayDoor::run() {
  constexpr timeval to_take = {3, 0}; // the others wait for one that does not
  pollfd watched[] = {{ending, POLLIN, 0}, {listening.descriptor(), POLLIN, 0}};
  while (poll(watched, 2, -1) >= 0 || errno == EINTR) {
    if (watched[0].revents != 0)
      return;
    LocalSocket asking = listening.accept(0);
    if (!asking.is_open())
      usleep(1000); // where no descriptor is left, it stays readable
    if (!asking.is_open() || !asking.is_of_own_user())
      continue;
    setsockopt(asking.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &to_take, sizeof to_take);
    send_all(asking.descriptor(), arrays);
  }
}

InflatedArrays::Inherited receive_arrays(int socket, double seconds) {
  InflatedArrays::Inherited inherited;
  for (Stopwatch watch; is_readable_within(socket, seconds - watch.seconds());) {
    InflatedArray array = receive_array(socket);
    if (array.entry < 0)
      return inherited;
    Result<SealedMemory> memory = SealedMemory::adopt(array.descriptor);
    if (!memory)
      return {};
    inherited.list.push_back(std::move(array));
    inherited.memory.push_back(std::move(*memory));
  }
  return {};
}

} // namespace tutti::runtime::data
